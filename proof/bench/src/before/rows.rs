//! The rows: command lines of the kinds, and the commands that measure the library, each by both
//! sides in turns.

use std::path::PathBuf;

use anyhow::Result;

use super::Bench;
use crate::files::{copy_folder, remove};
use crate::findings::Findings;
use crate::measure::{CPU, Lane, Measure, Pairing, Series, Task, interleave, ratio};
use crate::series::before as series;
use crate::table::{self, Table, Target};
use crate::{code, find};

/// Maximum ratio of a row's costs; the machine's noise is about as large.
const NOT_WORSE: Target = Target::at_most(1.03, 1.0);

/// Number of times that the turns of a row that misses are measured again: noise levels out, a
/// slower program stays slower.
const MORE: usize = 3;

/// Minimum duration of a row that is held to the ratio: clocks and schedulers are too coarse for
/// it.
const HELD_MS: f64 = 0.5;

const HEAD: [&str; 6] =
    ["row", "CPU ms before", "CPU ms now", "least / least", "median of pairs", "answers"];

const SIDES: [&str; 2] = ["before", "now"];

/// A file or folder that a side's turn finds as it was before the first.
pub(super) struct Fresh {
    pub(super) path: PathBuf,
    /// The folder that it is a copy of; otherwise it isn't there.
    pub(super) copy_of: Option<PathBuf>,
}

impl Fresh {
    fn make(&self) -> Result<()> {
        remove(&self.path)?;
        match &self.copy_of {
            Some(folder) => copy_folder(folder, &self.path),
            None => Ok(()),
        }
    }
}

fn absent(paths: &[PathBuf; 2]) -> Option<[Fresh; 2]> {
    Some(paths.clone().map(|path| Fresh { path, copy_of: None }))
}

/// The table of a group, as it grows.
pub(super) struct Rows<'a> {
    group: String,
    table: Table,
    findings: &'a mut Findings,
}

impl<'a> Rows<'a> {
    pub(super) fn new(group: String, bench: &Bench<'_>, findings: &'a mut Findings) -> Rows<'a> {
        let note = format!(
            "{} turns of a search, {} of everything else, after one that is not counted; {MORE} times as many on top \
             where a row misses by these. CPU of user and system, least of all turns; ratios are now / before. A row is \
             held to {} by the smaller of its two ratios: noise moves one of them, a slower program both.",
            bench.run_count, bench.turn_count, NOT_WORSE.least
        );
        Rows { table: Table::new(group.clone(), &note, &HEAD), group, findings }
    }

    /// Adds a row; `same` says whether both sides gave one answer.
    pub(super) fn add(&mut self, name: &str, both: [Series; 2], same: Option<bool>) {
        let [before, now] = &both;
        for (series, side) in both.iter().zip(SIDES) {
            if let Some(failure) = &series.failure {
                self.findings.left_out(format!("{}, {name}, {side}: {failure}", self.group));
            }
        }
        let Ratios { pairs, leasts } = Ratios::of(&both);
        if is_held(&both) {
            let held = pairs.zip(leasts).map(|(pairs, leasts)| f64::min(pairs, leasts));
            self.findings.check(&self.group, "CPU now / before", NOT_WORSE, name, held);
        }
        if same == Some(false) {
            self.findings.different.push(format!("{}, {name}", self.group));
        }
        let [before_ms, now_ms] = [before, now].map(|side| ms(least(side, CPU)));
        eprintln!("  {name}: {before_ms}, {now_ms}");
        self.table.row(vec![
            name.to_owned(),
            before_ms,
            now_ms,
            table::times(leasts),
            pairs.map_or("-".to_owned(), |pairs| format!("{pairs:.2}")),
            same.map_or("-", |same| if same { "equal" } else { "**different**" }).to_owned(),
        ]);
        self.findings.raw.push((format!("{}/{name}", self.group), both.into()));
    }

    pub(super) fn end(self) {
        self.findings.tables.push(self.table);
    }
}

/// Milliseconds with the digits that microseconds leave.
fn ms(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| {
        if value < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") }
    })
}

/// Comparison of two sides.
struct Ratios {
    /// The median of pairs of turns.
    pairs: Option<f64>,
    /// The least of all turns.
    leasts: Option<f64>,
}

impl Ratios {
    fn of([before, now]: &[Series; 2]) -> Ratios {
        let leasts = least(now, CPU).zip(least(before, CPU));
        Ratios {
            pairs: ratio(now, before, Pairing::Pairs, CPU),
            leasts: leasts.map(|(now, before)| now / before),
        }
    }
}

fn is_held([before, _]: &[Series; 2]) -> bool {
    least(before, CPU).is_some_and(|ms| ms >= HELD_MS)
}

/// Whether a row misses by the turns so far.
fn misses(both: &[Series; 2]) -> bool {
    let over = |ratio: Option<f64>| ratio.is_some_and(|ratio| ratio > NOT_WORSE.least);
    let Ratios { pairs, leasts } = Ratios::of(both);
    is_held(both) && over(pairs) && over(leasts)
}

/// Adds turns to those of a row.
fn add_turns(both: &mut [Series; 2], more: impl IntoIterator<Item = Series>) {
    for (own, more) in both.iter_mut().zip(more) {
        own.samples.extend(more.samples);
        own.failure = own.failure.take().or(more.failure);
    }
}

fn least(series: &Series, measure: Measure) -> Option<f64> {
    series.samples.iter().map(measure).min_by(f64::total_cmp)
}

/// Both sides by turns, each with a file or folder that is made fresh.
pub(super) fn by_turns(
    bench: &Bench<'_>,
    tasks: [Task; 2],
    fresh: Option<[Fresh; 2]>,
    turns: usize,
) -> Result<[Series; 2]> {
    let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(Lane::from).collect();
    for (lane, fresh) in lanes.iter_mut().zip(fresh.into_iter().flatten()) {
        lane.before = Some(Box::new(move || fresh.make()));
    }
    let out = bench.scratch.join("answer");
    let series = interleave(&mut lanes, 1, turns, &out)?;
    let mut both = series.try_into().expect("as many series as lanes");
    if misses(&both) {
        add_turns(&mut both, interleave(&mut lanes, 0, MORE * turns, &out)?);
    }
    Ok(both)
}

/// Folders that the sides have for themselves.
pub(super) fn folders(bench: &Bench<'_>, name: &str) -> [PathBuf; 2] {
    SIDES.map(|side| bench.scratch.join(format!("{name}-{side}")))
}

/// Whether both printed the same lines.
pub(super) fn same(both: &[Series; 2]) -> Option<bool> {
    Some(both[0].output == both[1].output)
}

/// Searches of both sides: rows of the same name, in the same order.
fn searches(bench: &Bench<'_>, sides: [Vec<(String, Task)>; 2], rows: &mut Rows<'_>) -> Result<()> {
    let [before, now] = sides;
    for ((name, before), (_, now)) in before.into_iter().zip(now) {
        let both = by_turns(bench, [before, now], None, bench.run_count)?;
        let same = same(&both);
        rows.add(&name, both, same);
    }
    Ok(())
}

/// Rows of `find`: the index built, each pattern with it, some without it, the list of files.
pub(super) fn find(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let group = format!("find, {}", bench.corpus.name());
    let mut rows = Rows::new(group, bench, findings);
    let caches = folders(bench, "cache");
    let build =
        |side: usize| find::index_task(&bench.sides[side].manicule, bench.tree, &caches[side]);
    let both = by_turns(bench, [build(0), build(1)], absent(&caches), bench.turn_count)?;
    rows.add("index build", both, None);
    let sides = [0, 1]
        .map(|side| find::search_tasks(&bench.sides[side].manicule, bench.tree, &caches[side]));
    searches(bench, sides, &mut rows)?;
    rows.end();
    Ok(())
}

/// Rows of `code`: shards built, and each query over them.
pub(super) fn code(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let group = format!("code, {}", bench.corpus.name());
    let mut rows = Rows::new(group, bench, findings);
    let shards = folders(bench, "shards");
    for (name, options) in [("index, 1 thread", &["--threads", "1"][..]), ("index", &[])] {
        let build = |side: usize| {
            let programs = bench.sides[side];
            code::index_task(name, &programs.manicule, options, bench.tree, &shards[side])
        };
        let both = by_turns(bench, [build(0), build(1)], absent(&shards), bench.turn_count)?;
        rows.add(name, both, None);
    }
    let sides = [0, 1]
        .map(|side| code::search_tasks(&bench.sides[side].manicule, bench.tree, &shards[side]));
    searches(bench, sides, &mut rows)?;
    rows.end();
    Ok(())
}

/// Rows of `series` that commands of the bench measure, step by step. They compare two builds of
/// the bench: both have to be of one profile.
pub(super) fn series_steps(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let mut rows = Rows::new("series, steps".to_owned(), bench, findings);
    let input = series::Input::make(bench.scratch, bench.series_count, &bench.sides[1].manicule)?;
    for (name, words) in input.measured() {
        let sides = bench.sides.map(|programs| programs.bench.as_path());
        let mut found = series::measured(sides, &words, bench.turn_count)?;
        if found.iter().any(|row| misses(&row.both)) {
            let more = series::measured(sides, &words, MORE * bench.turn_count)?;
            for (row, more) in found.iter_mut().zip(more) {
                add_turns(&mut row.both, more.both);
            }
        }
        for row in found {
            rows.add(&format!("{name}: {}", row.name), row.both, row.same);
        }
    }
    rows.end();
    Ok(())
}

/// Rows of `series`: the program's own commands.
pub(super) fn series(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let mut rows = Rows::new("series".to_owned(), bench, findings);
    let input = series::Input::make(bench.scratch, bench.series_count, &bench.sides[1].manicule)?;
    let outputs = folders(bench, "blocks");
    let sides = [0, 1].map(|side| input.commands(&bench.sides[side].manicule, &outputs[side]));
    let [before, now] = sides;
    for ((name, before), (_, now)) in before.into_iter().zip(now) {
        let both = by_turns(bench, [before, now], absent(&outputs), bench.turn_count)?;
        rows.add(&name, both, None);
    }
    rows.end();
    Ok(())
}
