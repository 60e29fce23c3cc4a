//! `manicule series diff`: in which series two blocks differ.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::series::diff::{DiffSums, Difference, LabelList};
use manicule::series::json::Differing;
use manicule::series::{Data, Error, OpenCall, ShownLabels};

use super::input::tell_left_out;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};

pub(super) static COMMAND: Command = Command {
    name: "diff",
    operands: "A B",
    summary: "list the series in which two blocks or data folders differ",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] A B",
            about: "\
Lists the series in which two blocks, or the blocks of two data folders, differ:

  < SERIES           only A has it
  > SERIES           only B has it
  ~ SERIES  chunks   both have its samples, cut into other chunks
  ! SERIES  samples  how many samples only A has, only B has, or are other ones, and the first time",
        }],
        notes: "\
A data folder is treated as one block: a series has the samples of all its blocks, and how they are divided into blocks and chunks
is not compared. So a folder and its compacted copy are equal. Data deleted by tombstones are left out. For two standalone indexes
the times of chunks are compared.",
        exit: "0 when the blocks are the same, 1 when they differ, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.blocks[0]), Operand::Path(|o| &mut o.blocks[1])]);

static FLAGS: &[Flag<Options>] = &[
    spec("summary", "", "Print only the number of differences.").sets(|o| &mut o.summary),
    shared::JSON.sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    blocks: [PathBuf; 2],
    summary: bool,
    json: bool,
}

fn answer(call: &Options, out: &mut Print) -> Result<u8> {
    out.in_pages();
    let mut failed = None;
    let mut each = |labels: &LabelList<'_>, difference: Difference| {
        if call.summary {
            return true;
        }
        let printed = if call.json {
            out.line(Differing { labels, difference })
        } else {
            writeln!(out, "{}", as_text(labels, difference))
        };
        failed = printed.err();
        failed.is_none()
    };
    let [left, right] = call.blocks.each_ref().map(|path| {
        let call = OpenCall { paths: vec![path.clone()], ..OpenCall::default() };
        let data = Data::open(&call, &mut |_| {})?;
        tell_left_out(&data.moment());
        Ok::<_, Error>(data)
    });
    let sums = left?.diff(&right?, &mut each)?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    if call.json {
        out.report("summary", sums)?
    } else {
        writeln!(out, "{}", summary_text(&sums))?
    }
    Ok(exit::if_any(!sums.differ()))
}

fn as_text(labels: &LabelList<'_>, difference: Difference) -> String {
    let series = ShownLabels(labels);
    match difference {
        Difference::OnlyLeft => format!("< {series}"),
        Difference::OnlyRight => format!("> {series}"),
        Difference::Chunks => format!("~ {series}  chunks"),
        Difference::Samples(samples) => format!(
            "! {series}  samples: {} only in A, {} only in B, {} other, first at {}",
            samples.only_left, samples.only_right, samples.changed, samples.first
        ),
    }
}

fn summary_text(sums: &DiffSums) -> String {
    if !sums.differ() {
        return format!("the blocks are the same: {} series", sums.same);
    }
    format!(
        "{} series the same, {} only in A, {} only in B, {} with other samples, {} in other chunks",
        sums.same, sums.only_left, sums.only_right, sums.samples, sums.chunks
    )
}
