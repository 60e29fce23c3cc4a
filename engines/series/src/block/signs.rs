//! Signs that distinguish a block and a data folder from other folders: the bytes that prove what
//! names suggest.
//!
//! Bytes:   docs/formats/prometheus.md

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub use manicule_format_prometheus::{
    BLOCK_PARTS, BUCKET_INDEX_NAME, FileKind, INDEX_NAME, is_block_name, is_of_block, is_of_data,
    is_unfinished,
};
use manicule_format_prometheus::{
    HEAD_CHUNKS_NAME, INDEX_HEADER_NAME, INDEX_MAGIC, LOG_NAME, META_NAME, SPARSE_HEADER_NAME,
};

pub use super::meta_sign::has_block_meta;
use super::own::is_servers;

/// Whether a file begins as the index of a block.
pub fn begins_as_index(path: &Path) -> bool {
    let mut head = [0; INDEX_MAGIC.len()];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && head == INDEX_MAGIC
}

/// Whether a folder is a block by its bytes: an `index` that begins as one, beside a `meta.json` or
/// chunks; or one that is damaged, beside the meta file of a block.
pub fn is_block(folder: &Path) -> bool {
    let index = folder.join(INDEX_NAME);
    if begins_as_index(&index) {
        [META_NAME, "chunks"].iter().any(|name| folder.join(name).exists())
    } else {
        index.is_file() && has_block_meta(folder)
    }
}

/// Whether a folder is a block, or what is left of one.
pub fn has_block_parts(folder: &Path) -> bool {
    BLOCK_PARTS.iter().any(|name| folder.join(name).exists())
}

/// Whether a folder that no bytes prove to be a block is one to somebody who has given it to be
/// read.
pub fn is_given_block(folder: &Path) -> bool {
    let is_named_so = || folder.file_name().is_some_and(|name| is_block_name(name.as_bytes()));
    has_block_meta(folder) || is_named_so() && has_block_parts(folder)
}

/// Whether an entry of a data folder that is no block is the server's own: by its name and its
/// bytes.
pub fn is_servers_of_data(folder: &Path, name: &OsStr) -> bool {
    is_of_data(name.as_bytes()) && is_servers(&folder.join(name))
}

/// Whether a folder has the write-ahead log of a server, and so is a data folder even without a
/// block.
pub fn has_log(folder: &Path) -> bool {
    let has_head_chunks = || folder.join(HEAD_CHUNKS_NAME).symlink_metadata().is_ok();
    folder.join(LOG_NAME).is_dir() && has_head_chunks()
}

/// Whether an entry of a data folder is a block, by its name and its meta file or index. One that
/// is gone was being removed.
pub fn is_block_of_data(folder: &Path, name: &OsStr) -> bool {
    let block = folder.join(name);
    let is_gone =
        || block.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    let is_one = || block.join(META_NAME).exists() || is_block(&block);
    is_block_name(name.as_bytes()) && (is_one() || is_gone())
}

/// Whether a file is called as the headers that Thanos and Mimir keep of an index.
pub fn is_header_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == INDEX_HEADER_NAME || name == SPARSE_HEADER_NAME)
}

/// Whether a file is the meta file of the block that it lies in.
pub fn is_block_meta(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == META_NAME)
        && path.parent().is_some_and(has_block_meta)
}
