//! Remote reads of Prometheus 3.15.0, each asked again: every sample, histogram and chunk, byte for
//! byte. Frames may be cut elsewhere.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{Golden, text};
use crate::support::{Answer, Server};

/// Headers of a Prometheus that reads.
pub(super) const HEADERS: [(&str, &str); 3] = [
    ("Content-Type", "application/x-protobuf"),
    ("Content-Encoding", "snappy"),
    ("X-Prometheus-Remote-Read-Version", "0.1.0"),
];

pub(super) fn unbase64(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

pub(super) fn ask(server: &Server, prefix: &str, body: &[u8]) -> Answer {
    server.send("POST", &format!("{prefix}/api/v1/read"), &HEADERS, body)
}

#[test]
fn what_prometheus_reads_over_the_same_blocks() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let mut count = 0;
    for name in ["api", "gaps", "names", "native", "tombstones"] {
        for line in golden.lines(&format!("read/{name}.jsonl")) {
            let body = unbase64(text(&line, "request_base64"));
            let answer = ask(&server, &format!("/at/{name}"), &body);
            check(&answer, &line, &format!("{name}: {}", text(&line, "name")));
            count += 1;
        }
    }
    assert_eq!(count, 40);
}

fn check(answer: &Answer, line: &Value, about: &str) {
    assert_eq!(u64::from(answer.status), line["status"].as_u64().unwrap(), "{about}");
    assert!(answer.is_whole, "{about}");
    if answer.status != 200 {
        return;
    }
    let kind = text(line, "content_type");
    assert_eq!(answer.header("content-type"), kind, "{about}");
    let coding = line["content_encoding"].as_str().unwrap_or_default();
    assert_eq!(answer.header("content-encoding"), coding, "{about}");
    let (got, wanted) = (decoded(&answer.body, kind), joined(&line["answer"]));
    assert_eq!(joined(&got), wanted, "{about}");
    // The judge itself reads the bytes that were recorded.
    let recorded = decoded(&unbase64(text(line, "answer_base64")), kind);
    assert_eq!(joined(&recorded), wanted, "{about}");
}

/// Series of frames that follow each other as one: [query, labels, chunks].
pub(super) fn joined(answer: &Value) -> Value {
    let Some(frames) = answer["frames"].as_array() else { return answer.clone() };
    let mut all: Vec<[Value; 3]> = Vec::new();
    for frame in frames {
        for series in frame["series"].as_array().unwrap() {
            let own = [frame["query"].clone(), series["labels"].clone(), series["chunks"].clone()];
            match all.last_mut() {
                Some(last) if last[..2] == own[..2] => {
                    let more = own[2].as_array().unwrap().clone();
                    last[2].as_array_mut().unwrap().extend(more);
                }
                _ => all.push(own),
            }
        }
    }
    json!(all)
}

/// An answer in the form in which the recorded ones are decoded.
pub(super) fn decoded(body: &[u8], kind: &str) -> Value {
    if !kind.contains("streamed") {
        let message = snap::raw::Decoder::new().decompress_vec(body).unwrap();
        let results = fields(&message).into_iter().map(|(_, result)| {
            Value::Array(
                fields(result.bytes()).into_iter().map(|(_, own)| samples(own.bytes())).collect(),
            )
        });
        return json!({ "results": results.collect::<Vec<_>>() });
    }
    let (mut rest, mut frames) = (body, Vec::new());
    while !rest.is_empty() {
        let len = uvarint(&mut rest) as usize;
        let (sum, after) = rest.split_at(4);
        let (message, after) = after.split_at(len);
        assert_eq!(crc32c::crc32c(message).to_be_bytes(), sum, "sum of a frame");
        rest = after;
        let (mut query, mut series) = (0, Vec::new());
        for (field, value) in fields(message) {
            match field {
                1 => series.push(chunks(value.bytes())),
                _ => query = value.number(),
            }
        }
        frames.push(json!({ "query": query, "series": series }));
    }
    json!({ "frames": frames })
}

/// Value of a field.
#[derive(Clone, Copy)]
enum Wire<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl<'b> Wire<'b> {
    fn number(self) -> u64 {
        match self {
            Wire::Number(number) => number,
            Wire::Bytes(bytes) => panic!("{bytes:?} is no number"),
        }
    }

    fn bytes(self) -> &'b [u8] {
        match self {
            Wire::Bytes(bytes) => bytes,
            Wire::Number(number) => panic!("{number} is no bytes"),
        }
    }

    /// A double, or none if it was left out.
    fn hex(self) -> String {
        double_hex(self.bytes())
    }
}

fn double_hex(bytes: &[u8]) -> String {
    format!("{:016x}", u64::from_le_bytes(bytes.try_into().unwrap()))
}

fn uvarint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(first & 127) << shift;
        shift += 7;
        if *first < 128 {
            return number;
        }
    }
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Wire<'_>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = uvarint(&mut bytes);
        let len = match key & 7 {
            0 => {
                all.push((key >> 3, Wire::Number(uvarint(&mut bytes))));
                continue;
            }
            1 => 8,
            2 => uvarint(&mut bytes) as usize,
            kind => panic!("kind {kind}"),
        };
        let (value, rest) = bytes.split_at(len);
        all.push((key >> 3, Wire::Bytes(value)));
        bytes = rest;
    }
    all
}

fn label(bytes: &[u8]) -> Value {
    let mut pair = [String::new(), String::new()];
    for (field, value) in fields(bytes) {
        pair[field as usize - 1] = String::from_utf8(value.bytes().to_vec()).unwrap();
    }
    json!(pair)
}

fn samples(bytes: &[u8]) -> Value {
    let (mut labels, mut samples, mut histograms) = (Vec::new(), Vec::new(), Vec::new());
    for (field, value) in fields(bytes) {
        match field {
            1 => labels.push(label(value.bytes())),
            2 => {
                let (mut time, mut number) = (0, double_hex(&[0; 8]));
                for (field, value) in fields(value.bytes()) {
                    match field {
                        1 => number = value.hex(),
                        _ => time = value.number() as i64,
                    }
                }
                samples.push(json!([time, number]));
            }
            _ => histograms.push(histogram(value.bytes())),
        }
    }
    let mut series = json!({ "labels": labels, "samples": samples });
    if !histograms.is_empty() {
        series["histograms"] = histograms.into();
    }
    series
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn histogram(bytes: &[u8]) -> Value {
    const NAMES: [&str; 17] = [
        "",
        "count_int",
        "count_float",
        "sum",
        "schema",
        "zero_threshold",
        "zero_count_int",
        "zero_count_float",
        "negative_spans",
        "negative_deltas",
        "negative_counts",
        "positive_spans",
        "positive_deltas",
        "positive_counts",
        "reset_hint",
        "timestamp",
        "custom_values",
    ];
    let mut all = json!({});
    for (field, value) in fields(bytes) {
        let name = NAMES[field as usize];
        let list = |all: &mut Value, more: Vec<Value>| {
            let list = all[name].as_array().cloned().unwrap_or_default();
            all[name] = Value::Array([list, more].concat());
        };
        match field {
            2 | 3 | 5 | 7 => all[name] = value.hex().into(),
            4 => all[name] = unzigzag(value.number()).into(),
            8 | 11 => {
                let (mut offset, mut len) = (0, 0);
                for (field, value) in fields(value.bytes()) {
                    match field {
                        1 => offset = unzigzag(value.number()),
                        _ => len = value.number(),
                    }
                }
                list(&mut all, vec![json!([offset, len])]);
            }
            9 | 12 => {
                let (mut rest, mut deltas) = (value.bytes(), Vec::new());
                while !rest.is_empty() {
                    deltas.push(unzigzag(uvarint(&mut rest)).into());
                }
                list(&mut all, deltas);
            }
            10 | 13 | 16 => {
                let doubles = value
                    .bytes()
                    .chunks(8)
                    .map(|bytes| json!(f64::from_le_bytes(bytes.try_into().unwrap())));
                list(&mut all, doubles.collect());
            }
            15 => all[name] = (value.number() as i64).into(),
            _ => all[name] = value.number().into(),
        }
    }
    all
}

fn chunks(bytes: &[u8]) -> Value {
    let (mut labels, mut chunks) = (Vec::new(), Vec::new());
    for (field, value) in fields(bytes) {
        if field == 1 {
            labels.push(label(value.bytes()));
            continue;
        }
        let (mut numbers, mut data) = ([0; 3], String::new());
        for (field, value) in fields(value.bytes()) {
            match field {
                4 => data = value.bytes().iter().map(|byte| format!("{byte:02x}")).collect(),
                field => numbers[field as usize - 1] = value.number() as i64,
            }
        }
        chunks.push(json!([numbers[0], numbers[1], numbers[2], data]));
    }
    json!({ "labels": labels, "chunks": chunks })
}
