//! `graph.solutions`: what SPARQL answers.

use serde_json::Value as Json;

use super::asked::{Asked, MEMORY, QUERY, TIMEOUT, UNION, form};
use super::opened::AT;
use super::typed::TypedSolutions;
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::table::{ByData, Table};
use crate::failure::Failure;
use crate::graph::{ColumnTypes, ListedTerm, SolutionsOf};

const TYPES: Argument = Argument {
    name: "types",
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "`text`, or `of_values`: a variable whose values are all of one datatype has its type, int64 of integers and what derives from them, decimal (38, the most digits behind the point), float64, float32, boolean, date, timestamp (us, UTC), or (us) where no time has a zone; what that has no place for makes all of them text. The query has ended then before the first row, and a limit doesn't end it: 32 MiB of its answer are held in memory, the rest in a file. Default: text.",
};

pub(crate) static SOLUTIONS: Table = Table {
    name: "graph.solutions",
    about: "A row of what a query in SPARQL answers. Of CONSTRUCT and DESCRIBE it is a triple, of ASK there is one.",
    arguments: &[QUERY, AT, TYPES, UNION, TIMEOUT, MEMORY],
    order: "that of the query.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT r.host, g.owner FROM graph_solutions('st', 'SELECT ?host ?owner {..}') g\n\
               JOIN rows('ks/hosts') r ON r.host = g.host",
    by_data: &[
        ByData {
            name: "a column for each variable",
            kind: "text, or by `types`",
            about: "IRI, blank node as `_:b0`, or the text of a literal; lacks where it is not bound.",
        },
        ByData {
            name: "behind it, with `_type`",
            kind: "dictionary of text",
            about: "`iri`, `blank`, `triple`, the IRI of the literal's datatype, or `@` and its language. By `types` beside values of several kinds alone.",
        },
        ByData { name: "`answer`", kind: "boolean", about: "Of ASK, alone." },
        ByData {
            name: "`subject`, `predicate`, `object`, `object_type`",
            kind: "as of [graph.quads](graph.quads.md)",
            about: "Of CONSTRUCT and DESCRIBE, alone.",
        },
    ],
    fields,
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

static TRIPLE: [Field; 4] = [
    Field::new("subject", Kind::Text, "IRI, or a blank node as `_:b0`."),
    Field::new("predicate", Kind::Word, "IRI."),
    Field::new("object", Kind::Text, "IRI, blank node, triple term, or the text of a literal."),
    Field::new("object_type", Kind::Word, "What the object is."),
];

fn types(arguments: &Arguments) -> Result<ColumnTypes, Failure> {
    match arguments.text(TYPES.name) {
        None | Some("text") => Ok(ColumnTypes::Text),
        Some("of_values") => Ok(ColumnTypes::OfValues),
        Some(other) => {
            let why = format!("argument types: there is no {other}: there are text, of_values");
            Err(Failure::asked(why))
        }
    }
}

/// The columns; those of the values' types take asking the query.
fn fields(arguments: &Arguments) -> Result<Vec<Field>, Failure> {
    match (types(arguments)?, form(arguments)?) {
        (ColumnTypes::OfValues, SolutionsOf::Variables(names)) => {
            Ok(TypedSolutions::of(&Asked::of(arguments)?, &names)?.fields())
        }
        (_, form) => Ok(text_fields(&form)),
    }
}

/// Columns of text.
fn text_fields(asked: &SolutionsOf) -> Vec<Field> {
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
    let (types, form, asked) = (types(arguments)?, form(arguments)?, Asked::of(arguments)?);
    if let (ColumnTypes::OfValues, SolutionsOf::Variables(names)) = (types, &form) {
        let typed = TypedSolutions::of(&asked, names)?;
        question.bind(typed.fields())?;
        return Ok(Box::new(move |rows, watch| typed.list(rows, watch)));
    }
    question.bind(text_fields(&form))?;
    Ok(Box::new(move |rows, watch| {
        let count = asked.each(watch, &mut |terms| {
            push(rows, &form, terms);
            rows.end_row()
        })?;
        Ok(vec![("rows", count)])
    }))
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
