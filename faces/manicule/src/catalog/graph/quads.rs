//! `graph.quads`: quads.

use serde_json::Value as Json;

use super::opened::{AT, opened};
use crate::answer::{Field, Job, Kind, Question, Test, Value};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;
use crate::graph::{ListedTerm, QuadGraphs, QuadsCall};

pub(crate) static QUADS: Table = Table {
    name: "graph.quads",
    about: "A quad of a store of RDF.",
    arguments: &[AT],
    order: "the default graph first, then that of the index that answers.",
    pushes: &[
        Push { column: "graph", tests: "= and IS NULL, IS NOT NULL, by the index" },
        Push { column: "subject", tests: "=" },
        Push { column: "predicate", tests: "=" },
        Push { column: "object", tests: "= together with `object_type` =" },
    ],
    partition: "all of it is one.",
    question: "SELECT predicate, count(DISTINCT object_type) FROM graph_quads('st')\n\
               GROUP BY 1 HAVING count(DISTINCT object_type) > 1",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const GRAPH: usize = 0;
const SUBJECT: usize = 1;
const PREDICATE: usize = 2;
const OBJECT: usize = 3;
const OBJECT_TYPE: usize = 4;

static FIELDS: &[Field] = &[
    Field::new("graph", Kind::Word, "Its graph; lacks in the default graph.").or_null(),
    Field::new("subject", Kind::Text, "IRI, or a blank node as `_:b0`."),
    Field::new("predicate", Kind::Word, "IRI."),
    Field::new("object", Kind::Text, "IRI, blank node, triple term, or the text of a literal."),
    Field::new(
        "object_type",
        Kind::Word,
        "`iri`, `blank`, `triple`, the IRI of the literal's datatype, or `@` and its language.",
    ),
];

fn open(arguments: &Arguments, _: &Json, question: &mut Question) -> Result<Job, Failure> {
    let mut call = QuadsCall::default();
    question.push(GRAPH, |test| push_graph(&mut call.graphs, test));
    for (at, term) in [SUBJECT, PREDICATE].into_iter().zip(&mut call.terms) {
        question.push(at, |test| match only(test) {
            Some(text) if term.is_none() => {
                *term = Some(ListedTerm::of_node(text));
                true
            }
            _ => false,
        });
    }
    call.terms[2] = object(question);
    let stores = opened(arguments)?;
    Ok(Box::new(move |rows, watch| {
        let wants_object = rows.wants(OBJECT) || rows.wants(OBJECT_TYPE);
        call.wanted = [rows.wants(SUBJECT), rows.wants(PREDICATE), wants_object, rows.wants(GRAPH)];
        let (mut count, mut is_enough) = (0, false);
        for store in stores {
            count += store.quads(&call, watch, &mut |[subject, predicate, object, graph]| {
                let texts = [(SUBJECT, subject), (PREDICATE, predicate), (OBJECT, object)];
                for (at, term) in texts.into_iter().chain([(GRAPH, graph)]) {
                    if let Some(term) = term {
                        rows.text(at, &term.text);
                    }
                }
                if let Some(object) = object {
                    rows.text(OBJECT_TYPE, &object.kind);
                }
                let flow = rows.end_row();
                is_enough = flow.is_break();
                flow
            })?;
            if is_enough {
                break;
            }
        }
        Ok(vec![("quads", count)])
    }))
}

/// The only text that fulfils a test.
fn only(test: &Test) -> Option<&str> {
    match test {
        Test::In(values) => match &values[..] {
            [Value::Text(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Narrows the graphs to those that fulfil a test; whether they are just these.
fn push_graph(graphs: &mut QuadGraphs, test: &Test) -> bool {
    if !matches!(graphs, QuadGraphs::All) {
        return false;
    }
    *graphs = match (test, only(test)) {
        (Test::IsNull, _) => QuadGraphs::Default,
        (Test::Not(test), _) if **test == Test::IsNull => QuadGraphs::AnyNamed,
        (_, Some(text)) => QuadGraphs::Named(ListedTerm::of_node(text)),
        _ => return false,
    };
    true
}

/// The object, where text and type are given: each alone is that of many. Both are tested row by
/// row too.
fn object(question: &mut Question) -> Option<ListedTerm> {
    let (text, kind) = (first_only(question, OBJECT)?, first_only(question, OBJECT_TYPE)?);
    Some(ListedTerm { text, kind })
}

/// The text of the first test of a column that admits one text only; the test stays.
fn first_only(question: &mut Question, at: usize) -> Option<String> {
    let mut first = None;
    question.push(at, |test| {
        first = first.take().or_else(|| only(test).map(str::to_owned));
        false
    });
    first
}
