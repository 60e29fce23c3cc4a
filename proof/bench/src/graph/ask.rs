//! One measured process over a store of ours: the steps that Oxigraph's program does too.
//!
//! Callers: graph/mod, in a process of its own

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use manicule_core::watch::Watch;
use manicule_graph::base::Split;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, Evaluation, QueryLimits, QueryOptions, SparqlError, UpdateOptions,
    query, to_term, update,
};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, LeafSizes, Pattern, Store, StoreOptions, View};
use manicule_store::Disk;
use oxrdf::{Term, TermRef as RdfTerm};

use super::steps::{self, Engine, Merges, Outcome, Reads, Seen};
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

impl Engine for Ours {
    fn query(&self, text: &str) -> Outcome<Seen> {
        let (snapshot, watch, mut seen) = (self.store.snapshot(), Watch::none(), Seen::default());
        let options = QueryOptions {
            base: None,
            default_graph: DefaultGraphChoice::Own,
            dataset: None,
            limits: QueryLimits::NONE,
            evaluation: Evaluation::Columns,
        };
        let Answer::Rows(rows) = query(&snapshot, text, &options, &watch).map_err(said)? else {
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
        let mut load = |_: &str, _: &mut dyn FnMut(&oxrdf::Triple)| {
            Err(SparqlError::Refused("nothing is loaded".to_owned()))
        };
        let mut options = UpdateOptions {
            base: None,
            default_graph: DefaultGraphChoice::Own,
            using: None,
            limits: QueryLimits::NONE,
            load: &mut load,
        };
        let mut transaction = self.store.begin().map_err(said)?;
        update(&mut transaction, text, &mut options, &Watch::none()).map_err(said)?;
        transaction.commit().map_err(said)?;
        Ok(())
    }

    fn merge(&self) -> Outcome<()> {
        self.store.merge().map(|_| ()).map_err(said)
    }

    fn cpu_us(&self) -> [f64; 2] {
        [sys::thread_cpu_us(), sys::own_cpu_ms() * 1e3]
    }
}

/// Runs a command: `questions STORE FILE`, `bursts STORE PLAN sparql|api each|own`, `reader STORE PLAN sparql|api each|own SUBJECTS` or
/// `requests STORE FILE`. With `unsplit` after it no merge splits a leaf.
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
    let options = StoreOptions { files: Disk::shared(), random: 20_261_123, leaves };
    let store = Store::open(folder, &options).with_context(|| folder.display().to_string())?;
    let engine = Ours { store };
    let reads = |word: &str| if word == "api" { Reads::Api } else { Reads::Sparql };
    let merges = |word: &str| if word == "each" { Merges::Each } else { Merges::Own };
    let done = match (verb, rest) {
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
