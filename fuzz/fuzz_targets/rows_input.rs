//! Any bytes as a CQL file and as rows or facts of CSV, JSON lines and Parquet: an SSTable or an
//! error with its place, never a panic.
//!
//! The library that reads Parquet panics; those panics are caught before libfuzzer's hook sees
//! them, all others end the run as ever. Nothing makes space that the bytes at hand can't fill: run
//! it with `-malloc_limit_mb=1024 -rss_limit_mb=2048`.
//!
//! Seeds: fuzz/seeds/rows_input; the first byte is the format, whether it is facts, and whether a
//! schema comes before, with a zero behind it.

#![no_main]

use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use manicule::rows::{InputFormat, Place, RowTimes, Version, WriteCall, write};
use manicule::watch::Watch;

const SCHEMA: &str = "CREATE TYPE ks.u (a int, b text);
    CREATE TABLE ks.t (p int, q text, c text, d timestamp, i int, t text, l list<int>, s set<text>, m map<int, text>, u u, f frozen<list<int>>,
    b blob, v varint, de decimal, du duration, ti time, da date, ine inet, uu uuid, tu timeuuid, bo boolean, fl float, dou double, tp tuple<int, text>,
    si int static, PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)";

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let formats = [InputFormat::Csv, InputFormat::JsonLines, InputFormat::Parquet];
    let format = formats[usize::from(first % 16) % formats.len()];
    let (schema, rows) = match rest.iter().position(|byte| *byte == 0) {
        Some(at) if first & 0x80 != 0 => (&rest[..at], &rest[at + 1..]),
        _ => (SCHEMA.as_bytes(), rest),
    };
    let folder = std::env::temp_dir().join(format!("manicule-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| -> PathBuf { folder.join(name) };
    fs::write(path("schema"), schema).expect("a file");
    fs::write(path("rows"), rows).expect("a file");
    let times = RowTimes {
        timestamp: 1,
        timestamp_field: Some("ts".to_owned()),
        ttl: None,
        ttl_field: Some("life".to_owned()),
        now: 1_700_000_000,
    };
    let call = WriteCall {
        schema: path("schema"),
        table: None,
        inputs: vec![path("rows")],
        format: Some(format),
        names: None,
        delimiter: b',',
        ignores_others: first & 0x40 != 0,
        times,
        is_update: false,
        deletes_nulls: first & 0x20 != 0,
        is_raw: first & 0x10 != 0,
        is_sorted: false,
        memory: 1 << 20,
        host: None,
        version: Version::Me,
        compress: None,
        block_len: 64 << 10,
        filter_chance: None,
        place: Place { folder: path("out"), generation: None, is_dry: true },
    };
    let _ = write(&call, &Watch::none());
});
