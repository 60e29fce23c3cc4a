//! Documents of every syntax: the same quads out of each, compressed or not, whole or in pieces;
//! faults with their places.

use std::fs;
use std::io::Write;
use std::path::Path;

use manicule_graph::load::{
    Checked, Document, DocumentError, Fault, Pieces, Place, RawQuad, RawTerm, Rest, Source, Syntax,
    read_lines,
};

fn shown(quad: &RawQuad<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let term = |term| match term {
        RawTerm::Iri(iri) => format!("<{}>", text(iri)),
        RawTerm::Blank(_) => "_:".to_owned(),
        RawTerm::Simple(value) => format!("{:?}", text(value)),
        RawTerm::Tagged(value, tag) => format!("{:?}@{}", text(value), text(tag)),
        RawTerm::Typed(value, datatype) => format!("{:?}^^{}", text(value), text(datatype)),
        RawTerm::Directional(value, tag, direction) => {
            format!("{:?}@{}--{}", text(value), text(tag), direction.name())
        }
        RawTerm::Triple(triple) => format!("<<( {triple} )>>"),
    };
    quad.terms().map(term).collect::<Vec<_>>().join(" ")
}

fn read(syntax: Syntax, text: &str) -> (Vec<String>, Vec<Fault>) {
    let (mut quads, mut faults) = (Vec::new(), Vec::new());
    let mut sink = Checked(|quad: &RawQuad<'_>| quads.push(shown(quad)));
    let mut document = Document::new(syntax, Some("file:///d/"), text.as_bytes()).expect("a base");
    let mut note = |fault: &Fault| {
        faults.push(fault.clone());
        true
    };
    while document.read(&mut sink, 2, &mut note).expect("it can be read") == Rest::More {}
    quads.sort();
    (quads, faults)
}

#[test]
fn every_syntax_gives_the_same_quads() {
    let want = [
        "<file:///d/s> <x:p> \"1\"^^http://www.w3.org/2001/XMLSchema#integer",
        "<file:///d/s> <x:p> \"a\\nb\"@en",
        "<file:///d/s> <x:p> <file:///d/o>",
        "<file:///d/s> <x:p> _:",
    ];
    let turtle = "@prefix x: <x:> . <s> x:p 1, \"\"\"a\nb\"\"\"@en, <o>, [] .";
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='x:'>\
        <rdf:Description rdf:about='s'><x:p rdf:resource='o'/><x:p xml:lang='en'>a\nb</x:p>\
        <x:p rdf:datatype='http://www.w3.org/2001/XMLSchema#integer'>1</x:p>\
        <x:p rdf:parseType='Resource'/></rdf:Description></rdf:RDF>";
    let json = r#"{"@id": "s", "x:p": [1, {"@value": "a\nb", "@language": "en"}, {"@id": "o"}, {"@id": "_:b"}]}"#;
    let lines = "<file:///d/s> <x:p> <file:///d/o> , \"a\\nb\"@en ."
        .replace(" ,", " .\n<file:///d/s> <x:p>");
    let lines = format!(
        "{lines}\n<file:///d/s> <x:p> _:b .\n<file:///d/s> <x:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    );
    for (syntax, text) in [
        (Syntax::Turtle, turtle),
        (Syntax::TriG, turtle),
        (Syntax::RdfXml, xml),
        (Syntax::JsonLd, json),
        (Syntax::NTriples, &lines),
        (Syntax::NQuads, &lines),
    ] {
        assert_eq!(read(syntax, text), (want.map(str::to_owned).to_vec(), vec![]), "{syntax:?}");
    }
    let graph = read(Syntax::TriG, "<g> { <s> <p> <o> }").0;
    assert_eq!(graph, ["<file:///d/s> <file:///d/p> <file:///d/o> <file:///d/g>"]);
}

#[test]
fn faults_have_places_and_parsers_go_on_where_they_can() {
    let (quads, faults) = read(Syntax::Turtle, "<s> <p> <o> .\n<s> \"p\" <o> .\n<s> <p> <p> .\n");
    assert_eq!((quads.len(), faults.len()), (2, 1), "{faults:?}");
    assert_eq!((faults[0].line, faults[0].column), (2, 5), "{faults:?}");
    let (_, faults) = read(
        Syntax::RdfXml,
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n<",
    );
    assert!(!faults.is_empty());
    let (_, faults) = read(Syntax::JsonLd, "{\"@id\": ");
    assert!(!faults.is_empty() && faults[0].line == 1, "{faults:?}");
    let mut document =
        Document::new(Syntax::Turtle, None, "<s> <p> <o> .".as_bytes()).expect("no base is fine");
    let stopped = document.read(&mut Checked(|_: &RawQuad<'_>| ()), 9, |_| false);
    assert!(matches!(stopped, Err(DocumentError::Fault(_))), "relative IRIs need a base");
    assert!(Document::new(Syntax::Turtle, Some("no base"), "".as_bytes()).is_err());
}

#[test]
fn documents_of_any_depth_are_read_or_refused() {
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    for count in [100, 990, 20_000, 100_000] {
        let object = nested("{\"x:p\": ", "1", "}", count);
        let lists = nested("[", "{\"x:p\": 1}", "]", count);
        let graphs = nested("{\"@graph\": [", "{\"x:p\": 1}", "]}", count / 2);
        let context = format!("{{\"@context\": {}, \"x:p\": 1}}", nested("[", "", "]", count - 1));
        for text in [object, lists, graphs, context] {
            let (quads, faults) = read(Syntax::JsonLd, &text);
            let is_deep = |what: &str| what.starts_with("more than 1000 levels");
            assert_eq!(faults.iter().any(|fault| is_deep(&fault.what)), count > 1000, "{faults:?}");
            assert!(count > 1000 || !quads.is_empty() || !faults.is_empty(), "{count}");
        }
        let nodes = format!("<s> <x:p> {} .", nested("[ <x:p> ", "1", "]", count));
        let lists = format!("<s> <x:p> {} .", nested("(", "1", ")", count));
        for text in [nodes, lists] {
            let (quads, faults) = read(Syntax::Turtle, &text);
            assert!(quads.len() > count && faults.is_empty(), "{count}: {faults:?}");
        }
        let deep = count > 2000;
        let inner = nested("<x:p><rdf:Description>", "", "</rdf:Description></x:p>", count);
        let xml = format!(
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='x:'>\
            <rdf:Description>{inner}</rdf:Description></rdf:RDF>"
        );
        let (quads, faults) = read(Syntax::RdfXml, &xml);
        assert!(deep || quads.len() == count, "{count}: {faults:?}");
        let what = faults.first().map(|fault| fault.what.as_str());
        let want = deep.then_some("more than 4000 levels of elements inside each other");
        assert_eq!(what, want, "{count}");
    }
    for count in [1, 64, 65, 900, 300_000] {
        let triples = format!("<x:s> <x:p> {} .", nested("<<( <x:s> <x:p> ", "1", " )>>", count));
        let lines = triples.replace('1', "<x:o>");
        let inner = nested(
            "<x:p rdf:parseType='Triple'><rdf:Description rdf:about='x:s'>",
            "<x:p>1</x:p>",
            "</rdf:Description></x:p>",
            count,
        );
        let xml = format!(
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='x:' \
            rdf:version='1.2'><rdf:Description rdf:about='x:s'>{inner}</rdf:Description></rdf:RDF>"
        );
        for (syntax, text) in
            [(Syntax::Turtle, triples), (Syntax::NQuads, lines), (Syntax::RdfXml, xml)]
        {
            let (quads, faults) = read(syntax, &text);
            let want = match (count, syntax) {
                (1..=64, _) => None,
                (65..=1000, _) => Some("more than 64 triple terms inside each other"),
                (_, Syntax::RdfXml) => Some("more than 4000 levels of elements inside each other"),
                _ => Some("more than 1000 levels of triple terms inside each other"),
            };
            let what = faults.first().map(|fault| fault.what.as_str());
            assert_eq!((what, quads.len()), (want, usize::from(count <= 64)), "{syntax:?} {count}");
        }
    }
}

fn packed(name: &str, bytes: &[u8]) -> Vec<u8> {
    match name {
        "gz" => {
            // Two members, as `cat a.gz b.gz` makes them.
            let (one, other) = bytes.split_at(bytes.len() / 2);
            let member = |bytes: &[u8]| {
                let mut packer =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packer.write_all(bytes).expect("memory");
                packer.finish().expect("memory")
            };
            [member(one), member(other)].concat()
        }
        "zst" => zstd::encode_all(bytes, 1).expect("memory"),
        "bz2" => {
            let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            packer.write_all(bytes).expect("memory");
            packer.finish().expect("memory")
        }
        _ => bytes.to_vec(),
    }
}

#[test]
fn pieces_are_whole_lines_and_lines_are_counted_through_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: String = (0..500)
        .map(|n| match n {
            321 => "no triple\n".to_owned(),
            n if n % 50 == 7 => format!("# {}\r", "long comment ".repeat(60)),
            n => format!("<x:s> <x:p> \"{}\" .\n", "y".repeat(n % 90)),
        })
        .collect();
    let text = text.trim_end();
    for name in ["plain", "gz", "zst", "bz2"] {
        let path = folder.path().join(format!("a.nt.{name}"));
        fs::write(&path, packed(name, text.as_bytes())).expect("a file");
        for len in [1, 100, 5000, 1 << 20] {
            let source = Place::of_name(&path).open().expect("it opens");
            assert_eq!(matches!(source, Source::Mapped(_)), name == "plain");
            let pieces = Pieces::new(source, len);
            let (mut whole, mut count, mut faults) = (Vec::new(), 0, Vec::new());
            while let Some(piece) = pieces.take().expect("it can be read") {
                let before = pieces.lines_before(&piece);
                let bytes = pieces.bytes(&piece);
                read_lines(bytes, false, &mut Checked(|_: &RawQuad<'_>| count += 1), |fault| {
                    faults.push((before + fault.line, fault.column));
                    true
                });
                whole.extend_from_slice(bytes);
            }
            assert_eq!(whole, text.as_bytes(), "{name} {len}");
            assert_eq!((count, faults.as_slice()), (489, &[(322, 1)][..]), "{name} {len}");
        }
        let mut read = Vec::new();
        std::io::copy(
            &mut Place::of_name(&path).open().expect("it opens").into_reader(),
            &mut read,
        )
        .expect("it can be read");
        assert_eq!(read, text.as_bytes());
    }
    assert_eq!(Place::of_name(Path::new("-")), Place::Standard);
    assert!(Place::of_name(&folder.path().join("none")).open().is_err());
}
