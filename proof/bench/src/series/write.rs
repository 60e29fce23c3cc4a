//! Indexes written: the command that writes one, and the rows beside Prometheus's index writer.
//!
//! Callers: series/mod

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule_core::sorted::Strings;
use manicule_series::store::{LabelStore, Selected, SeriesId, StoreInput};
use manicule_series::write::{
    ChunksBy, IndexWriter, Joined, Part, SortedSets, Source, SymbolChoice, WriteOptions,
};
use manicule_testkit::Shape;

use super::figures::{self, Figures, FromHere, from_here};
use super::input::{ChunkRule, Sets, Text};
use super::stores::{self, State};
use super::{Bench, K8S, NO_PEER};
use crate::findings::Findings;
use crate::measure::timed;
use crate::table::{self, Table, Target};

const USAGE: &str = "usage: manicule-bench series write --tsv FILE -o INDEX [OPTIONS]

Writes the index of the label sets of FILE (one a line, sorted: name, tab, value, tab, name ...), with
chunk metas by the rule of the golden index files, and says what each stage took, one JSON object a line.

  --tsv FILE         the label sets
  -o INDEX           the index, written anew
  --chunks K         chunk metas a series (default: 2)
  --from WHAT        where the measured work begins: strings, ids (strings interned before), or a label store:
                     store-normal, store-fixed, store-shrunk (default: strings)
  --memory BYTES     memory beside the label sets (default: what is needed)
  --label-indices    the sections that Prometheus 2 wrote and nobody reads, too
  --threads N        threads that intern strings (default: 1)
  --turns N          writes it so often (default: 1)";

/// Bytes are encoded in pieces of about this length before they are written.
const PIECE_LEN: usize = 256 << 10;
/// What the process takes beside the writer: the pieces, and what the allocator doesn't give back.
const ASIDE_LEN: u64 = 3 << 20;
/// A memory in which a million series fit, but not much more.
const LITTLE_MEMORY: u64 = 64 << 20;
/// A memory that needs windows over their postings.
const LEAST_MEMORY: u64 = 32 << 20;

/// Where the measured work begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Strings,
    Ids,
    /// A label store in a state.
    Store(State),
}

struct Options {
    tsv: PathBuf,
    output: PathBuf,
    chunk_count: usize,
    from: From,
    memory: Option<u64>,
    label_indices: bool,
    threads: usize,
    turn_count: usize,
}

const INTERN: &str = "intern strings";
const SORT: &str = "sort symbols and pairs";
const FILE: &str = "write the file";
const SYNC: &str = "sync the file";

/// What the stage of a part is called.
fn stage(part: Part) -> &'static str {
    match part {
        Part::Sort => SORT,
        Part::Count => "count pairs",
        Part::Header | Part::Symbols => "symbols",
        Part::Series => "series",
        Part::LabelIndices | Part::LabelIndicesTable => "label indices",
        _ => "postings, tables, TOC",
    }
}

/// The command `series write`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    let Some(options) = parse(words)? else {
        println!("{USAGE}");
        return Ok(());
    };
    let text = Text::read(&options.tsv)?;
    let sets = text.sets()?;
    let mut turns = Vec::new();
    for _ in 0..options.turn_count {
        turns.push(write(&options, &sets)?);
    }
    figures::joined(turns).iter().try_for_each(Figures::say)
}

/// The stages of one turn.
#[derive(Default)]
struct Stages(Vec<Figures>);

impl Stages {
    /// Does a piece of work of a stage.
    fn time<R>(&mut self, row: &str, work: impl FnOnce() -> R) -> R {
        let (result, sample) = timed(work);
        let stage = match self.0.iter_mut().find(|stage| stage.row == row) {
            Some(stage) => stage,
            None => {
                let (cpu_us, wall_us) = (vec![0.0], vec![0.0]);
                let row = row.to_owned();
                self.0.push(Figures { row, cpu_us, wall_us, ..Figures::default() });
                self.0.last_mut().expect("one was just added")
            }
        };
        stage.cpu_us[0] += sample.cpu_ms * 1e3;
        stage.wall_us[0] += sample.wall_ms * 1e3;
        result
    }
}

/// Writes the index once.
fn write(options: &Options, sets: &Sets<'_>) -> Result<Vec<Figures>> {
    match options.from {
        From::Store(state) => write_store(options, &stores::store(sets, state)?),
        From::Strings | From::Ids => write_sets(options, sets),
    }
}

impl Options {
    /// How the index is written, when so much of the memory is taken already.
    fn choice(&self, held_kib: i64) -> WriteOptions {
        let held_len = ((held_kib.max(0) as u64) << 10) + ASIDE_LEN;
        let memory = self.memory.map_or(u64::MAX, |memory| memory.saturating_sub(held_len));
        WriteOptions { memory, symbols: SymbolChoice::All, label_indices: self.label_indices }
    }
}

fn write_sets(options: &Options, sets: &Sets<'_>) -> Result<Vec<Figures>> {
    let mut stages = Stages::default();
    let before = from_here();
    let interned = match options.from {
        From::Strings => stages.time(INTERN, || intern(sets, options.threads)),
        _ => intern(sets, options.threads),
    };
    let before = if options.from == From::Ids { from_here() } else { before };
    let mut rule = ChunkRule::new(options.chunk_count);
    let chunks = ChunksBy::new(|place, out: &mut Vec<_>| out.extend_from_slice(rule.next(place)));
    let source = Joined { labels: interned.series(), chunks };
    let choice = options.choice(before.extra_kib());
    let writer =
        stages.time(SORT, || IndexWriter::new(&interned, interned.pairs(), source, choice));
    write_file(options, stages, writer, &before)
}

/// The store is there before; of its memory nothing counts.
fn write_store(options: &Options, store: &LabelStore) -> Result<Vec<Figures>> {
    let mut stages = Stages::default();
    let before = from_here();
    let mut rule = ChunkRule::new(options.chunk_count);
    let mut place = 0;
    let tell = |_: SeriesId, out: &mut Vec<_>| {
        out.extend_from_slice(rule.next(place));
        place += 1;
        Ok(())
    };
    let writer =
        stages.time(SORT, || StoreInput::new(store, Selected::All, tell).writer(options.choice(0)));
    write_file(options, stages, writer, &before)
}

fn write_file<T: Strings, S: Source>(
    options: &Options,
    mut stages: Stages,
    mut writer: IndexWriter<T, S>,
    before: &FromHere,
) -> Result<Vec<Figures>> {
    let mut file = File::create(&options.output)
        .with_context(|| format!("creating {}", options.output.display()))?;
    let mut piece = Vec::with_capacity(PIECE_LEN * 2);
    while writer.part() != Part::Done {
        piece.clear();
        stages.time(stage(writer.part()), || writer.step(&mut piece, PIECE_LEN))?;
        stages.time(FILE, || file.write_all(&piece))?;
    }
    stages.time(SYNC, || file.sync_all())?;
    let last = stages.0.last_mut().expect("stages ran");
    last.extra_kib = before.extra_kib();
    last.count = writer.series_count().into();
    Ok(stages.0)
}

/// Each thread takes a stretch of the sets; the stretches are joined in their order.
fn intern(sets: &Sets<'_>, threads: usize) -> SortedSets {
    let of = |stretch: Range<usize>| {
        let mut interned = SortedSets::default();
        stretch.for_each(|at| interned.push(sets.get(at).iter().copied()));
        interned
    };
    let start = |part: usize| sets.count() * part / threads;
    std::thread::scope(|scope| {
        let stretches = (1..threads).map(|part| start(part)..start(part + 1));
        let others: Vec<_> = stretches.map(|stretch| scope.spawn(move || of(stretch))).collect();
        let mut all = of(0..start(1));
        for other in others {
            all.append(other.join().expect("a thread that interns doesn't panic"));
        }
        all
    })
}

fn parse(words: Vec<OsString>) -> Result<Option<Options>> {
    use lexopt::prelude::*;
    let (mut tsv, mut output) = (None, None);
    let (mut chunk_count, mut threads, mut turn_count) = (2, 1, 1);
    let (mut from, mut memory, mut label_indices) = (From::Strings, None, false);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("tsv") => tsv = Some(parser.value()?.into()),
            Short('o') => output = Some(parser.value()?.into()),
            Long("chunks") => chunk_count = parser.value()?.parse()?,
            Long("from") => from = from_named(&parser.value()?.string()?)?,
            Long("memory") => memory = Some(parser.value()?.parse()?),
            Long("label-indices") => label_indices = true,
            Long("threads") => threads = parser.value()?.parse::<usize>()?.max(1),
            Long("turns") => turn_count = parser.value()?.parse()?,
            Long("help") | Short('h') => return Ok(None),
            _ => return Err(word.unexpected().into()),
        }
    }
    let tsv = tsv.context("--tsv FILE is missing")?;
    let output = output.context("-o INDEX is missing")?;
    Ok(Some(Options { tsv, output, chunk_count, from, memory, label_indices, threads, turn_count }))
}

fn from_named(name: &str) -> Result<From> {
    match name {
        "strings" => Ok(From::Strings),
        "ids" => Ok(From::Ids),
        "store-normal" => Ok(From::Store(State::Normal)),
        "store-fixed" => Ok(From::Store(State::Fixed)),
        "store-shrunk" => Ok(From::Store(State::Shrunk)),
        other => bail!("--from {other}: it is strings, ids, or store-normal, -fixed, -shrunk"),
    }
}

/// A way of writing that takes its turns.
struct Way {
    name: &'static str,
    /// Options of our command; none for the peer's.
    words: Option<Vec<String>>,
}

const PEER: &str = "Prometheus's index writer";
const OURS: &str = "ours, from strings";
const OURS_TWO: &str = "ours, from strings, 2 threads";
const OURS_LITTLE: &str = "ours, from strings, --memory 64 MiB";
const OURS_LEAST: &str = "ours, from strings, --memory 32 MiB";
/// Where our writer begins with numbers of labels rather than strings.
const NUMBERED: [(&str, &str); 4] = [
    ("ours, from ids", "ids"),
    ("ours, from the label store (normal)", "store-normal"),
    ("ours, from the label store (fixed)", "store-fixed"),
    ("ours, from the label store (after shrink)", "store-shrunk"),
];

/// Our ways to write an index, with the options of the command `series write`.
pub(super) fn our_ways() -> Vec<(&'static str, Vec<String>)> {
    let (little, least) = (LITTLE_MEMORY.to_string(), LEAST_MEMORY.to_string());
    let way = |name, words: &[&str]| (name, words.iter().map(|&word| word.to_owned()).collect());
    let mut ways = vec![way(OURS, &[]), way(OURS_TWO, &["--threads", "2"])];
    ways.extend(NUMBERED.map(|(name, from)| way(name, &["--from", from])));
    ways.extend([way(OURS_LITTLE, &["--memory", &little]), way(OURS_LEAST, &["--memory", &least])]);
    ways
}

/// What all ways gave.
struct Measured {
    /// Rows of each way; none for a peer that isn't there.
    ways: Vec<(&'static str, Vec<Figures>)>,
    /// Bytes of the index, and whether they are the peer's.
    len: u64,
    /// Ways whose bytes differ from those of the first.
    different: Vec<&'static str>,
}

/// All ways by turns. The indexes are compared in the first turn.
fn by_turns(bench: &Bench<'_>, shape: Shape, tsv: &Path, ways: &[Way]) -> Result<Measured> {
    let mut runs: Vec<Vec<Vec<Figures>>> = ways.iter().map(|_| Vec::new()).collect();
    let (mut len, mut different) = (0, Vec::new());
    let mut judge: Option<PathBuf> = None;
    for turn in 0..bench.turn_count {
        for (way, runs) in ways.iter().zip(&mut runs) {
            let index = match &way.words {
                Some(words) => {
                    let index = bench.scratch.join("ours.index");
                    let mut all: Vec<&OsStr> = vec!["write".as_ref(), "--tsv".as_ref()];
                    all.extend([tsv.as_os_str(), "-o".as_ref(), index.as_os_str()]);
                    all.extend(words.iter().map(OsStr::new));
                    runs.push(figures::of_ours(&all)?);
                    index
                }
                None => {
                    let Some(peer) = &bench.peer else { continue };
                    let blocks = bench.peer_blocks(shape);
                    let words: [&OsStr; 5] = ["write", "-in", "", "-out", ""].map(OsStr::new);
                    let words = [words[0], words[1], tsv.as_os_str(), words[3], blocks.as_os_str()];
                    runs.push(figures::of_process(peer, words)?);
                    peer_block(&blocks)?.join("index")
                }
            };
            if turn == 0 {
                len = fs::metadata(&index)?.len();
                let first = bench.scratch.join("first.index");
                match &judge {
                    Some(judge) if !same_bytes(judge, &index)? => different.push(way.name),
                    Some(_) => {}
                    None => {
                        fs::rename(&index, &first)
                            .or_else(|_| fs::copy(&index, &first).map(drop))?;
                        // The peer's block stays whole: others read it.
                        if way.words.is_none() {
                            fs::copy(&first, &index)?;
                        }
                        judge = Some(first);
                    }
                }
            }
        }
    }
    let ways = ways.iter().zip(runs).map(|(way, runs)| (way.name, figures::joined(runs)));
    Ok(Measured { ways: ways.collect(), len, different })
}

/// The one block in a folder of the peer.
pub(super) fn peer_block(folder: &Path) -> Result<PathBuf> {
    let entry = fs::read_dir(folder)?.next().context("the peer left no block")??;
    Ok(entry.path())
}

/// Read piece by piece: what this process holds counts as memory of those that it starts.
fn same_bytes(left: &Path, right: &Path) -> Result<bool> {
    let [mut left, mut right] = [
        BufReader::with_capacity(PIECE_LEN, File::open(left)?),
        BufReader::with_capacity(PIECE_LEN, File::open(right)?),
    ];
    loop {
        let (of_left, of_right) = (left.fill_buf()?, right.fill_buf()?);
        let len = of_left.len().min(of_right.len());
        if of_left[..len] != of_right[..len] {
            return Ok(false);
        }
        if len == 0 {
            return Ok(of_left.len() == of_right.len());
        }
        left.consume(len);
        right.consume(len);
    }
}

/// All stages of a way as one row: sums of each turn.
fn total(stages: &[Figures]) -> Option<Figures> {
    let mut total = stages.first()?.clone();
    for stage in &stages[1..] {
        let pairs = [(&mut total.cpu_us, &stage.cpu_us), (&mut total.wall_us, &stage.wall_us)];
        for (sums, turns) in pairs {
            sums.iter_mut().zip(turns).for_each(|(sum, turn)| *sum += turn);
        }
        total.extra_kib = total.extra_kib.max(stage.extra_kib);
    }
    Some(total)
}

const HEAD: &[&str] = &[
    "input",
    "program",
    "CPU ms",
    "wall ms",
    "extra MiB",
    "index bytes",
    "bytes as the peer's",
    "CPU peer / it",
    "wall peer / it",
];

/// Adds the rows of a measured input, and gives the totals of the ways.
fn report(
    input: &str,
    measured: &Measured,
    table: &mut Table,
    findings: &mut Findings,
) -> Vec<(&'static str, Option<Figures>)> {
    let totals: Vec<_> =
        measured.ways.iter().map(|(name, stages)| (*name, total(stages))).collect();
    let peer = totals.iter().find(|(name, _)| *name == PEER).and_then(|(_, total)| total.clone());
    for (name, total) in &totals {
        let Some(total) = total else { continue };
        let same = match (&peer, measured.different.contains(name)) {
            (None, _) => NO_PEER,
            (Some(_), false) => "yes",
            (Some(_), true) => "**no**",
        };
        let over = |of: fn(&Figures) -> Option<f64>| match &peer {
            Some(peer) => table::times(of(peer).zip(of(total)).map(|(peer, own)| peer / own)),
            None => NO_PEER.to_owned(),
        };
        table.row(vec![
            input.to_owned(),
            (*name).to_owned(),
            table::ms(total.cpu_ms()),
            table::ms(total.wall_ms()),
            format!("{:.0}", total.extra_kib as f64 / 1024.0),
            measured.len.to_string(),
            same.to_owned(),
            over(Figures::cpu_ms),
            over(Figures::wall_ms),
        ]);
    }
    for name in &measured.different {
        findings.different.push(format!("{input}: the index of {name}"));
    }
    for (name, stages) in &measured.ways {
        let series = stages.iter().map(|stage| stage.series(name)).collect();
        findings.raw.push((format!("write/{input}/{name}"), series));
    }
    totals
}

/// CPU of one way over that of another.
fn ratio(totals: &[(&str, Option<Figures>)], over: &str, under: &str) -> Option<f64> {
    let cpu = |name: &str| {
        totals.iter().find(|(own, _)| *own == name).and_then(|(_, total)| total.as_ref()?.cpu_ms())
    };
    Some(cpu(over)? / cpu(under)?)
}

/// The Kubernetes series: every way, and the stages of each.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let tsv = bench.tsv(Shape::Kubernetes, bench.count)?;
    let mut ways = vec![Way { name: PEER, words: None }];
    ways.extend(our_ways().into_iter().map(|(name, words)| Way { name, words: Some(words) }));
    let measured = by_turns(bench, Shape::Kubernetes, &tsv, &ways)?;
    let note = format!(
        "{} series, two chunk metas each, sorted label sets as strings in memory before. Processes by turns, {} of \
         each; least of all turns. The peer's sum has its caller's collecting and sorting of symbols in it. Extra \
         memory: the resident set above what was there before; the peer's has its mapped file in it.",
        bench.count, bench.turn_count
    );
    let mut table = Table::new("Index written", &note, HEAD);
    let totals = report(K8S, &measured, &mut table, findings);
    findings.tables.push(table);
    findings.tables.push(stages_table(&measured));
    hold(&totals, findings);
    Ok(())
}

fn hold(totals: &[(&'static str, Option<Figures>)], findings: &mut Findings) {
    let of = |name: &str| totals.iter().find(|(own, _)| *own == name)?.1.as_ref();
    let extra = |name: &str| Some(of(name)?.extra_kib as f64 * 1024.0 / 1e6);
    let quarter = Target::at_most(0.25, 0.25);
    findings.check(
        "write from strings",
        "CPU ours / peer's",
        quarter,
        K8S,
        ratio(totals, OURS, PEER),
    );
    let wall = |name| of(name).and_then(Figures::wall_ms);
    let wall = wall(OURS_TWO).zip(wall(PEER)).map(|(ours, peer)| ours / peer);
    let fifth = Target::at_most(0.2, 0.2);
    findings.check("write from strings, 2 threads", "wall ours / peer's", fifth, K8S, wall);
    for (name, _) in NUMBERED {
        let (cpu, most) = (of(name).and_then(Figures::cpu_ms), Target::at_most(200.0, 200.0));
        findings.check("write from numbers of labels", "CPU ms", most, name, cpu);
        // Where the study's machine took 200 ms, Prometheus took 1,998 to 2,259 there.
        let (of_peer, tenth) = (ratio(totals, name, PEER), Target::at_most(0.1, 0.1));
        findings.check("write from numbers of labels", "CPU ours / peer's", tenth, name, of_peer);
    }
    let most = Target::at_most(300.0, 300.0);
    findings.check("write, extra memory", "MB", most, K8S, extra(OURS));
    let twice = Target::at_most(2.0, 2.0);
    for (name, memory) in [(OURS_LITTLE, LITTLE_MEMORY), (OURS_LEAST, LEAST_MEMORY)] {
        let whole = Target::at_most(1.0, 1.0);
        let share = extra(name).map(|extra| extra * 1e6 / memory as f64);
        findings.check("write with little memory", "extra / --memory", whole, name, share);
        let slower = ratio(totals, name, OURS);
        findings.check("write with little memory", "CPU / without", twice, name, slower);
    }
}

/// Where the time goes, of each way.
fn stages_table(measured: &Measured) -> Table {
    let head = ["program", "stage", "CPU ms", "wall ms"];
    let mut table = Table::new("Index written: stages", "Least of all turns.", &head);
    for (name, stages) in &measured.ways {
        for stage in stages {
            let cells = [table::ms(stage.cpu_ms()), table::ms(stage.wall_ms())];
            table.row([(*name).to_owned(), stage.row.clone()].into_iter().chain(cells).collect());
        }
    }
    table
}

/// How many series a held-out shape has.
fn held_out_count(shape: Shape) -> usize {
    match shape {
        Shape::ManyNames => 50_000,
        Shape::LongValues => 20_000,
        _ => 250_000,
    }
}

/// Shapes that nothing was tuned on.
pub(super) fn shape_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let note = "As above, of other label sets: three labels of as many values as there are series; names and values \
                beyond ASCII; nine hundred names; nine values a label; values of kilobytes.";
    let mut table = Table::new("Index written: shapes that nothing was tuned on", note, HEAD);
    for shape in Shape::HELD_OUT {
        let count = held_out_count(shape).min(bench.count);
        let tsv = bench.tsv(shape, count)?;
        let ways = [Way { name: PEER, words: None }, Way { name: OURS, words: Some(Vec::new()) }];
        let measured = by_turns(bench, shape, &tsv, &ways)?;
        let input = format!("{}, {count}", shape.name());
        let totals = report(&input, &measured, &mut table, findings);
        let third = Target::at_most(1.0 / 3.0, 1.0 / 3.0);
        let figure = ratio(&totals, OURS, PEER);
        findings.check("write, held-out shapes", "CPU ours / peer's", third, &input, figure);
        fs::remove_dir_all(bench.peer_blocks(shape)).ok();
        fs::remove_file(tsv)?;
    }
    findings.tables.push(table);
    Ok(())
}
