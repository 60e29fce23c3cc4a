//! The data of the golden queries: a shop of 200 products, as one graph and as 61; in the plain
//! store and in the real one.

#![allow(dead_code)]

use std::collections::HashMap;

use manicule_graph::sparql::Writable;
use manicule_graph::{LeafSizes, Merges, Store, StoreOptions, WhenLost};
use manicule_graphs::{Archive, PlainGraph, add};
use manicule_store::Disk;
use manicule_testkit::golden_file;
use oxrdf::{GraphName, Quad};
use oxrdfio::{RdfFormat, RdfParser};
use tempfile::TempDir;

/// Data, questions and answers.
pub(crate) struct Shop {
    /// `queries`, `updates`, `expected`.
    pub(crate) archive: Archive,
    quads: Vec<Quad>,
}

/// The two forms of the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// All triples in the default graph.
    Triples,
    /// Offers and reviews in graphs of their own.
    Quads,
}

impl Form {
    /// The form that a query or an update is about.
    pub(crate) fn of(text: &str) -> Form {
        if header(text, "data") == ["shop200.nq"] { Form::Quads } else { Form::Triples }
    }
}

impl Shop {
    pub(crate) fn read() -> Shop {
        let bytes = golden_file("graph", "shop200.nq");
        let quads = RdfParser::from_format(RdfFormat::NQuads).for_slice(&bytes);
        let quads: Vec<Quad> = quads.map(|quad| quad.expect("a quad")).collect();
        assert_eq!(quads.len(), 31_058);
        Shop { archive: Archive::golden(&["answers"]), quads }
    }

    /// The data in the plain store.
    pub(crate) fn plain(&self, form: Form) -> PlainGraph {
        let mut graph = PlainGraph::new();
        self.fill(form, &mut graph);
        assert_eq!(graph.len(), 31_058);
        graph
    }

    /// The data in a store of its own.
    pub(crate) fn store(&self, form: Form) -> (Store, TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StoreOptions {
            files: Disk::shared(),
            random: 7,
            leaves: LeafSizes::STANDARD,
            lost: WhenLost::Refuse,
            merges: Merges::Here,
        };
        let store = Store::create(&folder.path().join("store"), &options).expect("a store");
        let mut transaction = store.begin().expect("a transaction");
        self.fill(form, &mut transaction);
        assert_eq!(transaction.commit().expect("a commit").added, 31_058);
        (store, folder)
    }

    fn fill(&self, form: Form, store: &mut impl Writable) {
        let mut nodes = HashMap::new();
        for quad in &self.quads {
            if form == Form::Quads {
                add(store, quad, &mut nodes);
            } else {
                let mut quad = quad.clone();
                quad.graph_name = GraphName::DefaultGraph;
                add(store, &quad, &mut nodes);
            }
        }
    }
}

/// The words of a line `# KEY: ...` at the head of a query.
pub(crate) fn header<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let start = format!("# {key}:");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_default().split_whitespace().collect()
}
