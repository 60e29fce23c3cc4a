//! Dumps of blocks, beside promtool's, and read back.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_prometheus::Ulid;
use manicule_series::build::{BLOCK_RANGE, BuildOptions, Builder};
use manicule_series::dump::{DumpFormat, Dumped, dump, put_sample_json};
use manicule_series::openmetrics::Dialect;
use manicule_series::query::Blocks;
use manicule_series::{Interval, Sample, Selector, Target, Value, open_all};
use manicule_testkit::golden_folder;

const ALL: Interval = Interval { min_time: i64::MIN, max_time: i64::MAX };

fn dumped(path: &Path, selector: &str, times: Interval, format: DumpFormat) -> (Vec<u8>, Dumped) {
    let opened = open_all(path).unwrap();
    let blocks = Blocks::new(&opened, Some(times));
    let selectors = [Selector::parse(selector).unwrap()];
    let mut out = Vec::new();
    let dumped = dump(&blocks, &selectors, times, format, &mut out, &Watch::none()).unwrap();
    (out, dumped)
}

const EVERYTHING: &str = r#"{__name__=~"(?s:.*)"}"#;

fn assert_same_lines(got: &[u8], want: &[u8], what: &str) {
    let lines = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for (number, (got, want)) in lines(got).iter().zip(lines(want)).enumerate() {
        assert_eq!(*got, want, "{what}, line {number}");
    }
    assert!(got == want, "{what}: {} and {} bytes", got.len(), want.len());
}

#[test]
fn plain_dumps_are_promtools() {
    let golden = golden_folder("series", "golden");
    for name in ["tiny", "mixed", "names", "native"] {
        let block = golden.path().join("blocks").join(name);
        for (format, prefix) in [(DumpFormat::Plain, ""), (DumpFormat::SeriesJson, "seriesjson-")] {
            let want = golden.path().join(format!("promtool/dump-{prefix}{name}.txt"));
            let got = dumped(&block, EVERYTHING, ALL, format).0;
            assert_same_lines(&got, &fs::read(want).unwrap(), &format!("{prefix}{name}"));
        }
    }
}

/// Where promtool's OpenMetrics is OpenMetrics, ours is the same. It ends a series with the first
/// native histogram, and writes other names without quotes.
#[test]
fn dumps_in_open_metrics_are_promtools_where_those_can_be_read() {
    let golden = golden_folder("series", "golden");
    for name in ["tiny", "native"] {
        let block = golden.path().join("blocks").join(name);
        let got = dumped(&block, EVERYTHING, ALL, DumpFormat::OpenMetrics).0;
        let want = golden.path().join(format!("promtool/dump-openmetrics-{name}.txt"));
        let want = fs::read(want).unwrap();
        let got = String::from_utf8(got).unwrap();
        let mut rest = got.lines();
        for line in String::from_utf8(want).unwrap().lines() {
            assert!(rest.any(|got| got == line), "{name}: {line}");
        }
        if name == "tiny" {
            assert!(rest.next().is_none());
        }
    }
}

#[test]
fn dumps_in_open_metrics_read_back_as_the_same_blocks() {
    let golden = golden_folder("series", "golden");
    for name in ["tiny", "mixed", "classic", "gaps", "api", "names"] {
        let source = golden.path().join("blocks").join(name);
        let (text, counts) = dumped(&source, EVERYTHING, ALL, DumpFormat::OpenMetrics);
        let folder = tempfile::tempdir().unwrap();
        let mut number = 0;
        let next_ulid = || {
            number += 1;
            Ulid::new(number, [0; 10])
        };
        let options = BuildOptions { range: BLOCK_RANGE, memory: 1 << 20 };
        let mut builder = Builder::new(Target::open(folder.path()).unwrap(), options, next_ulid);
        builder.read(&text[..], Dialect::OpenMetrics).unwrap();
        let report = builder.finish(&Watch::none()).unwrap();
        assert_eq!((report.samples, u64::from(report.series)), (counts.samples, counts.series));
        let again = dumped(folder.path(), EVERYTHING, ALL, DumpFormat::OpenMetrics).0;
        assert_same_lines(&again, &text, name);
        // Stale marks are the one thing that is lost.
        if counts.stale == 0 && counts.unnamed == 0 {
            let plain = |path| dumped(path, EVERYTHING, ALL, DumpFormat::Plain).0;
            assert_same_lines(&plain(folder.path()), &plain(&source), name);
        }
    }
}

#[test]
fn what_open_metrics_cannot_say_is_counted() {
    let golden = golden_folder("series", "golden");
    let at = |name: &str| golden.path().join("blocks").join(name);
    let counts = dumped(&at("native"), EVERYTHING, ALL, DumpFormat::OpenMetrics).1;
    let plain = dumped(&at("native"), EVERYTHING, ALL, DumpFormat::Plain).1;
    assert!(counts.histograms > 1000 && counts.stale > 0, "{counts:?}");
    assert_eq!(counts.samples + counts.histograms + counts.stale, plain.samples);
    let counts = dumped(&at("names"), EVERYTHING, ALL, DumpFormat::OpenMetrics).1;
    assert!(counts.unnamed > 0, "{counts:?}");
}

#[test]
fn selector_and_times_choose() {
    let golden = golden_folder("series", "golden");
    let tiny = golden.path().join("blocks/tiny");
    let times = Interval { min_time: 1_700_000_015_000, max_time: 1_700_000_030_000 };
    let got = dumped(&tiny, r#"up{job="b"}"#, times, DumpFormat::OpenMetrics).0;
    let want = "up{instance=\"h1:2\",job=\"b\"} 1 1700000015.000\n\
                up{instance=\"h1:2\",job=\"b\"} 1 1700000030.000\n# EOF\n";
    assert_eq!(String::from_utf8(got).unwrap(), want);
    let got = dumped(&tiny, r#"up{job="b"}"#, times, DumpFormat::Json).0;
    let want = "{\"labels\":{\"__name__\":\"up\",\"instance\":\"h1:2\",\"job\":\"b\"},\
                \"samples\":[[1700000015000,\"1\"],[1700000030000,\"1\"]]}\n";
    assert_eq!(String::from_utf8(got).unwrap(), want);
}

#[test]
fn a_sample_in_json_has_its_whole_value() {
    let json = |value: Value| {
        let mut out = Vec::new();
        put_sample_json(&Sample { time: -7, start_time: 0, value }, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(json(Value::Float(12_345_678.5)), "[-7,\"12345678.5\"]");
    assert_eq!(json(Value::Float(f64::NEG_INFINITY)), "[-7,\"-Inf\"]");
    assert_eq!(json(Value::Float(f64::from_bits(0x7ff0_0000_0000_0002))), "[-7,\"stale\"]");
}

#[test]
fn json_has_every_sample() {
    let golden = golden_folder("series", "golden");
    for name in ["native", "names", "mixed"] {
        let block = golden.path().join("blocks").join(name);
        let (json, counts) = dumped(&block, EVERYTHING, ALL, DumpFormat::Json);
        let rows: Vec<serde_json::Value> = json
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        let samples = rows.iter().map(|row| row["samples"].as_array().unwrap().len() as u64);
        assert_eq!(samples.sum::<u64>(), counts.samples);
        let plain = dumped(&block, EVERYTHING, ALL, DumpFormat::Plain).1;
        assert_eq!((rows.len() as u64, counts.samples), (plain.series, plain.samples));
    }
}
