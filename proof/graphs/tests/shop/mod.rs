//! The data of the golden queries: a shop of 200 products, as one graph and as 61.
//!
//! Callers: golden, updates

use std::collections::HashMap;

use manicule_graphs::{Archive, PlainGraph};
use manicule_testkit::golden_file;
use oxrdf::GraphName;
use oxrdfio::{RdfFormat, RdfParser};

/// Data, questions and answers.
pub(crate) struct Shop {
    /// `queries`, `updates`, `expected`.
    pub(crate) archive: Archive,
    /// All triples in the default graph.
    pub(crate) triples: PlainGraph,
    /// Offers and reviews in graphs of their own.
    pub(crate) quads: PlainGraph,
}

impl Shop {
    pub(crate) fn read() -> Shop {
        let bytes = golden_file("graph", "shop200.nq");
        let (mut triples, mut quads) = (PlainGraph::new(), PlainGraph::new());
        let (mut nodes, mut other_nodes) = (HashMap::new(), HashMap::new());
        for quad in RdfParser::from_format(RdfFormat::NQuads).for_slice(&bytes) {
            let mut quad = quad.expect("a quad");
            quads.add(&quad, &mut nodes);
            quad.graph_name = GraphName::DefaultGraph;
            triples.add(&quad, &mut other_nodes);
        }
        assert_eq!((triples.len(), quads.len()), (31_058, 31_058));
        Shop { archive: Archive::golden(&["answers"]), triples, quads }
    }

    /// The data that a query or an update is about.
    pub(crate) fn data(&self, text: &str) -> &PlainGraph {
        if header(text, "data") == ["shop200.nq"] { &self.quads } else { &self.triples }
    }
}

/// The words of a line `# KEY: ...` at the head of a query.
pub(crate) fn header<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let start = format!("# {key}:");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_default().split_whitespace().collect()
}
