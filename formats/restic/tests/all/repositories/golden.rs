//! restic's and rustic's own repositories read back whole: every file, every blob, by the answers
//! that came with them.

use std::collections::BTreeMap;
use std::fs;

use manicule_format_restic::{
    Config, Decompressor, FileKind, Id, IndexForm, IndexWriter, Key, KeyError, KeyFile, PackHeader,
    PackedBlob, Version, open_blob, open_header, pack_len, pack_unpacked, put_header, read_index,
    sealed_header_len,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::repositories::support::{KEY_LIMITS, LIMIT, Listed, PASSWORD, Repository, repositories};

/// A key, by what it makes of a plaintext.
fn shown(key: &Key) -> Vec<u8> {
    let mut out = Vec::new();
    key.seal([1; 16], b"plaintext", &mut out);
    out
}

#[test]
fn passwords_open_the_master_key() {
    for repository in repositories() {
        let files = repository.files(FileKind::Key);
        let keys = files.iter().filter_map(|(_, path)| {
            let file = KeyFile::parse(&fs::read(path).unwrap()).unwrap();
            file.open(PASSWORD, &KEY_LIMITS).ok()
        });
        let keys: Vec<_> = keys.map(|key| shown(&key)).collect();
        assert_eq!(keys, [shown(&repository.key)], "{}", repository.name);
    }
}

#[test]
fn configs_say_version_and_name() {
    for repository in repositories() {
        let want: Value = serde_json::from_slice(&repository.answer("config.json")).unwrap();
        let Config { version, id, chunker_polynomial, .. } = &repository.config;
        assert_eq!((&want["version"], &want["id"]), (&json!(version.number()), &json!(id)));
        assert_eq!(want["chunker_polynomial"], *chunker_polynomial);
    }
}

#[test]
fn each_key_has_its_own_password_and_another_is_said_to_be_wrong() {
    let repository = Repository::of_archive("keys");
    let mut opened = Vec::new();
    for (id, path) in repository.files(FileKind::Key) {
        let file = KeyFile::parse(&fs::read(path).unwrap()).unwrap();
        for password in ["second key", "third key", "manicule-golden "] {
            match file.open(password.as_bytes(), &KEY_LIMITS) {
                Ok(key) => {
                    assert_eq!(shown(&key), shown(&repository.key));
                    let who = (file.username.clone().unwrap(), file.hostname.clone().unwrap());
                    opened.push((id.short(), password, who));
                }
                Err(error) => assert_eq!(error, KeyError::WrongPassword),
            }
        }
    }
    let who = |user: &str, host: &str| (user.to_owned(), host.to_owned());
    let want = [
        ("9dcef516".to_owned(), "third key", who("reader", "desk")),
        ("f1ab9ef8".to_owned(), "second key", who("reader", "desk")),
    ];
    assert_eq!(opened, want);
}

#[test]
fn index_files_are_read_and_written_as_restic_does() {
    for repository in repositories() {
        let (mut entry_count, mut pack_count) = (0, 0);
        for (id, path) in repository.files(FileKind::Index) {
            let json = repository.unpacked(id, &path);
            assert_eq!(json, repository.answer(&format!("index/{id}.json")));
            let mut listed = Listed::default();
            let form = read_index(&json, &mut listed).unwrap();
            let live = listed.packs.iter().filter(|(pack, _)| !pack.is_marked);
            let mut writer = IndexWriter::new();
            for (pack, blobs) in live {
                writer.pack(&pack.id);
                blobs.iter().for_each(|blob| writer.blob(blob));
            }
            entry_count += writer.blob_count();
            pack_count += writer.pack_count();
            match repository.name.as_str() {
                "rustic" => assert_eq!(form, IndexForm::General),
                _ => {
                    assert_eq!(form, IndexForm::Canonical, "{}", repository.name);
                    assert_eq!(writer.finish(), json, "{}: {id}", repository.name);
                }
            }
            // Compressed by another library the bytes are others; what they unpack to isn't.
            let packed = pack_unpacked(repository.config.version, &json);
            assert_eq!(packed == json, repository.config.version == Version::V1);
        }
        let judge: Value = serde_json::from_slice(&repository.answer("judge.json")).unwrap();
        assert_eq!(judge["entries"], entry_count, "{}", repository.name);
        if repository.name != "dups" {
            assert_eq!(judge["packs_in_index"], pack_count, "{}", repository.name);
        }
    }
}

#[test]
fn snapshots_are_unpacked_to_the_plaintext_that_restic_shows() {
    for repository in repositories() {
        for (id, path) in repository.files(FileKind::Snapshot) {
            let want = repository.answer(&format!("snapshot-{id}.json"));
            assert_eq!(repository.unpacked(id, &path), want, "{}", repository.name);
        }
    }
}

#[test]
fn packs_that_rustic_marked_have_their_time() {
    let repository = Repository::of_archive("rustic");
    let mut listed = Listed::default();
    for (id, path) in repository.files(FileKind::Index) {
        read_index(&repository.unpacked(id, &path), &mut listed).unwrap();
    }
    let marked: Vec<_> = listed.packs.iter().filter(|(pack, _)| pack.is_marked).collect();
    assert_eq!(marked.len(), 2);
    for (pack, blobs) in marked {
        let time = pack.time.as_deref().unwrap();
        assert!(time.starts_with("2026-") && !blobs.is_empty(), "{time}");
    }
}

/// The blobs of each pack by all index files, in the order of offsets.
fn indexed(repository: &Repository) -> BTreeMap<Id, Vec<PackedBlob>> {
    let mut packs: BTreeMap<Id, Vec<PackedBlob>> = BTreeMap::new();
    for (id, path) in repository.files(FileKind::Index) {
        let mut listed = Listed::default();
        read_index(&repository.unpacked(id, &path), &mut listed).unwrap();
        for (pack, blobs) in listed.packs {
            packs.entry(pack.id).or_default().extend(blobs);
        }
    }
    for blobs in packs.values_mut() {
        blobs.sort_by_key(|blob| blob.place.offset);
        blobs.dedup();
    }
    packs
}

#[test]
fn every_pack_is_as_the_index_says_and_every_blob_opens() {
    let mut blob_count = 0;
    for repository in repositories() {
        let indexed = indexed(&repository);
        let mut decompressor = Decompressor::new();
        for (id, path) in repository.files(FileKind::Pack) {
            let mut pack = fs::read(&path).unwrap();
            assert_eq!(Id::of(&pack), id);
            let header = header(&repository, &pack);
            assert_eq!(indexed.get(&id), Some(&header.blobs), "{}: {id}", repository.name);
            for blob in &header.blobs {
                let place = blob.place.offset as usize..blob.place.end() as usize;
                let stored = &mut pack[place];
                let opened = open_blob(&repository.key, stored, blob, LIMIT, &mut decompressor);
                assert!(opened.unwrap().is_as_long_as_listed);
                blob_count += 1;
            }
        }
    }
    assert!(blob_count > 250, "{blob_count}");
}

/// The header of a pack, which has to be the same when it is written again.
fn header(repository: &Repository, pack: &[u8]) -> PackHeader {
    let len = pack.len() as u64;
    let header = open_header(&repository.key, &mut pack.to_vec(), len).unwrap();
    assert!(header.fills(len));
    let places = || header.blobs.iter().map(|blob| &blob.place);
    assert_eq!(pack_len(places()), len);
    assert_eq!(sealed_header_len(places()), u64::from(header.sealed_len));
    let header_at = header.blobs_end() as usize;
    let iv: [u8; 16] = pack[header_at..header_at + 16].try_into().unwrap();
    let mut again = Vec::new();
    put_header(&repository.key, iv, &header.blobs, &mut again);
    assert_eq!(again, pack[header_at..]);
    header
}

#[test]
fn listings_of_blobs_are_those_that_the_judge_made() {
    for repository in repositories() {
        let mut lines = Vec::new();
        for (id, path) in repository.files(FileKind::Index) {
            let mut listed = Listed::default();
            read_index(&repository.unpacked(id, &path), &mut listed).unwrap();
            let live = listed.packs.iter().filter(|(pack, _)| !pack.is_marked);
            for blob in live.flat_map(|(_, blobs)| blobs) {
                lines.push(format!("{} {}\n", blob.kind.unwrap(), blob.id));
            }
        }
        lines.sort();
        let judge: Value = serde_json::from_slice(&repository.answer("judge.json")).unwrap();
        let sum = Id(Sha256::digest(lines.concat()).into());
        assert_eq!(judge["sha256_list_blobs"], sum.to_string(), "{}", repository.name);
    }
}

#[test]
fn a_flipped_byte_of_a_file_is_found() {
    let repository = Repository::of_archive("small");
    let (id, path) = &repository.files(FileKind::Index)[0];
    let sound = fs::read(path).unwrap();
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x40;
        assert_ne!(Id::of(&bytes), *id);
        assert!(repository.key.open_in_place(&mut bytes).is_err(), "{at}");
    }
}
