//! Every bit of a small block's files, flipped: it is found, or changes no answer.

use std::fs;
use std::path::Path;

use manicule_series::Block;
use manicule_testkit::{copy_folder, golden_folder};

use super::verified;

/// Masks that one byte after the other is changed by: each bit, and all.
const MASKS: [u8; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 255];

/// Flips the bytes of a file of the smallest block, one after the other, and shows each result.
fn flip(file: &str, mut look: impl FnMut(&Path, &[u8], usize)) {
    let golden = golden_folder("series", "golden");
    let folder = tempfile::tempdir().unwrap();
    let name = "01M7YV9D4RCH84S6NS9PC6AJ27";
    let path = folder.path().join(name);
    copy_folder(&golden.path().join("blocks/tiny").join(name), &path);
    let sound = fs::read(path.join(file)).unwrap();
    for at in 0..sound.len() {
        for mask in MASKS {
            let mut bytes = sound.clone();
            bytes[at] ^= mask;
            fs::write(path.join(file), &bytes).unwrap();
            look(&path, &bytes, at);
        }
    }
}

/// The samples of all series, each chunk as far as it can be read.
fn samples(block: &Block) -> Vec<Result<String, String>> {
    let index = block.index();
    let mut all = Vec::new();
    for series in index.all_postings().unwrap().iter() {
        for chunk in index.series(series).unwrap().chunks().unwrap() {
            let read = || {
                let chunk = block.chunk(chunk.unwrap().reference)?;
                chunk.open()?.samples()?.map(|sample| Ok(format!("{:?}", sample?))).collect()
            };
            let read: Result<Vec<String>, manicule_core::bytes::DecodeError> = read();
            all.push(read.map(|samples| samples.concat()).map_err(|error| error.to_string()));
        }
    }
    all
}

#[test]
fn every_flipped_byte_of_chunks_is_found_and_no_reader_believes_it() {
    let golden = golden_folder("series", "golden");
    let tiny = golden.path().join("blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27");
    let want = samples(&Block::open(&tiny).unwrap());
    assert!(want.len() == 3 && want.iter().all(Result::is_ok));
    flip("chunks/000001", |path, _, at| {
        let verified = verified(path);
        // The padding of the header means nothing to anybody.
        let is_legal = (5..8).contains(&at);
        assert_eq!(verified.verdict.is_ok(), is_legal, "byte {at}");
        assert_eq!(
            verified.verdict.warnings.count > 0,
            is_legal,
            "byte {at}: {:?}",
            verified.verdict.warnings.list
        );
        if let Ok(block) = Block::open(path) {
            let agree = |(got, want): (&Result<String, String>, _)| got.is_err() || got == want;
            assert!(samples(&block).iter().zip(&want).all(agree), "byte {at}");
        }
    });
}

#[test]
fn every_flipped_byte_of_tombstones_is_found() {
    flip("tombstones", |path, _, at| {
        assert!(!verified(path).verdict.is_ok() && Block::open(path).is_err(), "byte {at}");
    });
}

/// What no checksum covers: a meta file may say other things and be legal. Then every sample is
/// still in its times, its name is the same, and so are its counts, but for that of floats, which
/// older writers left out.
#[test]
fn a_flipped_byte_of_the_meta_file_is_found_or_changes_no_answer() {
    let mut legal = 0;
    flip("meta.json", |path, bytes, at| {
        let verified = verified(path);
        let opened = Block::open(path);
        if !verified.verdict.is_ok() || verified.verdict.warnings.count > 0 {
            return;
        }
        legal += 1;
        let shown = String::from_utf8_lossy(bytes);
        let meta = opened.unwrap().meta().unwrap().clone();
        assert_eq!(meta.ulid.to_uppercase(), "01M7YV9D4RCH84S6NS9PC6AJ27", "byte {at}: {shown}");
        assert!(meta.min_time <= 1_700_000_000_000, "byte {at}: {shown}");
        assert!(meta.max_time > 1_700_000_045_000, "byte {at}: {shown}");
        let stats = meta.stats;
        assert_eq!((stats.num_samples, stats.num_series, stats.num_chunks), (12, 3, 3), "{shown}");
        assert!([0, 12].contains(&stats.num_float_samples), "byte {at}: {shown}");
    });
    // Most of it is names of keys in another case, times that reach further, white space.
    assert!((1..700).contains(&legal), "{legal}");
}
