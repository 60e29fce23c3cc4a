//! Bytes into values and back: reader, errors with a place, page checksums, outlines.

mod error;
mod file;
mod hash;
mod outline;
mod pages;
mod reader;
mod writer;

pub use error::DecodeError;
pub use file::FileBytes;
pub use hash::mix;
pub use outline::{Outline, Row};
pub use pages::{PAGE_LEN, PageChecks, PageSums, Pages, page_sums};
pub use reader::{Reader, varints_len};
pub use writer::{UVARINT_LEN_MAX, folded, put_uvarint, put_varint, uvarint_len, uvarint_word};
