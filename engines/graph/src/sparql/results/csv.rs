//! Rows as CSV: values without their types.
//!
//! Fault: of sparesults 0.3.5, which leaves an IRI with a comma or a quote unquoted.

use std::io::Write;

use oxrdf::{Term, Variable};
use spareval::QuerySolution;

use super::super::error::SparqlError;

pub(super) fn write(
    variables: &[Variable],
    rows: &mut dyn Iterator<Item = Result<QuerySolution, SparqlError>>,
    out: &mut dyn Write,
) -> Result<(), SparqlError> {
    let names: Vec<&str> = variables.iter().map(Variable::as_str).collect();
    let mut line = names.join(",");
    let count = variables.len();
    line.push_str("\r\n");
    out.write_all(line.as_bytes())?;
    for row in rows {
        let row = row?;
        line.clear();
        for at in 0..count {
            if at > 0 {
                line.push(',');
            }
            match row.get(at) {
                None => {}
                Some(Term::NamedNode(node)) => push_quoted(node.as_str(), &mut line),
                Some(Term::BlankNode(node)) => {
                    line.push_str("_:");
                    line.push_str(node.as_str());
                }
                Some(Term::Literal(literal)) => push_quoted(literal.value(), &mut line),
                Some(term @ Term::Triple(_)) => push_quoted(&term.to_string(), &mut line),
            }
        }
        line.push_str("\r\n");
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn push_quoted(text: &str, line: &mut String) {
    if text.bytes().any(|byte| b"\",\r\n".contains(&byte)) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}
