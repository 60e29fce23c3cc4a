//! The state of a store as one hash: all its quads as lines of N-Quads, sorted by bytes.

use manicule_core::hex;
use manicule_graph::sparql::to_term;
use manicule_graph::{GraphChoice, Id, View};
use oxrdf::Term;
use sha2::{Digest, Sha256};

use crate::plain::all_of;

/// SHA-256 of all quads, and their number.
///
/// # Panics
/// If the store can't be read.
pub fn state_hash(view: &impl View) -> (usize, String) {
    let lines = state_lines(view);
    let mut hash = Sha256::new();
    for line in &lines {
        hash.update(line);
        hash.update("\n");
    }
    (lines.len(), hex::encode(hash.finalize()))
}

/// All quads as lines, sorted.
///
/// # Panics
/// If the store can't be read.
pub fn state_lines(view: &impl View) -> Vec<String> {
    let mut lines = Vec::new();
    for graph in [GraphChoice::Default, GraphChoice::AnyNamed] {
        for quad in view.quads(&all_of(graph)) {
            let quad = quad.expect("a quad");
            let mut ids = vec![quad.subject, quad.predicate, quad.object];
            ids.extend((quad.graph != Id::DEFAULT_GRAPH).then_some(quad.graph));
            let read = |id| view.read_term(id, to_term).expect("a term");
            let texts: Vec<String> = ids.into_iter().map(|id| text(&read(id))).collect();
            lines.push(format!("{} .", texts.join(" ")));
        }
    }
    lines.sort_unstable();
    lines
}

fn text(term: &Term) -> String {
    let literal = match term {
        Term::Literal(literal) => literal,
        Term::Triple(triple) => {
            let (subject, predicate) = (&triple.subject, &triple.predicate);
            return format!("<<( {subject} {predicate} {} )>>", text(&triple.object));
        }
        Term::NamedNode(_) | Term::BlankNode(_) => return term.to_string(),
    };
    let mut quoted = String::from("\"");
    for character in literal.value().chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    match literal.language() {
        Some(tag) => {
            let direction = literal.direction().map(|direction| format!("--{direction}"));
            format!("{quoted}@{}{}", tag.to_lowercase(), direction.unwrap_or_default())
        }
        None if literal.datatype() == oxrdf::vocab::xsd::STRING => quoted,
        None => format!("{quoted}^^{}", literal.datatype()),
    }
}
