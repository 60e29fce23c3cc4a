//! CompressionInfo.db, written up to its offsets.
//!
//! Bytes:   docs/formats/sstable.md, CompressionInfo.db

use crate::Version;

/// What lies before the offsets of a CompressionInfo.db.
#[derive(Clone, Copy, Debug)]
pub struct CompressionHead<'a> {
    /// Name of the compressor's class.
    pub class: &'a str,
    /// Its options.
    pub options: &'a [(&'a str, &'a str)],
    /// Length of each chunk but the last before compression, in bytes.
    pub chunk_len: u32,
    /// From this length on a chunk is stored uncompressed. `None`: never.
    pub compressed_len_max: Option<u32>,
    /// Length of Data.db before compression, in bytes.
    pub data_len: u64,
    /// Number of offsets.
    pub chunk_count: u32,
}

/// Appends a CompressionInfo.db without a dictionary up to the offsets of its chunks, in eight
/// bytes each.
///
/// # Panics
/// If a text is longer than 65,535 bytes.
pub fn put_compression_head(version: Version, head: &CompressionHead<'_>, out: &mut Vec<u8>) {
    let CompressionHead { class, options, chunk_len, compressed_len_max, .. } = *head;
    put_text(class, out);
    out.extend_from_slice(&(options.len() as u32).to_be_bytes());
    for (key, value) in options {
        put_text(key, out);
        put_text(value, out);
    }
    out.extend_from_slice(&chunk_len.to_be_bytes());
    if version.has_compressed_len_max() {
        let len = compressed_len_max.unwrap_or(i32::MAX as u32);
        out.extend_from_slice(&len.to_be_bytes());
    }
    out.extend_from_slice(&head.data_len.to_be_bytes());
    out.extend_from_slice(&head.chunk_count.to_be_bytes());
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    let len = u16::try_from(text.len()).expect("a text within its greatest length");
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}
