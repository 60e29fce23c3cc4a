//! `POST /api/search`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use manicule_code::shards::ShardError;
use manicule_code::shards::find::query::{considered, resolve};
use manicule_code::shards::find::rank::{
    RankLimits, RankOptions, RankUntil, Ranking, Scoring, Unit, rank,
};
use manicule_code::shards::find::{Admit, OpenShard, Order, Receipt, Request, Skipped};
use manicule_code::tree::Look;
use manicule_core::go::json::JsonWriter;
use manicule_core::watch::Watch;

use super::request::{SearchOptions, SearchRequest};
use super::shown::Shown;
use super::{Error, open_counting};
use crate::cache::now_ns;
use crate::code::opened::Moment;

/// Matches in a shard after which the rest of it is not looked at, where a request says nothing.
const SHARD_MATCHES: u64 = 100_000;

/// Documents up to which a maximum of shown documents limits what is looked at next to nothing.
const FEW_DOCUMENTS: i64 = 10_000;

/// Bytes of an answer that are written at once.
const BUFFER_LEN: usize = 64 << 10;

/// Answers a search in zoekt's JSON: `{"Result":{..}}` and a line feed, as one document after the
/// other is written. Where shards are damaged their number is `Crashes`, and the others answer.
///
/// Memory is that of all matches, taken of the context's; texts are not in it.
///
/// # Errors
/// Shards that can't be read, too many matches, a call that was stopped: by `watch`, not by
/// `MaxWallTime`, which ends the search with what was found until then.
pub fn search(
    moment: &Moment,
    request: &SearchRequest,
    threads: usize,
    watch: &Watch<'_>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let started = Instant::now();
    let (shards, crashes) = open_counting(moment, request.query.foreseen());
    let (report, stop) = (|_| (), || watch.is_over());
    let time = u64::try_from(request.options.wall_time().as_nanos()).unwrap_or(u64::MAX);
    let within = Watch::new(&report, &stop).until(now_ns().saturating_add(time), now_ns);
    let (look, admit) = (Look::Contents, Admit::all());
    let call = Request {
        look: &look,
        admit: &admit,
        order: Order::Any,
        skipped: Skipped::Kept,
        threads,
        watch: &within,
    };
    let mut found = Found::of(&shards, request, &call)?;
    if let (true, Some(open)) = (watch.is_over(), shards.first()) {
        return Err(ShardError::Stopped { path: open.path().to_owned() }.into());
    }
    (found.crashes, found.duration_ns) = (crashes, started.elapsed().as_nanos() as u64);
    found.write(&shards, &request.options, out)
}

/// What a search found.
struct Found<'s> {
    /// `None` where only an estimate was asked.
    ranking: Option<Ranking<'s>>,
    /// All documents that match, shown or not, and their matches.
    counts: (u64, u64),
    /// The repositories of these documents, and the sub-repositories: templates of URLs, and of
    /// what a line adds to one.
    templates: BTreeMap<Vec<u8>, (&'s str, &'s str)>,
    considered: u64,
    receipt: Receipt,
    crashes: u64,
    duration_ns: u64,
}

impl<'s> Found<'s> {
    fn of(
        shards: &'s [OpenShard<'s>],
        request: &SearchRequest,
        call: &Request<'_>,
    ) -> Result<Self, ShardError> {
        let mut found = Found {
            ranking: None,
            counts: (0, 0),
            templates: BTreeMap::new(),
            considered: 0,
            receipt: Receipt::default(),
            crashes: 0,
            duration_ns: 0,
        };
        let query = resolve(shards, &request.query, call, &mut found.receipt)?;
        let options = &request.options;
        if options.estimate_doc_count {
            found.considered = considered(shards, &query);
            return Ok(found);
        }
        let until = options.until(|| considered(shards, &query));
        let mut ranking = rank(shards, &query, call, &options.rank(), &until)?;
        found.receipt.add(&ranking.receipt);
        found.counts = (ranking.files.len() as u64, ranking.match_count());
        for file in &ranking.files {
            found.add_templates(&shards[file.shard_number], file.document)?;
        }
        ranking.cut(&options.limits());
        found.ranking = Some(ranking);
        Ok(found)
    }

    fn add_templates(&mut self, open: &'s OpenShard<'s>, number: usize) -> Result<(), ShardError> {
        let own = open.sub_repository(number)?.map(|own| own.repository);
        for repository in open.repository(number).into_iter().chain(own) {
            if !self.templates.contains_key(&repository.name.0) {
                let texts = (&*repository.file_url_template, &*repository.line_fragment_template);
                self.templates.insert(repository.name.0.clone(), texts);
            }
        }
        Ok(())
    }

    fn write(
        &self,
        shards: &[OpenShard<'_>],
        options: &SearchOptions,
        to: &mut dyn Write,
    ) -> Result<(), Error> {
        let mut out = JsonWriter::default();
        out.open_object();
        out.key("Result");
        out.open_object();
        self.write_stats(&mut out);
        let files = self.ranking.as_ref().map_or(&[][..], |ranking| &ranking.files);
        match files {
            [] => out.null("Files"),
            files => {
                out.key("Files");
                out.open_list();
                for file in files {
                    out.next();
                    Shown::new(shards, file, options)?.write(&mut out)?;
                    if out.bytes().len() >= BUFFER_LEN {
                        to.write_all(out.bytes())?;
                        out.clear();
                    }
                }
                out.close_list();
            }
        }
        self.write_templates("RepoURLs", |texts| texts.0, &mut out);
        self.write_templates("LineFragments", |texts| texts.1, &mut out);
        out.close_object();
        out.close_object();
        out.raw("\n");
        Ok(to.write_all(out.bytes())?)
    }

    /// What the call has cost: in our own units of work under zoekt's names, 0 where there is none.
    fn write_stats(&self, out: &mut JsonWriter) {
        let Receipt { shards, candidates, visited, read_len, lists, list_len, .. } = self.receipt;
        let duration_ns = self.duration_ns;
        for (name, number) in [
            ("ContentBytesLoaded", read_len),
            ("IndexBytesLoaded", list_len),
            ("Crashes", self.crashes),
            ("Duration", duration_ns),
            ("FileCount", self.counts.0),
            ("ShardFilesConsidered", self.considered),
            ("FilesConsidered", candidates),
            ("FilesLoaded", visited),
            ("FilesSkipped", 0),
            ("ShardsScanned", shards),
            ("ShardsSkipped", 0),
            ("ShardsSkippedFilter", 0),
            ("MatchCount", self.counts.1),
            ("NgramMatches", candidates),
            ("NgramLookups", lists),
            ("Wait", 0),
            ("MatchTreeConstruction", 0),
            ("MatchTreeSearch", duration_ns),
            ("RegexpsConsidered", 0),
            ("FlushReason", 0),
        ] {
            out.number(name, number as i64);
        }
    }

    fn write_templates(
        &self,
        name: &str,
        choose: impl Fn(&(&'s str, &'s str)) -> &'s str,
        out: &mut JsonWriter,
    ) {
        out.key(name);
        out.object(|out| {
            for (repository, texts) in &self.templates {
                out.key(repository);
                out.string(choose(texts));
            }
        });
    }
}

impl SearchOptions {
    fn rank(&self) -> RankOptions {
        let scoring = if self.use_bm25_scoring { Scoring::Frequency } else { Scoring::Place };
        let unit =
            if self.chunk_matches { Unit::Chunks { context: self.context() } } else { Unit::Lines };
        RankOptions { scoring, unit }
    }

    /// Number of lines shown around a match.
    pub(super) fn context(&self) -> usize {
        usize::try_from(self.num_context_lines).unwrap_or(0)
    }

    fn limits(&self) -> RankLimits {
        let limit = |count: i64| usize::try_from(count).ok().filter(|count| *count > 0);
        RankLimits {
            documents: limit(self.max_doc_display_count),
            matches: limit(self.max_match_display_count),
        }
    }

    /// Where zoekt would end the search. A maximum of shown documents alone makes two others, by
    /// the number of documents that are `considered`.
    fn until(&self, considered: impl FnOnce() -> u64) -> RankUntil {
        let (mut of_shard, mut of_all) = (self.shard_max_match_count, self.total_max_match_count);
        let shown = self.max_doc_display_count;
        if shown != 0 && of_shard == 0 {
            let count = i64::try_from(considered()).unwrap_or(i64::MAX);
            if count > FEW_DOCUMENTS {
                let five = shown.saturating_mul(5);
                of_shard = five.saturating_add(five / (count / 1000));
            } else {
                of_shard = shown.saturating_mul(100).saturating_add(count);
                of_all = of_shard;
            }
        }
        let max = |count: i64| u64::try_from(count).ok().filter(|count| *count > 0);
        RankUntil {
            shard: if of_shard == 0 { Some(SHARD_MATCHES) } else { max(of_shard) },
            repository: max(self.shard_repo_max_match_count),
            all: max(of_all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shown: i64, of_shard: i64, of_all: i64, considered: u64, want: [Option<u64>; 2]) {
        let options = SearchOptions {
            max_doc_display_count: shown,
            shard_max_match_count: of_shard,
            total_max_match_count: of_all,
            ..SearchOptions::default()
        };
        let until = options.until(|| considered);
        assert_eq!([until.shard, until.all], want);
    }

    #[test]
    fn searches_end_where_zoekts_end() {
        check(0, 0, 0, 99_000, [Some(100_000), None]);
        check(0, 0, 7, 99_000, [Some(100_000), Some(7)]);
        check(50, 0, 0, 20_000, [Some(262), None]);
        check(50, 0, 7, 300, [Some(5300), Some(5300)]);
        check(50, 9, 0, 300, [Some(9), None]);
        check(-1, 0, 5, 30, [None, None]);
        check(i64::MAX, 0, 0, 30, [Some(i64::MAX as u64); 2]);
        check(i64::MIN, 0, 0, u64::MAX, [None, None]);
    }
}
