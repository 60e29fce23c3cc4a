//! Marks that Thanos and Mimir put into a block's folder: it is to be deleted, or left alone by
//! their compactors.
//!
//! Bytes:   JSON { id, version: 1, details, deletion_time | no_compact_time | no_downsample_time in seconds, reason },
//!          docs/formats/prometheus.md

use std::fmt;

use serde::Deserialize;

/// Name of the mark of a block that is going to be deleted.
pub const DELETION_MARK_NAME: &str = "deletion-mark.json";

/// Name of the mark of a block that is not compacted.
pub const NO_COMPACT_MARK_NAME: &str = "no-compact-mark.json";

/// Name of the mark of a block that is not downsampled.
pub const NO_DOWNSAMPLE_MARK_NAME: &str = "no-downsample-mark.json";

/// The version of a mark.
const MARK_VERSION: i64 = 1;

/// Meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// The block is deleted once a delay is over; what it holds is in another one, or not wanted
    /// any more.
    Deletion,
    /// Compactors leave it alone.
    NoCompact,
    /// It is not downsampled.
    NoDownsample,
}

impl MarkKind {
    /// All of them.
    pub const ALL: [MarkKind; 3] =
        [MarkKind::Deletion, MarkKind::NoCompact, MarkKind::NoDownsample];

    /// Name of its file.
    pub fn file_name(self) -> &'static str {
        match self {
            MarkKind::Deletion => DELETION_MARK_NAME,
            MarkKind::NoCompact => NO_COMPACT_MARK_NAME,
            MarkKind::NoDownsample => NO_DOWNSAMPLE_MARK_NAME,
        }
    }
}

impl fmt::Display for MarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MarkKind::Deletion => "marked for deletion",
            MarkKind::NoCompact => "marked as not to be compacted",
            MarkKind::NoDownsample => "marked as not to be downsampled",
        })
    }
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its meaning.
    pub kind: MarkKind,
    /// Name of the block.
    pub id: String,
    /// Time of the marking, in seconds since 1970.
    pub time: i64,
    /// Why, in a word; empty where nobody said.
    pub reason: String,
    /// Why, in words.
    pub details: String,
}

/// The fields of the three.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    id: String,
    version: i64,
    details: String,
    reason: String,
    deletion_time: i64,
    no_compact_time: i64,
    no_downsample_time: i64,
}

impl Mark {
    /// Reads the file of a mark; the error is a sentence.
    pub fn decode(kind: MarkKind, json: &[u8]) -> Result<Self, String> {
        let fields: Fields =
            serde_json::from_slice(json).map_err(|error| format!("no mark of a block: {error}"))?;
        if fields.version != MARK_VERSION {
            return Err(format!("version: wanted {MARK_VERSION}, got {}", fields.version));
        }
        let time = match kind {
            MarkKind::Deletion => fields.deletion_time,
            MarkKind::NoCompact => fields.no_compact_time,
            MarkKind::NoDownsample => fields.no_downsample_time,
        };
        let Fields { id, details, reason, .. } = fields;
        Ok(Mark { kind, id, time, reason, details })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_has_a_time_of_its_own_name() {
        let json = br#"{"id":"X","version":1,"details":"d","deletion_time":7,"no_compact_time":8,"reason":"manual"}"#;
        for (kind, time) in [(MarkKind::Deletion, 7), (MarkKind::NoCompact, 8)] {
            let mark = Mark::decode(kind, json).unwrap();
            assert_eq!((mark.time, &*mark.id, &*mark.details), (time, "X", "d"));
        }
        for wrong in ["", "{}", "[]", r#"{"version":2}"#, r#"{"version":1,"id":3}"#] {
            assert!(Mark::decode(MarkKind::Deletion, wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
