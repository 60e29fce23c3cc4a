//! zoekt shards, shown.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::code::shards::{
    Count, Lists, RepositoryInspection, SectionInspection, ShardInspection, ShardSummary,
};
use serde_json::{Value as Json, json};

use super::options::Options;
use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print, typed};
use crate::units::human_len;
use crate::units::percent;
use crate::units::{counted, plural};

/// Maximum number of rows of languages; the rest is one line. `--json` lists all.
const LANGUAGES_MAX: usize = 20;
/// Maximum number of repositories of a compound shard that are shown.
const REPOSITORIES_MAX: usize = 50;

pub(super) fn show(shard: &ShardInspection, options: &Options, out: &mut Print) -> Result<u8> {
    let text = if options.json { format!("{}\n", as_json(shard)) } else { as_text(shard)? };
    out.write_all(text.as_bytes())?;
    Ok(exit::DONE)
}

fn as_text(shard: &ShardInspection) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "shard     {}", shard.path.display())?;
    writeln!(
        out,
        "made      {}, format {}, features {}, readers from {} on{}{}",
        shown(&shard.made_at),
        shard.format_version,
        shard.feature_version,
        shard.min_reader_version,
        if shard.id.is_empty() { String::new() } else { format!(", run {}", shown(&shard.id)) },
        if shard.writer.is_empty() {
            String::new()
        } else {
            format!(", by {}", shown(&shard.writer))
        },
    )?;
    writeln!(
        out,
        "holds     {}, {}, {} of text{}; {}",
        counted(shard.document_count, "document"),
        counted(shard.line_count, "line"),
        human_len(shard.text_len),
        if shard.plain_ascii { ", all ASCII" } else { "" },
        counted(shard.symbol_count, "symbol")
    )?;
    let times = shard.len as f64 / shard.text_len.max(1) as f64;
    writeln!(out, "takes     {}, {times:.2} times the text", human_len(shard.len))?;
    for repository in shard.repositories.iter().take(REPOSITORIES_MAX) {
        repository_as_text(repository, &mut out)?;
    }
    if shard.repositories.len() > REPOSITORIES_MAX {
        let more = shard.repositories.len() - REPOSITORIES_MAX;
        let more = counted(more as u64, "more repository");
        writeln!(out, "          {more}; --json shows them")?;
    }
    if shard.has_sidecar {
        writeln!(out, "          as the sidecar {}.meta says", shard.path.display())?;
    }
    counts_as_text("languages", &shard.languages, &mut out)?;
    counts_as_text("kinds", &shard.categories, &mut out)?;
    counts_as_text("skipped", &shard.skipped, &mut out)?;
    lists_as_text("postings", &shard.postings, &mut out)?;
    lists_as_text("of names", &shard.name_postings, &mut out)?;
    writeln!(out, "sections  {:>12} {:>12} {:>9} {:>7}", "offset", "bytes", "items", "share")?;
    for section in &shard.sections {
        section_as_text(section, shard.len, &mut out)?;
    }
    Ok(out)
}

fn section_as_text(section: &SectionInspection, len: u64, out: &mut String) -> Result<()> {
    let items = section.item_count.map(|count| count.to_string()).unwrap_or_default();
    writeln!(
        out,
        "          {:>12} {:>12} {items:>9} {:>5.1} %  {}",
        section.offset,
        section.len,
        percent(section.len, len),
        section.name
    )?;
    Ok(())
}

fn repository_as_text(repository: &RepositoryInspection, out: &mut String) -> Result<()> {
    let branches = repository.branches.iter();
    let branches: Vec<String> = branches
        .map(|(name, version)| format!("{name} {}", version.get(..12).unwrap_or(version)))
        .collect();
    let id = if repository.id > 0 { format!(" (id {})", repository.id) } else { String::new() };
    writeln!(
        out,
        "of        {}{id}: {}, {}{}",
        shown(&repository.name),
        counted(repository.document_count, "document"),
        human_len(repository.text_len),
        if repository.is_tombstone { "; a tombstone: none of it is found" } else { "" },
    )?;
    if repository.file_tombstone_count > 0 {
        let paths = counted(repository.file_tombstone_count, "path");
        writeln!(out, "          tombstones for {paths}")?;
    }
    for (name, value) in [
        ("from", shown(&repository.source)),
        ("at", shown(&repository.url)),
        ("branches", shown(&branches.join(", "))),
        ("within it", shown(&repository.sub_repositories.join(", "))),
    ] {
        if !value.is_empty() {
            writeln!(out, "          {name} {value}")?;
        }
    }
    let symbols = if repository.has_symbols { "symbols" } else { "no symbols" };
    writeln!(out, "          rank {}, {symbols}", repository.rank)?;
    Ok(())
}

/// Text from a file, without control characters that a terminal would obey.
fn shown(text: &str) -> String {
    if text.chars().any(char::is_control) { format!("{text:?}") } else { text.to_owned() }
}

fn counts_as_text(name: &str, counts: &[Count], out: &mut String) -> Result<()> {
    let mut label = name;
    for count in counts.iter().take(LANGUAGES_MAX) {
        let sort = if count.name.is_empty() { "(none)" } else { &shown(&count.name) };
        writeln!(
            out,
            "{label:<9} {:>8} {:<9} {:>9}  {sort}",
            count.document_count,
            plural(count.document_count, "document"),
            human_len(count.text_len)
        )?;
        label = "";
    }
    if let Some(rest) = counts.get(LANGUAGES_MAX..).filter(|rest| !rest.is_empty()) {
        let documents: u64 = rest.iter().map(|count| count.document_count).sum();
        let len: u64 = rest.iter().map(|count| count.text_len).sum();
        let sorts = format!("{} more", rest.len());
        let noun = plural(documents, "document");
        writeln!(out, "{label:<9} {documents:>8} {noun:<9} {:>9}  {sorts}", human_len(len))?;
    }
    Ok(())
}

fn lists_as_text(name: &str, lists: &Lists, out: &mut String) -> Result<()> {
    let [median, ninetieth, hundredth, longest] = lists.lengths;
    writeln!(
        out,
        "{name:<9} {} with {} in {}, {:.2} bytes each",
        counted(lists.list_count, "list"),
        counted(lists.posting_count, "position"),
        human_len(lists.len),
        lists.len as f64 / lists.posting_count.max(1) as f64
    )?;
    writeln!(
        out,
        "          positions a list: half {median}, 90 % {ninetieth}, 99 % {hundredth}, all {longest} at most"
    )?;
    let dense =
        lists.densest.iter().map(|list| format!("{:?} {}", list.trigram, list.posting_count));
    writeln!(out, "          densest: {}", dense.collect::<Vec<_>>().join(", "))?;
    Ok(())
}

fn as_json(shard: &ShardInspection) -> Json {
    let section = |section: &SectionInspection| {
        json!({
            "name": section.name,
            "offset": section.offset,
            "len": section.len,
            "index_len": section.index_len,
            "items": section.item_count,
            "share": section.len as f64 / shard.len.max(1) as f64,
            "about": section.about,
        })
    };
    let repository = |repository: &RepositoryInspection| {
        let branches = repository.branches.iter();
        let branches = branches.map(|(name, version)| json!({ "name": name, "version": version }));
        json!({
            "id": repository.id,
            "name": repository.name,
            "source": repository.source,
            "url": repository.url,
            "branches": branches.collect::<Vec<_>>(),
            "sub_repositories": repository.sub_repositories,
            "rank": repository.rank,
            "has_symbols": repository.has_symbols,
            "tombstone": repository.is_tombstone,
            "file_tombstones": repository.file_tombstone_count,
            "documents": repository.document_count,
            "text_len": repository.text_len,
        })
    };
    let fields = json!({
        "path": print::path(&shard.path),
        "len": shard.len,
        "format_version": shard.format_version,
        "feature_version": shard.feature_version,
        "min_reader_version": shard.min_reader_version,
        "made_at": shard.made_at,
        "writer": shard.writer,
        "id": shard.id,
        "plain_ascii": shard.plain_ascii,
        "documents": shard.document_count,
        "text_len": shard.text_len,
        "name_len": shard.name_len,
        "lines": shard.line_count,
        "symbols": shard.symbol_count,
        "sidecar": shard.has_sidecar,
        "sections": shard.sections.iter().map(section).collect::<Vec<_>>(),
        "repositories": shard.repositories.iter().map(repository).collect::<Vec<_>>(),
        "languages": counts_as_json(&shard.languages),
        "categories": counts_as_json(&shard.categories),
        "skipped": counts_as_json(&shard.skipped),
        "postings": lists_as_json(&shard.postings),
        "name_postings": lists_as_json(&shard.name_postings),
    });
    typed("shard", fields)
}

fn counts_as_json(counts: &[Count]) -> Json {
    let count = |count: &Count| {
        let (documents, text_len) = (count.document_count, count.text_len);
        json!({ "name": count.name, "documents": documents, "text_len": text_len })
    };
    counts.iter().map(count).collect()
}

fn lists_as_json(lists: &Lists) -> Json {
    let densest = lists.densest.iter().map(
        |list| json!({ "trigram": list.trigram, "postings": list.posting_count, "len": list.len }),
    );
    let [median, ninetieth, hundredth, longest] = lists.lengths;
    json!({
        "lists": lists.list_count,
        "postings": lists.posting_count,
        "len": lists.len,
        "list_postings": { "p50": median, "p90": ninetieth, "p99": hundredth, "max": longest },
        "densest": densest.collect::<Vec<_>>(),
    })
}

/// A line for each shard, and the sums. Exit code 1 if one can't be read.
pub(super) fn show_folder(
    path: &Path,
    shards: &[ShardSummary],
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!("--hex shows a section of one shard; give its file"));
        return Ok(exit::FAILED);
    }
    if options.has_several() && !options.json {
        writeln!(out, "shards    {}", path.display())?;
    }
    let (mut documents, mut text_len, mut damaged) = (0, 0, 0u64);
    for shard in shards {
        match &shard.documents {
            Ok(own) => {
                documents += own.document_count;
                text_len += own.text_len;
            }
            Err(_) => damaged += 1,
        }
        let line = if options.json { line_as_json(shard).to_string() } else { line_as_text(shard) };
        writeln!(out, "{line}")?;
    }
    let len: u64 = shards.iter().map(|shard| shard.len).sum();
    if options.json {
        let fields = json!({
            "path": print::path(path), "shards": shards.len(), "shards_damaged": damaged,
            "len": len, "documents": documents, "text_len": text_len,
        });
        out.row("shards", fields)?;
    } else {
        writeln!(
            out,
            "{}, {}: {}, {} of text{}",
            counted(shards.len() as u64, "shard"),
            human_len(len),
            counted(documents, "document"),
            human_len(text_len),
            if damaged > 0 { format!("; {damaged} can't be read") } else { String::new() }
        )?
    }
    Ok(exit::if_any(damaged == 0))
}

fn name_of(shard: &ShardSummary) -> String {
    shard.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn line_as_text(shard: &ShardSummary) -> String {
    let (name, len) = (name_of(shard), human_len(shard.len));
    let own = match &shard.documents {
        Ok(own) => own,
        Err(error) => return format!("{name}  {len}: {error}"),
    };
    let whose = match &own.repositories[..] {
        [] => "no repository that is still to be found".to_owned(),
        [name] => shown(name),
        names => counted(names.len() as u64, "repository"),
    };
    let tombs = match own.tombstone_count {
        0 => String::new(),
        count => format!(", {}", counted(count, "tombstone")),
    };
    let documents = counted(own.document_count, "document");
    let text_len = human_len(own.text_len);
    format!(
        "{name}  {len}: {documents}, {text_len} of {whose}{tombs}; made {}",
        shown(&own.made_at)
    )
}

fn line_as_json(shard: &ShardSummary) -> Json {
    let path = print::path(&shard.path);
    match &shard.documents {
        Err(error) => {
            typed("shard-line", json!({ "path": path, "len": shard.len, "error": error }))
        }
        Ok(own) => typed(
            "shard-line",
            json!({
                "path": path,
                "len": shard.len,
                "format_version": own.format_version,
                "made_at": own.made_at,
                "documents": own.document_count,
                "text_len": own.text_len,
                "repositories": own.repositories,
                "tombstones": own.tombstone_count,
            }),
        ),
    }
}
