//! `POST /api/list`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use manicule_code::shards::ShardError;
use manicule_code::shards::find::{
    Foreseen, IndexMetadata, RepositoryEntry, list as list_repositories,
};
use manicule_core::go::json::JsonWriter;
use manicule_core::watch::Watch;

use super::request::{ListField, ListRequest};
use super::{Error, open_counting};
use crate::code::index::ShardId;
use crate::code::opened::Moment;
use crate::times::micros_of_rfc_3339;

/// Answers a list of repositories in zoekt's JSON: `{"List":{..}}` and a line feed, in the order of
/// their names. Where shards are damaged their number is `Crashes`, and the others answer.
///
/// `IndexBytes` are those of the shards' files. Memory is that of what repositories say of
/// themselves.
///
/// # Errors
/// Shards that can't be read, a call that was stopped.
pub fn list(
    moment: &Moment,
    request: &ListRequest,
    threads: usize,
    watch: &Watch<'_>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let foreseen = request.query.as_ref().map_or(Foreseen::Documents, |query| query.foreseen());
    let (shards, crashes) = open_counting(moment, foreseen);
    let entries = list_repositories(&shards, request.query.as_ref(), threads, watch)?;
    if let (true, Some(open)) = (watch.is_over(), shards.first()) {
        return Err(ShardError::Stopped { path: open.path().to_owned() }.into());
    }
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("List");
        json.object(|json| write(&entries, request.field, crashes, json));
    });
    json.raw("\n");
    Ok(out.write_all(json.bytes())?)
}

fn write(entries: &[RepositoryEntry], field: ListField, crashes: u64, out: &mut JsonWriter) {
    // Repositories without an id are listed whole in any case.
    let is_whole =
        |entry: &&RepositoryEntry| field == ListField::Repos || entry.repository.derived_id() == 0;
    let (whole, by_id): (Vec<&RepositoryEntry>, Vec<_>) = entries.iter().partition(is_whole);
    out.key("Repos");
    out.list(whole, |out, entry| {
        out.object(|out| {
            out.key("Repository");
            out.raw(entry.repository.as_read().encode());
            out.key("IndexMetadata");
            out.raw(metadata_of(entry).encode());
            out.key("Stats");
            Stats::of(entry).write(out);
        });
    });
    // Go sorts numbers that are keys as texts.
    let by_id: BTreeMap<String, &RepositoryEntry> =
        by_id.into_iter().map(|entry| (entry.repository.derived_id().to_string(), entry)).collect();
    out.key("ReposMap");
    out.object(|out| {
        for (id, entry) in by_id {
            out.key(id);
            out.object(|out| write_branches(entry, out));
        }
    });
    out.number("Crashes", crashes as i64);
    let mut all = Stats { repositories: entries.len() as u64, ..Stats::default() };
    entries.iter().for_each(|entry| all.add(&Stats::of(entry)));
    out.key("Stats");
    all.write(out);
}

/// What a shard says of itself, with an id in any case.
fn metadata_of(entry: &RepositoryEntry) -> Cow<'_, IndexMetadata> {
    if !entry.metadata.id.is_empty() {
        return Cow::Borrowed(&entry.metadata);
    }
    let id = ShardId::of_checksum(entry.first_name_checksum).text().to_owned();
    Cow::Owned(IndexMetadata { id, ..entry.metadata.clone() })
}

fn write_branches(entry: &RepositoryEntry, out: &mut JsonWriter) {
    let repository = &entry.repository;
    out.word("HasSymbols", repository.has_symbols);
    match &repository.branches {
        None => out.null("Branches"),
        Some(branches) => {
            out.key("Branches");
            out.list(branches, |out, branch| {
                out.object(|out| {
                    out.text("Name", &branch.name);
                    out.text("Version", &branch.version);
                });
            });
        }
    }
    let micros = micros_of_rfc_3339(&entry.metadata.index_time).unwrap_or_default();
    out.number("IndexTimeUnix", micros.div_euclid(1_000_000));
}

/// Counts of a repository, or of all.
#[derive(Default)]
struct Stats {
    repositories: u64,
    shards: u64,
    documents: u64,
    index_len: u64,
    content_len: u64,
    lines: [u64; 3],
}

impl Stats {
    fn of(entry: &RepositoryEntry) -> Stats {
        Stats {
            repositories: 0,
            shards: entry.shards,
            documents: entry.documents,
            index_len: entry.index_len,
            content_len: entry.content_len,
            lines: [entry.lines.all, entry.lines.first, entry.lines.others],
        }
    }

    fn add(&mut self, other: &Stats) {
        self.shards += other.shards;
        self.documents += other.documents;
        self.index_len += other.index_len;
        self.content_len += other.content_len;
        self.lines.iter_mut().zip(other.lines).for_each(|(own, other)| *own += other);
    }

    fn write(&self, out: &mut JsonWriter) {
        let [all, first, others] = self.lines;
        out.object(|out| {
            for (name, number) in [
                ("Repos", self.repositories),
                ("Shards", self.shards),
                ("Documents", self.documents),
                ("IndexBytes", self.index_len),
                ("ContentBytes", self.content_len),
                ("NewLinesCount", all),
                ("DefaultBranchNewLinesCount", first),
                ("OtherBranchesNewLinesCount", others),
            ] {
                out.number(name, number as i64);
            }
        });
    }
}
