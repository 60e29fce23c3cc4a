//! Terms as tables list them: a text, and of what it is.

use std::str::FromStr;

use manicule_graph::export::put_term;
use manicule_graph::sparql::{blank_label, blank_number, with_term_ref};
use manicule_graph::term::{Direction, TermRef};
use oxrdf::Term;

/// Datatype of simple literals.
const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
const IRI: &str = "iri";
const BLANK: &str = "blank";
const TRIPLE: &str = "triple";

/// A term in two texts; terms are the same if both are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedTerm {
    /// An IRI without brackets, a blank node as `_:b0`, the text of a literal, a triple term as
    /// N-Triples writes it.
    pub text: String,
    /// `iri`, `blank`, `triple`, the IRI of the datatype, or `@` and a language, as in `@ar--rtl`
    /// with a base direction.
    pub kind: String,
}

impl ListedTerm {
    pub(super) fn of(term: TermRef<'_>) -> ListedTerm {
        let (text, kind) = match term {
            TermRef::Blank(number) => {
                return ListedTerm { text: blank_text(number), kind: BLANK.to_owned() };
            }
            TermRef::Iri(iri) => (iri, IRI.to_owned()),
            TermRef::Simple(text) => (text, XSD_STRING.to_owned()),
            TermRef::Tagged(text, language) => (text, format!("@{language}")),
            TermRef::Directional(text, language, direction) => {
                (text, format!("@{language}--{}", direction.name()))
            }
            TermRef::Typed(text, datatype) => (text, datatype.to_owned()),
            TermRef::Triple(_) => {
                let mut text = Vec::new();
                put_term(term, &mut text);
                let text = String::from_utf8_lossy(&text).into_owned();
                return ListedTerm { text, kind: TRIPLE.to_owned() };
            }
        };
        ListedTerm { text: text.to_owned(), kind }
    }

    /// That of an answer, in which blank nodes have labels.
    pub(super) fn of_term(term: &Term) -> ListedTerm {
        let (text, kind) = match term {
            Term::NamedNode(node) => (node.as_str().to_owned(), IRI.to_owned()),
            Term::BlankNode(node) => (node.to_string(), BLANK.to_owned()),
            Term::Literal(literal) => {
                let direction = literal.direction().map(|direction| format!("--{direction}"));
                let direction = direction.unwrap_or_default();
                let language = literal.language().map(|language| format!("@{language}{direction}"));
                let kind = language.unwrap_or_else(|| literal.datatype().as_str().to_owned());
                (literal.value().to_owned(), kind)
            }
            Term::Triple(_) => (term.to_string(), TRIPLE.to_owned()),
        };
        ListedTerm { text, kind }
    }

    /// Calls `read` with the term; `None`: there is none with these texts.
    pub fn with_term<R>(&self, read: impl FnOnce(TermRef<'_>) -> R) -> Option<R> {
        let text = &*self.text;
        let term = match &*self.kind {
            IRI => TermRef::Iri(text),
            BLANK => TermRef::Blank(blank_number(text.strip_prefix("_:")?)?),
            XSD_STRING => TermRef::Simple(text),
            TRIPLE => return with_term_ref(&Term::from_str(text).ok()?, read),
            kind => match kind.strip_prefix('@') {
                Some(tag) => match Direction::split(tag) {
                    Some((language, direction)) => TermRef::Directional(text, language, direction),
                    None => TermRef::Tagged(text, tag),
                },
                None => TermRef::Typed(text, kind),
            },
        };
        Some(read(term))
    }

    /// An IRI or a blank node, by its text.
    pub fn of_node(text: &str) -> ListedTerm {
        let kind = if text.starts_with("_:") { BLANK } else { IRI };
        ListedTerm { text: text.to_owned(), kind: kind.to_owned() }
    }
}

fn blank_text(number: u64) -> String {
    format!("_:{}", blank_label(number))
}

#[cfg(test)]
mod tests {
    use manicule_graph::sparql::to_term;
    use manicule_graph::term::TripleBuf;

    use super::*;

    #[test]
    fn listed_terms_are_read_again() {
        let parts = [TermRef::Blank(7), TermRef::Iri("x:p"), TermRef::Simple("a\"b")];
        let triple = TripleBuf::new(parts).expect("one level");
        for term in [
            TermRef::Blank(7),
            TermRef::Iri("http://a/"),
            TermRef::Simple("a"),
            TermRef::Tagged("a", "en-gb"),
            TermRef::Directional("a", "ar", Direction::Rtl),
            TermRef::Typed("07", "http://www.w3.org/2001/XMLSchema#integer"),
            TermRef::Triple(triple.as_triple()),
        ] {
            let listed = ListedTerm::of(term);
            assert_eq!(listed.with_term(|read| read == term), Some(true), "{listed:?}");
            assert_eq!(ListedTerm::of_term(&to_term(term)), listed);
        }
        let is_seventh =
            |text| ListedTerm::of_node(text).with_term(|term| term == TermRef::Blank(7));
        assert_eq!((is_seventh("_:b7"), is_seventh("_:seven")), (Some(true), None));
    }
}
