//! `manicule rows columns`: which column has how many bytes.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::json::ColumnSums;
use manicule::rows::{ColumnShare, Shares, quoted_name};

use super::recursive::or_one_below;
use super::shared::{Whole, name_left_out, open_whole};
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::shown::shown;
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "columns",
    operands: "PATH",
    summary: "count the bytes, cells and tombstones of each column",
    help: Help {
        calls: &[Usage {
            words: "[--json] PATH",
            about: "\
Lists the bytes of each column in the uncompressed data, the largest first: all of its cells with their timestamps, and the values
alone; then the bytes that belong to no column, so that the rows add up to the data. PATH is a table's folder, or the Data.db of
one SSTable.",
        }],
        notes: "\
A collection has a cell for each element, and a deletion each time it was overwritten as a whole. A cell that several SSTables
have counts once in each. The data are read once.",
        exit: "0 when they were counted, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[shared::JSON
    .here("Print one JSON object per line: one for each column, then the totals.")
    .sets(|o| &mut o.json)];

#[derive(Default)]
struct Options {
    path: PathBuf,
    json: bool,
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let path = &options.path;
    let Whole { table, sstables } = or_one_below(path, open_whole(path))?;
    name_left_out(&sstables.left_out);
    let shares = watched(Show::Progress, Signals::Noted, |watch| table.column_shares(watch))?;
    out.in_pages();
    let sstable_count = sstables.list.len() as u64;
    if options.json {
        print_json(&shares, sstable_count, out)?
    } else {
        print_text(&shares, sstable_count, out)?
    }
    Ok(exit::DONE)
}

fn print_text(shares: &Shares, sstable_count: u64, out: &mut Print) -> Result<()> {
    let Shares { columns, partitions, rows, markers, data_len } = shares;
    let percent = |len: u64| len as f64 * 100.0 / (*data_len).max(1) as f64;
    writeln!(
        out,
        "    bytes  share    values       cells  tombstones    expiring  deletions  column"
    )?;
    for ColumnShare { name, is_static, kind, counts } in columns {
        let (len, values) = (human_len(counts.bytes), human_len(counts.value_bytes));
        write!(
            out,
            "{len:>9}  {:>4.1}%  {values:>8}  {:>10}",
            percent(counts.bytes),
            counts.cells
        )?;
        write!(out, "  {:>10}  {:>10}", counts.tombstones, counts.expiring)?;
        let (name, kind) = (quoted_name(name), kind.cql());
        let name = shown(name.as_bytes());
        let of = if *is_static { " static" } else { "" };
        writeln!(out, "  {:>9}  {name} {kind}{of}", counts.collection_deletions)?;
    }
    let others = [
        (*partitions, "partition keys and deletions"),
        (*rows, "rows: clustering, times, deletions"),
        (*markers, "range tombstones"),
    ];
    for (len, what) in others {
        writeln!(out, "{:>9}  {:>4.1}%{:58}({what})", human_len(len), percent(len), "")?;
    }
    writeln!(out, "{} in {}", human_len(*data_len), counted(sstable_count, "SSTable"))?;
    Ok(())
}

fn print_json(shares: &Shares, sstable_count: u64, out: &mut Print) -> Result<()> {
    shares.columns.iter().try_for_each(|column| out.report("column", column))?;
    Ok(out.report("summary", ColumnSums { shares, sstable_count })?)
}
