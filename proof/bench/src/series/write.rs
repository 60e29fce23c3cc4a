//! Indexes written: the command that writes one, and the rows beside Prometheus's index writer.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule_core::sorted::Strings;
use manicule_labels::{LabelStore, Selected, StoreInput};
use manicule_series::write::{
    ChunksBy, IndexWriter, Joined, Part, SortedSets, Source, SymbolChoice, WriteOptions,
};

use super::input::{ChunkRule, Sets, Text};
use super::stores::{self, State};
use crate::figures::{self, Figures, FromHere, from_here};
use crate::measure::timed;

const USAGE: &str = "usage: manicule-bench series write --tsv FILE -o INDEX [OPTIONS]

Writes the index of the label sets of FILE (one a line, sorted: name, tab, value, tab, name ...), with
chunk metas by the rule of the golden index files, and says what each stage took, one JSON object a line.

  --tsv FILE         the label sets
  -o INDEX           the index, overwritten
  --chunks K         chunk metas a series (default: 2)
  --from WHAT        where the measured work begins: strings, ids (strings interned before), or a label store:
                     store-normal, store-fixed, store-shrunk (default: strings)
  --memory BYTES     memory beside the label sets (default: what is needed)
  --label-indices    the sections that Prometheus 2 wrote and no reader uses, too
  --threads N        threads that intern strings (default: 1)
  --turns N          writes it so often (default: 1)";

/// Bytes are encoded in pieces of about this length before they are written.
const PIECE_LEN: usize = 256 << 10;
/// Memory of the process beside the writer's: the pieces, and free memory that the allocator keeps.
const ASIDE_LEN: u64 = 3 << 20;

/// Start of the measured work.
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

/// Name of the stage of a part.
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
    /// Runs a piece of work of a stage.
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
    /// Options of the writer, if this part of the memory is in use already.
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

/// The store exists before; its memory doesn't count.
fn write_store(options: &Options, store: &LabelStore) -> Result<Vec<Figures>> {
    let mut stages = Stages::default();
    let before = from_here();
    let mut rule = ChunkRule::new(options.chunk_count);
    let chunks = ChunksBy::new(|place, out: &mut Vec<_>| out.extend_from_slice(rule.next(place)));
    let writer = stages.time(SORT, || {
        let StoreInput { strings, pairs, series } = StoreInput::new(store, Selected::All);
        let source = Joined { labels: series, chunks };
        IndexWriter::new(strings, pairs, source, options.choice(0))
    });
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
