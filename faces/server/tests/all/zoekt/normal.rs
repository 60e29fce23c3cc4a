//! Answers in the normal form of the golden ones: what changes from call to call is left out, what
//! has no order is put into one, long answers are hashed.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What `golden/code/http` leaves out: durations, ids, and counters of zoekt's own work.
const LEFT_OUT: [&str; 25] = [
    "Duration",
    "Wait",
    "MatchTreeConstruction",
    "MatchTreeSearch",
    "FlushReason",
    "IndexTime",
    "ID",
    "ContentBytesLoaded",
    "IndexBytesLoaded",
    "IndexBytes",
    "NgramMatches",
    "NgramLookups",
    "ShardsScanned",
    "ShardsSkipped",
    "ShardsSkippedFilter",
    "RegexpsConsidered",
    "FilesConsidered",
    "FilesLoaded",
    "FilesSkipped",
    "ShardFilesConsidered",
    "Priority",
    "MaxPendingPriority",
    "Debug",
    "DebugScore",
    "Score",
];

/// An answer of `golden/code/http`.
pub(super) fn plain(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_kept = |name: &String| {
                name != "LineFragments" && !LEFT_OUT.iter().any(|other| other == name)
            };
            let kept = fields.into_iter().filter(|(name, _)| is_kept(name));
            kept.map(|(name, value)| (name, plain(value))).collect()
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(plain).collect();
            items.sort_by_key(Value::to_string);
            items.into()
        }
        other => other,
    }
}

/// An answer of `golden/code/queries`: `is_digest` for long ones.
pub(super) fn normal(answer: &Value, is_digest: bool) -> Value {
    let result = &answer["Result"];
    let mut files = result["Files"].as_array().cloned().unwrap_or_default();
    for file in &mut files {
        sort(file, "LineMatches", |line| [number(&line["LineNumber"]), number(&line["LineStart"])]);
        sort(file, "ChunkMatches", |chunk| {
            let first = &chunk["Ranges"][0]["Start"]["ByteOffset"];
            [number(&chunk["ContentStart"]["ByteOffset"]), number(first)]
        });
    }
    files.sort_by(|left, right| {
        let score = |file: &Value| file["Score"].as_f64().unwrap_or_default();
        let names =
            |file: &Value| ["Repository", "Version", "FileName"].map(|key| text(&file[key]));
        score(right).total_cmp(&score(left)).then_with(|| names(left).cmp(&names(right)))
    });
    let mut normal = json!({});
    for name in ["FileCount", "MatchCount", "Crashes"] {
        normal[name] = result[name].clone();
    }
    if is_digest {
        digest(&files, &mut normal);
    } else {
        normal["Files"] = files.into();
    }
    normal
}

/// A list of `golden/code/queries`: repositories by name.
pub(super) fn listed(answer: &Value) -> Value {
    let mut answer = answer.clone();
    sort(&mut answer["List"], "Repos", |entry| text(&entry["Repository"]["Name"]));
    answer
}

fn sort<K: Ord>(of: &mut Value, name: &str, key: impl Fn(&Value) -> K) {
    if let Some(items) = of.get_mut(name).and_then(Value::as_array_mut) {
        items.sort_by_key(key);
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// What is kept of long answers: hashes of all places and scores, the ten best.
fn digest(files: &[Value], normal: &mut Value) {
    let best = files.iter().take(10);
    normal["best"] =
        best.map(|file| json!([file["Repository"], file["FileName"], file["Score"]])).collect();
    let mut files: Vec<&Value> = files.iter().collect();
    files.sort_by_key(|file| ["Repository", "FileName", "Version"].map(|key| text(&file[key])));
    let (mut places, mut scores, mut count) = (Sha256::new(), Sha256::new(), 0);
    for file in files {
        let head = format!("{}\0{}\0", text(&file["Repository"]), text(&file["FileName"]));
        let mut own = head.clone();
        for line in file["LineMatches"].as_array().into_iter().flatten() {
            count += 1;
            for part in line["LineFragments"].as_array().into_iter().flatten() {
                let [in_line, at, len] =
                    ["LineOffset", "Offset", "MatchLength"].map(|key| &part[key]);
                own += &format!("{}:{in_line}:{at}:{len},", line["LineNumber"]);
            }
        }
        for chunk in file["ChunkMatches"].as_array().into_iter().flatten() {
            count += 1;
            let content = BASE64_STANDARD.decode(text(&chunk["Content"])).unwrap();
            own += &format!("chunk {}:{}:", chunk["ContentStart"]["ByteOffset"], content.len());
            for range in chunk["Ranges"].as_array().into_iter().flatten() {
                let [start, end] = ["Start", "End"].map(|key| &range[key]["ByteOffset"]);
                own += &format!("{start}:{end},");
            }
        }
        places.update(own + "\n");
        let score = file["Score"].as_f64().unwrap_or_default();
        scores.update(format!("{head}{score:.3}\n"));
    }
    normal["lines"] = count.into();
    for (name, hash) in [("places", places), ("scores", scores)] {
        let hash = hash.finalize();
        normal[name] = hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
    }
}

/// Relative difference below which two scores are the same: zoekt sums those of words in an order
/// of chance.
const PRECISION: f64 = 1e-9;

/// The first difference of two answers, as the path to it and both.
pub(super) fn difference(got: &Value, want: &Value) -> Option<String> {
    match (got, want) {
        (Value::Object(own), Value::Object(other)) => {
            let names = own.keys().chain(other.keys());
            let of_name = |name: &String| {
                let null = Value::Null;
                let (got, want) = (own.get(name), other.get(name));
                let what = difference(got.unwrap_or(&null), want.unwrap_or(&null))?;
                Some(format!("{name} {what}"))
            };
            names.into_iter().find_map(of_name)
        }
        (Value::Array(own), Value::Array(other)) if own.len() == other.len() => {
            let pairs = own.iter().zip(other).enumerate();
            let of_pair =
                |(index, (got, want))| Some(format!("{index} {}", difference(got, want)?));
            pairs.into_iter().find_map(of_pair)
        }
        (Value::Number(own), Value::Number(other)) => {
            let (own, other) = (own.as_f64()?, other.as_f64()?);
            let is_same = (own - other).abs() <= PRECISION * other.abs();
            (!is_same).then(|| format!("{own} instead of {other}"))
        }
        _ => (got != want).then(|| format!("{got} instead of {want}")),
    }
}
