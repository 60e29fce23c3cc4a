//! Characters that XML 1.0 can't hold, not even escaped: U+FFFD takes their place.
//!
//! Fault: of sparesults 0.3.5, which writes them, so that no reader takes the document.

use oxrdf::{Literal, Term};
use spareval::QuerySolution;

fn is_forbidden(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether a literal of the row holds one.
pub(super) fn has_forbidden(row: &QuerySolution) -> bool {
    row.values().iter().flatten().any(|term| match term {
        Term::Literal(literal) => literal.value().contains(is_forbidden),
        Term::NamedNode(_) | Term::BlankNode(_) => false,
    })
}

/// The row with others in their place.
pub(super) fn without_forbidden(row: &QuerySolution) -> QuerySolution {
    let values = row.values().iter().map(|cell| match cell {
        Some(Term::Literal(literal)) => {
            let (text, datatype, language) = literal.clone().destruct();
            let text = text.replace(is_forbidden, "\u{fffd}");
            Some(Term::from(match (datatype, language) {
                (_, Some(tag)) => Literal::new_language_tagged_literal_unchecked(text, tag),
                (Some(datatype), None) => Literal::new_typed_literal(text, datatype),
                (None, None) => Literal::new_simple_literal(text),
            }))
        }
        other => other.clone(),
    });
    (row.variables().to_vec(), values.collect::<Vec<_>>()).into()
}
