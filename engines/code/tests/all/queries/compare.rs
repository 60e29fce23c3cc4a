//! Differences of two answers.

use std::cmp::Ordering;

use serde_json::Value;

/// Relative difference below which two scores are the same.
const PRECISION: f64 = 1e-9;

/// Puts what has no order into one: documents by name, lines and chunks by place.
pub(super) fn ordered(mut result: Value) -> Value {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let key = |file: &Value| {
        ["Repository", "FileName", "Version", "Checksum"].map(|name| text(file, name))
    };
    let place = |part: &Value| {
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let start = &part["ContentStart"]["ByteOffset"];
        [&part["LineNumber"], &part["LineStart"], start].map(number)
    };
    if let Some(files) = result["Files"].as_array_mut() {
        files.sort_by_key(key);
        for file in files {
            for name in ["LineMatches", "ChunkMatches"] {
                if let Some(parts) = file.get_mut(name).and_then(Value::as_array_mut) {
                    parts.sort_by_key(place);
                }
            }
        }
    }
    result
}

/// The first difference of two answers, as the path to it and both.
pub(super) fn difference(got: &Value, want: &Value) -> Option<String> {
    match (got, want) {
        (Value::Object(own), Value::Object(other)) => {
            let names = own.keys().chain(other.keys());
            let differs = |name: &String| {
                let (got, want) = (own.get(name), other.get(name));
                let null = Value::Null;
                let what = difference(got.unwrap_or(&null), want.unwrap_or(&null))?;
                Some(format!("{name} {what}"))
            };
            names.into_iter().find_map(differs)
        }
        (Value::Array(own), Value::Array(other)) if own.len() == other.len() => {
            let pairs = own.iter().zip(other).enumerate();
            pairs.into_iter().find_map(|(index, (got, want))| {
                Some(format!("{index} {}", difference(got, want)?))
            })
        }
        (Value::Number(own), Value::Number(other)) => {
            let (own, other) = (own.as_f64()?, other.as_f64()?);
            let gap = (own - other).abs();
            let is_same = gap.partial_cmp(&(PRECISION * other.abs())) != Some(Ordering::Greater);
            (!is_same).then(|| format!("{own} instead of {other}"))
        }
        _ => (got != want).then(|| format!("{got} instead of {want}")),
    }
}
