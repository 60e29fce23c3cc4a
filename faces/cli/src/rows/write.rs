//! `manicule rows write`: an SSTable of rows from CSV, JSON lines or Parquet.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule::rows::{InputFormat, RowTimes, Version, WriteCall, write};

use super::shared::{RAW, SCHEMA};
use super::times::{NOW, system_now};
use super::written::{
    AS, BLOCK, CHANCE, CHUNK, CODECS, COMPRESS, GENERATION, NewTable, VERSIONS, print_written,
};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

/// Bytes of rows that are held unless another number is said.
const MEMORY_BYTES: u64 = 256 << 20;

pub(super) static COMMAND: Command = Command {
    name: "write",
    operands: "--schema FILE INPUT...",
    summary: "write an SSTable from CSV, JSON lines or Parquet, without a cluster",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] --schema FILE INPUT... -o DIR",
            about: "\
Writes rows as an SSTable of the table that a CQL file describes, which Cassandra and ScyllaDB load as one of their own: with nodetool
import or refresh, or sstableloader. An INPUT is a file of CSV, of JSON lines or of Parquet, or - for standard input.",
        }],
        notes: "\
Field names are column names. CSV has them in its first line; an empty field is null, \"\" an empty text. Text is verbatim, blobs
are 0x00ff, everything else is in CQL syntax without quotes; collections in JSON are lists and objects, or in CQL syntax. That is
what `rows export` prints. A null or missing field leaves its column unset, unless --delete-nulls is given. A row that doesn't fit
the table is reported with its line, and nothing is written. Rows with the same primary key are merged: the newest version of each
cell wins, and at the same time the greater value, as in Cassandra.

Rows are sorted within --memory; those beyond it are written to DIR as sorted runs, and merged. With --sorted they must be in the
order of the table, partitions by token, and no run is written. The same rows and options give the same bytes.
bloom_filter_fp_chance, compression, min_index_interval and default_time_to_live are taken from the schema. Vectors are not
supported, counters only with --raw.

With --raw the input is what `rows export --raw` prints, in any of the formats: cells, timestamps of rows, deletions of rows,
ranges, partitions and collections, each with its write time (_written) and its deletion or expiry time. It is equivalent to the
SSTable, so an SSTable can be edited as text, or written with deletions only. Facts are sorted within --memory, or must be in the
order of the table with --sorted; those of several SSTables are written one by one, and merged.",
        exit: "0 when an SSTable was written, 1 when there was no row, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, WriteCall> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Paths(|o| &mut o.inputs)]);

static FLAGS: &[Flag<Options>] = &[
    SCHEMA
        .more("It must also have the table's user types.")
        .does(set!(|o, value| o.schema = Some(value.path()))),
    spec("table", "", "The table, if the file has several: NAME or KEYSPACE.NAME.")
        .takes("NAME")
        .does(set!(|o, value| o.table = Some(value.string()?))),
    shared::OUTPUT_PLACE.does(set!(|o, value| o.new.output = Some(value.path()))),
    spec("format", "", "Format of the input. Default: by file extension.")
        .takes("FORMAT")
        .one_of(FORMAT_NAMES)
        .does(set!(|o, value| o.format = Some(value.choice_or(FORMATS, of_ending)?))),
    spec("fields", "", "Comma-separated field names for CSV without a header line.")
        .takes("NAMES")
        .does(set!(|o, value| o.names =
            Some(value.string()?.split(',').map(|name| name.trim().to_owned()).collect()))),
    spec("delimiter", "", "Separator of CSV fields, such as ';' or tab. Default: a comma.")
        .takes("CHAR")
        .does(set!(|o, value| o.delimiter = Some(delimiter(value.text()?)?))),
    spec("ignore-others", "", "Ignore fields that the table doesn't have.")
        .sets(|o| &mut o.ignores_others),
    spec("timestamp", "", "Write time of the rows, in microseconds since 1970.")
        .takes("MICROSECONDS")
        .more("Default: the time of --now.")
        .does(set!(|o, value| o.timestamp = Some(value.number()?))),
    spec("timestamp-field", "", "Field with the write time of each row; not a column.")
        .takes("NAME")
        .does(set!(|o, value| o.timestamp_field = Some(value.string()?))),
    spec("ttl", "", "Time to live of the rows in seconds from --now on; 0 is forever.")
        .takes("SECONDS")
        .more("Default: the table's default_time_to_live.")
        .does(set!(|o, value| o.ttl = Some(value.number()?))),
    spec("ttl-field", "", "Field with the time to live of each row; not a column.")
        .takes("NAME")
        .does(set!(|o, value| o.ttl_field = Some(value.string()?))),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    spec("update", "", "Write rows as UPDATE does: a row disappears with its last cell.")
        .sets(|o| &mut o.is_update),
    spec("delete-nulls", "", "Write a null as a deletion of its column.")
        .sets(|o| &mut o.deletes_nulls),
    RAW.here(
        "Read the output of `rows export --raw`: write all of it, without merging or dropping.",
    )
    .sets(|o| &mut o.is_raw),
    spec("sorted", "", "Input rows are in the order of the table: write them without sorting.")
        .sets(|o| &mut o.is_sorted),
    shared::MEMORY
        .here("Memory for sorting rows, such as 1.5G.")
        .more("Default: 256 MiB.")
        .does(set!(|o, value| o.memory = Some(value.size()?))),
    spec("host-id", "", "Host id to record in the SSTable.")
        .takes("UUID")
        .does(set!(|o, value| o.host = Some(uuid(value.text()?)?))),
    AS.more("Default: me, which Cassandra reads since 3.11.14 and ScyllaDB since 5.0.")
        .does(set!(|o, value| o.version = Some(value.choice(&VERSIONS)?))),
    COMPRESS.more("Default: the schema's setting.").does(set!(|o, value| {
        o.says_codec = true;
        o.new.codec = value.choice(&CODECS)?;
    })),
    CHUNK.does(set!(|o, value| o.new.chunk_len = Some(value.size()?))),
    BLOCK.does(set!(|o, value| o.new.block_len = Some(value.size()?))),
    CHANCE
        .more("Default: the table's bloom_filter_fp_chance.")
        .does(set!(|o, value| o.filter_chance = Some(value.number()?))),
    GENERATION.does(set!(|o, value| o.new.generation = Some(value.number()?))),
    shared::DRY_RUN.sets(|o| &mut o.new.is_dry),
];

const FORMAT_NAMES: &[&str] = &["csv", "jsonl", "parquet"];
const FORMATS: &[InputFormat] = &[InputFormat::Csv, InputFormat::JsonLines, InputFormat::Parquet];

/// Endings of names that are formats too.
fn of_ending(ending: &str) -> Option<InputFormat> {
    matches!(ending, "json" | "ndjson").then_some(InputFormat::JsonLines)
}

#[derive(Default)]
struct Options {
    schema: Option<PathBuf>,
    table: Option<String>,
    inputs: Vec<PathBuf>,
    format: Option<InputFormat>,
    names: Option<Vec<String>>,
    delimiter: Option<u8>,
    ignores_others: bool,
    timestamp: Option<i64>,
    timestamp_field: Option<String>,
    ttl: Option<i32>,
    ttl_field: Option<String>,
    now: Option<i64>,
    is_update: bool,
    deletes_nulls: bool,
    is_raw: bool,
    is_sorted: bool,
    memory: Option<u64>,
    host: Option<[u8; 16]>,
    version: Option<Version>,
    says_codec: bool,
    filter_chance: Option<f64>,
    new: NewTable,
}

fn delimiter(text: &str) -> Result<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        b"tab" | b"\\t" => Ok(b'\t'),
        _ => bail!("a delimiter is one character of ASCII, or the word tab; not {text:?}"),
    }
}

fn uuid(text: &str) -> Result<[u8; 16]> {
    let digits = text.replace('-', "");
    let number = u128::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 32);
    Ok(number.with_context(|| format!("{text:?} is no UUID"))?.to_be_bytes())
}

fn finish(options: Options) -> Result<WriteCall> {
    let of_rows = [
        ("--timestamp", options.timestamp.is_some()),
        ("--timestamp-field", options.timestamp_field.is_some()),
        ("--ttl", options.ttl.is_some()),
        ("--ttl-field", options.ttl_field.is_some()),
        ("--update", options.is_update),
        ("--delete-nulls", options.deletes_nulls),
    ];
    if let Some((name, _)) = of_rows.into_iter().find(|(_, is)| *is && options.is_raw) {
        bail!(
            "{name} is for rows; with --raw each fact says when it was written and what it deletes"
        );
    }
    let compress = options.new.compress()?;
    let place = options.new.place()?;
    let now = options.now.unwrap_or_else(system_now);
    let times = RowTimes {
        timestamp: options.timestamp.unwrap_or(now.saturating_mul(1_000_000)),
        timestamp_field: options.timestamp_field,
        ttl: options.ttl,
        ttl_field: options.ttl_field,
        now,
    };
    Ok(WriteCall {
        schema: options.schema.context("missing --schema FILE, a CQL file with the table")?,
        table: options.table,
        inputs: options.inputs,
        format: options.format,
        names: options.names,
        delimiter: options.delimiter.unwrap_or(b','),
        ignores_others: options.ignores_others,
        times,
        is_update: options.is_update,
        deletes_nulls: options.deletes_nulls,
        is_raw: options.is_raw,
        is_sorted: options.is_sorted,
        memory: options.memory.unwrap_or(MEMORY_BYTES),
        host: options.host,
        version: options.version.unwrap_or(Version::Me),
        compress: options.says_codec.then_some(compress),
        block_len: options.new.block_len(),
        filter_chance: options.filter_chance,
        place,
    })
}

fn answer(call: &WriteCall, out: &mut Print) -> Result<u8> {
    let loaded = watched(Show::Progress, Signals::Noted, |watch| write(call, watch))?;
    match &loaded.written {
        Some(written) => print_written(written, &call.place, out)?,
        None if loaded.given_count > 0 => writeln!(out, "an SSTable would be written")?,
        None => {
            let what = if call.is_raw { "fact" } else { "row" };
            writeln!(out, "there was no {what}: nothing was written")?;
        }
    }
    let given = counted(loaded.given_count, if call.is_raw { "fact" } else { "row" });
    let were = if loaded.given_count == 1 { "was" } else { "were" };
    match loaded.run_count {
        0 => writeln!(out, "of {given} that {were} read")?,
        count => writeln!(out, "of {given} that {were} read, by {}", counted(count, "sorted run"))?,
    }
    Ok(exit::if_any(loaded.given_count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_uuids_and_delimiters_single_characters() {
        let host = uuid("123e4567-e89b-12d3-a456-426614174000").unwrap();
        assert_eq!(host[..4], [0x12, 0x3e, 0x45, 0x67]);
        assert!(uuid("123").is_err() && uuid("g23e4567-e89b-12d3-a456-426614174000").is_err());
        assert_eq!(delimiter(";").ok(), Some(b';'));
        assert_eq!(delimiter("tab").ok(), Some(b'\t'));
        assert!(delimiter("\"").is_err() && delimiter("ab").is_err() && delimiter("é").is_err());
    }
}
