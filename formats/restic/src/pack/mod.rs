//! Packs: files of blobs, with a header at their end that lists them.
//!
//! Bytes:   | blobs, back to back | sealed header | 4 length of the sealed header, little-endian |, docs/formats/restic.md

mod error;
mod header;
mod layout;
mod open;

pub use error::PackError;
pub use header::{PackHeader, header_len_at_end, open_header, put_header};
pub use layout::{
    HEADER_LEN_MAX, PACK_BLOB_COUNT_MAX, PACK_END_LEN, PACK_LEN_MIN, eager_len, entry_len,
    pack_len, sealed_header_len,
};
pub use open::{BlobError, OpenedBlob, open_blob};

#[cfg(test)]
mod tests;
