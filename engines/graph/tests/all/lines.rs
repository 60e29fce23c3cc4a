//! N-Triples and N-Quads as our reader cuts them, judged by the parser of the syntax: the same
//! lines accepted and refused, with the same terms, on W3C's tests and on random changes of them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use manicule_graph::load::{Checked, Fault, RawQuad, RawTerm, read_lines};
use manicule_testkit::{Rng, golden_folder, number};
use oxttl::{NQuadsParser, NTriplesParser};

/// A term as N-Triples, tags in lower case: the notation in which both are compared.
fn shown(term: RawTerm<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("checked");
    match term {
        RawTerm::Iri(iri) => oxrdf::NamedNode::new_unchecked(text(iri)).to_string(),
        RawTerm::Blank(label) => format!("_:{}", text(label)),
        RawTerm::Simple(value) => oxrdf::Literal::new_simple_literal(text(value)).to_string(),
        RawTerm::Tagged(value, tag) => {
            let tag = text(tag).to_ascii_lowercase();
            oxrdf::Literal::new_language_tagged_literal_unchecked(text(value), tag).to_string()
        }
        RawTerm::Typed(value, datatype) => {
            let datatype = oxrdf::NamedNode::new_unchecked(text(datatype));
            oxrdf::Literal::new_typed_literal(text(value), datatype).to_string()
        }
        RawTerm::Directional(value, tag, direction) => {
            let tag = format!("{}--{}", text(tag).to_ascii_lowercase(), direction.name());
            oxrdf::Literal::new_language_tagged_literal_unchecked(text(value), tag).to_string()
        }
        RawTerm::Triple(triple) => oxrdf::Term::from(triple.clone()).to_string(),
    }
}

fn ours(bytes: &[u8], has_graphs: bool) -> (Vec<String>, Vec<Fault>) {
    let (mut quads, mut faults) = (Vec::new(), Vec::new());
    let mut sink = Checked(|quad: &RawQuad<'_>| {
        quads.push(quad.terms().map(shown).collect::<Vec<_>>().join(" "));
    });
    read_lines(bytes, has_graphs, &mut sink, |fault| {
        faults.push(fault);
        true
    });
    (quads, faults)
}

/// The quads of the parser, or where its first fault is.
fn theirs(bytes: &[u8], has_graphs: bool) -> Result<Vec<String>, u64> {
    let mut quads = Vec::new();
    let mut push = |quad: Result<oxrdf::Quad, oxttl::TurtleSyntaxError>| {
        let quad = quad.map_err(|error| error.location().start.line + 1)?;
        let graph = match &quad.graph_name {
            oxrdf::GraphName::DefaultGraph => String::new(),
            name => format!(" {name}"),
        };
        quads.push(format!("{} {} {}{graph}", quad.subject, quad.predicate, quad.object));
        Ok::<(), u64>(())
    };
    if has_graphs {
        NQuadsParser::new().for_slice(bytes).try_for_each(&mut push)?;
    } else {
        let mut triples = NTriplesParser::new().for_slice(bytes);
        triples.try_for_each(|triple| {
            push(triple.map(|triple| triple.in_graph(oxrdf::GraphName::DefaultGraph)))
        })?;
    }
    Ok(quads)
}

#[track_caller]
fn check(bytes: &[u8], has_graphs: bool, what: &str) -> bool {
    let (quads, faults) = ours(bytes, has_graphs);
    let shown = String::from_utf8_lossy(bytes);
    match theirs(bytes, has_graphs) {
        Ok(want) => {
            assert_eq!(faults, [], "{what}: {shown}");
            assert_eq!(quads, want, "{what}: {shown}");
            true
        }
        Err(line) => {
            let first = faults.first().unwrap_or_else(|| panic!("{what} is refused: {shown}"));
            // The parser reads on to find the end of what it began: its line may be a later one.
            assert!(first.line <= line, "{what}: {first} is after line {line}: {shown}");
            false
        }
    }
}

fn suite(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let list = std::fs::read_dir(folder).expect("a folder of the suite");
    let mut paths: Vec<_> = list.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == ending));
    paths.sort();
    paths
}

/// Every document of the two suites with whether it may hold graphs, and its name.
static DOCUMENTS: LazyLock<Vec<(Vec<u8>, bool, String)>> = LazyLock::new(|| {
    let folder = golden_folder("graph", "rdf-tests");
    let suites = [
        ("rdf11/rdf-n-triples", "nt", false, 72),
        ("rdf11/rdf-n-quads", "nq", true, 89),
        ("rdf12/rdf-n-triples/syntax", "nt", false, 29),
        ("rdf12/rdf-n-quads/syntax", "nq", true, 27),
    ];
    let mut documents = Vec::new();
    for (name, ending, has_graphs, count) in suites {
        let paths = suite(&folder.path().join("rdf").join(name), ending);
        assert_eq!(paths.len(), count, "{name}");
        for path in paths {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            documents.push((std::fs::read(&path).expect("a document"), has_graphs, name));
        }
    }
    documents
});

#[test]
fn the_suites_pass() {
    for (bytes, has_graphs, name) in &*DOCUMENTS {
        let is_bad = name.contains("-bad-");
        assert_eq!(check(bytes, *has_graphs, name), !is_bad, "{name}");
        // As N-Quads, every document of triples is the same.
        check(bytes, true, name);
    }
}

#[test]
fn lines_changed_at_random_are_read_as_the_parser_reads_them() {
    let documents = &*DOCUMENTS;
    let count = number("MANICULE_MUTATIONS").unwrap_or(20_000);
    let parts: [&[u8]; 24] = [
        b"<",
        b">",
        b"\"",
        b"\\",
        b".",
        b" ",
        b"\n",
        b"\r",
        b"\r\n",
        b"@en",
        b"^^",
        b"_:a",
        b"#",
        b"\\u0041",
        b"\\n",
        b"\xc3\xa9",
        b"\xff",
        b"%",
        b"<http://a/b>",
        b"\"x\"",
        b"\t",
        b":",
        b"-",
        b"",
    ];
    let usual: &[u8] = b"<http://a/s> <http://a/p> <http://a/o> .\n_:b <http://a/p> \"text\"@en .\n\
        <http://a/s> <http://a/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> <http://a/g> .\n\
        <http://a/s> <http://a/p> \"a \\\"quoted\\\" text\" .\n";
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..count {
        let mut rng = Rng::new(seed);
        let (bytes, has_graphs, _) = rng.choose(documents);
        let mut bytes = if rng.one_in(2) { bytes.clone() } else { usual.to_vec() };
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len() + 1);
            let end = (at + rng.below(3)).min(bytes.len());
            bytes.splice(at..end, rng.choose(&parts).iter().copied());
        }
        if check(&bytes, *has_graphs, &format!("seed {seed}")) {
            accepted += 1
        } else {
            refused += 1
        }
    }
    assert!(accepted > count / 20 && refused > count / 20, "{accepted} and {refused}");
}

#[test]
fn a_fault_says_its_line_and_column_and_the_others_are_read() {
    let text = "<http://a/s> <http://a/p> <http://a/o> .\r\n\
        <http://a/s> <http://a/p> .\n\n# comment\n\
        <http://a/s> <http://a/p> <o> .\n\
        <http://a/s> <http://a/p> \"é\"@e?n .\n\
        <http://a/s> <http://a/p> \"last\" .";
    let (quads, faults) = ours(text.as_bytes(), false);
    assert_eq!(quads.len(), 2);
    let places: Vec<_> = faults.iter().map(|fault| (fault.line, fault.column)).collect();
    assert_eq!(places, [(2, 27), (5, 27), (6, 31)], "{faults:?}");
}
