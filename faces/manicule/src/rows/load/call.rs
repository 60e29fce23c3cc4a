//! Arguments of a write.

use std::path::{Path, PathBuf};

use manicule_rows::Version;
use manicule_rows::write::Compress;

use crate::rows::place::Place;

/// Format of rows that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputFormat {
    /// A line of names, then a line for each row; nothing is null, `""` an empty text.
    Csv,
    /// An object a line; what isn't there is not set.
    JsonLines,
    /// Parquet.
    Parquet,
}

impl InputFormat {
    /// The format that a file's name says.
    pub(super) fn of_name(path: &Path) -> Option<InputFormat> {
        match path.extension()?.to_str()? {
            "csv" => Some(InputFormat::Csv),
            "jsonl" | "ndjson" | "json" => Some(InputFormat::JsonLines),
            "parquet" => Some(InputFormat::Parquet),
            _ => None,
        }
    }
}

/// When rows were written.
#[derive(Clone, Debug)]
pub struct RowTimes {
    /// Microseconds since 1970.
    pub timestamp: i64,
    /// A field that has them for each row.
    pub timestamp_field: Option<String>,
    /// Seconds to live, 0 for ever; `None`: what the schema says for the table.
    pub ttl: Option<i32>,
    /// A field that has them for each row.
    pub ttl_field: Option<String>,
    /// The present, in seconds since 1970: from then on rows live, and what they replace is
    /// deleted.
    pub now: i64,
}

/// Arguments of a write.
#[derive(Clone, Debug)]
pub struct WriteCall {
    /// A CQL file with the table.
    pub schema: PathBuf,
    /// The table of those in the file, `name` or `keyspace.name`; `None`: it has no other.
    pub table: Option<String>,
    /// Files with rows; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// Their format; `None`: what the name of each says.
    pub format: Option<InputFormat>,
    /// Names of the fields of CSV, which has no line of names then.
    pub names: Option<Vec<String>>,
    /// What is between the fields of CSV: a character of ASCII.
    pub delimiter: u8,
    /// Whether fields that the table doesn't have are passed over; otherwise they are an error.
    pub ignores_others: bool,
    /// When rows were written.
    pub times: RowTimes,
    /// Whether rows are written as by UPDATE: their cells alone, so that a row is gone when its
    /// last cell is.
    pub is_update: bool,
    /// Whether null deletes what the column had; otherwise it says nothing.
    pub deletes_nulls: bool,
    /// Whether the input is facts, as a raw export writes them, rather than rows: they are written
    /// as they are, and `times`, `is_update` and `deletes_nulls` are of rows alone.
    pub is_raw: bool,
    /// Whether rows come in the order of the table.
    pub is_sorted: bool,
    /// Number of bytes of rows that are held to be sorted.
    pub memory: u64,
    /// The host that writes; of versions from `me` on.
    pub host: Option<[u8; 16]>,
    /// Version of the SSTable.
    pub version: Version,
    /// How its data is compressed, or not at all; `None`: as the schema says.
    pub compress: Option<Option<Compress>>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
    /// Chance of a false answer of the filter, 1 for no filter; `None`: as the schema says.
    pub filter_chance: Option<f64>,
    /// Where it is written.
    pub place: Place,
}
