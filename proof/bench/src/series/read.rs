//! Blocks read: the command that asks a block, and the rows beside Prometheus's block reader and
//! promtool.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule_format_prometheus::SeriesRef;
use manicule_series::query::{self, Work};
use manicule_series::{Block, Matcher, Selector};
use manicule_testkit::Shape;

use super::questions::{Ask, Question};
use super::write_rows::peer_block;
use super::{Bench, K8S, KIND, NO_PEER};
use crate::figures::{self, Figures, anonymous_kib, repeated};
use crate::findings::Findings;
use crate::measure::{self, Lane, Task, timed};
use crate::table::{self, Table, Target};

const USAGE: &str = "usage: manicule-bench series read --block DIR --questions FILE [--turns N]

Opens a block and asks it each question of FILE (as `series generate` writes them), and says what each
took, one JSON object a line: with how many things were found and a hash of them.";

const OPEN: &str = "open";

/// The command `series read`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    use lexopt::prelude::*;
    let (mut block, mut questions, mut turn_count) = (None, None, 5);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("block") => block = Some(PathBuf::from(parser.value()?)),
            Long("questions") => questions = Some(PathBuf::from(parser.value()?)),
            Long("turns") => turn_count = parser.value()?.parse()?,
            Long("help") | Short('h') => {
                println!("{USAGE}");
                return Ok(());
            }
            _ => return Err(word.unexpected().into()),
        }
    }
    let path = block.context("--block DIR is missing")?;
    open(&path, turn_count)?.say()?;
    for question in read_questions(&questions.context("--questions FILE is missing")?)? {
        // Opened again: the cache filled by one question doesn't help the next.
        let block = Block::open(&path)?;
        ask_often(&block, &question, turn_count)
            .with_context(|| question.row.clone())
            .and_then(|figures| figures.say())?;
    }
    Ok(())
}

fn read_questions(path: &Path) -> Result<Vec<Question>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The opening of a block, and its memory then.
fn open(path: &Path, turn_count: usize) -> Result<Figures> {
    let mut figures = Figures { row: OPEN.to_owned(), ..Figures::default() };
    for _ in 0..turn_count {
        let (block, sample) = timed(|| Block::open(path));
        let block = block?;
        figures.turn(&sample);
        crate::sys::give_memory_back();
        figures.extra_kib = anonymous_kib();
        figures.count = block.index().symbol_count().into();
    }
    Ok(figures)
}

/// Result of a question: a count, and a hash of the items.
#[derive(Default)]
struct Answer {
    count: u64,
    hash: Fnv,
}

/// The hash that the peer computes, too: FNV-1a.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// Whether an answer's hash is wanted, or only its time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hash {
    Wanted,
    No,
}

fn ask_often(block: &Block, question: &Question, turn_count: usize) -> Result<Figures> {
    let selector = match question.selector.as_str() {
        "" => Selector::new(Vec::new()),
        text => Selector::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?,
    };
    let matchers = selector.matchers();
    let (answer, first) = timed(|| ask(block, question, matchers, Hash::No));
    answer?;
    let answer = ask(block, question, matchers, Hash::Wanted)?;
    let mut figures = repeated(&question.row, turn_count, || {
        black_box(ask(block, question, matchers, Hash::No)?.count);
        Ok(())
    })?;
    figures.first_us = first.cpu_ms * 1e3;
    (figures.count, figures.hash) = (answer.count, format!("{:016x}", answer.hash.0));
    Ok(figures)
}

fn ask(block: &Block, question: &Question, matchers: &[Matcher], hash: Hash) -> Result<Answer> {
    let index = block.index();
    let work = &mut Work::default();
    Ok(match question.ask {
        Ask::Postings => of_series(query::select(index, matchers, work)?.iter(), hash),
        Ask::LabelNames => of_strings(&query::label_names(index, matchers, work)?, hash),
        Ask::LabelValues => {
            let label = question.label.as_bytes();
            of_strings(&query::label_values(index, label, matchers, work)?, hash)
        }
        Ask::Iterate => iterate(block)?,
    })
}

/// Every reference is looked at.
fn of_series(series: impl Iterator<Item = SeriesRef>, hash: Hash) -> Answer {
    let mut answer = Answer::default();
    let mut sum = 0u64;
    // Walked from within: lists and bits have loops of their own there. Item by item, each step
    // would dispatch on the kind again.
    series.for_each(|series| {
        answer.count += 1;
        sum = sum.wrapping_add(u64::from(series.0));
        if hash == Hash::Wanted {
            answer.hash.add(&u64::from(series.0).to_be_bytes());
        }
    });
    black_box(sum);
    answer
}

fn of_strings(strings: &[&[u8]], hash: Hash) -> Answer {
    let mut answer = Answer { count: strings.len() as u64, ..Answer::default() };
    if hash == Hash::Wanted {
        for string in strings {
            answer.hash.add(string);
            answer.hash.add(&[255]);
        }
    }
    answer
}

/// Labels and chunks of all series; a sum over the chunks is used as the hash.
fn iterate(block: &Block) -> Result<Answer> {
    let index = block.index();
    let mut walk = index.walk();
    let (mut count, mut sum, mut len) = (0, 0u64, 0);
    for reference in index.all_postings()?.iter() {
        walk.read(reference)?;
        len += walk.labels().iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        for chunk in walk.chunks() {
            sum = sum.wrapping_add(chunk.min_time as u64 ^ chunk.reference.0);
        }
        count += 1;
    }
    black_box(len);
    Ok(Answer { count, hash: Fnv(sum) })
}

/// The rows of the reading table: both readers are asked the same of the same block.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let tsv = bench.tsv(Shape::Kubernetes, bench.count)?;
    let block = block(bench, &tsv)?;
    let questions = bench.questions();
    let turns = bench.turn_count.to_string();
    let mut sides: [Vec<Vec<Figures>>; 2] = [Vec::new(), Vec::new()];
    // Twice by turns: so that a machine that drifts is noticed.
    for _ in 0..2 {
        if let Some(peer) = &bench.peer {
            let words = ["read", "-rep", &turns, "-in"].map(OsStr::new);
            let rest = [block.as_os_str(), "-rows".as_ref(), questions.as_os_str()];
            sides[0].push(figures::of_process(peer, words.into_iter().chain(rest))?);
        }
        let words = ["read", "--turns", &turns, "--block"].map(OsStr::new);
        let rest = [block.as_os_str(), "--questions".as_ref(), questions.as_os_str()];
        sides[1]
            .push(figures::of_ours(KIND.name, &words.into_iter().chain(rest).collect::<Vec<_>>())?);
    }
    let [peer, ours] = sides.map(figures::joined);
    report(bench, &read_questions(&questions)?, &peer, &ours, findings);
    for (side, rows) in [("Prometheus", &peer), ("ours", &ours)] {
        let series = rows.iter().map(|row| row.series(side)).collect();
        findings.raw.push((format!("read/{K8S}/{side}"), series));
    }
    tools(bench, &block, findings)
}

/// A block of the Kubernetes series: the peer's where there is one, else with an index of ours.
pub(super) fn block(bench: &Bench<'_>, tsv: &Path) -> Result<PathBuf> {
    let blocks = bench.peer_blocks(Shape::Kubernetes);
    if let Some(peer) = &bench.peer {
        if !blocks.exists() {
            let words = [OsStr::new("write"), "-in".as_ref(), tsv.as_os_str()];
            let rest = [OsStr::new("-out"), blocks.as_os_str()];
            figures::of_process(peer, words.into_iter().chain(rest))?;
        }
        return peer_block(&blocks);
    }
    own_block(&blocks, tsv)
}

/// A block of ours without samples, made below a folder of the series of a file.
pub(super) fn own_block(folder: &Path, tsv: &Path) -> Result<PathBuf> {
    const NAME: &str = "01HF7YAT0060RK4CSM6MV3EE1S";
    let block = folder.join(NAME);
    fs::create_dir_all(block.join("chunks"))?;
    let meta = format!(r#"{{"ulid": "{NAME}", "minTime": 0, "maxTime": 7200000, "version": 1}}"#);
    fs::write(block.join("meta.json"), meta)?;
    let index = block.join("index");
    let words = [OsStr::new("write"), "--tsv".as_ref(), tsv.as_os_str(), "-o".as_ref()];
    figures::of_ours(KIND.name, &words.into_iter().chain([index.as_os_str()]).collect::<Vec<_>>())?;
    Ok(block)
}

const HEAD: &[&str] = &[
    "question",
    "found",
    "CPU us, Prometheus",
    "CPU us, ours",
    "ours / Prometheus",
    "ours, first time",
    "allocations, Prometheus",
    "allocations, ours",
];

fn report(
    bench: &Bench<'_>,
    questions: &[Question],
    peer: &[Figures],
    ours: &[Figures],
    findings: &mut Findings,
) {
    let note = format!(
        "The same block of {} series, in the page cache; lists are walked to their end. Two processes of each side by \
         turns, {} batches in each; least of the means of all batches. \"First time\": of a block just opened, when the \
         checksums of lists have not been looked at yet. Answers are compared by a hash of every reference or string.",
        bench.count, bench.turn_count
    );
    let mut table = Table::new("Block read", &note, HEAD);
    let of = |side: &'_ [Figures], row: &str| side.iter().find(|one| one.row == row).cloned();
    let us = |figures: Option<&Figures>| figures.and_then(Figures::cpu_ms).map(|ms| ms * 1e3);
    for row in std::iter::once(OPEN).chain(questions.iter().map(|question| &*question.row)) {
        let (peer, ours) = (of(peer, row), of(ours, row));
        let ratio = us(ours.as_ref()).zip(us(peer.as_ref())).map(|(ours, peer)| ours / peer);
        let allocs =
            |of: &Option<Figures>| of.as_ref().map_or("-".into(), |of| of.allocs.to_string());
        let found = ours.as_ref().map_or("-".to_owned(), |ours| ours.count.to_string());
        let first = ours.as_ref().map(|ours| ours.first_us).filter(|us| *us > 0.0);
        let peer_us = us(peer.as_ref());
        table.row(vec![
            row.to_owned(),
            if row == OPEN { "-".to_owned() } else { found },
            peer_us.map_or(NO_PEER.to_owned(), |us| table::ms(Some(us))),
            table::ms(us(ours.as_ref())),
            ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}")),
            table::ms(first),
            allocs(&peer),
            allocs(&ours),
        ]);
        if row == OPEN {
            hold_open(ratio, peer.as_ref(), ours.as_ref(), findings);
            continue;
        }
        let question = questions.iter().find(|question| question.row == row).expect("its row");
        let target = Target::at_most(question.target, question.target);
        findings.check(&question.class, "CPU ours / peer's", target, row, ratio);
        if row == "name + pod" {
            let most = Target::at_most(2.0, 2.0);
            findings.check("two-matcher point query", "CPU us", most, row, us(ours.as_ref()));
        }
        if let (Some(peer), Some(ours)) = (&peer, &ours)
            && (peer.count, &peer.hash) != (ours.count, &ours.hash)
        {
            let what = format!("read, {row}: {} of {}", ours.count, peer.count);
            findings.different.push(what);
        }
    }
    findings.tables.push(table);
}

fn hold_open(
    ratio: Option<f64>,
    peer: Option<&Figures>,
    ours: Option<&Figures>,
    findings: &mut Findings,
) {
    let own = |what: &str, measure: &str, most: f64, figure, findings: &mut Findings| {
        findings.check(what, measure, Target::at_most(most, most), K8S, figure);
    };
    let mb = |of: Option<&Figures>| of.map(|of| of.extra_kib as f64 * 1024.0 / 1e6);
    own("open a block", "CPU ours / peer's", 1.0, ratio, findings);
    own("open a block", "wall ms", 5.0, ours.and_then(Figures::wall_ms), findings);
    own("open a block", "anonymous memory of the process, MB", 8.0, mb(ours), findings);
    let memory = mb(ours).zip(mb(peer)).map(|(ours, peer)| ours / peer);
    own("open a block", "anonymous memory, ours / peer's", 1.0, memory, findings);
}

/// Programs beside each other: analyze.
fn tools(bench: &Bench<'_>, block: &Path, findings: &mut Findings) -> Result<()> {
    let folder = block.parent().context("a block lies in a folder")?;
    let id = block.file_name().context("a block has a name")?;
    let ours = Task::new("manicule series analyze", bench.manicule, bench.scratch).args([
        OsStr::new("series"),
        "analyze".as_ref(),
        block.as_os_str(),
    ]);
    let mut lanes = vec![Lane::from(ours)];
    if let Some(promtool) = &bench.promtool {
        let words = [OsStr::new("tsdb"), "analyze".as_ref(), folder.as_os_str(), id];
        let task = Task::new("promtool tsdb analyze", promtool, bench.scratch).args(words);
        lanes.push(Lane::from(task));
    }
    let out = bench.scratch.join("answer");
    let all = measure::interleave(&mut lanes, 1, bench.turn_count, &out)?;
    let note = "Processes from start to end, by turns, after one that is not counted; medians.";
    let mut table = Table::new("analyze", note, &["program", "CPU ms", "wall ms", "peak MiB"]);
    for series in &all {
        if let Some(failure) = &series.failure {
            findings.left_out(format!("{}: {failure}", series.name));
        }
        let cells = [series.cpu_ms(), series.wall_ms(), series.peak_mib()].map(table::ms);
        table.row(std::iter::once(series.name.clone()).chain(cells).collect());
    }
    if let [ours, peer] = &all[..] {
        let ratio = ours.cpu_ms().zip(peer.cpu_ms()).map(|(ours, peer)| ours / peer);
        let fiftieth = Target::at_most(0.02, 0.02);
        findings.check("analyze", "CPU ours / promtool's", fiftieth, K8S, ratio);
    }
    findings.tables.push(table);
    findings.raw.push((format!("analyze/{K8S}"), all));
    Ok(())
}
