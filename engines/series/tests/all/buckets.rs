//! Blocks that Thanos and Mimir keep in buckets, as local folders: verified, and compared with what
//! these systems' own readers say of them.

use std::fs;

use manicule_core::hex;
use manicule_core::watch::Watch;
use manicule_series::query::{Blocks, Work};
use manicule_series::{Block, Interval, Selector, Value, inspect, verify};
use manicule_testkit::whole_golden_set;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

fn texts(list: &[&[u8]]) -> Json {
    list.iter().map(|text| String::from_utf8_lossy(text)).collect()
}

/// Compares labels and series of a block with its answers.
fn check_labels(blocks: &Blocks<'_>, answers: &Json, about: &str) {
    let work = &mut Work::default();
    let names = blocks.label_names(&[], work).unwrap();
    assert_eq!(texts(&names), answers["label_names"], "{about}");
    for name in names {
        let values = blocks.label_values(name, &[], work).unwrap();
        let want = &answers["label_values"][&*String::from_utf8_lossy(name)];
        assert_eq!(&texts(&values), want, "{about}");
    }
    let (everything, mut hash, mut count) = ([Selector::everything()], Sha256::new(), 0);
    let mut series = blocks.series(&everything, work).unwrap();
    while let Some(row) = series.next().unwrap() {
        for text in row.labels.iter().flat_map(|label| [label.0, label.1]) {
            hash.update((text.len() as u32).to_be_bytes());
            hash.update(text);
        }
        hash.update([0xff; 4]);
        count += 1;
    }
    assert_eq!(answers["series"], count, "{about}");
    assert_eq!(answers["series_sha256"], hex::encode(hash.finalize()), "{about}");
}

/// Compares samples of a few series that are floats; returns how many series.
fn check_samples(blocks: &Blocks<'_>, answers: &Json, about: &str) -> usize {
    let (times, mut checked) = (Interval { min_time: i64::MIN, max_time: i64::MAX }, 0);
    for wanted in answers["some_series"].as_array().unwrap() {
        let Some(want) = wanted.get("samples").filter(|want| want.is_object()) else { continue };
        let labels = wanted["labels"].as_object().unwrap();
        let matchers = labels.iter().map(|(name, value)| format!("{name:?}={value}"));
        let selector = format!("{{{}}}", matchers.collect::<Vec<_>>().join(","));
        let selectors = [Selector::parse(&selector).unwrap()];
        let mut series = blocks.series(&selectors, &mut Work::default()).unwrap();
        let row = series.next().unwrap().unwrap_or_else(|| panic!("{about}: {selector}"));
        let (mut samples, mut all) = (row.samples(times).unwrap(), Vec::new());
        while let Some(sample) = samples.next().unwrap() {
            if let Value::Float(value) = sample.value {
                all.push(json!([sample.time, format!("{:016x}", value.to_bits())]));
            }
        }
        if all.is_empty() {
            continue;
        }
        assert_eq!(want["count"], all.len(), "{about}: {selector}");
        let hash = Sha256::digest(Json::from(all).to_string());
        assert_eq!(want["sha256"], hex::encode(hash), "{about}: {selector}");
        checked += 1;
    }
    checked
}

#[test]
fn blocks_of_buckets_are_sound_and_are_what_their_systems_read() {
    let Some(golden) = whole_golden_set("blocks of Thanos and Mimir") else { return };
    let (mut blocks, mut series) = (0, 0);
    for system in ["thanos", "mimir"] {
        let folder = golden.join("../buckets").join(system);
        let answers = fs::read_to_string(folder.join("answers/blocks.jsonl")).unwrap();
        for line in answers.lines() {
            let answers: Json = serde_json::from_str(line).unwrap();
            if answers.get("series").is_none() {
                continue;
            }
            let place = answers.get("path").unwrap_or(&answers["ulid"]).as_str().unwrap();
            let path = &folder.join("bucket").join(place);
            let about = format!("{system} {}", answers["name"]);
            let verdict = verify(path, 1, &Watch::none()).unwrap().verdict;
            assert_eq!(verdict.findings.list, [], "{about}");
            let shown = inspect(path).unwrap();
            assert_eq!(answers["series"], shown.index.series_count, "{about}");
            assert_eq!(answers["chunks"], shown.meta.unwrap().stats.num_chunks, "{about}");
            let block = Block::open(path).unwrap();
            let of_one = Blocks::new(std::slice::from_ref(&block), None);
            check_labels(&of_one, &answers, &about);
            series += check_samples(&of_one, &answers, &about);
            blocks += 1;
        }
    }
    println!("{blocks} blocks, samples of {series} series");
    assert!(blocks >= 20 && series >= 30, "{blocks} blocks, {series} series");
}
