//! The codecs.

/// A way of compressing blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// A raw block of LZ4, without frame or length.
    Lz4,
    /// A raw block of Snappy, which begins with its length.
    Snappy,
    /// A stream of zlib.
    Deflate,
    /// A frame of Zstandard.
    Zstd,
}

impl Codec {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Lz4 => "LZ4",
            Codec::Snappy => "Snappy",
            Codec::Deflate => "Deflate",
            Codec::Zstd => "Zstandard",
        }
    }
}
