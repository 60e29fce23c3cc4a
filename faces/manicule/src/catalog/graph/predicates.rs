//! `graph.predicates`: predicates.

use serde_json::Value as Json;

use super::opened::{AT, opened};
use crate::answer::{Field, Job, Kind, Question};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::failure::Failure;

pub(crate) static PREDICATES: Table = Table {
    name: "graph.predicates",
    about: "A predicate of a store of RDF, in its default graph or in its named graphs together, by the statistics that it keeps.",
    arguments: &[AT],
    order: "scope, the most used first.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT predicate FROM graph_predicates('st') WHERE subjects = quads AND objects = quads",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

static FIELDS: &[Field] = &[
    Field::new("scope", Kind::Word, "`default` or `named`."),
    Field::new("predicate", Kind::Text, "Its IRI."),
    Field::new("quads", Kind::Int, "Its quads. One that several graphs have counts in each."),
    Field::new("subjects", Kind::Int, "Their distinct subjects."),
    Field::new("objects", Kind::Int, "Their distinct objects."),
];

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let stores = opened(arguments)?;
    Ok(Box::new(move |rows, watch| {
        let mut count = 0;
        for store in stores {
            let all = store.predicates()?;
            for (scope, predicates) in [("default", all.default), ("named", all.named)] {
                for own in predicates {
                    watch.check()?;
                    count += 1;
                    rows.text(0, scope);
                    // As in N-Triples: an IRI in brackets.
                    rows.text(1, own.predicate.trim_start_matches('<').trim_end_matches('>'));
                    (2..)
                        .zip([own.quads, own.subjects, own.objects])
                        .for_each(|(at, number)| rows.count(at, number));
                    if rows.end_row().is_break() {
                        return Ok(vec![("predicates", count)]);
                    }
                }
            }
        }
        Ok(vec![("predicates", count)])
    }))
}
