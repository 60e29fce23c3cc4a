//! A folder of shards with any bytes as the file of an exchange is listed, never a panic: as the
//! exchange says where it can be read, as without it where it can't, and no path leaves the folder.

#![no_main]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use manicule_code::shards::shards_of;

const SHARDS: [&str; 2] = ["a_v16.00000.zoekt", "b_v16.00000.zoekt"];
const ASIDE: &str = "compound-c_v17.00000.zoekt.tmp";

/// The folder, in memory where the system has that.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = parent.join(format!("manicule-exchange-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    for name in SHARDS.into_iter().chain([ASIDE]) {
        fs::write(folder.join(name), "a shard").expect("a file");
    }
    folder
});

fuzz_target!(|bytes: &[u8]| {
    fs::write(FOLDER.join("compound-c_v17.exchange"), bytes).expect("a file");
    let listing = shards_of(&FOLDER).expect("a folder");
    let before: Vec<PathBuf> = SHARDS.iter().map(|name| FOLDER.join(name)).collect();
    for path in &listing.shards {
        assert_eq!(path.parent(), Some(FOLDER.as_path()), "{}", path.display());
    }
    assert_eq!(listing.shards.iter().collect::<BTreeSet<_>>().len(), listing.shards.len());
    match listing.unread.len() {
        0 => assert!(bytes.starts_with(b"manicule exchange 1\n") && bytes.ends_with(b"\n.\n")),
        1 => assert_eq!(listing.shards, before),
        count => panic!("{count} exchanges are in the folder"),
    }
});
