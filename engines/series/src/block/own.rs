//! What a server keeps in a data folder beside its blocks, and Mimir in that of a tenant, by bytes:
//! a folder `wal` of somebody's sources is text like any other.
//!
//! Bytes:   docs/formats/prometheus.md, section *Beside the blocks*

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use manicule_format_prometheus::{BUCKET_INDEX_NAME, FileKind, is_head_chunks, is_log_segment};

use super::meta_sign::has_block_meta;

/// Depth of the folders that a server makes: `wal/checkpoint.00000001/00000000`.
const DEPTH_MAX: usize = 3;

/// Number of bytes that are looked at: a page of a log.
const HEAD_LEN: u64 = 32 << 10;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Ending of the marks of blocks and tenants that Mimir keeps in one folder.
const MARK_ENDING: &str = "-mark.json";

/// Whether an entry is a server's own: a file by its bytes, a folder if all that is in it is. What
/// is gone was being removed, and what can't be read is not searched either.
pub(super) fn is_servers(path: &Path) -> bool {
    holds_only_servers(path, DEPTH_MAX).unwrap_or(true)
}

fn holds_only_servers(path: &Path, depth: usize) -> io::Result<bool> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_file() {
        return is_servers_file(path);
    }
    if !kind.is_dir() || depth == 0 {
        return Ok(false);
    }
    for entry in fs::read_dir(path)? {
        if !holds_only_servers(&entry?.path(), depth - 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_servers_file(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_LEN).read_to_end(&mut head)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(match name {
        _ if head.is_empty() => true,
        "queries.active" => head.starts_with(b"["),
        "thanos.shipper.json" => head.starts_with(b"{"),
        BUCKET_INDEX_NAME => head.starts_with(&GZIP_MAGIC),
        _ if name.ends_with(MARK_ENDING) => head.starts_with(b"{"),
        "meta.json" => path.parent().is_some_and(has_block_meta),
        _ => FileKind::of_head(&head).is_some() || is_head_chunks(&head) || is_log_segment(&head),
    })
}

#[cfg(test)]
mod tests {
    use manicule_format_prometheus::crc32c;

    use super::*;

    #[test]
    fn a_folder_is_the_servers_if_all_that_is_in_it_is() {
        let record = |data: &[u8]| {
            let mut bytes = vec![1];
            bytes.extend((data.len() as u16).to_be_bytes());
            bytes.extend(crc32c(data).to_be_bytes());
            bytes.extend(data);
            bytes
        };
        let record = record(b"series");
        let rows: [(&str, &[u8], bool); 14] = [
            ("wal/00000000", &record, true),
            ("wal/00000001", b"", true),
            ("wal/checkpoint.00000001/00000000", &record, true),
            ("wal/00000002", &[0; 40], true),
            ("wal/wal.go", b"package wal", false),
            ("chunks_head/000001", b"\x01\x30\xbc\x91\x01", true),
            ("chunks_head/notes.txt", b"some text", false),
            ("01M7YV9D4RCH84S6NS9PC6AJ27.tmp-for-creation/index", b"\xba\xaa\xd7\x00\x02", true),
            ("01M7YV9D4RCH84S6NS9PC6AJ27.tmp-for-creation/a.md", b"# text", false),
            ("bucket-index.json.gz", b"\x1f\x8b\x08", true),
            ("bucket-index.json.gz", b"some text", false),
            ("markers/01M7YV9D4RCH84S6NS9PC6AJ27-deletion-mark.json", b"{}", true),
            ("markers/tenant-deletion-mark.json", b"{}", true),
            ("markers/red.txt", b"some text", false),
        ];
        for (name, bytes, want) in rows {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            let top = folder.path().join(name.split('/').next().unwrap());
            assert_eq!(is_servers(&top), want, "{name}");
        }
    }
}
