//! Rows or facts of CSV, JSON lines or Parquet as an SSTable of a table that a CQL file describes.
//!
//! Callers: faces

mod csv;
mod facts;
mod json;
#[cfg_attr(not(feature = "tables"), path = "no_parquet.rs")]
mod parquet;
mod plan;
mod settings;
mod slots;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_rows::schema::leave_schema;
use manicule_rows::table::Access;
use manicule_rows::write::{Compress, LoadOptions, Loaded, load, write_facts};
use manicule_rows::{RowsError, Version};
use manicule_store::pages::SystemCache;

use self::facts::FactPlan;
use self::plan::Plan;
use self::settings::{Settings, table_of};
use self::slots::{Slots, TakeFields};
use super::error::Error;
use super::open::{CACHE_BYTES, reading_within, table_options};
use super::write::{MEMORY_BYTES, Place, check_chance};

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
    fn of_name(path: &Path) -> Option<InputFormat> {
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
    /// The present, in seconds since 1970: from then on rows live, and what they replace is deleted.
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
    /// Whether rows are written as by UPDATE: their cells alone, so that a row is gone when its last cell is.
    pub is_update: bool,
    /// Whether null deletes what the column had; otherwise it says nothing.
    pub deletes_nulls: bool,
    /// Whether the input is facts, as a raw export writes them, rather than rows: they are written as they are, and `times`, `is_update` and
    /// `deletes_nulls` are of rows alone.
    pub is_raw: bool,
    /// Whether rows come in the order of the table.
    pub is_sorted: bool,
    /// Number of bytes of rows that are held to be sorted.
    pub memory_bytes: u64,
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

/// Writes rows as an SSTable, and its schema as `schema.cql` beside it, unless one is there. Rows of one primary key become one, of each
/// cell the newest.
///
/// The same rows and arguments give the same bytes. Memory: `memory_bytes`, some MiB, and the longest row. Disk: what goes beyond that memory
/// is written twice before it is written at last.
///
/// # Errors
/// A row that isn't one of the table: nothing is written then. [`Error::Input`] names its place.
pub fn write(call: &WriteCall, watch: &Watch<'_>) -> Result<Loaded, Error> {
    check_chance(call.filter_chance)?;
    let table = table_of(&call.schema, call.table.as_deref())?;
    let settings = Settings::of(&table, call, &call.schema)?;
    let formats: Vec<InputFormat> =
        call.inputs.iter().map(|path| format_of(path, call.format)).collect::<Result<_, _>>()?;
    let options = LoadOptions {
        header: settings.header.clone(),
        filter_chance: settings.filter_chance,
        index_interval: settings.index_interval,
        compress: settings.compress,
        block_len: call.block_len,
        host: call.host,
        is_sorted: call.is_sorted,
        memory_bytes: usize::try_from(call.memory_bytes).unwrap_or(usize::MAX),
    };
    let target = call.place.target();
    let read = |slots: &Slots, take: TakeFields<'_>| {
        let lens = call.inputs.iter().map(|path| std::fs::metadata(path).map_or(0, |it| it.len()));
        let meter = watch.phase(Phase::Reading, Unit::Bytes, lens.sum());
        for (path, format) in call.inputs.iter().zip(&formats) {
            read(path, *format, call, slots, &meter, take)?;
        }
        meter.end();
        Ok::<(), Error>(())
    };
    let loaded = if call.is_raw {
        let plan = FactPlan::new(&table, &settings.header, call);
        write_facts(&target, options, |take| {
            read(plan.slots(), &mut |fields| plan.fact(fields, &mut *take))
        })?
    } else {
        let plan = Plan::new(&table, &settings, call)?;
        let reads = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
        reading_within(MEMORY_BYTES, |reading| {
            load(&target, options, &reads, reading, watch, |take| {
                read(plan.slots(), &mut |fields| plan.row(fields, &mut *take))
            })
        })?
    };
    if loaded.written.is_some() {
        leave_schema(&target, &table, &settings.header)?;
    }
    Ok(loaded)
}

fn format_of(path: &Path, said: Option<InputFormat>) -> Result<InputFormat, Error> {
    said.or_else(|| InputFormat::of_name(path)).ok_or_else(|| {
        let why = "its name doesn't say which format it has".to_owned();
        Error::Input { file: path.to_owned(), place: String::new(), why }
    })
}

fn read(
    path: &Path,
    format: InputFormat,
    call: &WriteCall,
    slots: &Slots,
    meter: &Meter<'_>,
    take: TakeFields<'_>,
) -> Result<(), Error> {
    match format {
        InputFormat::Csv => csv::read(path, &mut *lines(path)?, call, slots, meter, take),
        InputFormat::JsonLines => json::read(path, &mut *lines(path)?, slots, meter, take),
        InputFormat::Parquet => parquet::read(path, slots, meter, take),
    }
}

/// Length in bytes of a read.
const READ_LEN: usize = 256 << 10;

fn lines(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::with_capacity(READ_LEN, io::stdin())));
    }
    let file = File::open(path).map_err(|source| failed(path, source))?;
    Ok(Box::new(BufReader::with_capacity(READ_LEN, file)))
}

fn failed(path: &Path, source: io::Error) -> Error {
    RowsError::Io { file: path.to_owned(), source }.into()
}

/// Length in bytes of the longest line.
const LINE_LEN_MAX: u64 = 1 << 30;

/// Appends the next line with its end; `false` at the end of the input.
fn read_line(path: &Path, input: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<bool, Error> {
    let left = LINE_LEN_MAX.saturating_sub(line.len() as u64);
    let read = io::Read::take(input, left).read_until(b'\n', line);
    let len = read.map_err(|source| failed(path, source))?;
    if len as u64 == left && line.last() != Some(&b'\n') {
        let why = format!("a line is longer than {LINE_LEN_MAX} bytes");
        return Err(Error::Input { file: path.to_owned(), place: String::new(), why });
    }
    Ok(len > 0)
}

/// An error of a row at a place of a file.
fn at_place(path: &Path, place: String, error: RowsError) -> Error {
    match error {
        RowsError::Unwritable { why } => Error::Input { file: path.to_owned(), place, why },
        other => other.into(),
    }
}
