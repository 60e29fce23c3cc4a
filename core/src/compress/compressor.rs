//! Blocks, compressed one after the other.

use flate2::{Compress, Compression, FlushCompress, Status};
use zstd::zstd_safe::{CCtx, compress_bound, get_error_name};

use super::codec::Codec;

/// Compresses one block after the other, with the state that its codec needs.
pub struct BlockCompressor {
    state: State,
}

enum State {
    Lz4,
    Snappy(Box<snap::raw::Encoder>),
    Deflate(Compress),
    Zstd { context: CCtx<'static>, level: i32 },
}

/// Level of Deflate where none is chosen: that of zlib.
const DEFLATE_LEVEL: u32 = 6;

impl BlockCompressor {
    /// A compressor. The level is for Zstandard only: other codecs have one.
    pub fn new(codec: Codec, level: i32) -> Self {
        let state = match codec {
            Codec::Lz4 => State::Lz4,
            Codec::Snappy => State::Snappy(Box::new(snap::raw::Encoder::new())),
            Codec::Deflate => State::Deflate(Compress::new(Compression::new(DEFLATE_LEVEL), true)),
            Codec::Zstd => State::Zstd { context: CCtx::create(), level },
        };
        BlockCompressor { state }
    }

    /// Appends what a block becomes; the same bytes each time.
    ///
    /// # Panics
    /// If a block has more bytes than its codec takes: Snappy 4 GiB, LZ4 2 GiB.
    pub fn compress(&mut self, block: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        // None of them needs more than it asks for here, so that none fails.
        let bound = match &self.state {
            State::Lz4 => lz4_flex::block::get_maximum_output_size(block.len()),
            State::Snappy(_) => snap::raw::max_compress_len(block.len()),
            State::Deflate(_) => deflate_bound(block.len()),
            State::Zstd { .. } => compress_bound(block.len()),
        };
        out.resize(start + bound, 0);
        let room = &mut out[start..];
        let len = match &mut self.state {
            State::Lz4 => lz4_flex::block::compress_into(block, room).expect("room for the worst"),
            State::Snappy(encoder) => encoder.compress(block, room).expect("room for the worst"),
            State::Deflate(deflate) => deflated(deflate, block, room),
            State::Zstd { context, level } => {
                let len = context.compress(room, block, *level);
                len.unwrap_or_else(|code| panic!("room for the worst: {}", get_error_name(code)))
            }
        };
        out.truncate(start + len);
    }
}

/// As long as stored blocks of the least length, and what a stream has around them.
fn deflate_bound(len: usize) -> usize {
    len + len.div_ceil(1 << 10) * 5 + 64
}

fn deflated(deflate: &mut Compress, block: &[u8], room: &mut [u8]) -> usize {
    deflate.reset();
    let status = deflate.compress(block, room, FlushCompress::Finish);
    assert!(matches!(status, Ok(Status::StreamEnd)), "room for the worst: {status:?}");
    deflate.total_out() as usize
}
