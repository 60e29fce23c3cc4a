//! Damaged blocks elsewhere: the errors of the mapped block, and no byte that was not brought is
//! taken for one.

use std::fs;
use std::path::Path;

use manicule_series::{BlockError, open_within, open_within_in};
use manicule_store::store::FetchLimits;
use manicule_testkit::{Rng, golden_folder, in_memory};

use super::{LIMITS, all_of, fetched};

/// The error without the path that it begins with.
fn sum(answer: Result<Vec<String>, BlockError>) -> Result<usize, String> {
    let text = |error: BlockError| {
        let text = error.to_string();
        text.split_once(": ").map_or(String::new(), |(_, text)| text.to_owned())
    };
    answer.map(|series| series.len()).map_err(text)
}

fn check(folder: &Path, about: &str) {
    let kept = tempfile::tempdir().expect("a folder");
    let here = open_within(folder, None, None).and_then(|opened| all_of(&opened.blocks));
    let there = open_within_in(&fetched(in_memory(folder), kept.path()), None);
    let there = there.and_then(|opened| all_of(&opened.blocks));
    assert_eq!(sum(there), sum(here), "{about}");
}

#[test]
fn a_flipped_bit_is_the_same_error_elsewhere() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks/k5k");
    let block = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mut rng = Rng::new(7);
    for name in ["index", "chunks/000001"] {
        let sound = fs::read(block.join(name)).unwrap();
        for _ in 0..5 {
            let at = rng.below(sound.len());
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(block.join(name), damaged).unwrap();
            check(&folder, &format!("{name} at {at}"));
        }
        fs::write(block.join(name), sound).unwrap();
    }
    check(&folder, "sound");
}

#[test]
fn what_is_kept_may_be_cut_damaged_or_removed_between_questions() {
    let golden = golden_folder("series", "golden");
    let store = in_memory(&golden.path().join("blocks/k5k"));
    let kept = tempfile::tempdir().expect("a folder");
    let ask = || {
        let opened = open_within_in(&fetched(store.clone(), kept.path()), None);
        sum(opened.and_then(|opened| all_of(&opened.blocks)))
    };
    let want = ask();
    assert!(want.is_ok());
    for damage in 0..3 {
        for entry in fs::read_dir(kept.path()).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = fs::read(&path).unwrap();
            match damage {
                0 => bytes.iter_mut().step_by(5000).for_each(|byte| *byte ^= 1),
                1 => bytes.truncate(bytes.len() / 2),
                _ => {
                    fs::remove_file(&path).unwrap();
                    continue;
                }
            }
            fs::write(&path, bytes).unwrap();
        }
        assert_eq!(ask(), want, "damage {damage}");
    }
}

#[test]
fn a_folder_that_is_bounded_to_nothing_still_answers() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks/k5k");
    let kept = tempfile::tempdir().expect("a folder");
    let limits = FetchLimits { kept_bytes_max: 1, ..LIMITS };
    let store = std::sync::Arc::new(in_memory(&folder));
    let disk = manicule_store::Disk::shared();
    let files = manicule_store::store::Fetched::through(store, kept.path(), disk, limits);
    let there = open_within_in(&files, None).and_then(|opened| all_of(&opened.blocks));
    let here = open_within(&folder, None, None).and_then(|opened| all_of(&opened.blocks));
    assert_eq!(there.unwrap(), here.unwrap());
    assert!(fs::read_dir(kept.path()).unwrap().count() <= 1, "the file brought last stays");
}
