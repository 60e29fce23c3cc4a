//! The files of a repository of version 2: config, one key, packs, index files, snapshots.
//!
//! Keys, salts and initialization vectors come from the seed, so that the same options give the
//! same bytes. A real writer must draw them at random.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use manicule_format_restic::{
    BlobKind, IV_LEN, Id, IndexWriter, Key, PackedBlob, Version, pack_unpacked, put_header,
};
use sha2::{Digest, Sha256};

use crate::PASSWORD;
use crate::tagged::Tagged;

/// Cost of the password: the least that restic accepts without a long wait.
const SCRYPT_LOG_N: u8 = 10;
/// Level that restic compresses by.
const ZSTD_LEVEL: i32 = 3;

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Number of entries in all index files.
    pub entry_count: usize,
    /// Number of packs that they list.
    pub pack_count: usize,
    /// Number of index files.
    pub index_count: usize,
    /// Number of snapshots.
    pub snapshot_count: usize,
    /// Length of the index files' JSON.
    pub index_json_bytes: u64,
    /// Length of the index files as they are stored.
    pub index_stored_bytes: u64,
    /// Length of the packs.
    pub pack_bytes: u64,
    /// SHA-256 of what `restic list blobs | LC_ALL=C sort` prints, in hexadecimal digits.
    pub list_sha256: String,
}

/// A repository that is being written.
pub(crate) struct Writer {
    folder: PathBuf,
    tagged: Tagged,
    master: Key,
    sealed_count: u64,
    compressor: zstd::bulk::Compressor<'static>,
    /// The index file that is not closed yet.
    index: IndexWriter,
    /// Kind and id of every entry.
    listed: Vec<(BlobKind, Id)>,
    written: Written,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} entries, {} packs of {} bytes, {} index files of {} bytes ({} bytes of JSON), {} snapshots; \
             sorted list of blobs: {}",
            self.entry_count,
            self.pack_count,
            self.pack_bytes,
            self.index_count,
            self.index_stored_bytes,
            self.index_json_bytes,
            self.snapshot_count,
            self.list_sha256
        )
    }
}

impl Writer {
    /// Writes key and config into a new or empty folder.
    pub(crate) fn create(folder: &Path, seed: u64) -> io::Result<Writer> {
        for name in ["index", "keys", "locks", "snapshots"] {
            fs::create_dir_all(folder.join(name))?;
        }
        for first in 0..=255 {
            fs::create_dir_all(folder.join(format!("data/{first:02x}")))?;
        }
        let tagged = Tagged { seed };
        let raw = tagged.double("master");
        let mut writer = Writer {
            folder: folder.to_owned(),
            tagged,
            master: Key::from_bytes(&raw).expect("a hash is not zero"),
            sealed_count: 0,
            compressor: zstd::bulk::Compressor::new(ZSTD_LEVEL)?,
            index: IndexWriter::new(),
            listed: Vec::new(),
            written: Written::default(),
        };
        writer.put("keys", &key_file(tagged, &raw))?;
        let id = Id(tagged.bytes("repo", 0));
        let config =
            format!(r#"{{"version":2,"id":"{id}","chunker_polynomial":"25b468838dcb75"}}"#);
        let mut sealed = Vec::new();
        writer.seal(config.as_bytes(), &mut sealed);
        fs::write(folder.join("config"), sealed)?;
        Ok(writer)
    }

    /// The source of the repository's bytes.
    pub(crate) fn tagged(&self) -> Tagged {
        self.tagged
    }

    /// Appends an envelope with the next initialization vector.
    pub(crate) fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        let iv = self.next_vector();
        self.master.seal(iv, plain, out);
    }

    /// Appends what follows a pack's blobs.
    pub(crate) fn put_header(&mut self, blobs: &[PackedBlob], out: &mut Vec<u8>) {
        let iv = self.next_vector();
        put_header(&self.master, iv, blobs, out);
    }

    fn next_vector(&mut self) -> [u8; IV_LEN] {
        self.sealed_count += 1;
        vector(self.tagged, "ivm", self.sealed_count)
    }

    /// A Zstandard frame.
    pub(crate) fn compress(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
        self.compressor.compress(plain)
    }

    /// Writes a file under its hash.
    fn put(&mut self, folder: &str, bytes: &[u8]) -> io::Result<Id> {
        let id = Id::of(bytes);
        fs::write(self.folder.join(folder).join(id.to_string()), bytes)?;
        Ok(id)
    }

    /// Writes a pack.
    pub(crate) fn put_pack(&mut self, bytes: &[u8]) -> io::Result<Id> {
        self.written.pack_bytes += bytes.len() as u64;
        let id = Id::of(bytes);
        let name = id.to_string();
        fs::write(self.folder.join("data").join(&name[..2]).join(name), bytes)?;
        Ok(id)
    }

    /// Writes a file of JSON, compressed and sealed. Returns its id and length.
    fn put_json(&mut self, folder: &str, json: &[u8]) -> io::Result<(Id, u64)> {
        let plain = pack_unpacked(Version::V2, json);
        let mut sealed = Vec::with_capacity(plain.len() + 32);
        self.seal(&plain, &mut sealed);
        Ok((self.put(folder, &sealed)?, sealed.len() as u64))
    }

    /// Writes a snapshot.
    pub(crate) fn put_snapshot(&mut self, json: &[u8]) -> io::Result<Id> {
        self.written.snapshot_count += 1;
        self.put_json("snapshots", json).map(|(id, _)| id)
    }

    /// Adds a pack to the index.
    pub(crate) fn index_pack(&mut self, pack: Id, blobs: &[PackedBlob]) -> io::Result<()> {
        self.index.pack(&pack);
        blobs.iter().for_each(|blob| self.index.blob(blob));
        self.listed.extend(blobs.iter().filter_map(|blob| Some((blob.kind?, blob.id))));
        self.written.pack_count += 1;
        if self.index.is_full() { self.close_index() } else { Ok(()) }
    }

    /// Writes the index file of the packs since the last one.
    fn close_index(&mut self) -> io::Result<()> {
        if self.index.pack_count() == 0 {
            return Ok(());
        }
        let json = std::mem::replace(&mut self.index, IndexWriter::new()).finish();
        let (_, stored_len) = self.put_json("index", &json)?;
        self.written.index_count += 1;
        self.written.index_json_bytes += json.len() as u64;
        self.written.index_stored_bytes += stored_len;
        Ok(())
    }

    /// Closes the last index file.
    pub(crate) fn end(mut self) -> io::Result<Written> {
        self.close_index()?;
        self.listed.sort_unstable_by_key(|&(kind, id)| (kind == BlobKind::Tree, id));
        let mut sum = Sha256::new();
        for (kind, id) in &self.listed {
            let kind = if *kind == BlobKind::Data { "data" } else { "tree" };
            sum.update(format!("{kind} {id}\n"));
        }
        self.written.entry_count = self.listed.len();
        self.written.list_sha256 = Id(sum.finalize().into()).to_string();
        Ok(self.written)
    }
}

/// The first half of a hash.
fn vector(tagged: Tagged, name: &str, n: u64) -> [u8; IV_LEN] {
    let hash = tagged.bytes(name, n);
    *hash.first_chunk().expect("a hash has 32 bytes")
}

/// A key file by which [`PASSWORD`] opens the master key.
fn key_file(tagged: Tagged, master: &[u8; 64]) -> Vec<u8> {
    let salt = tagged.double("salt");
    let params = scrypt::Params::new(SCRYPT_LOG_N, 8, 1).expect("parameters that scrypt allows");
    let mut user = [0; 64];
    scrypt::scrypt(PASSWORD.as_bytes(), &salt, &params, &mut user).expect("64 bytes of a key");
    let text = |bytes: &[u8]| STANDARD.encode(bytes);
    let (encrypt, k, r) = (text(&master[..32]), text(&master[32..48]), text(&master[48..]));
    let json = format!(r#"{{"mac":{{"k":"{k}","r":"{r}"}},"encrypt":"{encrypt}"}}"#);
    let mut data = Vec::new();
    let user = Key::from_bytes(&user).expect("a derived key is not zero");
    user.seal(vector(tagged, "ivu", 0), json.as_bytes(), &mut data);
    let (salt, data, n) = (text(&salt), text(&data), 1 << SCRYPT_LOG_N);
    let head =
        r#""created":"2025-01-01T00:00:00Z","username":"gen","hostname":"gen","kdf":"scrypt""#;
    format!(r#"{{{head},"N":{n},"r":8,"p":1,"salt":"{salt}","data":"{data}"}}"#).into_bytes()
}
