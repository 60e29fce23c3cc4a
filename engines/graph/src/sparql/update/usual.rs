//! Requests of the usual shapes, cut into their quads by searching for the ends of terms: INSERT
//! DATA, DELETE DATA, and DELETE WHERE of one pattern, with all terms written as in N-Triples. So
//! pages are replaced and bursts are added, and the parser would take most of the time.
//!
//! What is of another shape isn't wrong: the parser is asked (update).

use crate::load::{Cut, RawQuad, RawTerm};

/// A step of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step<'a> {
    /// A quad of INSERT DATA.
    Insert(RawQuad<'a>),
    /// A quad of DELETE DATA.
    Delete(RawQuad<'a>),
    /// The pattern of DELETE WHERE over the default graph; none stands for a variable, and no
    /// variable comes twice.
    DeleteWhere([Option<RawTerm<'a>>; 3]),
    /// The end of an operation.
    End,
}

/// Whether all of a request is of the usual shapes, and each of its terms valid; `with_patterns` if
/// a DELETE WHERE is one of them.
pub(super) fn is_usual(text: &str, with_patterns: bool) -> bool {
    // A term that is the one of the quad before is valid, as that was.
    let (mut subject, mut predicate) = (Vec::new(), Vec::new());
    let is_valid = |term: RawTerm<'_>, before: &mut Vec<u8>| {
        let RawTerm::Iri(iri) = term else { return false };
        let is_valid = before == iri || term.is_valid();
        before.clear();
        before.extend_from_slice(iri);
        is_valid
    };
    let cut = cut(text, &mut |step| match step {
        Step::Insert(quad) | Step::Delete(quad) => {
            is_valid(quad.subject, &mut subject)
                && is_valid(quad.predicate, &mut predicate)
                && is_data(quad.object)
                && quad.graph.is_none_or(is_data)
        }
        Step::DeleteWhere(terms) => with_patterns && terms.into_iter().flatten().all(is_data),
        Step::End => true,
    });
    cut == Some(())
}

/// Whether a term is valid. Blank nodes have rules of their own, which the parser knows.
fn is_data(term: RawTerm<'_>) -> bool {
    !matches!(term, RawTerm::Blank(_)) && term.is_valid()
}

/// Calls `each` with the steps of a request, until it answers `false`. `None` says nothing about
/// the request.
pub(super) fn cut(text: &str, each: &mut impl FnMut(Step<'_>) -> bool) -> Option<()> {
    let (mut at, mut scratch) = (Cut::new(text.as_bytes()), Vec::new());
    at.skip_space();
    while !at.is_end() {
        if at.word(b"insert") {
            at.skip_space();
            at.word(b"data").then_some(())?;
            quads(&mut at, &mut scratch, &mut |quad| each(Step::Insert(quad)))?;
        } else {
            at.word(b"delete").then_some(())?;
            at.skip_space();
            if at.word(b"data") {
                quads(&mut at, &mut scratch, &mut |quad| each(Step::Delete(quad)))?;
            } else {
                at.word(b"where").then_some(())?;
                pattern(&mut at, &mut scratch, &mut |terms| each(Step::DeleteWhere(terms)))?;
            }
        }
        each(Step::End).then_some(())?;
        at.skip_space();
        if !at.is_end() {
            at.mark(b';').then_some(())?;
            at.skip_space();
        }
    }
    Some(())
}

/// The block of INSERT DATA or DELETE DATA.
fn quads(
    at: &mut Cut<'_>,
    scratch: &mut Vec<u8>,
    each: &mut impl FnMut(RawQuad<'_>) -> bool,
) -> Option<()> {
    at.skip_space();
    at.mark(b'{').then_some(())?;
    triples(at, None, scratch, each)?;
    while at.word(b"graph") {
        at.skip_space();
        let graph = RawTerm::Iri(at.iri()?);
        at.skip_space();
        at.mark(b'{').then_some(())?;
        triples(at, Some(graph), scratch, each)?;
        at.mark(b'}').then_some(())?;
        at.skip_space();
        at.mark(b'.');
        triples(at, None, scratch, each)?;
    }
    at.mark(b'}').then_some(())
}

/// Triples, up to what isn't one.
fn triples<'a>(
    at: &mut Cut<'a>,
    graph: Option<RawTerm<'a>>,
    scratch: &mut Vec<u8>,
    each: &mut impl FnMut(RawQuad<'_>) -> bool,
) -> Option<()> {
    loop {
        at.skip_space();
        let Some(subject) = at.iri() else { return Some(()) };
        let subject = RawTerm::Iri(subject);
        at.skip_space();
        let predicate = RawTerm::Iri(at.iri()?);
        at.skip_space();
        let object = at.term(scratch)?;
        each(RawQuad { subject, predicate, object, graph }).then_some(())?;
        at.skip_space();
        if !at.mark(b'.') {
            return Some(());
        }
    }
}

/// The block of a DELETE WHERE.
fn pattern(
    at: &mut Cut<'_>,
    scratch: &mut Vec<u8>,
    each: &mut impl FnMut([Option<RawTerm<'_>>; 3]) -> bool,
) -> Option<()> {
    at.skip_space();
    at.mark(b'{').then_some(())?;
    let (subject, first) = variable_or_iri(at)?;
    let (predicate, second) = variable_or_iri(at)?;
    at.skip_space();
    let third = at.variable();
    let object = match third {
        Some(_) => None,
        None => Some(at.term(scratch)?),
    };
    let comes_twice = |one: Option<&[u8]>, other: Option<&[u8]>| one.is_some() && one == other;
    if comes_twice(first, second) || comes_twice(first, third) || comes_twice(second, third) {
        return None;
    }
    each([subject, predicate, object]).then_some(())?;
    at.skip_space();
    at.mark(b'.');
    at.skip_space();
    at.mark(b'}').then_some(())
}

/// A variable's name or an IRI.
fn variable_or_iri<'a>(at: &mut Cut<'a>) -> Option<(Option<RawTerm<'a>>, Option<&'a [u8]>)> {
    at.skip_space();
    match at.variable() {
        Some(name) => Some((None, Some(name))),
        None => Some((Some(RawTerm::Iri(at.iri()?)), None)),
    }
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Rng;
    use spargebra::algebra::GraphPattern;
    use spargebra::term::{GraphName, GraphNamePattern, GroundQuad, GroundQuadPattern};
    use spargebra::{GraphUpdateOperation as Operation, SparqlParser};

    use super::*;

    fn show(term: RawTerm<'_>) -> String {
        let mut tag = String::new();
        crate::sparql::to_term(term.term_ref(&mut tag).expect("no blank node")).to_string()
    }

    fn show_quad(what: &str, quad: &RawQuad<'_>) -> String {
        let terms = [quad.subject, quad.predicate, quad.object].map(show).join(" ");
        let graph = quad.graph.map_or_else(|| "DEFAULT".to_owned(), show);
        format!("{what} {terms} {graph}")
    }

    /// The steps of a request by our own code.
    fn steps(text: &str) -> Option<Vec<String>> {
        let mut steps = Vec::new();
        if !is_usual(text, true) {
            return None;
        }
        cut(text, &mut |step| {
            steps.push(match step {
                Step::Insert(quad) => show_quad("insert", &quad),
                Step::Delete(quad) => show_quad("delete", &quad),
                Step::DeleteWhere(terms) => {
                    let terms = terms.map(|term| term.map_or_else(|| "?".to_owned(), show));
                    format!("where {} DEFAULT", terms.join(" "))
                }
                Step::End => "end".to_owned(),
            });
            true
        })?;
        Some(steps)
    }

    /// The same by the parser.
    fn parsed_steps(text: &str) -> Option<Vec<String>> {
        let request = SparqlParser::new().parse_update(text).ok()?;
        let mut steps = Vec::new();
        for operation in request.operations {
            match operation {
                Operation::InsertData { data } => data.iter().for_each(|quad| {
                    let spargebra::term::Quad { subject, predicate, object, graph_name } = quad;
                    steps.push(format!("insert {subject} {predicate} {object} {graph_name}"));
                }),
                Operation::DeleteData { data } => data.iter().for_each(|quad| {
                    let GroundQuad { subject, predicate, object, graph_name } = quad;
                    steps.push(format!("delete {subject} {predicate} {object} {graph_name}"));
                }),
                Operation::DeleteInsert { delete, insert, using, pattern } => {
                    assert!(insert.is_empty() && using.is_none());
                    assert!(matches!(*pattern, GraphPattern::Bgp { .. }), "{pattern}");
                    let [quad] = &delete[..] else { panic!("{delete:?}") };
                    let GroundQuadPattern { subject, predicate, object, graph_name } = quad;
                    assert_eq!(*graph_name, GraphNamePattern::DefaultGraph);
                    let terms = [subject.to_string(), predicate.to_string(), object.to_string()];
                    let name =
                        |term: String| if term.starts_with('?') { "?".to_owned() } else { term };
                    steps.push(format!("where {} DEFAULT", terms.map(name).join(" ")));
                }
                other => panic!("{other}"),
            }
            steps.push("end".to_owned());
        }
        assert_eq!(GraphName::DefaultGraph.to_string(), "DEFAULT");
        Some(steps)
    }

    #[test]
    fn usual_requests_are_what_the_parser_makes_of_them() {
        let mut rng = Rng::new(14);
        let parts = [
            "INSERT DATA {",
            "insert  data{",
            "DELETE DATA {",
            "DELETE WHERE {",
            "}",
            "} ;",
            " . ",
            ".",
            "<http://a/s> <http://a/p> <http://a/o>",
            "<x:s> <x:p> \"v\"",
            "<x:s>",
            "<http://a/b%20c>",
            "?s",
            "$s",
            "?p",
            "?o",
            "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
            "\"a\\n\\\"b\"@En-gb",
            "\"x\"^^<http://www.w3.org/2001/XMLSchema#string>",
            "\"\"",
            "GRAPH <x:g> {",
            "graph<x:g>{",
            "\n",
            " ",
            ";",
            "_:b",
            "a",
            "'v'",
            "12",
            "<relative>",
            "\"\\u0041\"",
            "# c\n",
            "<x:é>",
            "\"é\"@de",
            "<x:a b>",
            ",",
            "\"v\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>",
            "PREFIX : <x:>",
            "x:y",
            "?é",
        ];
        let shapes: [&[&str]; 6] = [
            &["INSERT DATA {", "<x:s> <x:p> \"v\"", "."],
            &["INSERT DATA {", "GRAPH <x:g> {", "<x:s> <x:p> \"v\"", "}"],
            &["DELETE DATA {", "<http://a/s> <http://a/p> <http://a/o>"],
            &["DELETE WHERE {", "<x:s>", "?p", "?o"],
            &["DELETE WHERE {", "?s", "<x:s>", "\"v\"@en"],
            &[
                "DELETE WHERE {",
                "<x:s>",
                "?p",
                "?o",
                ".",
                "} ;",
                "INSERT DATA {",
                "<x:s> <x:p> \"v\"",
            ],
        ];
        let (mut usual, mut steps_seen) = (0, 0);
        for _ in 0..60_000 {
            let mut words: Vec<&str> = rng.pick(&shapes).to_vec();
            words.push("}");
            for _ in 0..rng.below(4) {
                let at = rng.below(words.len() + 1);
                match rng.below(3) {
                    0 if at < words.len() => {
                        words.remove(at);
                    }
                    1 if at < words.len() => words[at] = rng.pick(&parts),
                    _ => words.insert(at, rng.pick(&parts)),
                }
            }
            let text = words.join(rng.pick(&["", " ", "\n"]));
            if let Some(steps) = steps(&text) {
                usual += 1;
                steps_seen += steps.len();
                assert_eq!(Some(steps), parsed_steps(&text), "{text}");
            }
        }
        assert!(usual > 5_000 && steps_seen > 10_000, "{usual} {steps_seen}");
    }

    #[test]
    fn other_shapes_are_left_to_the_parser() {
        for text in [
            "INSERT DATA { _:b <x:p> 1 }",
            "INSERT DATA { <s> <x:p> <x:o> }",
            "INSERT DATA { <x:s> <x:p> <x:o> , <x:o2> }",
            "INSERT DATA { <x:s> <x:p> <x:o> } # c",
            "DELETE WHERE { ?s ?p ?s }",
            "DELETE WHERE { ?s ?p ?o . ?o ?q ?r }",
            "PREFIX : <x:> INSERT DATA { :s :p :o }",
            "INSERT { } WHERE { }",
            "CLEAR ALL",
        ] {
            assert!(!is_usual(text, true), "{text}");
        }
        // Where the call has graphs or limits for patterns, those are.
        let (data, pattern) = ("DELETE DATA { <x:s> <x:p> 'o' }", "DELETE WHERE { <x:s> ?p ?o }");
        let data = data.replace('\'', "\"");
        assert_eq!([true, false].map(|with| is_usual(&data, with)), [true, true]);
        assert_eq!([true, false].map(|with| is_usual(pattern, with)), [true, false]);
    }
}
