//! Objects by key, in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use manicule_core::hex;
use md5::{Digest, Md5};

/// When every object was put.
pub(crate) const TIME: &str = "Thu, 01 Jan 2026 00:00:00 GMT";

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) bytes: Arc<[u8]>,
    /// With its quotes.
    pub(crate) e_tag: String,
    /// Number of the put that made it.
    pub(crate) generation: u64,
}

/// What a bucket holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) by_key: BTreeMap<String, Object>,
    generations: u64,
}

impl Objects {
    pub(crate) fn put(&mut self, key: &str, bytes: &[u8]) -> Object {
        let e_tag = format!("\"{}\"", hex::encode(Md5::digest(bytes)));
        self.put_with(key, bytes, e_tag)
    }

    /// Puts what was made of parts: its ETag is none of its bytes.
    pub(crate) fn put_joined(&mut self, key: &str, parts: &[&[u8]]) -> Object {
        let bytes = parts.concat();
        let hashes: Vec<_> = parts.iter().flat_map(Md5::digest).collect();
        let e_tag = format!("\"{}-{}\"", hex::encode(Md5::digest(&hashes)), parts.len());
        self.put_with(key, &bytes, e_tag)
    }

    fn put_with(&mut self, key: &str, bytes: &[u8], e_tag: String) -> Object {
        self.generations += 1;
        let object = Object { bytes: bytes.into(), e_tag, generation: self.generations };
        self.by_key.insert(key.to_owned(), object.clone());
        object
    }

    /// Puts the files of a folder, and of those in it, under their paths.
    pub(crate) fn bring(&mut self, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
            if path.is_dir() {
                self.bring(&path, &format!("{prefix}{name}/"));
            } else {
                self.put(&format!("{prefix}{name}"), &fs::read(&path).expect("a file"));
            }
        }
    }
}
