//! Characters that XML 1.0 can't hold, not even escaped: U+FFFD takes their place.
//!
//! Fault: of sparesults 0.3.5, which writes them, so that no reader takes the document.

use oxrdf::{Literal, Term};
use spareval::QuerySolution;

use super::super::stored::with_literal;

fn is_forbidden(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether a literal of the row holds one.
pub(super) fn has_forbidden(row: &QuerySolution) -> bool {
    row.values().iter().flatten().any(has_forbidden_text)
}

fn has_forbidden_text(term: &Term) -> bool {
    match term {
        Term::Literal(literal) => literal.value().contains(is_forbidden),
        Term::Triple(triple) => has_forbidden_text(&triple.object),
        Term::NamedNode(_) | Term::BlankNode(_) => false,
    }
}

/// The row with others in their place.
pub(super) fn without_forbidden(row: &QuerySolution) -> QuerySolution {
    let values = row.values().iter().map(|cell| {
        let replaced = |literal: Literal| {
            let (text, datatype, language, direction) = literal.destruct();
            let text = text.replace(is_forbidden, "\u{fffd}");
            match (datatype, language, direction) {
                (_, Some(tag), Some(direction)) => {
                    let new = Literal::new_directional_language_tagged_literal_unchecked;
                    new(text, tag, direction)
                }
                (_, Some(tag), None) => Literal::new_language_tagged_literal_unchecked(text, tag),
                (Some(datatype), None, _) => Literal::new_typed_literal(text, datatype),
                (None, None, _) => Literal::new_simple_literal(text),
            }
        };
        cell.clone().map(|term| with_literal(term, &replaced))
    });
    (row.variables().to_vec(), values.collect::<Vec<_>>()).into()
}
