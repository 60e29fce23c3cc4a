//! Rows as SPARQL 1.2 Query Results JSON: the bytes that sparesults writes, a row at a time and not
//! a character.

use std::io::{self, Write};

use oxrdf::vocab::xsd;
use oxrdf::{TermRef, Variable};
use spareval::QuerySolution;

use super::super::error::SparqlError;

pub(super) fn write(
    variables: &[Variable],
    rows: &mut dyn Iterator<Item = Result<QuerySolution, SparqlError>>,
    out: &mut dyn Write,
) -> Result<(), SparqlError> {
    let mut line = b"{\"head\":{\"vars\":[".to_vec();
    for (at, variable) in variables.iter().enumerate() {
        put_comma(at > 0, &mut line);
        put_string(variable.as_str(), &mut line)?;
    }
    line.extend_from_slice(b"]},\"results\":{\"bindings\":[");
    let mut follows = false;
    for row in rows {
        // The head too comes when it is known that there is a first row.
        put_row(&row?, follows, &mut line)?;
        out.write_all(&line)?;
        line.clear();
        follows = true;
    }
    line.extend_from_slice(b"]}}");
    Ok(out.write_all(&line)?)
}

fn put_row(row: &QuerySolution, follows: bool, line: &mut Vec<u8>) -> io::Result<()> {
    put_comma(follows, line);
    line.push(b'{');
    for (at, (variable, term)) in row.iter().enumerate() {
        put_comma(at > 0, line);
        put_string(variable.as_str(), line)?;
        line.push(b':');
        put_term(term.as_ref(), line)?;
    }
    line.push(b'}');
    Ok(())
}

fn put_term(term: TermRef<'_>, line: &mut Vec<u8>) -> io::Result<()> {
    match term {
        TermRef::NamedNode(node) => put_value("uri", node.as_str(), line)?,
        TermRef::BlankNode(node) => put_value("bnode", node.as_str(), line)?,
        TermRef::Literal(literal) => {
            put_value("literal", literal.value(), line)?;
            if let Some(language) = literal.language() {
                line.extend_from_slice(b",\"xml:lang\":");
                put_string(language, line)?;
                if let Some(direction) = literal.direction() {
                    line.extend_from_slice(b",\"its:dir\":");
                    put_string(&direction.to_string(), line)?;
                }
            } else if literal.datatype() != xsd::STRING {
                line.extend_from_slice(b",\"datatype\":");
                put_string(literal.datatype().as_str(), line)?;
            }
        }
        TermRef::Triple(triple) => {
            line.extend_from_slice(b"{\"type\":\"triple\",\"value\":{\"subject\":");
            put_term(triple.subject.as_ref().into(), line)?;
            line.extend_from_slice(b",\"predicate\":");
            put_term(triple.predicate.as_ref().into(), line)?;
            line.extend_from_slice(b",\"object\":");
            put_term(triple.object.as_ref(), line)?;
            line.push(b'}');
        }
    }
    line.push(b'}');
    Ok(())
}

/// Opens the object of a term, which has more where it is a literal.
fn put_value(kind: &str, value: &str, line: &mut Vec<u8>) -> io::Result<()> {
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(kind.as_bytes());
    line.extend_from_slice(b"\",\"value\":");
    put_string(value, line)
}

fn put_comma(follows: bool, line: &mut Vec<u8>) {
    if follows {
        line.push(b',');
    }
}

fn put_string(text: &str, line: &mut Vec<u8>) -> io::Result<()> {
    Ok(serde_json::to_writer(line, text)?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use oxrdf::{BaseDirection, BlankNode, Literal, NamedNode, Term, Triple};
    use sparesults::{QueryResultsFormat, QueryResultsSerializer};

    use super::super::cells;
    use super::*;

    fn triple(object: impl Into<Term>) -> Term {
        let node = NamedNode::new_unchecked("http://a/b");
        Triple::new(BlankNode::new_unchecked("b1"), node, object).into()
    }

    #[test]
    fn the_bytes_are_those_of_the_library() {
        let texts: Vec<String> = (0..40).map(|code| format!("a{}b", char::from(code))).collect();
        let more = ["", "\"q\\", "\u{7f}\u{80}ü日\u{2028}😀", "<&>/"].map(str::to_owned);
        let directional = |text: &String| {
            let new = Literal::new_directional_language_tagged_literal_unchecked;
            new(text, "ar", BaseDirection::Rtl)
        };
        let mut terms = vec![None];
        for text in texts.iter().chain(&more) {
            let date = NamedNode::new_unchecked("http://a/d?x=\"y");
            terms.extend([
                Some(Literal::new_simple_literal(text).into()),
                Some(Literal::new_language_tagged_literal_unchecked(text, "en-gb").into()),
                Some(Literal::new_typed_literal(text, date.clone()).into()),
                Some(Literal::new_typed_literal(text, xsd::STRING).into()),
                Some(NamedNode::new_unchecked(format!("http://a/{text}")).into()),
                Some(BlankNode::new_unchecked(format!("b{}", text.len())).into()),
                Some(directional(text).into()),
                Some(triple(triple(directional(text)))),
                None,
            ]);
        }
        let names = ["a", "ü", "c"].map(Variable::new_unchecked);
        for (variables, of_row) in [(&names[..], 3), (&names[..1], 1), (&[], 1)] {
            for rows in [&terms[..], &[]] {
                let solution = |row: &[Option<Term>]| {
                    let mut row = row[..row.len().min(variables.len())].to_vec();
                    row.resize(variables.len(), None);
                    QuerySolution::from((Arc::<[Variable]>::from(variables), row))
                };
                let solutions = || rows.chunks(of_row).map(solution);
                let mut got = Vec::new();
                write(variables, &mut solutions().map(Ok), &mut got).expect("JSON");
                let library = QueryResultsSerializer::from_format(QueryResultsFormat::Json);
                let mut want = library
                    .serialize_solutions_to_writer(Vec::new(), variables.to_vec())
                    .expect("a head");
                for row in solutions() {
                    want.serialize(cells(&row)).expect("a row");
                }
                let want = want.finish().expect("an end");
                assert_eq!(String::from_utf8(got), String::from_utf8(want));
            }
        }
    }

    #[test]
    fn a_row_that_fails_first_leaves_nothing_written() {
        let failed = Err(SparqlError::Evaluation("no".to_owned()));
        let mut out = Vec::new();
        assert!(write(&[], &mut std::iter::once(failed), &mut out).is_err());
        assert!(out.is_empty());
    }
}
