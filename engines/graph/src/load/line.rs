//! One line of N-Triples or N-Quads in one of the usual shapes, cut into its terms by searching for
//! their ends.
//!
//! What is of another shape isn't wrong: the parser of the syntax is asked (load/lines).

use super::cut::{iri, literal};
use super::raw::{RawQuad, RawTerm};

/// The quad at the beginning of the bytes, and the length of its line with the line end. `None`
/// says nothing about the line.
///
/// Terms are cut out, not checked. A literal with escapes is written to `scratch`.
#[inline]
pub(super) fn usual_line<'a>(
    bytes: &'a [u8],
    has_graphs: bool,
    scratch: &'a mut Vec<u8>,
) -> Option<(RawQuad<'a>, usize)> {
    let (subject, at) = node(bytes, 0)?;
    let (predicate, at) = iri(bytes, skip_blanks(bytes, at))?;
    let at = skip_blanks(bytes, at);
    let (object, at) = match bytes.get(at)? {
        b'"' => literal(bytes, at + 1, scratch)?,
        _ => node(bytes, at)?,
    };
    let at = skip_blanks(bytes, at);
    let (graph, at) = match bytes.get(at)? {
        b'.' => (None, at),
        _ if has_graphs => {
            let (graph, at) = node(bytes, at)?;
            (Some(graph), skip_blanks(bytes, at))
        }
        _ => return None,
    };
    if bytes.get(at) != Some(&b'.') {
        return None;
    }
    let at = skip_blanks(bytes, at + 1);
    let len = match bytes.get(at) {
        Some(b'\n') => at + 1,
        Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => at + 2,
        None => at,
        _ => return None,
    };
    let predicate = RawTerm::Iri(predicate);
    Some((RawQuad { subject, predicate, object, graph }, len))
}

#[inline]
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

#[inline]
fn node(bytes: &[u8], at: usize) -> Option<(RawTerm<'_>, usize)> {
    if let Some((iri, at)) = iri(bytes, at) {
        return Some((RawTerm::Iri(iri), at));
    }
    let (label, at) = blank(bytes, at)?;
    Some((RawTerm::Blank(label), at))
}

/// A label of ASCII, before a blank.
fn blank(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let label = bytes.get(at..)?.strip_prefix(b"_:")?;
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let len = label.iter().position(|byte| !is_inner(byte))?;
    let (first, last) = (label.first()?, label[..len].last()?);
    let is_usual = (first.is_ascii_alphanumeric() || *first == b'_')
        && *last != b'.'
        && matches!(label[len], b' ' | b'\t');
    is_usual.then(|| (&label[..len], at + 2 + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, want: Option<(&str, usize)>) {
        let mut scratch = Vec::new();
        let got = usual_line(line.as_bytes(), true, &mut scratch);
        let show = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let got = got.map(|(quad, len)| {
            let object = match quad.object {
                RawTerm::Iri(iri) => show(iri),
                RawTerm::Blank(label) => format!("_:{}", show(label)),
                RawTerm::Simple(text) => format!("'{}'", show(text)),
                RawTerm::Tagged(text, tag) => format!("'{}'@{}", show(text), show(tag)),
                RawTerm::Typed(text, datatype) => format!("'{}'^^{}", show(text), show(datatype)),
                RawTerm::Directional(..) | RawTerm::Triple(_) => panic!("none is cut"),
            };
            (format!("{object}{}", if quad.graph.is_some() { " in g" } else { "" }), len)
        });
        let got = got.as_ref().map(|(object, len)| (object.as_str(), *len));
        assert_eq!(got, want, "{line}");
    }

    #[test]
    fn usual_shapes() {
        check("<s> <p> <o> .\n<t>", Some(("o", 14)));
        check("<s>\t<p>  <o>.\r\n", Some(("o", 15)));
        check("_:s <p> _:o-1.x .", Some(("_:o-1.x", 17)));
        check("<s> <p> \"a\" <g> .\n", Some(("'a' in g", 18)));
        check("<s> <p> \"a\\n\\\"b\" .\n", Some(("'a\n\"b'", 19)));
        check("<s> <p> \"a\"@en-GB .\n", Some(("'a'@en-GB", 20)));
        check("<s> <p> \"1\"^^<x:y> _:g .\n", Some(("'1'^^x:y in g", 25)));
        check("<s> <p> \"1\"^^<http://www.w3.org/2001/XMLSchema#string> .\n", Some(("'1'", 57)));
    }

    #[test]
    fn other_shapes_are_left_to_the_parser() {
        for line in [
            "",
            "\n",
            "# c\n",
            "<s> <p> <o>\n",
            "<s> <p> <o> . # c\n",
            "<s> <p> <o> .\r<s>",
            "<s> <p> \"a\\u0041\" .\n",
            "<s> <p> \"a\nb\" .\n",
            "<s> <p> \"a\rb\" .\n",
            "<s> <p> \"a\\t\nb\" .\n",
            "_:a. <p> <o> .\n",
            "_:é <p> <o> .\n",
            "<s> _:p <o> .\n",
            "\"s\" <p> <o> .\n",
            "<s> <p> <o> \"g\" .\n",
            "<s> <p> <o> <g> <h> .\n",
        ] {
            check(line, None);
        }
    }
}
