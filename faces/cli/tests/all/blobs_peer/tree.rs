//! A folder with all that is in it, as systems see it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// What something in a folder has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thing {
    mode: u32,
    owner: [u32; 2],
    mtime: [i64; 2],
    /// Of files.
    links: u64,
    device: u64,
    /// Of a file, or the target of a link.
    content: Vec<u8>,
    attributes: Vec<(String, Vec<u8>)>,
}

/// Everything below a folder, by its path.
pub(super) fn tree(folder: &Path) -> BTreeMap<String, Thing> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            all.insert(name, thing(&path));
            if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                waiting.push(path);
            }
        }
    }
    all
}

fn thing(path: &Path) -> Thing {
    let meta = path.symlink_metadata().expect("it is there");
    let kind = meta.file_type();
    let content = match kind {
        kind if kind.is_file() => fs::read(path).expect("readable"),
        kind if kind.is_symlink() => {
            fs::read_link(path).expect("a link").into_os_string().into_vec()
        }
        _ => Vec::new(),
    };
    let is_device = kind.is_block_device() || kind.is_char_device();
    Thing {
        mode: meta.mode(),
        owner: [meta.uid(), meta.gid()],
        mtime: [meta.mtime(), meta.mtime_nsec()],
        links: if kind.is_file() { meta.nlink() } else { 0 },
        device: if is_device { meta.rdev() } else { 0 },
        content,
        attributes: attributes(path),
    }
}

/// Extended attributes; none where the file system has none.
fn attributes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut names = vec![0; 16 << 10];
    let Ok(len) = rustix::fs::llistxattr(path, &mut names[..]) else { return Vec::new() };
    let mut all = Vec::new();
    for name in names[..len].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let (name, mut value) = (String::from_utf8_lossy(name).into_owned(), vec![0; 64 << 10]);
        let len = rustix::fs::lgetxattr(path, &*name, &mut value[..]).expect("its value");
        value.truncate(len);
        all.push((name, value));
    }
    all.sort();
    all
}
