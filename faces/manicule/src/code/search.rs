//! zoekt's queries over shards.

use std::path::Path;

use manicule_code::shards::ShardError;
use manicule_code::shards::find::query;
pub use manicule_code::shards::find::query::{Answer, Hear, Query, QueryError};
use manicule_code::shards::find::{Admit, OpenShard, Order, Receipt, Request, ShardFiles, Skipped};
use manicule_code::tree::Look;
use manicule_core::watch::Watch;

use crate::kinds::Deal;

/// Arguments of a search in zoekt's query language.
#[derive(Debug)]
pub struct SearchCall {
    /// The query.
    pub query: Query,
    /// Number of threads.
    pub threads: usize,
}

impl SearchCall {
    /// A search on all cores. Fails where the query can't be read.
    pub fn new(query: &str) -> Result<Self, QueryError> {
        Ok(SearchCall {
            query: Query::parse(query)?,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        })
    }
}

/// Maps a shard, or all shards of a folder. Those of a folder that can't be read are handed to
/// `failed`.
pub fn open(path: &Path, failed: &mut dyn FnMut(ShardError)) -> Result<ShardFiles, ShardError> {
    ShardFiles::open(path, failed)
}

/// As [`open`], for a path that was dealt out: its folder is not listed again.
pub fn open_dealt(
    deal: &Deal,
    path: &Path,
    failed: &mut dyn FnMut(ShardError),
) -> Result<ShardFiles, ShardError> {
    match deal.listed(path) {
        Some(entries) => ShardFiles::open_among(path, entries, failed),
        None => ShardFiles::open(path, failed),
    }
}

/// Searches shards. Results are passed range by range to the values that `hear` makes, one for each
/// thread.
///
/// ```
/// use manicule::code::search::{Answer, Hear};
/// use manicule::code::tree::Flow;
/// use manicule::code::{IndexCall, SearchCall, index, open, search};
/// use manicule::watch::Watch;
///
/// struct Names(std::sync::mpsc::Sender<String>);
///
/// impl Hear for Names {
///     fn answer(&mut self, answer: &Answer<'_>) -> Flow {
///         let _ = self.0.send(String::from_utf8_lossy(answer.document.name).into_owned());
///         Flow::Continue
///     }
///
///     fn range_end(&mut self, _: usize) {}
/// }
///
/// let folder = tempfile::tempdir()?;
/// let (sources, shards) = (folder.path().join("src"), folder.path().join("shards"));
/// std::fs::create_dir(&sources)?;
/// std::fs::write(sources.join("main.go"), "package main\n")?;
/// index(&IndexCall::new(sources, shards.clone()), &Watch::none())?;
///
/// let files = open(&shards, &mut |error| eprintln!("{error}"))?;
/// let opened = files.shards(&mut |error| eprintln!("{error}"));
/// let (names, found) = std::sync::mpsc::channel();
/// let call = SearchCall::new("package file:go")?;
/// search(&opened, &call, &Watch::none(), &|| Box::new(Names(names.clone())))?;
/// assert_eq!(found.recv()?, "main.go");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search<'v>(
    shards: &[OpenShard<'_>],
    call: &SearchCall,
    watch: &Watch<'_>,
    hear: &(dyn Fn() -> Box<dyn Hear + 'v> + Sync),
) -> Result<Receipt, ShardError> {
    let admit = Admit::all();
    let request = Request {
        look: &Look::Contents,
        admit: &admit,
        order: Order::Any,
        skipped: Skipped::Kept,
        threads: call.threads,
        watch,
    };
    query::search(shards, &call.query, &request, hear)
}
