//! The index of a tree, shown.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use manicule::cache::now_ns;
use manicule::code::tree::{Inspection, SegmentInspection, Staleness};
use serde_json::{Value as Json, json};

use super::options::Options;
use crate::cache::seconds_since;
use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print, typed};
use crate::units::percent;
use crate::units::{counted, human_age, human_len};

pub(super) fn show(tree: &Inspection, options: &Options, out: &mut Print) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!(
            "--hex shows a section of a file; those of this index lie in {}",
            tree.path.display()
        ));
        return Ok(exit::FAILED);
    }
    let text = if options.json { format!("{}\n", tree_as_json(tree)) } else { tree_as_text(tree)? };
    out.write_all(text.as_bytes())?;
    Ok(exit::DONE)
}

fn tree_as_text(tree: &Inspection) -> Result<String> {
    let mut out = String::new();
    let age = |ns: u64| human_age(now_ns().saturating_sub(ns) / 1_000_000_000);
    let used = tree.used_at.map(|used| format!(", used {} ago", human_age(seconds_since(used))));
    writeln!(out, "tree      {}", tree.root.display())?;
    writeln!(out, "index     {}", tree.path.display())?;
    writeln!(
        out,
        "made      {} ago{}, format version {}",
        age(tree.made_at_ns),
        used.unwrap_or_default(),
        tree.version
    )?;
    writeln!(
        out,
        "holds     {} in {}, {} of text; {} left out by rules from {}",
        counted(tree.file_count, "file"),
        counted(tree.folder_count, "folder"),
        human_len(tree.text_len),
        counted(tree.other_count, "name"),
        counted(tree.watched_count, "place")
    )?;
    writeln!(
        out,
        "          {} with a NUL, {} without grams, {} read in every call",
        tree.binary_count, tree.unknown_count, tree.unsure_count
    )?;
    writeln!(out, "takes     {}", share_of_text(tree.index_len(), tree.text_len))?;
    for (name, len) in &tree.files {
        writeln!(out, "          {name:<28} {:>9}", human_len(*len))?;
    }
    tree.segments.iter().try_for_each(|segment| segment_as_text(segment, &mut out))?;
    writeln!(out, "now       {}", staleness_as_text(tree.staleness.as_ref()))?;
    Ok(out)
}

fn segment_as_text(segment: &SegmentInspection, out: &mut String) -> Result<()> {
    let [median, ninetieth, hundredth, longest] = segment.lengths;
    writeln!(
        out,
        "segment   {}: {}, {} live; {} with {}, {:.1} bits each",
        segment.name,
        counted(segment.piece_count.into(), "piece"),
        segment.live_count,
        counted(segment.list_count.into(), "list"),
        counted(segment.posting_count, "posting"),
        segment.len as f64 * 8.0 / segment.posting_count.max(1) as f64
    )?;
    writeln!(
        out,
        "          pieces a list: half {median}, 90 % {ninetieth}, 99 % {hundredth}, all {longest} at most"
    )?;
    Ok(())
}

/// A segment has some 50 KB of tables whatever its contents: for a smaller tree a percentage means
/// nothing.
fn share_of_text(index_len: u64, text_len: u64) -> String {
    let len = human_len(index_len);
    if index_len <= text_len {
        format!("{len}, {:.1} % of the text", percent(index_len, text_len))
    } else {
        format!("{len}, mostly tables that every index has")
    }
}

fn staleness_as_text(staleness: Option<&Staleness>) -> String {
    let Some(stale) = staleness else { return "the tree can't be opened".to_owned() };
    let time = format!("checked in {:.1} ms", stale.check_us as f64 / 1e3);
    if *stale == (Staleness { check_us: stale.check_us, ..Staleness::default() }) {
        return format!("nothing has changed; {time}");
    }
    format!(
        "{} with other names, {} gone, {} with other rules, {} changed; {time}",
        counted(stale.folders_changed, "folder"),
        stale.folders_gone,
        stale.rules_changed,
        counted(stale.files_changed, "file")
    )
}

fn tree_as_json(tree: &Inspection) -> Json {
    let files = tree.files.iter().map(|(name, len)| json!({ "name": name, "len": len }));
    let segment = |segment: &SegmentInspection| {
        let densest = segment.densest.iter();
        let densest = densest
            .map(|(gram, pieces, len)| json!({ "gram": gram, "pieces": pieces, "len": len }));
        let [median, ninetieth, hundredth, longest] = segment.lengths;
        json!({
            "name": segment.name,
            "len": segment.len,
            "pieces": segment.piece_count,
            "pieces_live": segment.live_count,
            "lists": segment.list_count,
            "postings": segment.posting_count,
            "list_pieces": { "p50": median, "p90": ninetieth, "p99": hundredth, "max": longest },
            "densest": densest.collect::<Vec<_>>(),
        })
    };
    let staleness = tree.staleness.map(|stale| {
        json!({
            "folders_changed": stale.folders_changed,
            "folders_gone": stale.folders_gone,
            "rules_changed": stale.rules_changed,
            "files_changed": stale.files_changed,
            "check_us": stale.check_us,
        })
    });
    let fields = json!({
        "tree": print::path(&tree.root),
        "index": print::path(&tree.path),
        "made_at_ns": tree.made_at_ns,
        "used_seconds_ago": tree.used_at.map(seconds_since),
        "version": tree.version,
        "piece_len": tree.piece_len,
        "folders": tree.folder_count,
        "files": tree.file_count,
        "files_with_nul": tree.binary_count,
        "files_unknown": tree.unknown_count,
        "files_unsure": tree.unsure_count,
        "names_left_out": tree.other_count,
        "rules_watched": tree.watched_count,
        "text_len": tree.text_len,
        "index_len": tree.index_len(),
        "index_files": files.collect::<Vec<_>>(),
        "segments": tree.segments.iter().map(segment).collect::<Vec<_>>(),
        "stale": staleness,
    });
    typed("tree", fields)
}
