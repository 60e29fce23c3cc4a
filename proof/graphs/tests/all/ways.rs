//! Which way queries take, vectorised or row by row, and why the others aren't vectorised: the
//! golden queries over the shop, and those of the W3C's suites as they are planned.
//! `cargo test -p manicule-graphs --test all ways -- --nocapture` prints the tables.
//!
//! With `MANICULE_JUDGES`, a checkout of Oxigraph's repository, its queries are counted too.

use std::collections::BTreeMap;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_graph::View;
use manicule_graph::sparql::{
    DefaultGraphChoice, Evaluation, Explain, QueryLimits, QueryOptions, QueryPath, explain_view,
};
use manicule_graphs::{Archive, PlainGraph};

use crate::shop::{Form, Shop};

/// Names of the queries that aren't vectorised, by the reason.
#[derive(Default)]
struct Ways {
    columns: usize,
    rows: BTreeMap<String, Vec<String>>,
}

impl Ways {
    /// Counts a query, unless it is none.
    fn take(&mut self, name: &str, view: &impl View, text: &str, how: Explain) {
        let options = QueryOptions {
            base: Some("http://base/"),
            default_graph: DefaultGraphChoice::Own,
            dataset: None,
            limits: QueryLimits::NONE,
            evaluation: Evaluation::Columns,
        };
        let Ok(explained) = explain_view(view, text, &options, how, &Watch::none(), || 0) else {
            return;
        };
        match explained.path {
            QueryPath::Columns => self.columns += 1,
            QueryPath::Rows { why } => self.rows.entry(why).or_default().push(name.to_owned()),
        }
    }

    fn count(&self) -> usize {
        self.columns + self.rows.values().map(Vec::len).sum::<usize>()
    }

    fn print(&self, title: &str) {
        let Ways { columns, rows } = self;
        println!("\n{title}: {columns} of {} vectorised; row by row:", self.count());
        let mut reasons: Vec<_> = rows.iter().collect();
        reasons.sort_by_key(|(_, names)| usize::MAX - names.len());
        for (why, names) in reasons {
            let shown: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
            let more = if names.len() > shown.len() { ", ..." } else { "" };
            println!("{:>6}  {why}: {}{more}", names.len(), shown.join(", "));
        }
    }
}

/// The queries of an archive, over no data: what they would do is their plan.
fn planned(archive: &Archive, folder: &str) -> Ways {
    let (mut ways, nothing) = (Ways::default(), PlainGraph::new());
    for path in archive.paths().filter(|path| path.starts_with(folder) && path.ends_with(".rq")) {
        if let Some(Ok(text)) = archive.get(path).map(str::from_utf8) {
            let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rq");
            ways.take(name, &nothing, text, Explain::Plan);
        }
    }
    ways
}

#[test]
fn golden_queries_are_vectorised_or_say_why_not() {
    let shop = Shop::read();
    // The store's own ids: what is a number there is text in the plain one.
    let (triples, _triples_folder) = shop.store(Form::Triples);
    let (quads, _quads_folder) = shop.store(Form::Quads);
    let (triples, quads) = (triples.snapshot(), quads.snapshot());
    let mut ways = Ways::default();
    for path in shop.archive.paths().filter(|path| path.starts_with("queries/")) {
        let name = path.trim_start_matches("queries/").trim_end_matches(".rq");
        let text = shop.archive.text(path);
        match Form::of(text) {
            Form::Triples => ways.take(name, &triples, text, Explain::Analyze),
            Form::Quads => ways.take(name, &quads, text, Explain::Analyze),
        }
    }
    ways.print("golden queries");
    assert_eq!(ways.count(), 61);
    assert!(ways.columns >= 59, "{} vectorised", ways.columns);
    assert!(ways.rows.keys().all(|why| !why.is_empty()), "each has its reason");
}

#[test]
fn queries_of_the_suites_are_counted_by_their_way() {
    let archive = Archive::golden(&["rdf-tests"]);
    for suite in ["sparql/sparql10", "sparql/sparql11"] {
        let ways = planned(&archive, suite);
        ways.print(suite);
        assert!(ways.count() > 250 && ways.columns * 2 > ways.count(), "{suite}");
        assert!(ways.rows.keys().all(|why| !why.is_empty()), "each has its reason");
    }
    let Some(judges) = std::env::var_os("MANICULE_JUDGES") else {
        println!("left out: Oxigraph's suite, where MANICULE_JUDGES isn't set");
        return;
    };
    let archive = Archive::folder(&PathBuf::from(judges).join("testsuite/oxigraph-tests"));
    planned(&archive, "sparql").print("Oxigraph's suite");
}
