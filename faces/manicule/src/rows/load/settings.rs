//! What a table of a CQL file says of its SSTables, and which table is meant.

use std::fs;
use std::path::Path;

use manicule_rows::write::{Codec, Compress};
use manicule_rows::{Header, INDEX_INTERVAL, Property, RowsError, SchemaTable, Type, read_schema};

use super::call::WriteCall;
use crate::rows::error::Error;
use crate::rows::write::check_chance;

/// Chance of a false answer of the filter, of tables that don't say.
const FILTER_CHANCE: f64 = 0.01;

/// With what a table is written.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) header: Header,
    pub(super) filter_chance: f64,
    pub(super) index_interval: u32,
    pub(super) compress: Option<Compress>,
    pub(super) ttl: i32,
    /// Whether rows say of themselves when they were written; of compact storage none does.
    pub(super) has_liveness: bool,
}

/// The table of a file that is named, or the only one.
pub(super) fn table_of(file: &Path, name: Option<&str>) -> Result<SchemaTable, Error> {
    let text = fs::read_to_string(file);
    let text = text.map_err(|source| RowsError::Io { file: file.to_owned(), source })?;
    let tables = read_schema(&text);
    let tables = tables.map_err(|source| RowsError::Schema { file: file.to_owned(), source })?;
    let full = |table: &SchemaTable| match &table.keyspace {
        Some(keyspace) => format!("{keyspace}.{}", table.name),
        None => table.name.clone(),
    };
    let count = tables.len();
    let is_meant =
        |table: &SchemaTable| name.is_none_or(|name| name == table.name || name == full(table));
    let mut meant: Vec<SchemaTable> = tables.into_iter().filter(is_meant).collect();
    if meant.len() == 1 {
        return Ok(meant.swap_remove(0));
    }
    let why = match (name, &meant[..]) {
        (Some(name), []) => format!("none of its {count} tables is {name}"),
        (_, []) => "it has no CREATE TABLE".to_owned(),
        (_, [first, second, ..]) => {
            format!("it has {} and {}: which one is meant?", full(first), full(second))
        }
        (_, [_]) => "it has one table".to_owned(),
    };
    Err(RowsError::NoTable { file: file.to_owned(), why }.into())
}

impl Settings {
    pub(super) fn of(table: &SchemaTable, call: &WriteCall, file: &Path) -> Result<Self, Error> {
        let header = table.header(call.version);
        let header =
            header.map_err(|source| RowsError::Schema { file: file.to_owned(), source })?;
        let unsupported = |what: String| RowsError::Unsupported { file: file.to_owned(), what };
        let all = [false, true].into_iter().flat_map(|it| header.columns(it));
        for column in all {
            let name = String::from_utf8_lossy(&column.name);
            if column.kind == Type::Counter && !call.is_raw {
                let what =
                    format!("column {name} is a counter, whose value only a cluster adds up");
                return Err(unsupported(what).into());
            }
        }
        let kinds = header.key.key_parts().iter().chain(&header.clustering);
        let all = [false, true].into_iter().flat_map(|it| header.columns(it));
        if kinds.chain(all.map(|column| &column.kind)).any(has_vector) {
            let what = format!("it has vectors, which version {} has not", call.version);
            return Err(unsupported(what).into());
        }
        let value = |name: &str| match table.property(name) {
            Some(Property::Value(value)) => Some(value.as_str()),
            _ => None,
        };
        let wrong = |name: &str, value: &str| unsupported(format!("{name} = {value} is not one"));
        let number = |name: &str| -> Result<Option<f64>, RowsError> {
            let Some(text) = value(name) else { return Ok(None) };
            text.parse().map(Some).map_err(|_| wrong(name, text))
        };
        let chance = number("bloom_filter_fp_chance")?;
        check_chance(chance)?;
        let ttl = number("default_time_to_live")?.unwrap_or(0.0) as i32;
        let interval = number("min_index_interval")?.map(|number| number as u32);
        let compress = match (call.compress, table.property("compression")) {
            (Some(compress), _) => compress,
            (None, Some(Property::Map(pairs))) => {
                compression(pairs).map_err(|why| unsupported(format!("compression: {why}")))?
            }
            (None, _) => None,
        };
        Ok(Settings {
            header,
            filter_chance: call.filter_chance.or(chance).unwrap_or(FILTER_CHANCE),
            index_interval: interval.filter(|it| *it > 0).unwrap_or(INDEX_INTERVAL),
            compress,
            ttl: call.times.ttl.unwrap_or(ttl),
            has_liveness: !call.is_update && !table.is_compact,
        })
    }
}

fn has_vector(kind: &Type) -> bool {
    match kind {
        Type::Vector { .. } => true,
        Type::List { element, .. } | Type::Set { element, .. } => has_vector(element),
        Type::Map { key, value, .. } => has_vector(key) || has_vector(value),
        Type::Tuple { fields, .. } => fields.iter().any(has_vector),
        Type::User(user) => user.fields.iter().any(|(_, kind)| has_vector(kind)),
        Type::Reversed(inner) => has_vector(inner),
        _ => false,
    }
}

/// `{'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}`, with the words of 2.1 too.
fn compression(pairs: &[(String, String)]) -> Result<Option<Compress>, String> {
    let value = |names: &[&str]| {
        let of = |name: &&str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        names.iter().find_map(of).map(String::as_str)
    };
    let class = value(&["class", "sstable_compression"]).unwrap_or_default();
    if value(&["enabled"]) == Some("false") {
        return Ok(None);
    }
    let codec = match class.rsplit('.').next().unwrap_or_default() {
        "" | "NoopCompressor" => return Ok(None),
        "LZ4Compressor" => Codec::Lz4,
        "SnappyCompressor" => Codec::Snappy,
        "DeflateCompressor" => Codec::Deflate,
        "ZstdCompressor" => Codec::Zstd,
        other => return Err(format!("{other} is not written")),
    };
    let chunk_len = match value(&["chunk_length_in_kb", "chunk_length_kb"]) {
        None => Compress::CHUNK_LEN,
        Some(text) => {
            let len = text.parse::<u32>().ok().and_then(|len| len.checked_mul(1024));
            len.filter(|len| Compress::is_chunk_len((*len).into()))
                .ok_or_else(|| format!("{text} KiB is no length of chunks"))?
        }
    };
    let level = value(&["compression_level"]);
    let level = level.and_then(|level| level.parse().ok()).unwrap_or(Compress::LEVEL);
    Ok(Some(Compress { codec, chunk_len, level }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_is_what_the_schema_says() {
        let check = |pairs: &[(&str, &str)], want: Result<Option<(Codec, u32)>, &str>| {
            let pairs: Vec<_> =
                pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
            let got = compression(&pairs).map(|it| it.map(|it| (it.codec, it.chunk_len)));
            assert_eq!(got, want.map_err(str::to_owned));
        };
        check(&[("class", "LZ4Compressor")], Ok(Some((Codec::Lz4, 16 << 10))));
        check(
            &[
                ("class", "org.apache.cassandra.io.compress.ZstdCompressor"),
                ("chunk_length_in_kb", "64"),
            ],
            Ok(Some((Codec::Zstd, 64 << 10))),
        );
        check(&[("sstable_compression", "")], Ok(None));
        check(&[("enabled", "false"), ("class", "LZ4Compressor")], Ok(None));
        check(&[("class", "MyCompressor")], Err("MyCompressor is not written"));
        check(
            &[("class", "LZ4Compressor"), ("chunk_length_in_kb", "3")],
            Err("3 KiB is no length of chunks"),
        );
    }
}
