//! `manicule series diff`: in which series two blocks differ.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;
use manicule::series::diff::{DiffSums, Difference, LabelList, diff, diff_all};
use manicule::series::{ShownLabels, open_all};
use serde_json::{Map, Value as Json, json};

use super::ask::text;
use crate::print::{Print, Reader, command};

pub(super) const HELP: &str = "\
manicule series diff A B
    In which series two blocks, or the blocks of two data folders, differ:

    < SERIES           only A has it
    > SERIES           only B has it
    ~ SERIES  chunks   both have its samples, cut into other chunks
    ! SERIES  samples  how many samples only A has, only B has, or are other ones, and the first time

        --summary      only how many there are
        --json         JSON Lines
    -h, --help         this text

    A data folder is taken as one block: a series has the samples of all its blocks, and how they are cut
    into blocks and chunks is not compared. So a folder and its compacted copy are the same.
    What tombstones delete counts as gone. Of two indexes by themselves the times of chunks are compared.
    Exit code: 0 when the blocks are the same, 1 when they differ, 2 when something failed.
";

struct Call {
    blocks: [PathBuf; 2],
    summary: bool,
    json: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| answer(words, out))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(call) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let (left, right) = (open_all(&call.blocks[0])?, open_all(&call.blocks[1])?);
    out.in_pages();
    let mut failed = None;
    let mut each = |labels: &LabelList<'_>, difference: Difference| {
        if call.summary {
            return true;
        }
        let row = match call.json {
            true => as_json(labels, difference),
            false => as_text(labels, difference),
        };
        failed = writeln!(out, "{row}").err();
        failed.is_none()
    };
    let sums = match (&left[..], &right[..]) {
        ([left], [right]) => diff(left, right, &mut each)?,
        _ => diff_all(&left, &right, &mut each)?,
    };
    if let Some(error) = failed {
        return Err(error.into());
    }
    let summary = if call.json { summary_json(&sums) } else { summary_text(&sums) };
    writeln!(out, "{summary}")?;
    Ok(u8::from(sums.differ()))
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut paths, mut summary, mut json) = (Vec::new(), false, false);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("summary") => summary = true,
            Long("json") => json = true,
            Value(path) => paths.push(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    match <[PathBuf; 2]>::try_from(paths) {
        Ok(blocks) => Ok(Some(Call { blocks, summary, json })),
        Err(_) => bail!("two blocks or data folders are wanted: manicule series diff A B"),
    }
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

fn as_json(labels: &LabelList<'_>, difference: Difference) -> String {
    let labels: Map<String, Json> =
        labels.iter().map(|label| (text(label.0).into_owned(), text(label.1).into())).collect();
    let row = match difference {
        Difference::OnlyLeft => json!({ "type": "only_a", "labels": labels }),
        Difference::OnlyRight => json!({ "type": "only_b", "labels": labels }),
        Difference::Chunks => json!({ "type": "chunks", "labels": labels }),
        Difference::Samples(samples) => json!({
            "type": "samples",
            "labels": labels,
            "only_a": samples.only_left,
            "only_b": samples.only_right,
            "other": samples.changed,
            "first_time": samples.first,
        }),
    };
    row.to_string()
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

fn summary_json(sums: &DiffSums) -> String {
    let row = json!({
        "type": "summary",
        "same": sums.same,
        "only_a": sums.only_left,
        "only_b": sums.only_right,
        "samples": sums.samples,
        "chunks": sums.chunks,
    });
    row.to_string()
}
