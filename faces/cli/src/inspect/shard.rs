//! zoekt shards, shown.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::code::json::ShardFolder;
use manicule::code::shards::{
    Count, Lists, RepositoryInspection, SectionInspection, ShardInspection, ShardSummary,
};
use serde_json::json;

use super::options::Options;
use crate::command::exit;
use crate::print::{self, Print};
use crate::report::Report;
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
    let times = shard.len as f64 / shard.text_len.max(1) as f64;
    Report::new(SHARD, print::json(shard))
        .text(json!({ "times": times }))
        .lines("languages", rows(&shard.languages))
        .lines("categories", rows(&shard.categories))
        .lines("skipped", rows(&shard.skipped))
        .lines("sections", shard.sections.iter().map(|own| section(own, shard.len)))
        .lines("postings", Some(lists(&shard.postings)))
        .lines("name_postings", Some(lists(&shard.name_postings)))
        .lines("repositories", shard.repositories.iter().map(repository))
        .at_most(REPOSITORIES_MAX)
}

fn section(section: &SectionInspection, len: u64) -> Report {
    Report::new(SECTION, print::json(section)).text(json!({ "percent": percent(section.len, len) }))
}

fn repository(repository: &RepositoryInspection) -> Report {
    let branches = repository.branches.iter();
    let heads = branches.map(|(name, at)| format!("{name} {}", at.get(..12).unwrap_or(at)));
    let heads = heads.collect::<Vec<_>>().join(", ");
    let within = repository.sub_repositories.join(", ");
    Report::new(REPOSITORY, print::json(repository))
        .text(json!({ "heads": heads, "within": within }))
}

fn count(count: &Count) -> Report {
    let noun = plural(count.document_count, "document");
    Report::new(COUNT, print::json(count)).text(json!({ "noun": noun }))
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
    let trigrams = densest.map(|list| format!("{:?} {}", list.trigram, list.posting_count));
    let each = lists.len as f64 / lists.posting_count.max(1) as f64;
    Report::new(LISTS, print::json(lists))
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
    let is_read = shards.iter().all(|shard| shard.documents.is_ok());
    let sums = ShardFolder { path, shards };
    Report::new(SUM, print::json(sums)).print("shards", options.json, out)?;
    Ok(exit::if_any(is_read))
}

fn line(shard: &ShardSummary) -> Report {
    let documents = shard.documents.as_ref();
    let whose = documents.map_or_else(|_| String::new(), |own| whose(&own.repositories));
    let name = shard.path.file_name().unwrap_or_default().to_string_lossy();
    Report::new(LINE, print::json(shard))
        .text(json!({ "name": name, "is_read": shard.documents.is_ok(), "whose": whose }))
}

fn whose(repositories: &[String]) -> String {
    match repositories {
        [] => "no repository that is still to be found".to_owned(),
        [name] => name.clone(),
        names => counted(names.len() as u64, "repository"),
    }
}
