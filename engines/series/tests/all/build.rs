//! Blocks built from text, beside those that promtool made of the same text.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_prometheus::{Meta, Ulid};
use manicule_series::build::{BLOCK_RANGE, BuildOptions, BuildReport, Builder};
use manicule_series::openmetrics::Dialect;
use manicule_series::{Target, block_paths};
use manicule_testkit::{Rng, golden_folder, unpacked};

const MEMORY: u64 = 1 << 28;

fn build(texts: &[&[u8]], memory: u64, folder: &Path) -> BuildReport {
    let target = Target::open(folder).unwrap();
    let mut number = 0;
    let next_ulid = || {
        number += 1;
        Ulid::new(number, [7; 10])
    };
    let options = BuildOptions { range: BLOCK_RANGE, memory };
    let mut builder = Builder::new(target, options, next_ulid);
    for text in texts {
        builder.read(*text, Dialect::OpenMetrics).unwrap();
    }
    builder.finish(&Watch::none()).unwrap()
}

/// A block's files but the meta file, by name; and the meta file without names of blocks.
fn contents(block: &Path) -> (Vec<(PathBuf, Vec<u8>)>, Meta) {
    let mut files: Vec<PathBuf> = ["index", "tombstones"].map(PathBuf::from).into();
    let chunks = fs::read_dir(block.join("chunks")).unwrap();
    files.extend(chunks.map(|entry| Path::new("chunks").join(entry.unwrap().file_name())));
    let read = |name: PathBuf| (name.clone(), fs::read(block.join(name)).unwrap());
    let mut meta = Meta::decode(&fs::read(block.join("meta.json")).unwrap()).unwrap();
    assert_eq!(meta.compaction.sources, [meta.ulid.clone()]);
    assert_eq!(block.file_name().unwrap().to_str(), Some(&meta.ulid[..]));
    meta.ulid.clear();
    meta.compaction.sources.clear();
    (files.into_iter().map(read).collect(), meta)
}

fn assert_same_blocks(got: &Path, want: &Path) {
    let (got, want) = (block_paths(got).unwrap(), block_paths(want).unwrap());
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(&want) {
        let (got, want) = (contents(got), contents(want));
        assert_eq!(got.1, want.1);
        for (got, want) in got.0.iter().zip(&want.0) {
            let name = got.0.display();
            assert!(got == want, "{name}: {} and {} bytes", got.1.len(), want.1.len());
        }
        assert_eq!(got.0.len(), want.0.len());
    }
}

const NAMES: [(&str, &str); 6] = [
    ("tiny", "tiny.om"),
    ("mixed", "mixed.om"),
    ("classic", "classic.om"),
    ("gaps", "gaps.om.zst"),
    ("api", "api.om.zst"),
    ("k5k", "k5k.om.zst"),
];

fn text_of(path: &Path) -> Vec<u8> {
    let is_packed = path.extension().is_some_and(|ending| ending == "zst");
    if is_packed { unpacked(path) } else { fs::read(path).unwrap() }
}

/// Every block of promtool again, byte by byte; also when memory holds a few samples only.
#[test]
fn built_as_promtool_builds() {
    let golden = golden_folder("series", "golden");
    for (name, text) in NAMES {
        let text = text_of(&golden.path().join("openmetrics").join(text));
        for memory in [MEMORY, 10_000] {
            let folder = tempfile::tempdir().unwrap();
            let report = build(&[&text], memory, folder.path());
            assert_same_blocks(folder.path(), &golden.path().join("blocks").join(name));
            let counted: u64 = report.blocks.iter().map(|built| built.meta.stats.num_samples).sum();
            assert_eq!(counted, report.samples - report.repeated, "{name}");
            let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
            assert_eq!(left.len(), report.blocks.len(), "{left:?}");
        }
    }
}

/// The order of samples in time doesn't matter, nor does it over how many texts they are spread.
#[test]
fn disordered_samples_make_the_same_blocks() {
    let golden = golden_folder("series", "golden");
    let mut rng = Rng::new(5);
    for (name, text) in [("gaps", "gaps.om.zst"), ("api", "api.om.zst")] {
        let text = text_of(&golden.path().join("openmetrics").join(text));
        let mut lines: Vec<&[u8]> = text
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| !line.starts_with(b"#"))
            .collect();
        for at in (1..lines.len()).rev() {
            lines.swap(at, rng.below(at + 1));
        }
        let mut texts = [Vec::new(), Vec::new()];
        for line in lines {
            texts[rng.below(2)].write_all(line).unwrap();
        }
        texts.iter_mut().for_each(|text| text.extend_from_slice(b"# EOF\n"));
        let folder = tempfile::tempdir().unwrap();
        build(&[&texts[0], &texts[1]], 100_000, folder.path());
        assert_same_blocks(folder.path(), &golden.path().join("blocks").join(name));
    }
}

#[test]
fn the_first_sample_of_a_time_stays() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"a 1 2\na 2 1\na 3 2\na 1 2\n# EOF\n";
    let report = build(&[text], MEMORY, folder.path());
    assert_eq!((report.samples, report.repeated, report.series), (4, 2, 1));
    let want = b"a 2 1\na 1 2\n# EOF\n";
    let other = tempfile::tempdir().unwrap();
    build(&[want], MEMORY, other.path());
    assert_same_blocks(folder.path(), other.path());
}

#[test]
fn one_series_may_be_written_in_several_ways() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"a{x=\"1\",y=\"2\"} 1 1\na{y=\"2\",x=\"1\"} 2 2\n{\"a\",x=\"1\",y=\"2\",z=\"\"} 3 3\n# EOF\n";
    let report = build(&[text], MEMORY, folder.path());
    assert_eq!((report.samples, report.series, report.blocks.len()), (3, 1, 1));
    assert_eq!(report.blocks[0].meta.stats.num_chunks, 1);
}

/// Samples before 1970 are kept, each in the block of its time. promtool leaves out those of the
/// first block.
#[test]
fn times_before_1970_have_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let report = build(&[b"a 1 -1\na 2 1\na 3 -7201\n# EOF\n"], MEMORY, folder.path());
    let times: Vec<_> =
        report.blocks.iter().map(|built| (built.meta.min_time, built.meta.max_time)).collect();
    assert_eq!(times, [(-7_201_000, -7_200_999), (-1000, -999), (1000, 1001)]);
}

#[test]
fn no_samples_make_no_block() {
    let folder = tempfile::tempdir().unwrap();
    let report = build(&[b"# EOF\n"], MEMORY, folder.path());
    assert!(report.blocks.is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// After an error nothing is left, also when samples lie in the file aside.
#[test]
fn an_error_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target::open(folder.path()).unwrap();
    let options = BuildOptions { range: BLOCK_RANGE, memory: 1000 };
    let mut builder = Builder::new(target, options, || Ulid::new(1, [7; 10]));
    let mut text = b"a 1 1\n".repeat(1000);
    text.extend_from_slice(b"a 1 x\n");
    let error = builder.read(&text[..], Dialect::OpenMetrics).unwrap_err();
    assert!(error.to_string().starts_with("line 1001, column 5: "), "{error}");
    drop(builder);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The commonest slip. promtool makes a block of the year 55841.
#[test]
fn milliseconds_are_not_taken_for_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions { range: BLOCK_RANGE, memory: 1 << 20 };
    for (text, want) in [
        ("m 1 253402300799.999\n# EOF\n", None),
        (
            "m 1 253402300800\n# EOF\n",
            Some("line 1, column 5: expected a time in seconds, up to the year 9999 ("),
        ),
        (
            "m 1 1\nm 1 1700000000000\n# EOF\n",
            Some("line 2, column 5: expected a time in seconds, up to the year 9999 ("),
        ),
        (
            "m 1 1e300\n# EOF\n",
            Some("line 1, column 5: expected a time in seconds, up to the year 9999 ("),
        ),
        ("m 1 +Inf\n# EOF\n", Some("line 1, column 5: expected a time in seconds since 1970, got")),
    ] {
        let target = Target::open(folder.path()).unwrap();
        let mut builder = Builder::new(target, options, || Ulid::new(1, [7; 10]));
        let read = builder.read(text.as_bytes(), Dialect::OpenMetrics);
        match (read, want) {
            (Ok(()), None) => {}
            (read, want) => {
                let error = read.unwrap_err().to_string();
                assert!(error.starts_with(want.unwrap()), "{error}");
            }
        }
    }
    let target = Target::open(folder.path()).unwrap();
    let mut builder = Builder::new(target, options, || Ulid::new(1, [7; 10]));
    builder.read(&b"m 1 1700000000000\n"[..], Dialect::Prometheus).unwrap();
}
