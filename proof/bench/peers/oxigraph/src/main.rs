//! Oxigraph doing one piece of work, so that the bench can measure it.
//!
//!   oxigraph-peer load FOLDER FILE                   loads a document of N-Triples into an empty store on disk, by its bulk loader
//!   oxigraph-peer load-memory FILE                   the same in memory
//!   oxigraph-peer questions FOLDER FILE              asks the questions of a file: proof/bench/src/graph/steps.rs
//!   oxigraph-peer questions-memory NTRIPLES FILE     the same in memory
//!   oxigraph-peer bursts FOLDER PLAN sparql|api each|own
//!   oxigraph-peer reader FOLDER PLAN sparql|api each|own SUBJECTS
//!   oxigraph-peer requests FOLDER FILE
//!   oxigraph-peer version
//!
//! Stores on disk need its feature `disk`. With `flushed` as the last word a commit is followed by
//! a flush: Oxigraph has no option to sync its log.

#[path = "../../../src/graph/steps.rs"]
mod steps;

use std::fs::File;
use std::path::Path;

use oxigraph::io::RdfFormat;
use oxigraph::model::{NamedNodeRef, Term, TermRef};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use rustix::time::{ClockId, clock_gettime};
use steps::{Engine, Merges, Outcome, Reads, Seen};

/// What makes a commit durable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durable {
    /// Nothing: its log is not synced.
    Not,
    /// A flush of its tables.
    Flushed,
}

struct Oxigraph {
    store: Store,
    durable: Durable,
}

fn said(error: impl ToString) -> String {
    error.to_string()
}

fn see(seen: &mut Seen, term: TermRef<'_>) {
    match term {
        TermRef::NamedNode(node) => seen.text(node.as_str()),
        TermRef::Literal(literal) if literal.datatype().as_str().ends_with("ring") => {
            seen.text(literal.value());
        }
        _ => {}
    }
}

impl Engine for Oxigraph {
    fn query(&self, text: &str) -> Outcome<Seen> {
        let mut seen = Seen::default();
        let query = SparqlEvaluator::new().parse_query(text).map_err(said)?;
        let QueryResults::Solutions(rows) = query.on_store(&self.store).execute().map_err(said)?
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

    fn point(&self, subject: &str) -> Outcome<Seen> {
        let mut seen = Seen::default();
        let subject = NamedNodeRef::new(subject).map_err(said)?;
        for quad in self.store.quads_for_pattern(Some(subject.into()), None, None, None) {
            let quad = quad.map_err(said)?;
            seen.rows += 1;
            see(&mut seen, quad.predicate.as_ref().into());
            see(&mut seen, quad.object.as_ref());
        }
        Ok(seen)
    }

    fn update(&self, text: &str) -> Outcome<()> {
        let update = SparqlEvaluator::new().parse_update(text).map_err(said)?;
        update.on_store(&self.store).execute().map_err(said)?;
        match self.durable {
            Durable::Not => Ok(()),
            Durable::Flushed => flush(&self.store),
        }
    }

    fn merge(&self) -> Outcome<()> {
        Ok(())
    }

    fn cpu_us(&self) -> [f64; 2] {
        [ClockId::ThreadCPUTime, ClockId::ProcessCPUTime].map(|clock| {
            let time = clock_gettime(clock);
            time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
        })
    }
}

fn load(store: &Store, file: &str) -> Outcome<()> {
    let bytes = std::io::BufReader::with_capacity(1 << 20, File::open(file).map_err(said)?);
    let mut loader = store.bulk_loader();
    loader.load_from_reader(RdfFormat::NTriples, bytes).map_err(said)?;
    loader.commit().map_err(said)
}

#[cfg(feature = "disk")]
fn open_store(folder: &str) -> Outcome<Store> {
    Store::open(folder).map_err(said)
}

#[cfg(feature = "disk")]
fn flush(store: &Store) -> Outcome<()> {
    store.flush().map_err(said)
}

#[cfg(not(feature = "disk"))]
fn open_store(_: &str) -> Outcome<Store> {
    Err("it was built without RocksDB".to_owned())
}

#[cfg(not(feature = "disk"))]
fn flush(_: &Store) -> Outcome<()> {
    Ok(())
}

fn open(folder: &str, durable: Durable) -> Outcome<Oxigraph> {
    Ok(Oxigraph { store: open_store(folder)?, durable })
}

fn in_memory(file: &str) -> Outcome<Oxigraph> {
    let store = Store::new().map_err(said)?;
    load(&store, file)?;
    Ok(Oxigraph { store, durable: Durable::Not })
}

fn main() -> Outcome<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let durable = if words.last().is_some_and(|word| word == "flushed") {
        words.pop();
        Durable::Flushed
    } else {
        Durable::Not
    };
    let reads = |word: &str| if word == "api" { Reads::Api } else { Reads::Sparql };
    let merges = |word: &str| if word == "each" { Merges::Each } else { Merges::Own };
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["version"] => println!("oxigraph 0.5.13"),
        ["load", folder, file] => {
            let store = open_store(folder)?;
            load(&store, file)?;
            flush(&store)?;
        }
        ["load-memory", file] => drop(in_memory(file)?),
        ["questions", folder, file] => {
            steps::questions(&open(folder, durable)?, Path::new(file))?;
        }
        ["questions-memory", data, file] => {
            steps::questions(&in_memory(data)?, Path::new(file))?;
        }
        ["bursts", folder, plan, how, when] => {
            let (engine, plan) = (open(folder, durable)?, Path::new(plan));
            steps::bursts(&engine, Path::new(folder), plan, reads(how), merges(when))?;
        }
        ["reader", folder, plan, how, when, subjects] => {
            let (engine, plan) = (open(folder, durable)?, Path::new(plan));
            let others = std::fs::read_to_string(subjects).map_err(said)?;
            let others: Vec<String> = others.lines().map(str::to_owned).collect();
            steps::reader(&engine, plan, reads(how), merges(when), &others)?;
        }
        ["requests", folder, file] => steps::requests(&open(folder, durable)?, Path::new(file))?,
        _ => return Err("wrong words: see the head of its source".to_owned()),
    }
    Ok(())
}
