//! One measured process over a store of ours: the steps that Oxigraph's program does too.

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use manicule_core::watch::Watch;
use manicule_graph::base::Split;
use manicule_graph::sparql::{Answer, DefaultGraphChoice, QueryLimits, QueryOptions, to_term};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, LeafSizes, Pattern, Store, StoreOptions, View, WhenLost};
use manicule_graphs::{Evaluation, JoinOrder, ask, change};
use manicule_store::Disk;
use oxrdf::{Term, TermRef as RdfTerm};

use super::steps::{self, Engine, Merges, Outcome, Reads, Seen};
use crate::figures::{self, Figures};
use crate::sys;

struct Ours {
    store: Store,
}

fn said(error: impl ToString) -> String {
    error.to_string()
}

fn see(seen: &mut Seen, term: RdfTerm<'_>) {
    match term {
        RdfTerm::NamedNode(node) => seen.text(node.as_str()),
        RdfTerm::Literal(literal) if literal.datatype().as_str().ends_with("ring") => {
            seen.text(literal.value());
        }
        _ => {}
    }
}

/// The same, and integers, which all stores of whole graphs spell alike.
fn see_integers(seen: &mut Seen, term: RdfTerm<'_>) {
    match term {
        RdfTerm::Literal(literal) if literal.datatype() == oxrdf::vocab::xsd::INTEGER => {
            seen.text(literal.value());
        }
        other => see(seen, other),
    }
}

impl Ours {
    fn answer(
        &self,
        text: &str,
        evaluation: Evaluation,
        see: fn(&mut Seen, RdfTerm<'_>),
        watch: &Watch<'_>,
    ) -> Outcome<Seen> {
        let (snapshot, mut seen) = (self.store.snapshot(), Seen::default());
        let options = QueryOptions {
            base: None,
            default_graph: DefaultGraphChoice::Own,
            dataset: None,
            limits: QueryLimits::NONE,
        };
        let Answer::Rows(rows) = ask(&snapshot, text, &options, evaluation, watch).map_err(said)?
        else {
            return Err("rows are asked for".to_owned());
        };
        for row in rows {
            seen.rows += 1;
            let row = row.map_err(said)?;
            row.values().iter().flatten().for_each(|term: &Term| see(&mut seen, term.as_ref()));
        }
        Ok(seen)
    }

    /// Answers questions one row after the other, each within a number of seconds, and prints a
    /// line of each row.
    fn wide(&self, file: &Path, seconds: u64, evaluation: Evaluation) -> Result<()> {
        Figures { row: "load".to_owned(), ..Figures::default() }.say()?;
        let (text, mut rows) = (std::fs::read_to_string(file)?, Vec::<(&str, Vec<_>)>::new());
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, _, turn, text] = fields[..] else { bail!("{line}") };
            match rows.last_mut().filter(|(last, _)| *last == name) {
                Some((_, texts)) => texts.push((turn, text)),
                None => rows.push((name, vec![(turn, text)])),
            }
        }
        let mut peak_kib = 0;
        for (name, texts) in rows {
            let (memory, begun) = (figures::from_here(), Instant::now());
            let (mut row, mut seen) = (Figures::default(), Seen::default());
            for (turn, text) in texts {
                let now_ns = || START.elapsed().as_nanos() as u64;
                let watch = Watch::none().until(now_ns() + seconds * 1_000_000_000, now_ns);
                let (cpu, start) = (sys::own_cpu_ms(), Instant::now());
                match self.answer(text, evaluation, see_integers, &watch) {
                    Ok(one) if turn == "timed" || start.elapsed().as_secs() > SLOW_SECONDS => {
                        row.wall_us.push(start.elapsed().as_secs_f64() * 1e6);
                        row.cpu_us.push((sys::own_cpu_ms() - cpu) * 1e3);
                        seen.rows += one.rows;
                        seen.hash = seen.hash.wrapping_add(one.hash);
                    }
                    Ok(_) => {}
                    Err(why) => row.failed = why,
                }
                let is_slow = start.elapsed().as_secs() > SLOW_SECONDS;
                if is_slow || !row.failed.is_empty() || begun.elapsed().as_secs() > seconds {
                    break;
                }
            }
            (row.row, row.count, row.hash) =
                (name.to_owned(), seen.rows, format!("{:x}", seen.hash));
            row.extra_kib = memory.extra_kib();
            peak_kib = peak_kib.max(memory.peak_kib());
            row.say()?;
        }
        let (row, count) = ("peak memory".to_owned(), peak_kib as u64);
        Figures { row, count, ..Figures::default() }.say()
    }
}

/// When this process began.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// What takes longer is asked once.
const SLOW_SECONDS: u64 = 1;

impl Engine for Ours {
    fn query(&self, text: &str) -> Outcome<Seen> {
        self.answer(text, Evaluation::Columns, see, &Watch::none())
    }

    fn point(&self, subject: &str) -> Outcome<Seen> {
        let (snapshot, mut seen) = (self.store.snapshot(), Seen::default());
        let found = snapshot.find_term(TermRef::Iri(subject)).map_err(said)?;
        let Some(subject) = found else { return Ok(seen) };
        let graph = GraphChoice::Default;
        let pattern = Pattern { subject: Some(subject), predicate: None, object: None, graph };
        for quad in snapshot.scan(&pattern) {
            let quad = quad.map_err(said)?;
            seen.rows += 1;
            for id in [quad.predicate, quad.object] {
                see(&mut seen, snapshot.read_term(id, to_term).map_err(said)?.as_ref());
            }
        }
        Ok(seen)
    }

    fn update(&self, text: &str) -> Outcome<()> {
        change(&self.store, text).map_err(said)
    }

    fn merge(&self) -> Outcome<()> {
        self.store.merge().map(|_| ()).map_err(said)
    }

    fn cpu_us(&self) -> [f64; 2] {
        [sys::thread_cpu_us(), sys::own_cpu_ms() * 1e3]
    }
}

/// Runs a command: `questions STORE FILE`, `wide STORE FILE SECONDS columns|rows`, `merge STORE`, `bursts STORE PLAN sparql|api each|own`,
/// `reader STORE PLAN sparql|api each|own SUBJECTS` or `requests STORE FILE`. With `unsplit` after
/// it no merge splits a leaf.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    let words: Vec<String> = words
        .into_iter()
        .map(|word| word.into_string().map_err(|word| anyhow!("{} is no text", word.display())))
        .collect::<Result<_>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [verb, folder, ref rest @ ..] = words[..] else { bail!("ask VERB STORE ...") };
    let folder = Path::new(folder);
    let (rest, leaves) = match rest {
        [rest @ .., "unsplit"] => (rest, LeafSizes { split: Split::Never, ..LeafSizes::STANDARD }),
        rest => (rest, LeafSizes::STANDARD),
    };
    let options = StoreOptions {
        files: Disk::shared(),
        random: 20_261_123,
        leaves,
        lost: WhenLost::Refuse,
        merges: manicule_graph::Merges::Here,
    };
    let store = Store::open(folder, &options).with_context(|| folder.display().to_string())?;
    let engine = Ours { store };
    let reads = |word: &str| if word == "api" { Reads::Api } else { Reads::Sparql };
    let merges = |word: &str| if word == "each" { Merges::Each } else { Merges::Own };
    let done = match (verb, rest) {
        ("merge", []) => engine.merge(),
        ("wide", [file, seconds, how]) => {
            let by_rows = Evaluation::Rows(JoinOrder::ByCounts);
            let evaluation = if *how == "rows" { by_rows } else { Evaluation::Columns };
            return engine.wide(Path::new(file), seconds.parse()?, evaluation);
        }
        ("questions", [file]) => steps::questions(&engine, Path::new(file)),
        ("bursts", [plan, how, when]) => {
            steps::bursts(&engine, folder, Path::new(plan), reads(how), merges(when))
        }
        ("reader", [plan, how, when, subjects]) => {
            let others = std::fs::read_to_string(subjects)?;
            let others: Vec<String> = others.lines().map(str::to_owned).collect();
            steps::reader(&engine, Path::new(plan), reads(how), merges(when), &others)
        }
        ("requests", [file]) => steps::requests(&engine, Path::new(file)),
        _ => bail!("graph ask has no such words: {words:?}"),
    };
    done.map_err(|error| anyhow!(error))
}
