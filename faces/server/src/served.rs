//! The places that are served: each a name and a handle of the façade, opened once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use manicule::Failure;
use manicule::blobs::RawFiles;
use manicule::code::Shards;
use manicule::graph::{Store, Writer, Writing};
use manicule::kinds::{self, Kind, System};
use manicule::place::is_address;
use manicule::rows;
use manicule::series::{self, Data};
use manicule::watch::Watch;

/// A path and the name that it is served under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    /// The name; of `None` the path's last part.
    pub name: Option<String>,
    /// The path, or an address.
    pub path: PathBuf,
}

/// Whether clients may change what is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Graph stores are open for writing: no other process writes them meanwhile.
    Graphs,
    /// Nothing is changed.
    Refused,
}

/// A place that is served.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) handle: Handle,
}

/// What is open of a place. A clone is the same.
#[derive(Clone, Debug)]
pub(crate) enum Handle {
    /// Prometheus blocks.
    Series(Arc<Data>),
    /// zoekt shards.
    Shards(Arc<Shards>),
    /// A table's SSTables.
    Table(Arc<rows::Table>),
    /// An RDF store.
    Graph(Arc<Graph>),
    /// A restic repository: its files as they are stored, for which no password is needed.
    Repository(Arc<RawFiles>),
    /// Whatever `find` reads as text.
    Text,
}

/// A graph store, as it may be used.
#[derive(Debug)]
pub(crate) enum Graph {
    Read(Store),
    Written(Writer),
}

impl Graph {
    /// The store, to be read.
    pub(crate) fn store(&self) -> &Store {
        match self {
            Graph::Read(store) => store,
            Graph::Written(writer) => writer.store(),
        }
    }

    /// The store, to be written, if it may be.
    pub(crate) fn writer(&self) -> Option<&Writer> {
        match self {
            Graph::Read(_) => None,
            Graph::Written(writer) => Some(writer),
        }
    }
}

/// All places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Served {
    places: Arc<[Place]>,
}

impl Served {
    /// Opens paths. What can't be read of one is said to `unread`, and the rest of it is served.
    pub(crate) fn open(
        paths: &[NamedPath],
        writes: Writes,
        unread: &mut dyn FnMut(String),
    ) -> Result<Served> {
        let (mut places, mut names) = (Vec::new(), HashSet::new());
        for NamedPath { name, path } in paths {
            let shown = path.display();
            let kinds = kinds::places(path, None).map_err(|error| anyhow!("{shown}: {error}"))?;
            let base = match name {
                Some(name) => name.clone(),
                None => own_name(path)?,
            };
            let several = kinds.len() > 1;
            for place in kinds {
                let kind = place.kind;
                let word = kind.system().word();
                let name = if several { format!("{base}-{word}") } else { base.clone() };
                check_name(&name)?;
                if !names.insert(name.clone()) {
                    bail!("two places have the name {name}: name one as in NAME={shown}");
                }
                let handle = Handle::open(path, kind.system(), writes, unread)
                    .map_err(|failure| anyhow!("{shown}: {failure}"))?;
                places.push(Place { name, path: path.clone(), kind, handle });
            }
        }
        Ok(Served { places: places.into() })
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The place of a name.
    pub(crate) fn place(&self, name: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.name == name)
    }
}

impl Handle {
    fn open(
        path: &Path,
        system: System,
        writes: Writes,
        unread: &mut dyn FnMut(String),
    ) -> Result<Handle, Failure> {
        Ok(match system {
            System::PROMETHEUS => {
                let paths = vec![path.to_owned()];
                let call = series::OpenCall { paths, times: None, skip_damaged: true };
                let log = &mut |log: &Path| unread(format!("{} is not read", log.display()));
                Handle::Series(Arc::new(Data::open(&call, log)?))
            }
            System::ZOEKT => {
                let mut shards = Shards::default();
                shards.add(path, &mut |error| unread(error.to_string()))?;
                Handle::Shards(Arc::new(shards))
            }
            System::CASSANDRA => {
                let call = rows::OpenCall::new(path.to_owned());
                Handle::Table(Arc::new(rows::Table::open(&call)?))
            }
            System::GRAPH => Handle::Graph(Arc::new(match writes {
                Writes::Graphs if !is_address(path) => {
                    Graph::Written(Writer::open(path, Writing::PLAIN, &Watch::none())?)
                }
                Writes::Graphs | Writes::Refused => Graph::Read(Store::open(path)?),
            })),
            System::RESTIC => Handle::Repository(Arc::new(RawFiles::at(path)?)),
            _ => Handle::Text,
        })
    }

    /// Shows what is there now.
    pub(crate) fn look_again(&self) -> Result<(), Failure> {
        match self {
            Handle::Series(data) => data.look_again()?,
            Handle::Shards(shards) => {
                let mut failed = None;
                shards.look_again(&mut |error| failed = Some(error));
                failed.map_or(Ok(()), |error| Err(Failure::from(error)))?;
            }
            Handle::Table(table) => table.look_again()?,
            Handle::Graph(graph) => graph.store().look_again()?,
            Handle::Repository(_) | Handle::Text => {}
        }
        Ok(())
    }
}

/// The name of a path: its last part.
fn own_name(path: &Path) -> Result<String> {
    let shown = path.display();
    let whole;
    let last = if is_address(path) {
        let text = path.to_string_lossy();
        text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
    } else {
        whole = path.canonicalize().map_err(|error| anyhow!("{shown}: {error}"))?;
        whole.file_name().unwrap_or_default().to_string_lossy().into_owned()
    };
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    let name: String = last.chars().map(|char| if is_plain(char) { char } else { '-' }).collect();
    if check_name(&name).is_err() {
        bail!("{shown} gives no name to be served under: say one, as in NAME={shown}");
    }
    Ok(name)
}

/// A name is part of URLs as it is.
fn check_name(name: &str) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let begins_plain = name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
    if name.len() > 100 || !begins_plain || !name.bytes().all(is_plain) {
        bail!("{name:?} is no name of a place: letters, digits, and . _ - after the first");
    }
    Ok(())
}
