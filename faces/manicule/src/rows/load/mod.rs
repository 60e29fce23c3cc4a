//! Rows or facts of CSV, JSON lines or Parquet as an SSTable of a table that a CQL file describes.

mod call;
mod csv;
mod facts;
mod json;
mod lines;
#[cfg_attr(not(feature = "tables"), path = "no_parquet.rs")]
mod parquet;
mod plan;
mod settings;
mod slots;

use std::path::Path;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_rows::RowsError;
use manicule_rows::schema::leave_schema;
use manicule_rows::write::{LoadOptions, Loaded, load, write_facts};
use manicule_store::context::Context;

pub use self::call::{InputFormat, RowTimes, WriteCall};
use self::facts::FactPlan;
use self::lines::lines;
use self::plan::Plan;
use self::settings::{Settings, table_of};
use self::slots::{Slots, TakeFields};
use super::error::Error;
use super::open::{reading_within, reads};
use super::place::Destination;
use super::write::{MEMORY_BYTES, check_chance};
use crate::place::local;

/// Writes rows as an SSTable, and its schema as `schema.cql` beside it, unless one is there. Rows
/// of one primary key become one, of each cell the newest.
///
/// The same rows and arguments give the same bytes. Memory: `memory`, some MiB, and the
/// longest row. Disk: what goes beyond that memory is written twice before it is written at last.
///
/// # Errors
/// A row that isn't one of the table: nothing is written then. [`Error::Input`] names its place.
pub fn write(call: &WriteCall, watch: &Watch<'_>) -> Result<Loaded, Error> {
    check_chance(call.filter_chance)?;
    let held = Context::current().hold(call.memory);
    let _held = held.map_err(RowsError::OverBudget)?;
    let to = Destination::open(&call.place)?;
    for path in call.inputs.iter().chain([&call.schema]) {
        local(path).map_err(RowsError::from)?;
    }
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
        memory: call.memory,
    };
    let read = |slots: &Slots, take: TakeFields<'_>| {
        let lens = call.inputs.iter().map(|path| std::fs::metadata(path).map_or(0, |it| it.len()));
        let meter = watch.phase(Phase::Reading, Unit::Bytes, lens.sum());
        for (path, format) in call.inputs.iter().zip(&formats) {
            read(path, *format, call, slots, &meter, take)?;
        }
        meter.end();
        Ok::<(), Error>(())
    };
    let mut loaded = if call.is_raw {
        let plan = FactPlan::new(&table, &settings.header, call);
        write_facts(to.target(), options, |take| {
            read(plan.slots(), &mut |fields| plan.fact(fields, &mut *take))
        })?
    } else {
        let plan = Plan::new(&table, &settings, call)?;
        let reads = reads()?;
        reading_within(MEMORY_BYTES, |reading| {
            load(to.target(), options, &reads, reading, watch, |take| {
                read(plan.slots(), &mut |fields| plan.row(fields, &mut *take))
            })
        })?
    };
    if let Some(written) = loaded.written.take() {
        leave_schema(to.target(), &table, &settings.header)?;
        loaded.written = Some(to.publish(written, watch)?);
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
