//! The meta file of a block: its name, times, what is in it, and what it was made from.
//!
//! Written as Go's encoder does, a tab a level; read as Go's decoder does: keys in any order and
//! case, unknown ones kept.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fmt;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

/// The version of a meta file; others are refused, as Prometheus does.
pub const META_VERSION: i64 = 1;

/// A meta file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The name of the block: its folder has the same.
    pub ulid: String,
    /// The first time, in milliseconds since 1970.
    pub min_time: i64,
    /// The time after the last: exclusive, not in the block.
    pub max_time: i64,
    /// Counts of its contents.
    pub stats: Stats,
    /// Provenance of the block.
    pub compaction: Compaction,
    /// [`META_VERSION`].
    pub version: i64,
    /// Fields that other systems have added.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Counts of a block's contents. A count of zero is not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the names of the fields say it")]
pub struct Stats {
    #[serde(skip_serializing_if = "is_zero")]
    pub num_samples: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub num_float_samples: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub num_histogram_samples: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub num_series: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub num_chunks: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub num_tombstones: u64,
}

/// Provenance of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// Compaction level: how many times its samples have been compacted; 1 is straight from the
    /// head.
    pub level: i64,
    /// The blocks of level 1 that its samples come from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Whether it holds nothing any more.
    #[serde(skip_serializing_if = "is_false")]
    pub deletable: bool,
    /// The blocks that it was made from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<Parent>,
    /// Whether compacting it has failed.
    #[serde(skip_serializing_if = "is_false")]
    pub failed: bool,
    /// Words about where it comes from, such as `from-out-of-order`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// A block that another was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "as in the meta file itself")]
pub struct Parent {
    pub ulid: String,
    pub min_time: i64,
    pub max_time: i64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Error of a meta file that can't be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum MetaError {
    /// It is no JSON.
    Json(serde_json::Error),
    /// A value is of another type than the key wants.
    Type {
        /// The key.
        key: &'static str,
        /// The value expected there.
        want: &'static str,
    },
    /// Another version. Version 2 was written by a faulty release beside an index of version 1.
    Version(i64),
}

impl fmt::Display for MetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetaError::Json(error) => write!(f, "no meta file of a block: {error}"),
            MetaError::Type { key, want } => write!(f, "meta file: {key} is not {want}"),
            MetaError::Version(got) => {
                write!(f, "unexpected meta file version {got} (wanted {META_VERSION})")
            }
        }
    }
}

impl std::error::Error for MetaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            MetaError::Json(error) => Some(error),
            MetaError::Type { .. } | MetaError::Version(_) => None,
        }
    }
}

impl Meta {
    /// Reads a meta file.
    pub fn decode(json: &[u8]) -> Result<Self, MetaError> {
        let value: Value = serde_json::from_slice(json).map_err(MetaError::Json)?;
        let mut meta = Meta::default();
        let Value::Object(mut fields) = value else {
            return Err(MetaError::Type { key: "the whole", want: "an object" });
        };
        meta.ulid = string("ulid", &mut fields)?;
        meta.min_time = number("minTime", &mut fields)?;
        meta.max_time = number("maxTime", &mut fields)?;
        let mut stats = object("stats", &mut fields)?;
        meta.stats = Stats {
            num_samples: count("numSamples", &mut stats)?,
            num_float_samples: count("numFloatSamples", &mut stats)?,
            num_histogram_samples: count("numHistogramSamples", &mut stats)?,
            num_series: count("numSeries", &mut stats)?,
            num_chunks: count("numChunks", &mut stats)?,
            num_tombstones: count("numTombstones", &mut stats)?,
        };
        meta.compaction = Compaction::decode(&mut object("compaction", &mut fields)?)?;
        meta.version = number("version", &mut fields)?;
        if meta.version != META_VERSION {
            return Err(MetaError::Version(meta.version));
        }
        meta.rest = fields;
        Ok(meta)
    }

    /// Milliseconds between the points of a block that Thanos has downsampled; 0 of any other.
    pub fn resolution(&self) -> i64 {
        let thanos = self.rest.get("thanos").and_then(|thanos| thanos.get("downsample"));
        let resolution = thanos.and_then(|downsample| downsample.get("resolution"));
        resolution.and_then(Value::as_i64).unwrap_or(0)
    }

    /// Says that a block is downsampled, in the place of all that Thanos says of it.
    pub fn set_resolution(&mut self, resolution: i64) {
        let downsample = json!({ "resolution": resolution });
        let thanos = json!({ "version": 1, "labels": {}, "downsample": downsample });
        self.rest.insert("thanos".to_owned(), thanos);
    }

    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut serializer =
            Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(b"\t"));
        self.serialize(&mut serializer).expect("strings and numbers, into memory");
        bytes
    }
}

impl Compaction {
    fn decode(fields: &mut Map<String, Value>) -> Result<Self, MetaError> {
        let mut parents = Vec::new();
        for parent in list("parents", fields)? {
            let Value::Object(mut fields) = parent else {
                return Err(MetaError::Type { key: "parents", want: "a list of objects" });
            };
            parents.push(Parent {
                ulid: string("ulid", &mut fields)?,
                min_time: number("minTime", &mut fields)?,
                max_time: number("maxTime", &mut fields)?,
            });
        }
        Ok(Compaction {
            level: number("level", fields)?,
            sources: strings("sources", fields)?,
            deletable: flag("deletable", fields)?,
            parents,
            failed: flag("failed", fields)?,
            hints: strings("hints", fields)?,
        })
    }
}

/// Takes a field out: by its name, else by its name in another case. `null` is as good as nothing.
fn take(key: &str, fields: &mut Map<String, Value>) -> Option<Value> {
    let found = if fields.contains_key(key) {
        key.to_owned()
    } else {
        fields.keys().find(|other| other.eq_ignore_ascii_case(key))?.clone()
    };
    fields.remove(&found).filter(|value| !value.is_null())
}

/// Takes a field out and reads it; without it, what Go would have there.
fn read<T: Default>(
    key: &'static str,
    want: &'static str,
    fields: &mut Map<String, Value>,
    read: impl FnOnce(Value) -> Option<T>,
) -> Result<T, MetaError> {
    match take(key, fields) {
        None => Ok(T::default()),
        Some(value) => read(value).ok_or(MetaError::Type { key, want }),
    }
}

fn string(key: &'static str, fields: &mut Map<String, Value>) -> Result<String, MetaError> {
    read(key, "a string", fields, text)
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn number(key: &'static str, fields: &mut Map<String, Value>) -> Result<i64, MetaError> {
    read(key, "an integer of 64 bits", fields, |value| value.as_i64())
}

fn count(key: &'static str, fields: &mut Map<String, Value>) -> Result<u64, MetaError> {
    read(key, "a count", fields, |value| value.as_u64())
}

fn flag(key: &'static str, fields: &mut Map<String, Value>) -> Result<bool, MetaError> {
    read(key, "true or false", fields, |value| value.as_bool())
}

fn list(key: &'static str, fields: &mut Map<String, Value>) -> Result<Vec<Value>, MetaError> {
    read(key, "a list", fields, |value| match value {
        Value::Array(list) => Some(list),
        _ => None,
    })
}

fn strings(key: &'static str, fields: &mut Map<String, Value>) -> Result<Vec<String>, MetaError> {
    let list = list(key, fields)?.into_iter().map(text);
    list.collect::<Option<_>>().ok_or(MetaError::Type { key, want: "a list of strings" })
}

fn object(
    key: &'static str,
    fields: &mut Map<String, Value>,
) -> Result<Map<String, Value>, MetaError> {
    read(key, "an object", fields, |value| match value {
        Value::Object(object) => Some(object),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_any_order_and_case_and_unknown_ones_stay() {
        let json = br#"{"VERSION": 1, "thanos": {"labels": {"a": "b"}}, "minTIME": -5, "ulid": "X", "stats": null}"#;
        let meta = Meta::decode(json).unwrap();
        assert_eq!((meta.min_time, meta.ulid.as_str(), meta.stats), (-5, "X", Stats::default()));
        assert_eq!(Meta::decode(&meta.encode()).unwrap(), meta);
        assert_eq!(meta.rest["thanos"]["labels"]["a"], "b");
        // To the last digit: a fuzzer found one that was read as its neighbour.
        let meta = Meta::decode(br#"{"version": 1, "x": 17e00000000030}"#).unwrap();
        assert_eq!(Meta::decode(&meta.encode()).unwrap(), meta);
    }

    #[test]
    fn what_prometheus_refuses_is_refused() {
        for wrong in [
            &br#"{"version": 2}"#[..],
            b"{}",
            b"[]",
            b"",
            br#"{"version": 1} x"#,
            br#"{"version": 1, "minTime": 1.5}"#,
            br#"{"version": 1, "stats": []}"#,
            br#"{"version": 1, "stats": {"numSeries": -1}}"#,
            br#"{"version": 1, "compaction": {"sources": [1]}}"#,
        ] {
            assert!(Meta::decode(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }
}
