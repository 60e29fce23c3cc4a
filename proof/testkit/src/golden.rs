//! Golden files: files written by the real systems, unpacked for tests.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;
use tempfile::TempDir;

fn golden(kind: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(kind).join(name)
}

/// The bytes of a file that is kept compressed: `name` without `.zst`.
///
/// # Panics
/// If it can't be read: it is part of the repository.
pub fn golden_file(kind: &str, name: &str) -> Vec<u8> {
    unpacked(&golden(kind, &format!("{name}.zst")))
}

/// The bytes of a file in Zstandard.
///
/// # Panics
/// If it can't be read.
pub fn unpacked(path: &Path) -> Vec<u8> {
    let packed = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    let decoder = StreamingDecoder::new(Cursor::new(packed)).expect("a frame of Zstandard");
    { decoder }.read_to_end(&mut bytes).expect("whole");
    bytes
}

/// A folder of golden files that is kept as an archive (`NAME.tar.zst`), unpacked; it goes with the
/// value.
///
/// # Panics
/// If it can't be read: it is part of the repository.
pub fn golden_folder(kind: &str, name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the time being");
    let bytes = golden_file(kind, &format!("{name}.tar"));
    tar::Archive::new(bytes.as_slice()).unpack(folder.path()).expect("it unpacks");
    folder
}

/// A golden repository of restic (`blobs/NAME.tar.zst`), unpacked, whose key file is one that opens
/// at once: restic's own take half a second.
///
/// # Panics
/// If it can't be read: it is part of the repository.
pub fn golden_repository(name: &str) -> TempDir {
    let (folder, cheap) = (golden_folder("blobs", name), golden_folder("blobs", "cheap-keys"));
    let keys = folder.path().join("repo/keys");
    fs::remove_dir_all(&keys).expect("restic's keys");
    fs::create_dir(&keys).expect("a folder");
    for key in fs::read_dir(cheap.path().join(name)).expect("a key") {
        let key = key.expect("a key");
        fs::copy(key.path(), keys.join(key.file_name())).expect("a copy");
    }
    folder
}
