//! Samples and chunks of golden blocks, as Prometheus's querier gives them.

#[path = "../../../../formats/prometheus/tests/all/support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::hex;
use manicule_format_prometheus::{Series, SeriesRef};
use manicule_series::{Block, block_paths};
use manicule_testkit::golden_folder;
use serde_json::{Value, json};

/// The labels of a series as text.
fn labels(block: &Block, series: &Series<'_>) -> Vec<(String, String)> {
    let text = |symbol| {
        String::from_utf8(block.index().symbol(symbol).unwrap().to_vec()).expect("golden labels")
    };
    let labels = series.labels().map(|label| label.unwrap());
    labels.map(|(name, value)| (text(name), text(value))).collect()
}

/// Matchers in the plain way. The regular expressions of these questions are alternatives, each a
/// text that may end in `.*` or `.+`.
fn matches(labels: &[(String, String)], matchers: &Value) -> bool {
    matchers.as_array().unwrap().iter().all(|matcher| {
        let [name, op, wanted] = [0, 1, 2].map(|part| matcher[part].as_str().unwrap());
        let value = labels.iter().find(|label| label.0 == name).map_or("", |label| &label.1);
        let one = |text: &str| match (text.strip_suffix(".*"), text.strip_suffix(".+")) {
            (Some(start), _) => value.starts_with(start),
            (_, Some(start)) => value.len() > start.len() && value.starts_with(start),
            (None, None) => value == text,
        };
        match op {
            "=" => value == wanted,
            "=~" => wanted.split('|').any(one),
            op => panic!("no question has {op}"),
        }
    })
}

/// What a question for samples is answered; `None` if the series isn't listed.
fn samples(block: &Block, reference: SeriesRef, question: &Value) -> Option<Value> {
    let min_time = question["mint"].as_i64().unwrap_or(i64::MIN);
    let max_time = question["maxt"].as_i64().unwrap_or(i64::MAX);
    let samples = block.samples(reference, min_time, max_time).unwrap();
    samples.has_chunks().unwrap().then(|| {
        samples.map(|sample| support::sample_json(&sample.unwrap(), false)).collect::<Value>()
    })
}

fn chunks(block: &Block, series: &Series<'_>) -> Value {
    let chunks = series.chunks().unwrap().map(|meta| {
        let meta = meta.unwrap();
        let raw = block.chunk(meta.reference).unwrap();
        json!({
            "ref": meta.reference.0,
            "mint": meta.min_time,
            "maxt": meta.max_time,
            "encoding": raw.encoding,
            "samples": raw.open().unwrap().sample_count().unwrap(),
            "bytes": hex::encode(raw.data),
        })
    });
    chunks.collect()
}

/// Answers the questions of a file that ask for samples or chunks; how many they were.
fn check(block: &Block, answers: &Path) -> usize {
    let mut asked = 0;
    for line in fs::read_to_string(answers).unwrap().lines() {
        let mut golden: Value = serde_json::from_str(line).unwrap();
        let ask = golden["ask"].as_str().unwrap().to_owned();
        if !["samples", "chunks"].contains(&ask.as_str()) {
            continue;
        }
        asked += 1;
        let mut data = Vec::new();
        let mut count = 0;
        for reference in block.index().all_postings().unwrap().iter() {
            let series = block.index().series(reference).unwrap();
            let labels = labels(block, &series);
            if !matches(&labels, &golden["matchers"]) {
                continue;
            }
            if ask == "chunks" {
                count += 1;
                let chunks = chunks(block, &series);
                data.push(json!({ "ref": reference.0, "labels": labels, "chunks": chunks }));
            } else if let Some(samples) = samples(block, reference, &golden) {
                count += 1;
                data.push(json!({ "labels": labels, "samples": samples }));
            }
        }
        let place = format!("{} {}", answers.display(), golden["id"]);
        assert_eq!(golden["count"].as_u64(), Some(count), "{place}");
        let mut golden_data = golden["data"].take().as_array_mut().map(std::mem::take);
        for series in golden_data.iter_mut().flatten() {
            let samples = series.get_mut("samples").and_then(Value::as_array_mut);
            for sample in samples.into_iter().flatten() {
                *sample = support::normal(sample.take());
            }
        }
        // Of chunks the golden answer holds those of the first twelve series.
        let golden_data = golden_data.unwrap_or_default();
        data.truncate(if ask == "chunks" { golden_data.len() } else { usize::MAX });
        assert_eq!(data, golden_data, "{place}");
    }
    asked
}

#[test]
fn all_questions_for_samples_and_chunks_are_answered_as_prometheus_does() {
    let golden = golden_folder("series", "golden");
    let mut asked = 0;
    let mut answered = |path: PathBuf, name: String| {
        let answers = golden.path().join("answers").join(format!("{name}.jsonl"));
        asked += check(&Block::open(&path).unwrap(), &answers);
    };
    for folder in fs::read_dir(golden.path().join("blocks")).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let blocks = block_paths(&folder.path()).unwrap();
        for path in &blocks {
            let ulid = path.file_name().unwrap().to_str().unwrap();
            let name = if blocks.len() > 1 { format!("{name}-{ulid}") } else { name.clone() };
            answered(path.clone(), name);
        }
    }
    for merged in ["adjacent", "overlapping"] {
        let folder = golden.path().join("merge").join(merged);
        answered(block_paths(&folder).unwrap().remove(0), format!("merge-{merged}"));
    }
    assert!(asked >= 50, "{asked} questions");
}
