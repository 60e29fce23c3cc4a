//! Signs that distinguish a block and a data folder from other folders: names, and the bytes that prove them.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: faces/manicule

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use manicule_format_prometheus::{INDEX_MAGIC, Meta, Ulid};

/// Names in a block's folder. Thanos and Mimir put marks and headers beside the block's own.
const OF_BLOCK: [&str; 10] = [
    "meta.json",
    "index",
    "chunks",
    "tombstones",
    "deletion-mark.json",
    "no-compact-mark.json",
    "no-downsample-mark.json",
    "index-header",
    "sparse-index-header",
    "visit-mark.json",
];

/// Names that a server keeps in its data folder beside the blocks.
const OF_DATA: [&str; 7] = [
    "wal",
    "wbl",
    "chunks_head",
    "lock",
    "queries.active",
    "checkpoint_snapshot",
    "thanos.shipper.json",
];

/// Endings of a block's folder while it is being written or removed.
const UNFINISHED: [&str; 3] = ["tmp-for-creation", "tmp-for-deletion", "tmp"];

/// Whether a name in a block's folder is one of the block's own.
pub fn is_of_block(name: &[u8]) -> bool {
    OF_BLOCK.iter().any(|own| own.as_bytes() == name)
}

/// Whether a name in a data folder, that of a block aside, is one of the server's own.
pub fn is_of_data(name: &[u8]) -> bool {
    let is_unfinished = || {
        let name = str::from_utf8(name).ok()?;
        let (start, end) = name.split_once('.')?;
        Some(is_block_name(start.as_bytes()) && UNFINISHED.contains(&end))
    };
    OF_DATA.iter().any(|own| own.as_bytes() == name)
        || name.starts_with(b"chunk_snapshot.")
        || is_unfinished().unwrap_or(false)
}

/// Whether a block can be called so: by a ULID.
pub fn is_block_name(name: &[u8]) -> bool {
    name.len() == 26 && str::from_utf8(name).is_ok_and(|name| name.parse::<Ulid>().is_ok())
}

/// Whether a file begins as the index of a block.
pub fn begins_as_index(path: &Path) -> bool {
    let mut head = [0; INDEX_MAGIC.len()];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && head == INDEX_MAGIC
}

/// A longer `meta.json` is not looked at: it would be that of 100,000 blocks made one.
const META_LEN_MAX: u64 = 4 << 20;

/// Whether the `meta.json` of a folder is that of a block.
pub fn has_block_meta(folder: &Path) -> bool {
    let path = folder.join("meta.json");
    let read = |path: &Path| -> io::Result<Vec<u8>> {
        let mut json = Vec::new();
        File::open(path)?.take(META_LEN_MAX).read_to_end(&mut json)?;
        Ok(json)
    };
    path.is_file()
        && read(&path).is_ok_and(|json| {
            Meta::decode(&json).is_ok_and(|meta| is_block_name(meta.ulid.as_bytes()))
        })
}

/// Whether a folder is a block by its bytes: an `index` that begins as one, beside a `meta.json` or chunks; or one that is
/// damaged, beside the meta file of a block.
pub fn is_block(folder: &Path) -> bool {
    let index = folder.join("index");
    match begins_as_index(&index) {
        true => ["meta.json", "chunks"].iter().any(|name| folder.join(name).exists()),
        false => index.is_file() && has_block_meta(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_blocks_and_data_folders() {
        let ulid = "01M7YV9D4RCH84S6NS9PC6AJ27";
        assert!(is_block_name(ulid.as_bytes()) && !is_block_name(b"01M7YV9D4RCH84S6NS9PC6AJ2"));
        for (name, want) in [
            (format!("{ulid}.tmp-for-creation"), true),
            (format!("{ulid}.tmp-for-deletion"), true),
            (format!("{ulid}.txt"), false),
            (ulid.to_owned(), false),
            ("x.tmp".to_owned(), false),
            ("wal".to_owned(), true),
            ("chunk_snapshot.000003.0".to_owned(), true),
            ("note.txt".to_owned(), false),
        ] {
            assert_eq!(is_of_data(name.as_bytes()), want, "{name}");
        }
        assert!(is_of_block(b"tombstones") && !is_of_block(b"notes"));
    }
}
