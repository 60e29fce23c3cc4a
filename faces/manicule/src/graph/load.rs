//! Documents into a store.

use std::fmt::Write;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_graph::LostCommits;
use manicule_graph::bulk::{BulkLoaded, BulkOptions, load_bulk};
use manicule_graph::load::{
    Input, LoadError, LoadOptions, LoadReport, NamedGraphs, OnFault, Place, Syntax, load_into,
};
use manicule_store::Disk;
use manicule_store::context::Context;

use super::error::Error;
use super::open::{Writing, open_or_create};
use super::store::Writer;
use super::transaction::Transaction;

/// Arguments of a load.
#[derive(Clone, Debug)]
pub struct LoadCall {
    /// The documents; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Documents whose bytes are at hand, by the names that messages call them. Their syntax and
    /// their base are those of the call.
    pub texts: Vec<(PathBuf, Arc<[u8]>)>,
    /// Their syntax; `None` is what their names say.
    pub syntax: Option<Syntax>,
    /// What relative IRIs are resolved against; `None` is the file itself.
    pub base: Option<String>,
    /// IRI of the graph for statements that name none; `None` is the default graph.
    pub graph: Option<String>,
    /// What is done about a bad statement.
    pub on_fault: OnFault,
    /// Bytes of memory that a load into an empty store takes, about; what needs more waits in a
    /// file in the store's folder.
    pub memory: u64,
    /// Number of threads that load into an empty store.
    pub threads: usize,
}

/// Memory of a load, unless another size is wanted.
pub const LOAD_MEMORY: u64 = 1 << 30;

impl LoadCall {
    /// Documents by their names, into the default graph; a bad statement ends the load.
    pub fn new(files: Vec<PathBuf>) -> Self {
        LoadCall {
            files,
            texts: Vec::new(),
            syntax: None,
            base: None,
            graph: None,
            on_fault: OnFault::Stop,
            memory: LOAD_MEMORY,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What a load has done.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Number of statements of the documents, repeated ones too.
    pub statements: u64,
    /// Number of quads that are there and weren't before.
    pub added: u64,
    /// Number of bad statements that were left out.
    pub fault_count: u64,
    /// The first of them, with their documents.
    pub faults: Vec<(PathBuf, manicule_graph::load::Fault)>,
    /// Commits before it that were given up.
    pub forgotten: Option<LostCommits>,
    /// Whether enough commits wait that somebody should merge them.
    pub is_merge_due: bool,
}

/// Loads documents into a store, which is made where there is none, and is gone again if the load
/// fails. Otherwise as [`Writer::load`].
pub fn load(
    folder: &Path,
    writing: Writing,
    call: &LoadCall,
    watch: &Watch<'_>,
) -> Result<Loaded, Error> {
    // Whatever can be wrong with the call is, before there is a store.
    let inputs = inputs(call)?;
    let (store, made) = open_or_create(folder, writing, watch)?;
    let writer = Writer::of(folder, store);
    let loaded = writer.load_inputs(&inputs, call, watch);
    if let (Err(_), Some(place)) = (&loaded, made) {
        // The store is locked still: nobody has written to it.
        place.restore(&Disk::shared());
    }
    loaded
}

impl Writer {
    /// Loads documents as one transaction: all of them are in the store, durable, or none. A store
    /// that is empty is filled at once, by several threads and without the log; into any other one
    /// they go as an update would, and what they make due is merged.
    pub fn load(&self, call: &LoadCall, watch: &Watch<'_>) -> Result<Loaded, Error> {
        self.load_inputs(&inputs(call)?, call, watch)
    }

    fn load_inputs(
        &self,
        inputs: &[Input],
        call: &LoadCall,
        watch: &Watch<'_>,
    ) -> Result<Loaded, Error> {
        let _held = Context::current().hold(call.memory).map_err(Error::Memory)?;
        let Writer { engine: store, .. } = self;
        let forgotten = store.forgotten().cloned();
        if let Some(bulk) = store.begin_bulk()? {
            let space = BulkOptions { memory: call.memory, threads: call.threads };
            let BulkLoaded { report, added } =
                load_bulk(bulk, inputs, &options(call), space, watch)?;
            let LoadReport { statements, fault_count, faults } = report;
            let is_merge_due = false;
            return Ok(Loaded { statements, added, fault_count, faults, forgotten, is_merge_due });
        }
        let mut transaction = self.begin()?;
        let LoadReport { statements, fault_count, faults } =
            transaction.load_inputs(inputs, call, NamedGraphs::Filled, watch)?;
        let syncing = watch.endless(Phase::Syncing, Unit::Bytes);
        let added = transaction.commit()?.added;
        // What is large enough for it is merged already when the next process opens the store.
        store.wait_for_merge()?;
        syncing.end();
        let is_merge_due = store.is_merge_due();
        Ok(Loaded { statements, added, fault_count, faults, forgotten, is_merge_due })
    }
}

impl Transaction {
    /// Loads documents beside what else is changed. Its memory and threads are those of an update.
    pub fn load(&mut self, call: &LoadCall, watch: &Watch<'_>) -> Result<LoadReport, Error> {
        self.load_inputs(&inputs(call)?, call, NamedGraphs::Filled, watch)
    }

    /// Loads documents into the graph of the call and no other one: a statement that names a graph
    /// is an error.
    pub fn load_one_graph(
        &mut self,
        call: &LoadCall,
        watch: &Watch<'_>,
    ) -> Result<LoadReport, Error> {
        self.load_inputs(&inputs(call)?, call, NamedGraphs::Refused, watch)
    }

    fn load_inputs(
        &mut self,
        inputs: &[Input],
        call: &LoadCall,
        named: NamedGraphs,
        watch: &Watch<'_>,
    ) -> Result<LoadReport, Error> {
        Ok(load_into(&mut self.engine, inputs, &options(call), named, watch)?)
    }
}

fn options(call: &LoadCall) -> LoadOptions<'_> {
    LoadOptions { graph: call.graph.as_deref(), on_fault: call.on_fault }
}

/// The documents of a call; an error if it can't be done, whatever the store holds.
fn inputs(call: &LoadCall) -> Result<Vec<Input>, Error> {
    let files = call.files.iter().map(|file| Place::of_name(file));
    let texts = call.texts.iter().map(|(name, text)| Place::Memory(name.clone(), text.clone()));
    let inputs: Vec<Input> =
        files.chain(texts).map(|place| input(place, call)).collect::<Result<_, _>>()?;
    if let Some(graph) = &call.graph {
        manicule_graph::load::check_iri(graph)?;
    }
    for input in &inputs {
        readable(&input.place)?;
    }
    Ok(inputs)
}

fn input(place: Place, call: &LoadCall) -> Result<Input, Error> {
    let unknown = || Error::Syntax { file: place.name().to_owned() };
    let syntax = call.syntax.or_else(|| Syntax::of_path(place.name())).ok_or_else(unknown)?;
    let base = match (&call.base, &place) {
        (Some(base), _) => Some(base.clone()),
        (None, Place::File(path)) => file_url(path),
        (None, Place::Standard | Place::Memory(..)) => None,
    };
    Ok(Input { place, syntax, base })
}

/// Opens a file, and no pipe: that can be opened once.
fn readable(place: &Place) -> Result<(), LoadError> {
    let Place::File(path) = place else { return Ok(()) };
    let wrong = |source| LoadError::Unreadable { file: path.clone(), source };
    let is_file = fs::metadata(path).map_err(wrong)?.is_file();
    if is_file {
        fs::File::open(path).map_err(wrong)?;
    }
    Ok(())
}

/// The URL of a file; none where its folder can't be known.
fn file_url(path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let mut url = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(byte);
        if is_plain {
            url.push(char::from(*byte));
        } else {
            let _ = write!(url, "%{byte:02X}");
        }
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_url() {
        let url = |path: &str| file_url(Path::new(path));
        assert_eq!(url("/a/b c%é.ttl").as_deref(), Some("file:///a/b%20c%25%C3%A9.ttl"));
        assert!(url("x").is_some_and(|url| url.starts_with("file:///") && url.ends_with("/x")));
    }
}
