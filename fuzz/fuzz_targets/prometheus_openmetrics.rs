//! Reading any text ends with samples or an error that names a line in it; and samples that were
//! read are the same after a block was built of them, dumped as OpenMetrics, and the dump read
//! again.
//!
//! The first byte chooses the dialect. Seeds: texts of the golden data (`openmetrics/*.om`), each
//! with a byte in front.

#![no_main]

use std::collections::BTreeMap;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use manicule_core::watch::Watch;
use manicule_series::build::{BLOCK_RANGE, BuildOptions, Builder};
use manicule_series::dump::{DumpFormat, dump};
use manicule_series::openmetrics::{Dialect, Parser, TextError};
use manicule_series::query::Blocks;
use manicule_series::{Interval, Selector, Target, Ulid, open_all};

/// Maximum number of blocks of one text: each is a folder on disk.
const BLOCKS_MAX: usize = 3;

/// The first value of each series and time.
type Samples = BTreeMap<(String, i64), u64>;

fn samples(text: &[u8], dialect: Dialect) -> Result<Samples, TextError> {
    let mut parser = Parser::new(text, dialect);
    let mut samples = Samples::new();
    while let Some(sample) = parser.next_sample()? {
        let labels = sample.labels().map_err(TextError::Syntax)?;
        let key = (format!("{labels:?}"), sample.time);
        samples.entry(key).or_insert(sample.value.to_bits());
    }
    Ok(samples)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    let dialect = if first & 1 == 0 { Dialect::OpenMetrics } else { Dialect::Prometheus };
    let samples = match samples(text, dialect) {
        Ok(samples) => samples,
        Err(TextError::Syntax(error)) => {
            let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            let line = lines.get(error.line as usize - 1).expect("a line of the text");
            assert!((1..=line.len() as u64 + 1).contains(&error.column), "{error}");
            return;
        }
        Err(error) => panic!("a slice fails: {error}"),
    };
    let blocks: std::collections::BTreeSet<i64> =
        samples.keys().map(|key| key.1.div_euclid(BLOCK_RANGE)).collect();
    // Seconds with three digits are exact up to here, and no clock gives later times.
    let are_usual = samples.keys().all(|key| key.1.unsigned_abs() < 1 << 42);
    if blocks.len() <= BLOCKS_MAX && are_usual && !samples.is_empty() {
        round_trip(text, dialect, &samples);
    }
});

fn round_trip(text: &[u8], dialect: Dialect, want: &Samples) {
    let folder = std::env::temp_dir().join(format!("manicule-fuzz-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    build(text, dialect, &folder);
    let opened = open_all(&folder).expect("blocks that were built open");
    let times = Interval { min_time: i64::MIN, max_time: i64::MAX };
    let selectors = [Selector::parse(r#"{__name__=~"(?s:.*)"}"#).expect("a selector")];
    let mut out = Vec::new();
    let blocks = Blocks::new(&opened, None);
    let dumped = dump(&blocks, &selectors, times, DumpFormat::OpenMetrics, &mut out, &Watch::none());
    let dumped = dumped.expect("blocks that were built are read");
    // Series without a name in OpenMetrics are left out.
    if dumped.unnamed == 0 {
        let again = samples(&out, Dialect::OpenMetrics).expect("a dump is read");
        let text = String::from_utf8_lossy(&out);
        assert!(*want == again, "{want:?}\n{again:?}\n{text}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

fn build(text: &[u8], dialect: Dialect, folder: &Path) {
    let target = Target::open(folder).expect("a folder");
    let mut number = 0;
    let next_ulid = || {
        number += 1;
        Ulid::new(number, [0; 10])
    };
    let options = BuildOptions { range: BLOCK_RANGE, memory: 1 << 12 };
    let mut builder = Builder::new(target, options, next_ulid);
    builder.read(text, dialect).expect("it was read before");
    builder.finish(&Watch::none()).expect("blocks of any samples are written");
}
