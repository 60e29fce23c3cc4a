//! zoekt shards, shown.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::code::shards::{
    Count, Lists, RepositoryInspection, SectionInspection, ShardInspection, ShardSummary,
};
use serde_json::json;

use super::options::Options;
use crate::command::exit;
use crate::print::{self, Print};
use crate::report::{Report, fields};
use crate::units::{counted, percent, plural};

/// Maximum number of rows of languages; the rest is one line. `--json` lists all.
const LANGUAGES_MAX: usize = 20;
/// Maximum number of repositories of a compound shard that are shown.
const REPOSITORIES_MAX: usize = 50;

const SHARD: &str = "\
shard     {path}
made      {made_at:safe}, format {format_version}, features {feature_version}, readers from {min_reader_version} on[id?, run {id:safe}][writer?, by {writer:safe}]
holds     {documents document}, {lines line}, {text_len:B} of text[plain_ascii?, all ASCII]; {symbols symbol}
takes     {len:B}, {times:.2} times the text
{repositories}
          [more?{more more repository}; --json shows them]
          [sidecar?as the sidecar {path}.meta says]
[languages?languages {languages}]
[categories?kinds     {categories}]
[skipped?skipped   {skipped}]
postings  {postings}
of names  {name_postings}
sections        offset        bytes     items   share
          {sections}";

const REPOSITORY: &str = "\
of        {name:safe}[id? (id {id})]: {documents document}, {text_len:B}[tombstone?; a tombstone: none of it is found]
          [file_tombstones?tombstones for {file_tombstones path}]
          [source?from {source:safe}]
          [url?at {url:safe}]
          [heads?branches {heads:safe}]
          [within?within it {within:safe}]
          rank {rank}, [has_symbols?symbols|no symbols]";

const LISTS: &str = "\
{lists list} with {postings position} in {len:B}, {each:.2} bytes each
positions a list: half {list_postings.p50}, 90 % {list_postings.p90}, 99 % {list_postings.p99}, all {list_postings.max} at most
densest: {trigrams}";

const SECTION: &str = "{offset:>12} {len:>12} {items:>9} {percent:>5.1} %  {name}";

const COUNT: &str = "{documents:>8} {noun:<9} {text_len:B>9}  [name?{name:safe}|(none)]";

const LINE: &str = "{name}  {len:B}: [is_read?{documents document}, {text_len:B} of {whose:safe}[tombstones?, {tombstones tombstone}]; made {made_at:safe}|{error}]";

const SUM: &str = "{shards shard}, {len:B}: {documents document}, {text_len:B} of text[shards_damaged?; {shards_damaged} can't be read]";

pub(super) fn report(shard: &ShardInspection) -> Report {
    let fields = fields!(shard =>
        path: print::path(&shard.path), len, format_version, feature_version, min_reader_version,
        made_at, writer, id, plain_ascii, documents = document_count, text_len, name_len,
        lines = line_count, symbols = symbol_count, sidecar = has_sidecar);
    let sorts = [
        ("languages", &shard.languages),
        ("categories", &shard.categories),
        ("skipped", &shard.skipped),
    ];
    let report = sorts.into_iter().fold(Report::new(SHARD, fields), |report, (name, counts)| {
        report.list(name, counts.iter().map(count)).lines(name, rows(counts))
    });
    report
        .text(json!({ "times": shard.len as f64 / shard.text_len.max(1) as f64 }))
        .list("sections", shard.sections.iter().map(|own| section(own, shard.len)))
        .part("postings", Some(lists(&shard.postings)))
        .part("name_postings", Some(lists(&shard.name_postings)))
        .list("repositories", shard.repositories.iter().map(repository))
        .at_most(REPOSITORIES_MAX)
}

fn section(section: &SectionInspection, len: u64) -> Report {
    let fields = fields!(section =>
        name, offset, len, index_len, items = item_count, about,
        share: section.len as f64 / len.max(1) as f64);
    Report::new(SECTION, fields).text(json!({ "percent": percent(section.len, len) }))
}

fn repository(repository: &RepositoryInspection) -> Report {
    let branches = repository.branches.iter();
    let heads = branches.clone().map(|(name, at)| format!("{name} {}", at.get(..12).unwrap_or(at)));
    let heads = heads.collect::<Vec<_>>().join(", ");
    let branches = branches.map(|(name, version)| json!({ "name": name, "version": version }));
    let fields = fields!(repository =>
        id, name, source, url, branches: branches.collect::<Vec<_>>(), sub_repositories, rank,
        has_symbols, tombstone = is_tombstone, file_tombstones = file_tombstone_count,
        documents = document_count, text_len);
    let within = repository.sub_repositories.join(", ");
    Report::new(REPOSITORY, fields).text(json!({ "heads": heads, "within": within }))
}

fn count(count: &Count) -> Report {
    let noun = plural(count.document_count, "document");
    Report::new(COUNT, fields!(count => name, documents = document_count, text_len))
        .text(json!({ "noun": noun }))
}

/// The first rows, and one for all others.
fn rows(counts: &[Count]) -> Vec<Report> {
    let (first, rest) = counts.split_at(counts.len().min(LANGUAGES_MAX));
    let rest = (!rest.is_empty()).then(|| Count {
        name: format!("{} more", rest.len()),
        document_count: rest.iter().map(|count| count.document_count).sum(),
        text_len: rest.iter().map(|count| count.text_len).sum(),
    });
    first.iter().chain(&rest).map(count).collect()
}

fn lists(lists: &Lists) -> Report {
    let densest = lists.densest.iter();
    let trigrams = densest.clone().map(|list| format!("{:?} {}", list.trigram, list.posting_count));
    let densest = densest.map(|list| fields!(list => trigram, postings = posting_count, len));
    let fields = fields!(lists =>
        lists = list_count, postings = posting_count, len,
        list_postings: print::percentiles(lists.lengths), densest: densest.collect::<Vec<_>>());
    let each = lists.len as f64 / lists.posting_count.max(1) as f64;
    Report::new(LISTS, fields)
        .text(json!({ "each": each, "trigrams": trigrams.collect::<Vec<_>>() }))
}

/// A line for each shard, and the sums. Exit code 1 if one can't be read.
pub(super) fn show_folder(
    path: &Path,
    shards: &[ShardSummary],
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    if options.has_several() && !options.json {
        writeln!(out, "shards    {}", path.display())?;
    }
    for shard in shards {
        line(shard).print("shard-line", options.json, out)?;
    }
    let read = || shards.iter().flat_map(|shard| &shard.documents);
    let damaged = shards.len() - read().count();
    let fields = json!({
        "path": print::path(path), "shards": shards.len(), "shards_damaged": damaged,
        "len": shards.iter().map(|shard| shard.len).sum::<u64>(),
        "documents": read().map(|own| own.document_count).sum::<u64>(),
        "text_len": read().map(|own| own.text_len).sum::<u64>(),
    });
    Report::new(SUM, fields).print("shards", options.json, out)?;
    Ok(exit::if_any(damaged == 0))
}

fn line(shard: &ShardSummary) -> Report {
    let (fields, whose) = match &shard.documents {
        Err(error) => (json!({ "error": error }), String::new()),
        Ok(own) => (
            fields!(own =>
            format_version, made_at, documents = document_count, text_len, repositories,
            tombstones = tombstone_count),
            whose(&own.repositories),
        ),
    };
    let name = shard.path.file_name().unwrap_or_default().to_string_lossy();
    Report::new(LINE, fields)
        .and(fields!(shard => path: print::path(&shard.path), len))
        .text(json!({ "name": name, "is_read": shard.documents.is_ok(), "whose": whose }))
}

fn whose(repositories: &[String]) -> String {
    match repositories {
        [] => "no repository that is still to be found".to_owned(),
        [name] => name.clone(),
        names => counted(names.len() as u64, "repository"),
    }
}
