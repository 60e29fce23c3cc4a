//! `graph.solutions`: what SPARQL answers.

use std::time::Duration;

use manicule_core::ErrorClass;
use manicule_core::watch::Watch;
use serde_json::Value as Json;

use super::opened::{AT, opened};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::cache::now_ns;
use crate::catalog::arguments::{Argument, Arguments, Takes};
use crate::catalog::table::{ByData, Table};
use crate::failure::Failure;
use crate::graph::{DefaultGraphChoice, ListedTerm, QueryLimits, SolutionsCall, SolutionsOf};

const QUERY: Argument = Argument {
    name: "query",
    takes: Takes::Text,
    about: "The query: SELECT, ASK, CONSTRUCT or DESCRIBE.",
};
const UNION: Argument = Argument {
    name: "union",
    takes: Takes::Boolean,
    about: "Whether the default graph is the union of all graphs, where the query names none. Default: false.",
};
const TIMEOUT: Argument = Argument {
    name: "timeout",
    takes: Takes::Number,
    about: "Seconds after which the query ends with an error. Default: none.",
};
const MEMORY: Argument = Argument {
    name: "memory",
    takes: Takes::Number,
    about: "Bytes that its tables may hold. Default: 1073741824.",
};

pub(in crate::catalog) static SOLUTIONS: Table = Table {
    name: "graph.solutions",
    about: "A row of what a query in SPARQL answers. Of CONSTRUCT and DESCRIBE it is a triple, of ASK there is one.",
    arguments: &[QUERY, AT, UNION, TIMEOUT, MEMORY],
    order: "that of the query.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT r.host, g.owner FROM graph_solutions('st', 'SELECT ?host ?owner {..}') g\n\
               JOIN rows('ks/hosts') r ON r.host = g.host",
    by_data: &[
        ByData {
            name: "a column for each variable",
            kind: "text",
            about: "IRI, blank node as `_:b0`, or the text of a literal; lacks where it is not bound.",
        },
        ByData {
            name: "behind it, with `_type`",
            kind: "dictionary of text",
            about: "`iri`, `blank`, the IRI of the literal's datatype, or `@` and its language.",
        },
        ByData { name: "`answer`", kind: "boolean", about: "Of ASK, alone." },
        ByData {
            name: "`subject`, `predicate`, `object`, `object_type`",
            kind: "as of [graph.quads](graph.quads.md)",
            about: "Of CONSTRUCT and DESCRIBE, alone.",
        },
    ],
    fields: |arguments| Ok(fields(&asked(arguments)?)),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

static TRIPLE: [Field; 4] = [
    Field::new("subject", Kind::Text, "IRI, or a blank node as `_:b0`."),
    Field::new("predicate", Kind::Word, "IRI."),
    Field::new("object", Kind::Text, "IRI, blank node, or the text of a literal."),
    Field::new("object_type", Kind::Word, "What the object is."),
];

fn text(arguments: &Arguments) -> Result<&str, Failure> {
    let missing = || Failure::asked("graph.solutions needs an argument query");
    arguments.text(QUERY.name).ok_or_else(missing)
}

fn asked(arguments: &Arguments) -> Result<SolutionsOf, Failure> {
    Ok(SolutionsOf::query(text(arguments)?)?)
}

fn fields(asked: &SolutionsOf) -> Vec<Field> {
    match asked {
        SolutionsOf::Boolean => vec![Field::new("answer", Kind::Boolean, "Yes or no.")],
        SolutionsOf::Triples => TRIPLE.to_vec(),
        SolutionsOf::Variables(names) => {
            let mut fields: Vec<Field> = Vec::new();
            for name in names {
                let value = Field::new("", Kind::Text, "The variable of this name.").or_null();
                let kind = Field::new("", Kind::Word, "What it is.").or_null();
                let mut of_kind = format!("{name}_type");
                // A variable may have that name itself.
                while names.contains(&of_kind) {
                    of_kind.push('_');
                }
                fields.extend([value.named(name.clone()), kind.named(of_kind)]);
            }
            fields
        }
    }
}

fn open(arguments: &Arguments, _: &Json, question: &mut Question) -> Result<Job, Failure> {
    let text = text(arguments)?.to_owned();
    let asked = asked(arguments)?;
    question.bind(fields(&asked))?;
    let mut limits = QueryLimits::NONE;
    if let Some(bytes) = number(arguments, MEMORY.name)? {
        limits.memory_max = bytes;
    }
    let timeout = number(arguments, TIMEOUT.name)?.map(Duration::from_secs);
    let is_union = arguments.is_set(UNION.name)?;
    let default_graph = if is_union { DefaultGraphChoice::Union } else { DefaultGraphChoice::Own };
    let call = SolutionsCall { text, default_graph, limits };
    let stores = opened(arguments)?;
    Ok(Box::new(move |rows, watch| {
        let (report, stop) = (|_| {}, || watch.check().is_err());
        let mut within = Watch::new(&report, &stop);
        if let Some(timeout) = timeout {
            let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
            within = within.until(now_ns().saturating_add(nanos), now_ns);
        }
        let (mut count, mut is_enough) = (0, false);
        for store in stores {
            let read = store.solutions(&call, &within, &mut |terms| {
                push(rows, &asked, terms);
                let flow = rows.end_row();
                is_enough = flow.is_break();
                flow
            });
            count += match (read, timeout) {
                (Err(_), Some(timeout)) if within.deadline_passed() => {
                    let why = format!("the query has not ended within {} s", timeout.as_secs());
                    return Err(Failure::new(ErrorClass::TooMuch, why));
                }
                (read, _) => read?,
            };
            if is_enough {
                break;
            }
        }
        Ok(vec![("rows", count)])
    }))
}

fn number(arguments: &Arguments, name: &str) -> Result<Option<u64>, Failure> {
    let of = |number: i64| {
        u64::try_from(number)
            .map_err(|_| Failure::asked(format!("argument {name}: {number} is below 0")))
    };
    arguments.number(name)?.map(of).transpose()
}

fn push(rows: &mut Rows<'_>, asked: &SolutionsOf, terms: &[Option<ListedTerm>]) {
    match (asked, terms) {
        (SolutionsOf::Boolean, [Some(answer)]) => rows.boolean(0, answer.text == "true"),
        (SolutionsOf::Triples, [Some(subject), Some(predicate), Some(object)]) => {
            let texts = [&subject.text, &predicate.text, &object.text, &object.kind];
            texts.into_iter().enumerate().for_each(|(at, text)| rows.text(at, text));
        }
        _ => {
            for (at, term) in terms.iter().enumerate() {
                if let Some(term) = term {
                    rows.text(2 * at, &term.text);
                    rows.text(2 * at + 1, &term.kind);
                }
            }
        }
    }
}
