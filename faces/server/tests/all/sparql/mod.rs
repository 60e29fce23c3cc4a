//! SPARQL over HTTP: W3C's tests, what clients have sent, and what neither asks.

mod clients;
mod content;
mod edges;
mod graphs;
mod guide;
mod updates;
mod w3c;

use std::path::{Path, PathBuf};

use manicule::graph::{LoadCall, Writing, load};
use manicule::watch::Watch;
use tempfile::TempDir;

use super::support::{Answer, Server, serve};

/// A store of documents in a folder that goes with it.
pub(crate) fn store(documents: &[&Path]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    let call = LoadCall::new(documents.iter().map(|path| path.to_path_buf()).collect());
    load(&place, Writing::PLAIN, &call, &Watch::none()).unwrap();
    (folder, place)
}

/// A server of an empty store, which may be written.
fn empty() -> (TempDir, Server) {
    let (folder, place) = store(&[]);
    (folder, serve(&[("lamps", &place)]))
}

const QUERY: (&str, &str) = ("Content-Type", "application/sparql-query");
const UPDATE: (&str, &str) = ("Content-Type", "application/sparql-update");
const TURTLE: (&str, &str) = ("Content-Type", "text/turtle");

impl Server {
    /// Does an update.
    fn update(&self, text: &str) -> Answer {
        self.send("POST", "/update", &[UPDATE], text.as_bytes())
    }

    /// Asks a query; the answer as CSV.
    fn csv(&self, text: &str) -> String {
        let accept = ("Accept", "text/csv");
        let answer = self.send("POST", "/query", &[QUERY, accept], text.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.text().replace("\r\n", "\n")
    }
}
