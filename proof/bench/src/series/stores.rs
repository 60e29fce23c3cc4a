//! The label store in each state of its life, with the same series visible in all of them; and the
//! rows of its own work: taking label sets in, ordering them, leaving out the dead.

use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result};
use manicule_labels::{LabelStore, SeriesId};
use manicule_testkit::{Rng, Shape};

use super::input::{Label, Sets, asked};
use super::{Bench, K8S, KIND};
use crate::figures::{self, Figures, FromHere, from_here};
use crate::findings::Findings;
use crate::measure::{Sample, timed};
use crate::table::{self, Table};

const USAGE: &str = "usage: manicule-bench series store --tsv FILE [--turns N]

Takes the label sets of FILE into a label store in an order that has nothing to do with their own, orders
them, finds them again, and takes the store through its life; one JSON object a line for each.";

/// A state of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// All series live.
    Normal,
    /// A ninth part as many died, and are hidden.
    Fixed,
    /// They are left out of a copy.
    Shrunk,
}

impl State {
    pub(super) const ALL: [State; 3] = [State::Normal, State::Fixed, State::Shrunk];

    /// Name in the seed's benchmark.
    pub(super) fn name(self) -> &'static str {
        match self {
            State::Normal => "normal",
            State::Fixed => "fixed",
            State::Shrunk => "after shrink",
        }
    }
}

/// One series in this many dies.
const DEAD_ONE_IN: usize = 9;
/// A name after all others, which only series have that die.
const DEAD: Label<'static> = ("\u{10FFFF}".as_bytes(), b"dead");

/// Indexes in an order unrelated to that of the labels.
fn shuffled(count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut rng = Rng::new(1);
    for last in (1..order.len()).rev() {
        order.swap(last, rng.below(last + 1));
    }
    order
}

/// Life of a store, each step timed.
struct Life {
    store: LabelStore,
    steps: Vec<(&'static str, Sample)>,
}

impl Life {
    fn time<R>(&mut self, step: &'static str, work: impl FnOnce(&mut LabelStore) -> R) -> R {
        let (result, sample) = timed(|| work(&mut self.store));
        self.steps.push((step, sample));
        result
    }
}

/// A store in a state, whose visible series are the sets; settled.
pub(super) fn store(sets: &Sets<'_>, state: State) -> Result<LabelStore> {
    Ok(live(sets, state)?.store)
}

fn live(sets: &Sets<'_>, state: State) -> Result<Life> {
    let mut life = Life { store: LabelStore::new(), steps: Vec::new() };
    let order = shuffled(sets.count());
    let mut dying: Vec<Label<'_>> = Vec::new();
    if state != State::Normal {
        for &at in order.iter().step_by(DEAD_ONE_IN) {
            dying.clear();
            dying.extend_from_slice(sets.get(at as usize));
            dying.push(DEAD);
            life.store.find_or_insert(&dying)?;
        }
    }
    let insert = |store: &mut LabelStore| {
        order.iter().try_for_each(|&at| store.find_or_insert(sets.get(at as usize)).map(drop))
    };
    life.time("take in (find or insert)", insert)?;
    life.time("settle (put in order)", LabelStore::settle);
    if state == State::Normal {
        let all_found = life.time("find again", |store| {
            order.iter().all(|&at| store.find(sets.get(at as usize)).is_some())
        });
        anyhow::ensure!(all_found, "a series that was taken in is not found");
        return Ok(life);
    }
    life.store.begin_generation();
    let living: Vec<SeriesId> = order
        .iter()
        .map(|&at| life.store.find(sets.get(at as usize)).context("a series is not found"))
        .collect::<Result<_>>()?;
    let touched = life.time("touch", |store| living.iter().all(|&id| store.touch(id)));
    anyhow::ensure!(touched, "a series that lives is not there");
    let boundary = life.store.next_id();
    let frozen = life.time("freeze", |store| store.freeze(boundary))?;
    if state == State::Shrunk {
        let snapshot = life.time("copy the living", |_| frozen.copy());
        life.time("finish (put the copy in place)", |store| store.finish(snapshot))?;
    }
    life.time("settle again", LabelStore::settle);
    Ok(life)
}

/// The command `series store`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    let Some((text, turn_count)) = asked(words, USAGE)? else { return Ok(()) };
    let sets = text.sets()?;
    let mut runs = Vec::new();
    for _ in 0..turn_count {
        for state in [State::Normal, State::Shrunk] {
            let before = from_here();
            runs.push(figures_of(live(&sets, state)?, state, &before));
        }
    }
    figures::joined(runs).iter().try_for_each(Figures::say)
}

/// The steps as rows; the last has the memory in it.
fn figures_of(life: Life, state: State, before: &FromHere) -> Vec<Figures> {
    let mut rows: Vec<Figures> = Vec::new();
    for (step, sample) in &life.steps {
        let mut row = Figures { row: (*step).to_owned(), ..Figures::default() };
        row.turn(sample);
        rows.push(row);
    }
    // Inserts into a shrunk store include the dead series: another row than that of a normal one.
    if state == State::Shrunk {
        rows.retain(|row| !row.row.starts_with("take in") && !row.row.starts_with("settle (put"));
    }
    if let Some(last) = rows.last_mut() {
        last.extra_kib = before.extra_kib();
        last.kept_bytes = life.store.memory_len() as i64;
        last.count = life.store.len().into();
    }
    rows
}

/// The rows of the store's own work.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let tsv = bench.tsv(Shape::Kubernetes, bench.count)?;
    let turns = bench.turn_count.to_string();
    let words = ["store", "--turns", &turns, "--tsv"].map(OsStr::new);
    let figures = figures::of_ours(KIND.name, &[&words[..], &[tsv.as_os_str()]].concat())?;
    let note = format!(
        "{} series taken in shuffled; before a freeze a ninth part as many died. Least of {turns} turns. Published of \
         prompp's store, on the peers' study's machine under load and never beside ours: about 8,450 ms to take the \
         same series in, 60.5 MB held. \"Tables\" is what the store says it holds, \"extra\" the peak of the resident \
         set above what was there before, with the order to insert in.",
        bench.count
    );
    let head = ["step", "CPU ms", "wall ms", "series", "tables MB", "extra MiB"];
    let mut table = Table::new("Label store", &note, &head);
    for row in &figures {
        let or_dash = |value: u64, shown: String| if value == 0 { "-".to_owned() } else { shown };
        table.row(vec![
            row.row.clone(),
            table::ms(row.cpu_ms()),
            table::ms(row.wall_ms()),
            or_dash(row.count, row.count.to_string()),
            or_dash(row.kept_bytes as u64, format!("{:.1}", row.kept_bytes as f64 / 1e6)),
            or_dash(row.count, format!("{:.0}", row.extra_kib as f64 / 1024.0)),
        ]);
    }
    findings.tables.push(table);
    let series = figures.iter().map(|row| row.series("ours")).collect();
    findings.raw.push((format!("store/{K8S}"), series));
    Ok(())
}
