//! Objects by key: in memory, or files that are read when they are asked for.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use manicule_core::hex;
use md5::{Digest, Md5};

/// When every object was put.
pub(crate) const TIME: &str = "Thu, 01 Jan 2026 00:00:00 GMT";

/// The bytes of an object.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    Bytes(Arc<[u8]>),
    File(Arc<File>, usize),
}

impl Contents {
    pub(crate) fn len(&self) -> usize {
        match self {
            Contents::Bytes(bytes) => bytes.len(),
            Contents::File(_, len) => *len,
        }
    }

    pub(crate) fn read(&self, range: Range<usize>) -> Vec<u8> {
        match self {
            Contents::Bytes(bytes) => bytes[range].to_vec(),
            Contents::File(file, _) => {
                let mut bytes = vec![0; range.len()];
                file.read_exact_at(&mut bytes, range.start as u64).expect("a file that stays");
                bytes
            }
        }
    }
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) contents: Contents,
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
        self.put_with(key, Contents::Bytes(bytes.into()), e_tag)
    }

    /// Puts what was made of parts: its ETag is none of its bytes.
    pub(crate) fn put_joined(&mut self, key: &str, parts: &[&[u8]]) -> Object {
        let bytes = parts.concat();
        let hashes: Vec<_> = parts.iter().flat_map(Md5::digest).collect();
        let e_tag = format!("\"{}-{}\"", hex::encode(Md5::digest(&hashes)), parts.len());
        self.put_with(key, Contents::Bytes(bytes.into()), e_tag)
    }

    fn put_with(&mut self, key: &str, contents: Contents, e_tag: String) -> Object {
        self.generations += 1;
        let object = Object { contents, e_tag, generation: self.generations };
        self.by_key.insert(key.to_owned(), object.clone());
        object
    }

    /// Puts the files of a folder, and of those in it, under their paths.
    pub(crate) fn bring(&mut self, folder: &Path, prefix: &str) {
        each_file(folder, prefix, &mut |key, path| {
            self.put(key, &fs::read(path).expect("a file"));
        });
    }

    /// The same without reading them. Their ETags are none of their bytes.
    pub(crate) fn lend(&mut self, folder: &Path, prefix: &str) {
        each_file(folder, prefix, &mut |key, path| {
            let file = File::open(path).expect("a file");
            let len = file.metadata().expect("a file").len() as usize;
            let e_tag = format!("\"{}-1\"", hex::encode(Md5::digest(format!("{key} {len}"))));
            self.put_with(key, Contents::File(Arc::new(file), len), e_tag);
        });
    }
}

/// Gives each file of a folder, and of those in it, with its key.
fn each_file(folder: &Path, prefix: &str, each: &mut dyn FnMut(&str, &Path)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        if path.is_dir() {
            each_file(&path, &format!("{prefix}{name}/"), each);
        } else {
            each(&format!("{prefix}{name}"), &path);
        }
    }
}
