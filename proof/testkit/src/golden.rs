//! Golden files: files written by the real systems, unpacked for tests.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use manicule_core::hex;
use ruzstd::decoding::StreamingDecoder;
use sha2::{Digest, Sha256};
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

/// The folder of the whole golden set, if this machine has it.
pub fn whole_golden_set(left_out: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MANICULE_GOLDEN").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("left out: {left_out} (MANICULE_GOLDEN names no folder)");
    }
    folder
}

/// Compares the sections of an index of series with their recorded hashes.
///
/// # Panics
/// If one differs, or the record can't be read.
pub fn check_sections(index: &[u8], sections: &Path, about: &str) {
    let hash = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let json = fs::read(sections).expect("the record");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["size"], index.len() as u64, "{about}");
    for section in json["sections"].as_array().expect("sections") {
        let place = |key: &str| section[key].as_u64().expect("a place") as usize;
        let got = hash(&index[place("start")..place("end")]);
        assert_eq!(section["sha256"], got, "{about}: {}", section["name"]);
    }
    assert_eq!(json["sha256"], hash(index), "{about}");
}

/// A chunk of the golden indexes of series, which goes with no chunk file.
#[derive(Clone, Copy, Debug)]
pub struct GoldenChunk {
    /// Time of its first sample.
    pub min_time: i64,
    /// Time of its last sample.
    pub max_time: i64,
    /// Its segment in the upper 32 bits, its offset in the lower.
    pub reference: u64,
}

/// The chunks of the golden indexes, series by series: two an hour apart, of 150 to 209 bytes, in
/// segments of 512 MiB.
pub fn golden_chunks() -> impl FnMut(u64) -> [GoldenChunk; 2] {
    let mut next = 8;
    move |place| {
        [0, 1].map(|number| {
            let min_time = 1_700_000_000_000 + number as i64 * 3_600_000;
            let chunk = GoldenChunk { min_time, max_time: min_time + 3_570_000, reference: next };
            next += 150 + (place * 7 + number * 13) % 60;
            if next & 0xffff_ffff > 512 << 20 {
                next = ((next >> 32) + 1) << 32 | 8;
            }
            chunk
        })
    }
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
