//! The rows of the benchmark that this kind began with: prompp's writer of indexes, call by call,
//! with its names.
//!
//! Ours is measured; prompp is in no registry, so its published figures are in the note and in no
//! column.

use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result};
use manicule_labels::{LabelStore, Selected, StoreInput};
use manicule_series::write::{ChunksBy, IndexWriter, Joined, Part, SymbolChoice, WriteOptions};
use manicule_testkit::Shape;

use super::input::{ChunkRule, asked};
use super::stores::{self, State};
use super::{Bench, K8S, KIND};
use crate::allocations::counted;
use crate::figures::{self, Figures};
use crate::findings::Findings;
use crate::measure::timed;
use crate::table::{self, Table, Target};

const USAGE: &str = "usage: manicule-bench series seed --tsv FILE [--turns N]

Writes the index of a label store call by call, 64 KiB each, in the three states of the store, and says of
each part what its calls took, one JSON object a line.";

/// Number of bytes asked for in a call, as in the seed's benchmark.
const CALL_LEN: usize = 64 << 10;

const NOTE: &str = "Written from our label store, in calls of 64 KiB; least of all turns. Symbols have the \
    sorting of all strings and pairs in them, which is done once for all parts, in calls of its own. What prompp's \
    writer has no call for counts pairs and asks for the memory of the postings. \"Transient\" is the most that a call \
    holds and gives back, \"kept\" what the writer goes on holding; the caller's buffer is in neither. Allocations are \
    counted in a turn of their own. What prompp's own benchmark said of its C++ writer with the same series, quiet, on \
    the machine of the peers' study (us; another run, so no column): write_symbols normal 13,236, fixed 13,226, after \
    shrink 18,281; one series 6.4; label indices 4,079; one 64 KiB batch of postings 911; label index table 0.7; \
    postings offset table 189; TOC 0.2; transient of write_symbols 6.5 MB, after shrink 11.25 MB. The change's own \
    table (another store of 1.2 M series): 13,271, 12,817 and 24,747 after it, 21,686, 22,151 and 51,513 before; all \
    postings 15,145 before and 6,820 after, with one series written.";

/// Time of a walk over a trie in the seed's writer, as published, in us.
const TRIE_WALK_US: f64 = 4_079.0;

/// Name of a part in the seed's benchmark.
fn seed_name(part: Part) -> Option<&'static str> {
    Some(match part {
        Part::Count => "ours alone: count, ask for memory",
        Part::Header => "write_header",
        Part::Sort | Part::Symbols => "write_symbols",
        Part::Series => "write_series",
        Part::LabelIndices => "write_label_indices",
        Part::Postings => "write_postings",
        Part::LabelIndicesTable => "write_label_indices_table",
        Part::PostingsTable => "write_postings_table",
        Part::Toc => "write_table_of_contents",
        _ => return None,
    })
}

/// The command `series seed`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    let Some((text, turn_count)) = asked(words, USAGE)? else { return Ok(()) };
    let sets = text.sets()?;
    for state in State::ALL {
        let store = stores::store(&sets, state)?;
        let turns: Vec<Vec<Figures>> =
            (0..turn_count).map(|_| calls(&store, state, Count::No)).collect::<Result<_>>()?;
        let mut rows = figures::joined(turns);
        for (row, asked) in rows.iter_mut().zip(calls(&store, state, Count::Allocations)?) {
            (row.allocs, row.alloc_bytes) = (asked.allocs, asked.alloc_bytes);
            (row.transient_bytes, row.kept_bytes) = (asked.transient_bytes, asked.kept_bytes);
        }
        rows.iter().try_for_each(Figures::say)?;
    }
    Ok(())
}

/// Whether allocations are counted; times are meaningless then.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Allocations,
    No,
}

/// All calls that write an index, gathered by part.
fn calls(store: &LabelStore, state: State, count: Count) -> Result<Vec<Figures>> {
    let mut parts: Vec<Figures> = Vec::new();
    let mut rule = ChunkRule::new(2);
    let chunks = ChunksBy::new(|place, out: &mut Vec<_>| out.extend_from_slice(rule.next(place)));
    let options =
        WriteOptions { memory: u64::MAX, symbols: SymbolChoice::All, label_indices: true };
    let mut add = |part: Part, work: &mut dyn FnMut() -> Result<()>| -> Result<()> {
        let Some(name) = seed_name(part) else { return Ok(()) };
        let row = format!("{name} ({})", state.name());
        let ((done, sample), asked) = match count {
            Count::No => (timed(work), Default::default()),
            Count::Allocations => counted(|| timed(work)),
        };
        done?;
        let at = parts.iter().position(|one| one.row == row).unwrap_or_else(|| {
            let (cpu_us, wall_us) = (vec![0.0], vec![0.0]);
            parts.push(Figures { row, cpu_us, wall_us, ..Figures::default() });
            parts.len() - 1
        });
        let one = &mut parts[at];
        one.count += 1;
        one.cpu_us[0] += sample.cpu_ms * 1e3;
        one.wall_us[0] += sample.wall_ms * 1e3;
        one.longest_us = one.longest_us.max(sample.wall_ms * 1e3);
        one.allocs += asked.count;
        one.alloc_bytes += asked.len;
        one.transient_bytes = one.transient_bytes.max(asked.transient());
        one.kept_bytes += asked.kept;
        Ok(())
    };
    let (mut made, mut chunks) = (None, Some(chunks));
    add(Part::Sort, &mut || {
        let chunks = chunks.take().expect("the writer is made once");
        let StoreInput { strings, pairs, series } = StoreInput::new(store, Selected::All);
        made = Some(IndexWriter::new(strings, pairs, Joined { labels: series, chunks }, options));
        Ok(())
    })?;
    let mut writer = made.context("no writer was made")?;
    let mut buffer = Vec::with_capacity(2 * CALL_LEN);
    while writer.part() != Part::Done {
        buffer.clear();
        add(writer.part(), &mut || Ok(writer.step(&mut buffer, CALL_LEN).map(drop)?))?;
    }
    Ok(parts)
}

const HEAD: &[&str] = &[
    "call",
    "calls",
    "CPU us, all",
    "CPU us, a call",
    "longest call, wall us",
    "allocations a call",
    "transient KB, worst call",
    "kept KB, all calls",
];

/// The seed's rows.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let tsv = bench.tsv(Shape::Kubernetes, bench.count)?;
    let turns = bench.turn_count.to_string();
    let words = ["seed", "--turns", &turns, "--tsv"].map(OsStr::new);
    let figures = figures::of_ours(KIND.name, &[&words[..], &[tsv.as_os_str()]].concat())?;
    let mut table = Table::new("The seed's rows: an index written call by call", NOTE, HEAD);
    for row in &figures {
        let calls = row.count.max(1) as f64;
        let us = row.cpu_ms().map(|ms| ms * 1e3);
        table.row(vec![
            row.row.clone(),
            row.count.to_string(),
            table::ms(us),
            table::ms(us.map(|us| us / calls)),
            table::ms(Some(row.longest_us)),
            format!("{:.2}", row.allocs as f64 / calls),
            format!("{:.1}", row.transient_bytes as f64 / 1e3),
            format!("{:.1}", row.kept_bytes as f64 / 1e3),
        ]);
    }
    findings.tables.push(table);
    hold(&figures, findings);
    let series = figures.iter().map(|row| row.series("ours")).collect();
    findings.raw.push((format!("seed/{K8S}"), series));
    Ok(())
}

fn hold(figures: &[Figures], findings: &mut Findings) {
    let us = |name: &str, state: State| {
        let name = format!("{name} ({})", state.name());
        let row = figures.iter().find(|row| row.row == name)?;
        row.cpu_ms().map(|ms| ms * 1e3)
    };
    let symbols = State::ALL.map(|state| us("write_symbols", state));
    let least = symbols.iter().flatten().copied().min_by(f64::total_cmp);
    for (state, own) in State::ALL.into_iter().zip(symbols) {
        let over = own.zip(least).map(|(own, least)| own / least);
        let tenth = Target::at_most(1.1, 1.1);
        let what = "write_symbols in three states";
        findings.check(what, "CPU / that of the fastest state", tenth, state.name(), over);
    }
    let fifth = TRIE_WALK_US / 5.0;
    for state in State::ALL {
        let own = us("write_label_indices", state);
        let target = Target::at_most(fifth, fifth);
        let what = "write_label_indices";
        findings.check(what, "CPU us, a fifth of the published", target, state.name(), own);
    }
}
