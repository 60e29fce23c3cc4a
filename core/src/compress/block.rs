//! Blocks, decompressed one after the other.

use flate2::{Decompress, FlushDecompress, Status};
use zstd::zstd_safe::{DCtx, get_error_name};

use super::codec::Codec;
use super::error::DecompressError;

/// Decompresses one block after the other, with the state that its codec needs: 160 kB for
/// Zstandard, 40 for Deflate.
pub struct BlockDecompressor {
    state: State,
}

enum State {
    Lz4,
    Snappy(snap::raw::Decoder),
    Deflate(Decompress),
    Zstd(DCtx<'static>),
}

impl BlockDecompressor {
    /// A decompressor. A dictionary is for Zstandard only: other codecs have none.
    pub fn new(codec: Codec, dictionary: Option<&[u8]>) -> Result<Self, DecompressError> {
        let state = match codec {
            Codec::Lz4 => State::Lz4,
            Codec::Snappy => State::Snappy(snap::raw::Decoder::new()),
            Codec::Deflate => State::Deflate(Decompress::new(true)),
            Codec::Zstd => State::Zstd(zstd_context(dictionary)?),
        };
        Ok(BlockDecompressor { state })
    }

    /// The codec it is for.
    pub fn codec(&self) -> Codec {
        match self.state {
            State::Lz4 => Codec::Lz4,
            State::Snappy(_) => Codec::Snappy,
            State::Deflate(_) => Codec::Deflate,
            State::Zstd(_) => Codec::Zstd,
        }
    }

    /// Fills `out` with what `block` holds.
    ///
    /// # Errors
    /// Bytes that the codec doesn't know, and blocks that are longer or shorter than `out`. What
    /// `out` holds then is nobody's.
    pub fn decompress(&mut self, block: &[u8], out: &mut [u8]) -> Result<(), DecompressError> {
        let codec = self.codec();
        let damaged = |why: String| DecompressError::Damaged { codec, why };
        let got = match &mut self.state {
            State::Lz4 => {
                lz4_flex::block::decompress_into(block, out).map_err(|why| damaged(why.to_string()))
            }
            State::Snappy(decoder) => {
                decoder.decompress(block, out).map_err(|why| damaged(why.to_string()))
            }
            State::Deflate(inflate) => inflated(inflate, block, out),
            State::Zstd(context) => context
                .decompress(out, block)
                .map_err(|code| damaged(get_error_name(code).to_owned())),
        }?;
        if got == out.len() {
            return Ok(());
        }
        Err(DecompressError::Length { codec, want: out.len() as u64, got: got as u64 })
    }
}

fn zstd_context(dictionary: Option<&[u8]>) -> Result<DCtx<'static>, DecompressError> {
    let mut context = DCtx::create();
    if let Some(dictionary) = dictionary {
        let why = |code| get_error_name(code).to_owned();
        let loaded = context.load_dictionary(dictionary);
        loaded.map_err(|code| DecompressError::Dictionary { why: why(code) })?;
    }
    Ok(context)
}

fn inflated(
    inflate: &mut Decompress,
    block: &[u8],
    out: &mut [u8],
) -> Result<usize, DecompressError> {
    let damaged = |why: &str| DecompressError::Damaged { codec: Codec::Deflate, why: why.into() };
    inflate.reset(true);
    let status = inflate.decompress(block, out, FlushDecompress::Finish);
    match status.map_err(|why| damaged(&why.to_string()))? {
        Status::StreamEnd => Ok(inflate.total_out() as usize),
        Status::Ok | Status::BufError => Err(damaged("the stream doesn't end with the block")),
    }
}
