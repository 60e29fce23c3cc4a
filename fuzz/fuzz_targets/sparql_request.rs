//! What a request of SPARQL over HTTP asks for, or the status that refuses it: never a panic, the
//! same for the same bytes, and nothing of a body that isn't in it.
//!
//! The first line is the method and the path, then `Content-Type`, `Accept` and the body.
//!
//! Seeds: `mkdir -p corpus/sparql_request && cp seeds/sparql_request/* corpus/sparql_request`

#![no_main]

use libfuzzer_sys::fuzz_target;

/// The files that are tested are private to their crate, so they are compiled as part of this one.
#[path = "../../faces/server/src/sparql"]
#[allow(dead_code, reason = "answers are not made here")]
mod sparql {
    mod form;
    mod media;
    mod multipart;
    mod refused;
    mod request;
    mod target;

    use media::{QUADS, ROWS, TRIPLES, Wants};
    use refused::Refused;
    use request::{Endpoint, Parts, asked};
    use target::asked_graph;

    const URL: &str = "http://localhost:6264/store/a";

    pub(crate) fn check(bytes: &[u8]) {
        let mut lines = bytes.splitn(4, |byte| *byte == b'\n');
        let mut line = || lines.next().unwrap_or_default();
        let (Ok(first), Ok(content_type), Ok(accept)) =
            (str::from_utf8(line()), str::from_utf8(line()), str::from_utf8(line()))
        else {
            return;
        };
        let body = line();
        let (method, target) = first.split_once(' ').unwrap_or((first, ""));
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let content_type = (!content_type.is_empty()).then_some(content_type);
        let parts = Parts { method, query, content_type, body };
        let parameters = if path.starts_with("/store") {
            graph(path, &parts)
        } else {
            operation(path, &parts)
        };
        let accept = Some(accept);
        for parameters in [parameters, Vec::new()] {
            let wants = Wants { accept, parameters: &parameters };
            let types = [
                wants.choose(&ROWS).map(|own| own.content_type),
                wants.choose(&TRIPLES).map(|own| own.content_type),
                wants.choose(&QUADS).map(|own| own.content_type),
            ];
            assert!(types.iter().flatten().all(|own| own.contains('/') && own.is_ascii()));
        }
    }

    fn operation(path: &str, parts: &Parts<'_>) -> Vec<(String, String)> {
        let endpoint = match path {
            "/query" => Endpoint::Query,
            "/update" => Endpoint::Update,
            _ => Endpoint::Both,
        };
        let found = asked(endpoint, parts);
        assert_eq!(found, asked(endpoint, parts));
        found.map(|asked| asked.parameters).unwrap_or_else(refused)
    }

    fn graph(path: &str, parts: &Parts<'_>) -> Vec<(String, String)> {
        let found = asked_graph(URL, path != "/store", parts);
        assert_eq!(found, asked_graph(URL, path != "/store", parts));
        let Ok(found) = found else { return refused(found.unwrap_err()) };
        let len: usize = found.documents.iter().map(|document| document.bytes.len()).sum();
        assert!(len <= parts.body.len());
        found.parameters
    }

    fn refused(refused: Refused) -> Vec<(String, String)> {
        let Refused { status, why, allow } = refused;
        assert!([400, 405, 415].contains(&status) && !why.is_empty());
        assert_eq!(allow.is_some(), status == 405);
        Vec::new()
    }
}

fuzz_target!(|bytes: &[u8]| sparql::check(bytes));
