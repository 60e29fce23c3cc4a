//! A repository that is to be damaged: its key, its index files read and written plainly.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_format_restic::{
    BlobKind, Decompressor, FileKind, Id, IndexSink, IndexWriter, Key, KeyFile, KeyLimits,
    ListedPack, PackedBlob, Version, open_header, pack_unpacked, read_index, unpack,
};

use crate::PASSWORD;

/// Limits of the keys of test repositories.
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };
/// Longest JSON of an index file of theirs.
const JSON_LEN_MAX: usize = 64 << 20;

/// A pack and its blobs, as an index file lists them.
pub type PackList = (Id, Vec<PackedBlob>);

/// A repository of version 2 in a folder, with its key.
#[derive(Debug)]
pub struct Patient {
    folder: PathBuf,
    key: Key,
}

impl Patient {
    /// A repository that [`PASSWORD`] opens by its first key file.
    ///
    /// # Panics
    /// If it doesn't.
    pub fn open(folder: &Path) -> Patient {
        let key = fs::read_dir(folder.join("keys")).expect("keys").next().expect("a key");
        let bytes = fs::read(key.expect("a key").path()).expect("a key file");
        let key = KeyFile::parse(&bytes).expect("a key file");
        let key = key.open(PASSWORD.as_bytes(), &LIMITS).expect("its password");
        Patient { folder: folder.to_owned(), key }
    }

    /// Path of a file.
    pub fn path(&self, kind: FileKind, id: &Id) -> PathBuf {
        self.folder.join(kind.path(id))
    }

    /// Ids of the files of a kind, in order.
    ///
    /// # Panics
    /// If a folder can't be read.
    pub fn ids(&self, kind: FileKind) -> Vec<Id> {
        let mut ids = Vec::new();
        let mut folders = vec![self.folder.join(kind.folder())];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries {
                let entry = entry.expect("an entry");
                if entry.file_type().expect("its type").is_dir() {
                    folders.push(entry.path())
                } else {
                    ids.extend(Id::parse(entry.file_name().as_encoded_bytes()))
                }
            }
        }
        ids.sort_unstable();
        ids
    }

    /// The JSON of a file.
    ///
    /// # Errors
    /// If its bytes are not those of such a file.
    pub fn read(&self, kind: FileKind, id: &Id) -> io::Result<Vec<u8>> {
        let mut sealed = fs::read(self.path(kind, id))?;
        if Id::of(&sealed) != *id {
            return Err(wrong("its name is not its SHA-256"));
        }
        let plain = self.key.open_in_place(&mut sealed).map_err(wrong)?;
        let mut decompressor = Decompressor::new();
        let json = unpack(Version::V2, plain, JSON_LEN_MAX, &mut decompressor);
        json.map(<[u8]>::to_vec).map_err(wrong)
    }

    /// What an index file lists.
    ///
    /// # Errors
    /// If its bytes are not those of an index file.
    pub fn index(&self, id: &Id) -> io::Result<Vec<PackList>> {
        let mut lists = Lists::default();
        read_index(&self.read(FileKind::Index, id)?, &mut lists).map_err(wrong)?;
        Ok(lists.0)
    }

    /// Puts a file of a JSON, and returns its id.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put(&self, kind: FileKind, json: &[u8]) -> io::Result<Id> {
        self.put_plain(kind, &pack_unpacked(Version::V2, json))
    }

    /// Puts a file of what its envelope holds.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put_plain(&self, kind: FileKind, plain: &[u8]) -> io::Result<Id> {
        // Repeatable, and not used for other bytes.
        let iv = *Id::of(plain).0.first_chunk().expect("32 bytes");
        let mut sealed = Vec::new();
        self.key.seal(iv, plain, &mut sealed);
        let id = Id::of(&sealed);
        fs::create_dir_all(self.folder.join(kind.folder()))?;
        fs::write(self.path(kind, &id), sealed)?;
        Ok(id)
    }

    /// Puts an index file that lists these packs.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put_index(&self, packs: &[PackList]) -> io::Result<Id> {
        let mut writer = IndexWriter::new();
        for (pack, blobs) in packs {
            writer.pack(pack);
            blobs.iter().for_each(|blob| writer.blob(blob));
        }
        self.put(FileKind::Index, &writer.finish())
    }

    /// The blobs that a pack's header lists.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn header(&self, pack: &Id) -> io::Result<Vec<PackedBlob>> {
        let mut bytes = fs::read(self.path(FileKind::Pack, pack))?;
        let len = bytes.len() as u64;
        Ok(open_header(&self.key, &mut bytes, len).map_err(wrong)?.blobs)
    }

    /// All that the readable index files list, a line each:
    /// `type blob pack offset length raw-length`.
    pub fn places(&self) -> BTreeSet<String> {
        let files = self.ids(FileKind::Index);
        let lists = files.iter().filter_map(|id| self.index(id).ok()).flatten();
        lists.flat_map(|(pack, blobs)| lines(&pack, &blobs)).collect()
    }

    /// What the headers of all packs list whose header can be read, in the same lines.
    pub fn headers(&self) -> BTreeSet<String> {
        let packs = self.ids(FileKind::Pack);
        let read = |pack: &Id| self.header(pack).ok().map(|blobs| lines(pack, &blobs));
        packs.iter().filter_map(read).flatten().collect()
    }
}

/// A pack's blobs, a line each.
pub fn lines(pack: &Id, blobs: &[PackedBlob]) -> Vec<String> {
    let line = |PackedBlob { kind, id, place }: &PackedBlob| {
        let kind = kind.map_or("-", BlobKind::name);
        format!("{kind} {id} {pack} {} {} {}", place.offset, place.len, place.raw_len)
    };
    blobs.iter().map(line).collect()
}

fn wrong(error: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

#[derive(Default)]
struct Lists(Vec<PackList>);

impl IndexSink for Lists {
    fn pack(&mut self, pack: ListedPack<'_>) {
        assert!(!pack.is_marked, "restic marks none");
        self.0.push((pack.id, Vec::new()));
    }

    fn blob(&mut self, blob: PackedBlob) {
        self.0.last_mut().expect("a pack").1.push(blob);
    }

    fn restart(&mut self) {
        self.0.clear();
    }
}
