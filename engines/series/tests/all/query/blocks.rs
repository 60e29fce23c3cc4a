//! Data folders asked as one: against a Prometheus server's answers, and against the plain way.

use std::collections::BTreeMap;

use manicule_format_prometheus::Interval;
use manicule_series::query::{Blocks, Work};
use manicule_series::{Block, Selector, open_all};
use manicule_testkit::golden_folder;
use serde_json::{Value, json};

type Labels = Vec<(Vec<u8>, Vec<u8>)>;

/// All series that the selectors select, with how many parts and chunks each has.
fn series(blocks: &Blocks<'_>, selectors: &[Selector]) -> Vec<(Labels, usize, usize)> {
    let mut merged = blocks.series(selectors, &mut Work::default()).unwrap();
    let mut found = Vec::new();
    while let Some(row) = merged.next().unwrap() {
        let labels = row.labels.iter().map(|label| (label.0.to_vec(), label.1.to_vec()));
        let chunks = row.parts.iter().map(|part| part.chunks.len()).sum();
        found.push((labels.collect(), row.parts.len(), chunks));
    }
    found
}

fn text(bytes: &[u8]) -> Value {
    Value::from(std::str::from_utf8(bytes).unwrap())
}

/// Seconds as the API takes them.
fn milliseconds(text: &str) -> Option<i64> {
    text.parse::<f64>().ok().map(|seconds| (seconds * 1000.0).round() as i64)
}

/// The data of an answer, by our own way; `None` where the request is of another kind.
fn answer(blocks: &[Block], request: &Value) -> Option<Value> {
    let mut times = Interval { min_time: i64::MIN, max_time: i64::MAX };
    let (mut selectors, mut limit) = (Vec::new(), usize::MAX);
    for param in request["params"].as_array()? {
        let (name, value) = (param[0].as_str()?, param[1].as_str()?);
        match name {
            "match[]" => selectors.push(Selector::parse(value).unwrap()),
            "start" => times.min_time = milliseconds(value)?,
            "end" => times.max_time = milliseconds(value)?,
            "limit" => limit = value.parse().ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX),
            _ => return None,
        }
    }
    let (blocks, mut work) = (Blocks::new(blocks, Some(times)), Work::default());
    let path = request["path"].as_str()?.strip_prefix("/api/v1/")?;
    let mut data: Vec<Value> = match path {
        "labels" => {
            let names = blocks.label_names(&selectors, &mut work).unwrap();
            names.into_iter().map(text).collect()
        }
        "series" => {
            let object = |labels: Labels| -> Value {
                labels.into_iter().map(|(n, v)| (String::from_utf8(n).unwrap(), text(&v))).collect()
            };
            series(&blocks, &selectors).into_iter().map(|row| object(row.0)).collect()
        }
        path => {
            let name = path.strip_prefix("label/")?.strip_suffix("/values")?;
            // Names that are escaped for the path are the server's matter.
            let name = Some(name).filter(|name| !name.starts_with("U__") && !name.contains('%'))?;
            let values = blocks.label_values(name.as_bytes(), &selectors, &mut work).unwrap();
            values.into_iter().map(text).collect()
        }
    };
    data.truncate(limit);
    Some(Value::from(data))
}

#[test]
fn a_server_answers_the_same_about_its_blocks() {
    let golden = golden_folder("series", "golden");
    let blocks = open_all(&golden.path().join("blocks/api")).unwrap();
    assert_eq!(blocks.len(), 2);
    let requests = std::fs::read_to_string(golden.path().join("api/http.jsonl")).unwrap();
    let mut asked = 0;
    for line in requests.lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        if request["status"] != json!(200) {
            continue;
        }
        let Some(data) = answer(&blocks, &request) else { continue };
        assert_eq!(data, request["json"]["data"], "{line:.200}");
        asked += 1;
    }
    assert!(asked >= 30, "{asked}");
}

#[test]
fn series_of_two_blocks_are_joined() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks");
    let mut blocks = open_all(&folder.join("gaps")).unwrap();
    blocks.extend(open_all(&folder.join("api")).unwrap());
    blocks.extend(open_all(&folder.join("native")).unwrap());
    let times: Vec<i64> = blocks.iter().map(|block| block.meta().unwrap().min_time).collect();
    let middle = Interval { min_time: times[0] + 60_000, max_time: times[0] + 1_200_000 };
    for text in [
        "{__name__=~\".+\"}",
        "{s=\"1\"}",
        "{__name__!~\"up|g\",job=\"\"}",
        "up",
        "{__name__=~\".*\",s!~\"1|2\"}",
    ] {
        for times in [None, Some(middle)] {
            let selector = Selector::parse(text).unwrap();
            let mut plain: BTreeMap<Labels, (usize, usize)> = BTreeMap::new();
            for block in &blocks {
                let index = block.index();
                for series in index.all_postings().unwrap().iter() {
                    let entry = index.series(series).unwrap();
                    let symbol = |symbol| index.symbol(symbol).unwrap().to_vec();
                    let labels: Labels = entry
                        .labels()
                        .map(Result::unwrap)
                        .map(|(n, v)| (symbol(n), symbol(v)))
                        .collect();
                    let value = |name: &[u8]| labels.iter().find(|label| label.0 == name);
                    let matches = selector.matchers().iter().all(|matcher| {
                        matcher.matches(value(matcher.name()).map_or(b"", |label| &label.1))
                    });
                    let chunks = entry.chunks().unwrap().map(Result::unwrap).filter(|chunk| {
                        times.is_none_or(|t: Interval| chunk.overlaps(t.min_time, t.max_time))
                    });
                    let chunks = chunks.count();
                    if matches && chunks > 0 {
                        let row = plain.entry(labels).or_default();
                        *row = (row.0 + 1, row.1 + chunks);
                    }
                }
            }
            let plain: Vec<_> = plain
                .into_iter()
                .map(|(labels, (parts, chunks))| (labels, parts, chunks))
                .collect();
            assert_eq!(series(&Blocks::new(&blocks, times), &[selector]), plain, "{text}");
        }
    }
}

#[test]
fn what_is_deleted_as_a_whole_is_not_listed() {
    let golden = golden_folder("series", "golden");
    let blocks = open_all(&golden.path().join("blocks/tombstones")).unwrap();
    let all = [Selector::parse("{__name__=~\".+\"}").unwrap()];
    let chunks = |blocks: &[Block]| -> usize {
        series(&Blocks::new(blocks, None), &all).iter().map(|row| row.2).sum()
    };
    let (left, stored) = (chunks(&blocks), blocks[0].meta().unwrap().stats.num_chunks as usize);
    assert!(left < stored && left > 0, "{left} of {stored}");
}

#[test]
fn lists_that_contradict_their_series_are_not_believed() {
    let golden = golden_folder("series", "golden");
    let path = golden.path().join("index/1000/index");
    let mut bytes = std::fs::read(&path).unwrap();
    let (selector, list_at) = {
        let index = manicule_format_prometheus::Index::open(&bytes[..]).unwrap();
        let pairs = index.pairs_of(b"pod");
        let pairs: Vec<_> = pairs.map(manicule_format_prometheus::PairIndex).collect();
        let first = index.pair(pairs[0]).unwrap();
        let value = String::from_utf8_lossy(first.value).into_owned();
        // The first list's place in the table becomes that of the second: all sums hold afterwards.
        (format!("{{pod=\"{value}\"}}"), (first.list_at, index.pair(pairs[1]).unwrap().list_at))
    };
    swap_in_table(&mut bytes, list_at.0, list_at.1);
    std::fs::write(&path, &bytes).unwrap();
    let blocks = [Block::open(&path).unwrap()];
    let blocks = Blocks::new(&blocks, None);
    let selector = [Selector::parse(&selector).unwrap()];
    let error = blocks.series(&selector, &mut Work::default()).map(drop).unwrap_err();
    assert!(error.to_string().contains("posting lists promise"), "{error}");
}

/// Puts one list's offset in the place of another's in the offset table, and mends the table's
/// checksum.
fn swap_in_table(bytes: &mut [u8], from: u64, to: u64) {
    use manicule_core::bytes::put_uvarint;
    use manicule_format_prometheus::{Toc, crc32c};
    let varint = |number| {
        let mut out = Vec::new();
        put_uvarint(number, &mut out);
        out
    };
    let (from, to) = (varint(from), varint(to));
    assert_eq!(from.len(), to.len());
    let at = Toc::decode(bytes).unwrap().postings_table as usize;
    let len = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let table = &mut bytes[at + 4..at + 4 + len];
    let place = table.windows(from.len()).position(|window| window == from).unwrap();
    table[place..place + to.len()].copy_from_slice(&to);
    let sum = crc32c(table);
    bytes[at + 4 + len..at + 8 + len].copy_from_slice(&sum.to_be_bytes());
}
