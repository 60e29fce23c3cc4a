//! zoekt's queries over shards.

use std::path::Path;

use manicule_code::shards::ShardError;
use manicule_code::shards::find::query;
pub use manicule_code::shards::find::query::Found;
pub use manicule_code::shards::find::query::{Answer, Hear, Query, QueryError};
pub use manicule_code::shards::find::rank::{
    ChunkMatch, ChunkRange, FileMatch, Fragment, LineMatch, Location, MatchedLine, Matches, Part,
    RankLimits, RankOptions, RankUntil, Ranking, Scorer, Scoring, Unit, matched_lines,
};
use manicule_code::shards::find::{
    Admit, Order, Receipt, Request, ShardFiles, Skipped, list as list_repositories,
    rank::rank as rank_answers,
};
pub use manicule_code::shards::find::{
    RepositoryEntry, RepositoryShare, SubRepository, Symbol, repository_shares,
};
use manicule_code::tree::Look;
use manicule_core::watch::Watch;

use super::opened::{OpenShards, open};
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

impl SearchCall {
    fn request<'r>(&self, admit: &'r Admit, watch: &'r Watch<'r>) -> Request<'r> {
        Request {
            look: &Look::Contents,
            admit,
            order: Order::Any,
            skipped: Skipped::Kept,
            threads: self.threads,
            watch,
        }
    }
}

/// Maps a shard, or all shards of a folder, of a path that was dealt out: its folder is not listed
/// again. Those of a folder that can't be read are handed to `failed`.
pub fn open_dealt(
    deal: &Deal,
    path: &Path,
    failed: &mut dyn FnMut(ShardError),
) -> Result<ShardFiles, ShardError> {
    match deal.listed(path) {
        Some(entries) => ShardFiles::open_among(path, entries, failed),
        None => open(path, None, failed),
    }
}

impl OpenShards<'_> {
    /// Searches the shards. Results are passed range by range to the values that `hear` makes, one
    /// for each thread.
    ///
    /// ```
    /// use manicule::code::search::{Answer, Hear};
    /// use manicule::code::tree::Flow;
    /// use manicule::code::{IndexCall, SearchCall, Shards, index};
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
    /// let (sources, place) = (folder.path().join("src"), folder.path().join("shards"));
    /// std::fs::create_dir(&sources)?;
    /// std::fs::write(sources.join("main.go"), "package main\n")?;
    /// index(&IndexCall::new(sources, place.clone()), &Watch::none())?;
    ///
    /// let mut shards = Shards::default();
    /// shards.add(&place, &mut |error| eprintln!("{error}"))?;
    /// let moment = shards.moment();
    /// let opened = moment.open(&mut |error| eprintln!("{error}"));
    /// let (names, found) = std::sync::mpsc::channel();
    /// let call = SearchCall::new("package file:go")?;
    /// opened.search(&call, &Watch::none(), &|| Box::new(Names(names.clone())))?;
    /// assert_eq!(found.recv()?, "main.go");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search<'v>(
        &self,
        call: &SearchCall,
        watch: &Watch<'_>,
        hear: &(dyn Fn() -> Box<dyn Hear + 'v> + Sync),
    ) -> Result<Receipt, ShardError> {
        let admit = Admit::all();
        query::search(self, &call.query, &call.request(&admit, watch), hear)
    }

    /// Searches the shards, and scores all documents that match: [`Ranking::best`] has the best of
    /// them first.
    ///
    /// ```
    /// use manicule::code::search::{RankLimits, RankOptions, Scoring, Unit};
    /// use manicule::code::{IndexCall, SearchCall, Shards, index};
    /// use manicule::watch::Watch;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let (sources, place) = (folder.path().join("src"), folder.path().join("shards"));
    /// std::fs::create_dir(&sources)?;
    /// std::fs::write(sources.join("a.txt"), "clamps\n")?;
    /// std::fs::write(sources.join("b.txt"), "a lamp\n")?;
    /// index(&IndexCall::new(sources, place.clone()), &Watch::none())?;
    ///
    /// let mut shards = Shards::default();
    /// shards.add(&place, &mut |error| eprintln!("{error}"))?;
    /// let moment = shards.moment();
    /// let opened = moment.open(&mut |error| eprintln!("{error}"));
    /// let options = RankOptions { scoring: Scoring::Place, unit: Unit::Lines };
    /// let ranking = opened.rank(&SearchCall::new("lamp")?, &options, &Watch::none())?;
    /// assert_eq!(ranking.match_count(), 2);
    /// let best = ranking.best(&RankLimits { documents: Some(1), matches: None })?;
    /// assert_eq!(best[0].document(&opened)?.name, b"b.txt");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rank<'s>(
        &'s self,
        call: &SearchCall,
        options: &RankOptions,
        watch: &Watch<'_>,
    ) -> Result<Ranking<'s>, ShardError> {
        let admit = Admit::all();
        let until = RankUntil::NEVER;
        rank_answers(self, &call.query, &call.request(&admit, watch), options, &until)
    }

    /// Their repositories, by name: all, or those for which a query holds or that have a document
    /// for which it does.
    pub fn list(
        &self,
        call: Option<&SearchCall>,
        watch: &Watch<'_>,
    ) -> Result<Vec<RepositoryEntry>, ShardError> {
        let threads = call.map_or(1, |call| call.threads);
        list_repositories(self, call.map(|call| &call.query), threads, watch)
    }
}
