//! The sign of a block's meta file: that it names a block.
//!
//! Bytes:   docs/formats/prometheus.md, section *meta.json*

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use manicule_format_prometheus::{META_NAME, Meta, is_block_name};

/// A longer `meta.json` is not looked at: it would be that of 100,000 blocks made one.
const META_LEN_MAX: u64 = 4 << 20;

/// Whether the `meta.json` of a folder is that of a block.
pub fn has_block_meta(folder: &Path) -> bool {
    let path = folder.join(META_NAME);
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
