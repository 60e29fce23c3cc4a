//! Terms as tables list them: a text, and of what it is.

use manicule_graph::sparql::{blank_label, blank_number};
use manicule_graph::term::TermRef;
use oxrdf::Term;

/// Datatype of simple literals.
const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
const IRI: &str = "iri";
const BLANK: &str = "blank";

/// A term in two texts; terms are the same if both are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedTerm {
    /// An IRI without brackets, a blank node as `_:b0`, the text of a literal.
    pub text: String,
    /// `iri`, `blank`, the IRI of the datatype, or `@` and a language.
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
            TermRef::Typed(text, datatype) => (text, datatype.to_owned()),
        };
        ListedTerm { text: text.to_owned(), kind }
    }

    /// That of an answer, in which blank nodes have labels.
    pub(super) fn of_term(term: &Term) -> ListedTerm {
        let (text, kind) = match term {
            Term::NamedNode(node) => (node.as_str().to_owned(), IRI.to_owned()),
            Term::BlankNode(node) => (node.to_string(), BLANK.to_owned()),
            Term::Literal(literal) => {
                let language = literal.language().map(|language| format!("@{language}"));
                let kind = language.unwrap_or_else(|| literal.datatype().as_str().to_owned());
                (literal.value().to_owned(), kind)
            }
        };
        ListedTerm { text, kind }
    }

    /// The term; `None`: there is none with these texts.
    pub fn term(&self) -> Option<TermRef<'_>> {
        let text = &*self.text;
        match &*self.kind {
            IRI => Some(TermRef::Iri(text)),
            BLANK => blank_number(text.strip_prefix("_:")?).map(TermRef::Blank),
            XSD_STRING => Some(TermRef::Simple(text)),
            kind => Some(match kind.strip_prefix('@') {
                Some(language) => TermRef::Tagged(text, language),
                None => TermRef::Typed(text, kind),
            }),
        }
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
    use super::*;

    #[test]
    fn listed_terms_are_read_again() {
        for term in [
            TermRef::Blank(7),
            TermRef::Iri("http://a/"),
            TermRef::Simple("a"),
            TermRef::Tagged("a", "en-gb"),
            TermRef::Typed("07", "http://www.w3.org/2001/XMLSchema#integer"),
        ] {
            assert_eq!(ListedTerm::of(term).term(), Some(term));
        }
        assert_eq!(ListedTerm::of_node("_:b7").term(), Some(TermRef::Blank(7)));
        assert_eq!(ListedTerm::of_node("_:seven").term(), None);
    }
}
