//! Blocks of each codec, whole, cut, too long and too short.

use std::io::Write;

use super::{BlockCompressor, BlockDecompressor, Codec, DecompressError};

const ALL: [Codec; 4] = [Codec::Lz4, Codec::Snappy, Codec::Deflate, Codec::Zstd];

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|at| ((at * at) >> 7) as u8).collect()
}

fn compressed(codec: Codec, bytes: &[u8]) -> Vec<u8> {
    match codec {
        // One run of literals: 15 and as many 255s as fit.
        Codec::Lz4 => {
            let mut block = vec![0xf0];
            let mut left = bytes.len() - 15;
            while left >= 255 {
                block.push(255);
                left -= 255;
            }
            block.push(left as u8);
            block.extend_from_slice(bytes);
            block
        }
        Codec::Snappy => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
        Codec::Deflate => {
            let level = flate2::Compression::new(6);
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Codec::Zstd => zstd::bulk::compress(bytes, 3).unwrap(),
    }
}

#[test]
fn blocks_become_what_they_were() {
    for codec in ALL {
        let mut decompressor = BlockDecompressor::new(codec, None).unwrap();
        for len in [20, 100, 5000, 70_000] {
            let (want, mut out) = (text(len), vec![0; len]);
            let block = compressed(codec, &want);
            decompressor.decompress(&block, &mut out).unwrap();
            assert!(out == want, "{codec:?} {len}");
            for other_len in [len - 1, len + 1] {
                let got = decompressor.decompress(&block, &mut vec![0; other_len]);
                assert!(got.is_err(), "{codec:?} {len} as {other_len}");
            }
            for cut in [0, 1, block.len() / 2, block.len() - 1] {
                assert!(
                    decompressor.decompress(&block[..cut], &mut out).is_err(),
                    "{codec:?} {cut}"
                );
            }
        }
    }
}

#[test]
fn flipped_bits_leave_the_decompressor_as_it_was() {
    for codec in ALL {
        let mut decompressor = BlockDecompressor::new(codec, None).unwrap();
        let sound = compressed(codec, &text(700));
        for bit in 0..sound.len() * 8 {
            let (mut block, mut out) = (sound.clone(), vec![0; 700]);
            block[bit / 8] ^= 1 << (bit % 8);
            // An error or other bytes: without a checksum either may be.
            let _ = decompressor.decompress(&block, &mut out);
            decompressor.decompress(&sound, &mut out).unwrap();
            assert!(out == text(700), "{codec:?}, bit {bit}");
        }
    }
}

#[test]
fn a_dictionary_is_wanted_where_a_block_was_made_with_one() {
    let samples: Vec<Vec<u8>> = (0..200)
        .map(|at| format!("a row of the table, number {at}, of {} bytes", at * 7).into_bytes())
        .collect();
    let dictionary = zstd::dict::from_samples(&samples, 4096).unwrap();
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let block = compressor.compress(&samples[7]).unwrap();
    let mut out = vec![0; samples[7].len()];
    let mut with = BlockDecompressor::new(Codec::Zstd, Some(&dictionary)).unwrap();
    with.decompress(&block, &mut out).unwrap();
    assert_eq!(out, samples[7]);
    let mut without = BlockDecompressor::new(Codec::Zstd, None).unwrap();
    let error = without.decompress(&block, &mut out).unwrap_err();
    assert!(matches!(error, DecompressError::Damaged { codec: Codec::Zstd, .. }), "{error}");
}

#[test]
fn blocks_are_compressed_and_become_what_they_were() {
    for codec in ALL {
        let mut compressor = BlockCompressor::new(codec, 3);
        let mut decompressor = BlockDecompressor::new(codec, None).unwrap();
        for len in [0, 1, 20, 5_000, 65_536, 70_000] {
            let noise = (0..len as u64).map(|at| (crate::bytes::mix(at, 7) >> 30) as u8).collect();
            for want in [text(len), noise] {
                let mut block = b"before".to_vec();
                compressor.compress(&want, &mut block);
                assert_eq!(block[..6], *b"before");
                let mut out = vec![0; len];
                decompressor.decompress(&block[6..], &mut out).unwrap();
                assert!(out == want, "{codec:?} {len}");
            }
        }
    }
}
