//! Any bytes as a document of each syntax: never a panic; what is taken is valid, and strict
//! reading ends where the first fault is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_graph::load::{Checked, Document, RawQuad, Rest, Syntax, read_lines};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    let syntaxes = [
        Syntax::NTriples,
        Syntax::NQuads,
        Syntax::Turtle,
        Syntax::TriG,
        Syntax::RdfXml,
        Syntax::JsonLd,
    ];
    let syntax = syntaxes[usize::from(*first) % syntaxes.len()];
    let read = |goes_on: bool| {
        let (mut quads, mut faults) = (0u64, 0u64);
        let mut sink = Checked(|quad: &RawQuad<'_>| {
            quad.terms().for_each(|term| assert!(term.is_valid()));
            quads += 1;
        });
        if syntax.is_lines() {
            read_lines(text, syntax.has_graphs(), &mut sink, |fault| {
                assert!(fault.line > 0 && !fault.to_string().is_empty());
                faults += 1;
                goes_on
            });
        } else if let Ok(mut document) = Document::new(syntax, Some("http://x/d"), text) {
            let mut fault = |_: &_| {
                faults += 1;
                goes_on && faults < 1000
            };
            while let Ok(Rest::More) = document.read(&mut sink, 100, &mut fault) {}
        }
        (quads, faults)
    };
    let (strict, lenient) = (read(false), read(true));
    assert!(strict.1 <= 1 && lenient.0 >= strict.0, "{strict:?} {lenient:?}");
});
