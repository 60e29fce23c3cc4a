//! Terms and quads as canonical N-Triples and N-Quads: one space between terms, ` .` and LF at the
//! end, and in literals only the quote, the backslash, LF and CR escaped.
//!
//! Bytes:   <https://www.w3.org/TR/n-triples/#canonical-ntriples>

use crate::sparql::blank_label;
use crate::term::TermRef;

/// Appends a term.
pub fn put_term(term: TermRef<'_>, out: &mut Vec<u8>) {
    match term {
        TermRef::Blank(number) => {
            out.extend_from_slice(b"_:");
            out.extend_from_slice(blank_label(number).as_bytes());
        }
        TermRef::Iri(iri) => put_iri(iri, out),
        TermRef::Simple(text) => put_text(text, out),
        TermRef::Tagged(text, tag) => {
            put_text(text, out);
            out.push(b'@');
            out.extend_from_slice(tag.as_bytes());
        }
        TermRef::Directional(text, tag, direction) => {
            put_text(text, out);
            out.push(b'@');
            for part in [tag, "--", direction.name()] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        TermRef::Typed(text, datatype) => {
            put_text(text, out);
            out.extend_from_slice(b"^^");
            put_iri(datatype, out);
        }
        TermRef::Triple(triple) => {
            out.extend_from_slice(b"<<( ");
            for term in triple.terms() {
                put_term(term, out);
                out.push(b' ');
            }
            out.extend_from_slice(b")>>");
        }
    }
}

fn put_iri(iri: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(iri.as_bytes());
    out.push(b'>');
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(len) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r'))
    {
        out.extend_from_slice(&rest[..len]);
        out.push(b'\\');
        out.push(match rest[len] {
            b'\n' => b'n',
            b'\r' => b'r',
            quoted => quoted,
        });
        rest = &rest[len + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Direction, TripleBuf};

    #[track_caller]
    fn check(term: TermRef<'_>, want: &str) {
        let mut out = Vec::new();
        put_term(term, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), want);
    }

    #[test]
    fn terms() {
        check(TermRef::Blank(7), "_:b7");
        check(TermRef::Iri("http://a/é"), "<http://a/é>");
        check(TermRef::Simple("a\tb\"\\\n\r\u{8}"), "\"a\tb\\\"\\\\\\n\\r\u{8}\"");
        check(TermRef::Tagged("", "en-gb"), "\"\"@en-gb");
        check(TermRef::Directional("a", "ar", Direction::Rtl), "\"a\"@ar--rtl");
        check(TermRef::Typed("01", "x:y"), "\"01\"^^<x:y>");
        let terms = [TermRef::Blank(7), TermRef::Iri("x:p"), TermRef::Simple("a")];
        let triple = TripleBuf::new(terms).expect("one level");
        check(TermRef::Triple(triple.as_triple()), "<<( _:b7 <x:p> \"a\" )>>");
    }
}
