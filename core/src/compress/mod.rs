//! Blocks of known length, compressed and decompressed: LZ4, Snappy, Deflate and Zstandard, as
//! formats of others keep them.
//!
//! The caller says how long a block becomes and lends the memory, so what a block claims of itself
//! takes none.

mod block;
mod codec;
mod compressor;
mod error;
#[cfg(test)]
mod tests;

pub use block::BlockDecompressor;
pub use codec::Codec;
pub use compressor::BlockCompressor;
pub use error::DecompressError;
