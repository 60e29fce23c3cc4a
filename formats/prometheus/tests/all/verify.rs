//! Verifying indexes: Prometheus's own are sound; damaged ones are found, and no reader says
//! anything else of them than of the sound one.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_core::findings::Report;
use manicule_format_prometheus::{
    Index, PairIndex, SeriesRef, SymbolIndex, Tombstones, VerifiedIndex, verify_index,
    verify_tombstones,
};
use manicule_testkit::golden_folder;

fn verified(bytes: &[u8]) -> VerifiedIndex {
    let verified = verify_index(bytes, 20, &mut |_| {});
    for findings in [&verified.report.findings, &verified.report.warnings] {
        assert!(findings.list.len() as u64 <= findings.count.min(20));
    }
    verified
}

/// Files called `index` below a folder.
fn indexes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            indexes(&path, found);
        } else if name == "index" || name == "index-with-label-indices" {
            found.push(path);
        }
    }
}

#[test]
fn golden_indexes_are_sound() {
    let golden = golden_folder("series", "golden");
    let mut paths = Vec::new();
    indexes(golden.path(), &mut paths);
    assert!(paths.len() >= 15, "{paths:?}");
    if let Some(full) = std::env::var_os("MANICULE_GOLDEN") {
        paths.push(Path::new(&full).join("blocks/v1/index_format_v1/index"));
    } else {
        println!("left out: an index of version 1, where MANICULE_GOLDEN is not set");
    }
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        let verified = verified(&bytes);
        assert_eq!(verified.report.findings.list, [], "{}", path.display());
        assert_eq!(verified.report.warnings.list, [], "{}", path.display());
        let index = Index::open(bytes).unwrap();
        assert_eq!(verified.symbol_count, u64::from(index.symbol_count()));
        assert_eq!(verified.list_count, u64::from(index.pair_count()));
        let all = index.all_postings().unwrap().len() as u64;
        assert_eq!(verified.series_count, all, "{}", path.display());
        // Each label is in one list, each series in that of all.
        assert_eq!(verified.posting_count, verified.label_count + all);
    }
}

fn tiny() -> Vec<u8> {
    let golden = golden_folder("series", "golden");
    fs::read(golden.path().join("blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27/index")).unwrap()
}

/// What a reader of an index says: names, values, lists, series.
#[derive(Debug, PartialEq, Default)]
struct Answers {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    lists: Vec<Result<Vec<SeriesRef>, DecodeError>>,
    series: Vec<Result<String, DecodeError>>,
}

impl Answers {
    /// All there is to ask; `None` where opening is refused.
    fn of(bytes: &[u8], refs: &[SeriesRef]) -> Option<Self> {
        let index = Index::open(bytes).ok()?;
        let mut answers = Answers::default();
        for (name, pairs) in index.names() {
            for pair in pairs.map(PairIndex) {
                answers.pairs.push((name.to_vec(), index.value(pair).to_vec()));
                answers.lists.push(index.postings(pair).map(|list| list.iter().collect()));
            }
        }
        answers.lists.push(index.all_postings().map(|list| list.iter().collect()));
        for series in refs {
            answers.series.push(shown(&index, *series));
        }
        Some(answers)
    }

    /// Whether these are those of the sound index, save for errors.
    fn agrees(&self, sound: &Answers) -> bool {
        fn same<T: PartialEq>(
            own: &[Result<T, DecodeError>],
            sound: &[Result<T, DecodeError>],
        ) -> bool {
            own.len() == sound.len()
                && own.iter().zip(sound).all(|(own, sound)| own.is_err() || own == sound)
        }
        self.pairs == sound.pairs
            && same(&self.lists, &sound.lists)
            && same(&self.series, &sound.series)
    }
}

fn shown(index: &Index<&[u8]>, series: SeriesRef) -> Result<String, DecodeError> {
    let series = index.series(series)?;
    let mut out = String::new();
    for label in series.labels() {
        let (name, value) = label?;
        let text = |symbol: SymbolIndex| index.symbol(symbol).unwrap().escape_ascii().to_string();
        out += &format!("{}={} ", text(name), text(value));
    }
    for chunk in series.chunks()? {
        out += &format!("{:?} ", chunk?);
    }
    Ok(out)
}

/// Masks that one byte after the other is changed by: each bit, all, and the one that makes version
/// 2 into 1.
const MASKS: [u8; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 255, 3];

#[test]
fn every_flipped_byte_is_found_and_no_reader_believes_it() {
    let sound = tiny();
    let refs: Vec<SeriesRef> =
        Index::open(sound.as_slice()).unwrap().all_postings().unwrap().iter().collect();
    let want = Answers::of(&sound, &refs).unwrap();
    assert!(want.lists.iter().all(Result::is_ok) && want.series.iter().all(Result::is_ok));
    let (mut bytes, mut found) = (sound.clone(), 0);
    for at in 0..sound.len() {
        for mask in MASKS {
            bytes[at] = sound[at] ^ mask;
            let report = verified(&bytes).report;
            // Version 3 is version 2 with another number.
            let is_legal = at == 4 && bytes[at] == 3;
            let place = format!("byte {at} flipped by {mask:#x}");
            assert_eq!(report.findings.count == 0, is_legal, "{place}: {:?}", report.findings.list);
            assert!(!is_legal || report.warnings.count == 1);
            if let Some(got) = Answers::of(&bytes, &refs) {
                assert!(got.agrees(&want), "{place}: {got:?}");
            }
            found += u64::from(!is_legal);
        }
        bytes[at] = sound[at];
    }
    assert_eq!(found, sound.len() as u64 * MASKS.len() as u64 - 1);
}

#[test]
fn every_truncation_is_found() {
    let sound = tiny();
    for len in 0..sound.len() {
        assert!(verified(&sound[..len]).report.findings.count > 0, "cut to {len} bytes");
        assert!(Index::open(&sound[..len]).is_err());
    }
}

#[test]
fn every_flipped_byte_of_tombstones_is_found_and_refused() {
    let golden = golden_folder("series", "golden");
    let path = golden.path().join("blocks/tombstones/01M7YV9D87W4FXZ0BQPSXM4Q20/tombstones");
    let sound = fs::read(path).unwrap();
    assert!(sound.len() > 20);
    let found = |bytes: &[u8]| {
        let mut report = Report::new(20);
        verify_tombstones(bytes, &|_| true, &mut report);
        report.findings.count
    };
    assert_eq!(found(&sound), 0);
    let mut bytes = sound.clone();
    for at in 0..sound.len() {
        for mask in MASKS {
            bytes[at] = sound[at] ^ mask;
            assert!(found(&bytes) > 0 && Tombstones::decode(&bytes).is_err(), "byte {at}");
        }
        bytes[at] = sound[at];
        assert!(found(&sound[..at]) > 0 && Tombstones::decode(&sound[..at]).is_err());
    }
}
