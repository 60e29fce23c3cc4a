//! Growth between blocks, for people.

use std::fmt::Write as _;

use anyhow::Result;
use manicule::series::Block;
use manicule::series::analyze::{Change, Grown, GrownList, Growth, Lens, Picked};

use super::options::Options;
use super::text::{bar, duration, which};
use crate::shown::shown;
use crate::units::counted;
use crate::units::human_len;
use manicule::times::utc;

pub(super) fn text(
    now: &Picked,
    old: &Picked,
    growth: &Growth,
    options: &Options,
) -> Result<String> {
    let mut out = String::new();
    which(now, &mut out)?;
    let lasts = times(&now.block, &mut out)?;
    out.push_str("Against ");
    which(old, &mut out)?;
    let lasted = times(&old.block, &mut out)?;
    if lasts != lasted {
        writeln!(
            out,
            "The blocks don't last equally long: samples grow and shrink by that alone."
        )?;
    }
    if let Some((text, _)) = &options.matchers {
        writeln!(out, "Matcher: {text}")?;
    }
    writeln!(out, "Series: {}", change(&growth.series))?;
    if let Some(len) = &growth.sample_len {
        writeln!(out, "Bytes of samples: {}", lens(len))?;
    }
    writeln!(out, "Bytes of the index: {}", lens(&growth.index_len))?;
    for (title, list) in lists(growth) {
        rows(title, "grew or changed", &list.grew, list.grew_count, options.bars, &mut out)?;
        rows(title, "shrank", &list.shrank, list.shrank_count, options.bars, &mut out)?;
    }
    Ok(out)
}

/// The lists, titled.
fn lists(growth: &Growth) -> [(&'static str, &GrownList); 3] {
    [("Metrics", &growth.metrics), ("Labels", &growth.names), ("Label values", &growth.pairs)]
}

/// Tells the times of a block, and gives how long it lasts; an index by itself has no times.
fn times(block: &Block, out: &mut String) -> Result<Option<i64>> {
    let Some(meta) = block.meta() else { return Ok(None) };
    let lasts = meta.max_time.wrapping_sub(meta.min_time);
    let (first, end) = (utc(meta.min_time), utc(meta.max_time));
    writeln!(out, "Times: {first} to {end} ({})", duration(lasts))?;
    Ok(Some(lasts))
}

/// What is there, by how much it grew, and what came and went.
fn change(change: &Change) -> String {
    let Change { before, now, added, removed } = change;
    let growth = change.growth();
    match (added, removed) {
        (0, _) | (_, 0) => format!("{now} ({growth:+}, from {before})"),
        _ => format!("{now} ({growth:+}, from {before}; {added} came, {removed} went)"),
    }
}

fn lens(lens: &Lens) -> String {
    format!(
        "{} ({}, from {})",
        human_len(lens.now),
        signed_len(lens.growth()),
        human_len(lens.before)
    )
}

fn signed_len(len: i64) -> String {
    format!("{}{}", if len < 0 { "-" } else { "+" }, human_len(len.unsigned_abs()))
}

/// A list: by how many series, a bar where a picture is wanted, what it is, and the details.
fn rows(
    title: &str,
    what: &str,
    rows: &[Grown],
    count: u64,
    bars: bool,
    out: &mut String,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title} that {what} ({} of {count}):", rows.len())?;
    let grown = |row: &Grown| row.series.growth().unsigned_abs();
    let largest = rows.iter().map(grown).max().unwrap_or(0);
    for row in rows {
        let growth = row.series.growth();
        let key = match &row.value {
            Some(value) if title == "Metrics" => shown(value),
            Some(value) => format!("{}={}", shown(&row.name), shown(value)).into(),
            None => shown(&row.name),
        };
        if bars {
            let width = largest.to_string().len() + 1;
            write!(out, "{growth:>+width$} {:<30} {key}: ", bar(grown(row), largest))?;
        } else {
            write!(out, "{growth:+} {key}: ")?
        }
        writeln!(out, "{}", details(row))?;
    }
    Ok(())
}

fn details(row: &Grown) -> String {
    let mut parts = Vec::new();
    if row.is_new() {
        parts.push("new".to_owned());
    } else if row.is_gone() {
        parts.push("gone".to_owned());
    }
    let Change { before, now, added, removed } = row.series;
    parts.push(match (added, removed) {
        (0, _) | (_, 0) => format!("{now} series, {before} before"),
        _ => format!("{now} series, {before} before ({added} came, {removed} went)"),
    });
    if let Some(values) = row.values.filter(|values| values.added + values.removed > 0) {
        let now = counted(values.now, "value");
        parts.push(format!("{now}, {} before", values.before));
    }
    for (len, what) in [(row.sample_len, "samples"), (row.index_len, "index")] {
        if let Some(len) = len.filter(|len| len.growth() != 0) {
            parts.push(format!("{what} {} to {}", signed_len(len.growth()), human_len(len.now)));
        }
    }
    parts.join(", ")
}
