//! Stores of RDF, ours: folders, and files of one by themselves.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_core::findings::Report;
use manicule_graph::{GraphError, files, signs};
use manicule_store::NamedEntry;

use super::address::ListedNames;
use super::kind::Kind;
use super::names::Names;
use super::reader::{Place, Reader, no_parts};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::catalog::graph as tables;
use crate::find::kinds::Places;
use crate::graph::{self, inspect::inspect};
use crate::inspect::{Error, IndexFile, Inspected, Part, Verdict, Verified};
use crate::place::map;

impl Kind {
    /// Ours: a folder with `CURRENT` and the manifest that it names.
    pub const GRAPH_STORE: Kind =
        Kind::new("graph-store", "a graph store", System::GRAPH).ranked(6);
    /// Ours: a leaf, a dictionary, a log, a manifest or statistics of one by itself.
    pub const GRAPH_FILE: Kind = Kind::new("graph-file", "a file of a graph store", System::GRAPH);
}

/// Ours.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::GRAPH,
    signs: &Graph,
    kinds: &[
        KindRow { kind: Kind::GRAPH_STORE, reader: STORE },
        KindRow { kind: Kind::GRAPH_FILE, reader: FILE },
    ],
    searched: Some(|| Box::<Places<graph::Store>>::default()),
    tables: &[&tables::PREDICATES, &tables::QUADS, &tables::SOLUTIONS],
};

struct Graph;

impl Signs for Graph {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        files::is_file(head).then_some(Kind::GRAPH_FILE)
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        signs::is_of_store(name)
    }

    fn proven(&self, folder: &Path, names: &Names) -> Vec<Kind> {
        let is_named =
            names.has(signs::CURRENT_NAME) || names.any(signs::is_manifest_name, |_| true);
        (is_named && signs::is_store(folder)).then_some(Kind::GRAPH_STORE).into_iter().collect()
    }

    fn given(&self, folder: &Path, names: &Names, proven: &[Kind]) -> Vec<Kind> {
        let is_named =
            names.has(signs::CURRENT_NAME) || names.any(signs::is_manifest_name, |_| true);
        let is_given = || is_named && signs::is_given_store(folder);
        let is_store = !proven.is_empty() || is_given();
        is_store.then_some(Kind::GRAPH_STORE).into_iter().collect()
    }

    fn listed(&self, names: ListedNames<'_>) -> Vec<Kind> {
        let is_manifest = |name: &str| signs::is_manifest_name(name.as_bytes());
        let is_store = names.has_file(signs::CURRENT_NAME) && names.files().any(is_manifest);
        is_store.then_some(Kind::GRAPH_STORE).into_iter().collect()
    }

    fn owns(&self, _: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
        proven.contains(&Kind::GRAPH_STORE) && signs::is_of_store(entry.name.as_bytes())
    }

    fn is_part(&self, name: &[u8], proven: &[Kind]) -> bool {
        proven.contains(&Kind::GRAPH_STORE) && signs::is_part(name)
    }

    fn noticed_endings(&self) -> &'static [&'static str] {
        &["/CURRENT"]
    }

    fn may_be_noticed(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == signs::CURRENT_NAME)
    }

    fn passed(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        let store = path.parent().filter(|store| signs::is_store(store))?;
        Some((Kind::GRAPH_STORE, store.to_owned()))
    }
}

/// Of a store.
const STORE: Reader = Reader {
    inspect: |place, _| {
        let inspected = inspect(&place.path).map_err(Error::Graph)?;
        Ok(Inspected::Graph(Box::new(inspected)))
    },
    parts: no_parts,
    verify: |place, call, _| graph::verify(&place.path, call.watch).map_err(Error::Graph),
};

/// Of a file of a store by itself.
const FILE: Reader = Reader {
    inspect: |place, _| parts(place).map(Inspected::File),
    parts: |place| parts(place).map(Some),
    verify: |place, _, _| verify_file(place),
};

fn parts(place: &Place) -> Result<IndexFile, Error> {
    let path = &place.path;
    let bytes = map(path).map_err(Error::io(path))?;
    let outline = files::outline(&bytes).map_err(|source| {
        Error::Graph(GraphError::Damaged { file: path.clone(), source }.into())
    })?;
    Ok(IndexFile::new(place.kind.word(), bytes, outline))
}

fn verify_file(place: &Place) -> Result<Verified, Error> {
    let bytes = map(&place.path).map_err(Error::io(&place.path))?;
    let mut report = Report::default();
    files::verify(&bytes, &mut report.findings);
    let mut verdict = Verdict::default();
    verdict.take(&place.path.to_string_lossy(), report);
    let len = bytes.len() as u64;
    let lines = vec![vec![Part::Text("the file by itself, "), Part::Len(len)]];
    Ok(Verified::new(verdict, vec![("len", len)], lines))
}
