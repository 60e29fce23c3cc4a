//! Zstandard into memory, bounded by a limit and never by what a frame claims.

use std::fmt;

use zstd::zstd_safe::{self, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

/// Windows up to 128 MiB are read, as by restic. The library reserves a window at once, and uses of
/// it what the frame's own bytes fill.
const WINDOW_LOG_MAX: u32 = 27;

/// A frame's claim of its length is believed up to this multiple of its stored length; beyond that
/// the buffer grows with what comes. Index files are compressed to a third.
const PLAUSIBLE_RATIO: usize = 64;

/// By so much the buffer grows at least.
const GROWTH_LEN_MIN: usize = 64 << 10;

/// Error of bytes that aren't whole frames of Zstandard, or of more than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecompressError {
    /// Bytes that aren't Zstandard.
    Damaged {
        /// Offset from which on the library couldn't go on.
        at: u64,
        /// Its reason.
        why: &'static str,
    },
    /// The last frame doesn't end.
    Truncated {
        /// Offset of that frame.
        at: u64,
    },
    /// More than the limit when decompressed.
    TooLong {
        /// The limit in bytes.
        limit: u64,
    },
}

impl fmt::Display for DecompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecompressError::Damaged { at, why } => {
                write!(f, "Zstandard at offset {at}: wanted a frame, got other bytes ({why})")
            }
            DecompressError::Truncated { at } => {
                write!(
                    f,
                    "Zstandard frame at offset {at}: wanted its end, got the end of the bytes"
                )
            }
            DecompressError::TooLong { limit } => {
                write!(f, "decompressed length: wanted at most {limit} bytes, got more")
            }
        }
    }
}

impl std::error::Error for DecompressError {}

/// Decompresses one thing after another, with one context and one buffer.
pub struct Decompressor {
    context: DCtx<'static>,
    out: Vec<u8>,
}

impl Default for Decompressor {
    fn default() -> Self {
        Self::new()
    }
}

impl Decompressor {
    /// A decompressor: about 160 kB, and the buffer, which keeps the length of the longest thing so
    /// far.
    pub fn new() -> Self {
        let mut context = DCtx::create();
        let set = context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX));
        assert!(set.is_ok(), "128 MiB is a length of windows that the library has");
        Decompressor { context, out: Vec::new() }
    }

    /// Decompresses frames that lie back to back and fill the bytes. No bytes are no frames.
    pub fn decompress(
        &mut self,
        frames: &[u8],
        limit: usize,
    ) -> Result<&mut [u8], DecompressError> {
        self.out.clear();
        // What an earlier call left half done, after an error, is forgotten. That can't fail.
        let _ = self.context.reset(ResetDirective::SessionOnly);
        let mut input = InBuffer::around(frames);
        while input.pos() < frames.len() {
            self.reserve_claimed(&frames[input.pos()..], limit)?;
            self.frame(&mut input, limit)?;
        }
        Ok(&mut self.out)
    }

    /// Makes the buffer as long as the next frame claims to be, so that the library needs no window
    /// of its own.
    fn reserve_claimed(&mut self, frame: &[u8], limit: usize) -> Result<(), DecompressError> {
        // An error here is the frame's own, and found when it is read.
        let Ok(Some(claimed)) = zstd_safe::get_frame_content_size(frame) else { return Ok(()) };
        if claimed > (limit - self.out.len()) as u64 {
            return Err(DecompressError::TooLong { limit: limit as u64 });
        }
        let plausible = frame.len().saturating_mul(PLAUSIBLE_RATIO);
        self.out.reserve((claimed as usize).min(plausible));
        Ok(())
    }

    fn frame(&mut self, input: &mut InBuffer<'_>, limit: usize) -> Result<(), DecompressError> {
        let frame_at = input.pos() as u64;
        loop {
            let (at, start) = (input.pos() as u64, self.out.len());
            if start == self.out.capacity() {
                // One byte past the limit, so that a thing which is longer shows.
                self.out.reserve(start.max(GROWTH_LEN_MIN).min(limit - start).saturating_add(1));
            }
            let mut output = OutBuffer::around_pos(&mut self.out, start);
            let step = self.context.decompress_stream(&mut output, input);
            let why = |code| DecompressError::Damaged { at, why: zstd_safe::get_error_name(code) };
            let is_end = step.map_err(why)? == 0;
            if self.out.len() > limit {
                return Err(DecompressError::TooLong { limit: limit as u64 });
            }
            if is_end {
                return Ok(());
            }
            let has_read_all = input.pos() == input.src.len();
            if has_read_all && self.out.len() < self.out.capacity() {
                return Err(DecompressError::Truncated { at: frame_at });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(bytes: &[u8]) -> Vec<u8> {
        zstd::bulk::compress(bytes, 3).unwrap()
    }

    fn text(len: usize) -> Vec<u8> {
        (0..len).map(|at| ((at * at) >> 7) as u8).collect()
    }

    /// A frame whose header says nothing of its length.
    fn frame_of_unknown_length(bytes: &[u8], has_checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_contentsize(false).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn frames_of_every_kind_are_read() {
        let mut decompressor = Decompressor::new();
        for len in [0, 1, 100, 200_000, 3_000_000] {
            let plain = text(len);
            for (frames, want) in [
                (frame(&plain), plain.clone()),
                (frame_of_unknown_length(&plain, false), plain.clone()),
                (frame_of_unknown_length(&plain, true), plain.clone()),
                (
                    [frame(b"first"), frame(&plain), frame(b"")].concat(),
                    [b"first", &plain[..]].concat(),
                ),
            ] {
                let got = decompressor.decompress(&frames, want.len());
                assert!(got.is_ok_and(|got| *got == want[..]), "{len}");
                let limit = want.len().saturating_sub(1);
                let got = decompressor.decompress(&frames, limit).map(|got| got.len());
                let too_long = Err(DecompressError::TooLong { limit: limit as u64 });
                assert_eq!(got, if want.is_empty() { Ok(0) } else { too_long });
            }
        }
        assert_eq!(decompressor.decompress(b"", 0), Ok(&mut [][..]));
    }

    #[test]
    fn a_cut_frame_and_bytes_after_the_last_are_errors() {
        let mut decompressor = Decompressor::new();
        for sound in [frame(&text(5000)), frame_of_unknown_length(&text(5000), true)] {
            for len in 1..sound.len() {
                let got = decompressor.decompress(&sound[..len], 1 << 20);
                assert_eq!(got, Err(DecompressError::Truncated { at: 0 }), "{len}");
            }
            for rest in [&b"\0"[..], b"garbage", b"\x28\xb5\x2f"] {
                let got = decompressor.decompress(&[&sound, rest].concat(), 1 << 20);
                assert!(got.is_err(), "{rest:?}");
            }
            // The next one is read as if nothing had been.
            assert!(decompressor.decompress(&sound, 5000).is_ok());
        }
    }

    #[test]
    fn a_flipped_bit_gives_an_error_or_other_bytes() {
        let mut decompressor = Decompressor::new();
        let sound = frame_of_unknown_length(&text(3000), true);
        for bit in 0..sound.len() * 8 {
            let mut bytes = sound.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let got = decompressor.decompress(&bytes, 100_000);
            // Nothing but the bits of the header that mean nothing leaves the contents as they are,
            // since they are summed.
            assert!(got.is_err() || got.is_ok_and(|got| *got == text(3000)[..]), "{bit}");
        }
    }

    #[test]
    fn a_claimed_length_takes_no_memory() {
        // Single segment, 8 bytes of content length: 1 GiB less one; then an empty last block.
        let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
        bytes.extend(((1u64 << 30) - 1).to_le_bytes());
        bytes.extend([1, 0, 0]);
        let mut decompressor = Decompressor::new();
        assert!(decompressor.decompress(&bytes, 1 << 30).is_err());
        assert!(decompressor.out.capacity() <= GROWTH_LEN_MIN, "{}", decompressor.out.capacity());
        let got = decompressor.decompress(&bytes, 1 << 20);
        assert_eq!(got, Err(DecompressError::TooLong { limit: 1 << 20 }));
    }
}
