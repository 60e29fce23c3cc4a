//! The index of a tree, shown.

use std::time::SystemTime;

use manicule::cache::now_ns;
use manicule::code::json::TreeNow;
use manicule::code::tree::{Inspection, SegmentInspection, Staleness};
use serde_json::json;

use crate::print;
use crate::report::Report;
use crate::units::{human_age, percent};

const TREE: &str = "\
tree      {tree}
index     {index}
made      {age} ago[used?, used {used} ago], format version {version}
holds     {files file} in {folders folder}, {text_len:B} of text; {names_left_out name} left out by rules from {rules_watched place}
          {files_with_nul} with a NUL, {files_unknown} without grams, {files_unsure} read in every call
takes     {index_len:B}, [share?{share:.1} % of the text|mostly tables that every index has]
          {index_files}
{segments}
now       [stale?[is_stale?{stale}|nothing has changed]; checked in {check_ms:.1} ms|the tree can't be opened]";

const SEGMENT: &str = "\
segment   {name}: {pieces piece}, {pieces_live} live; {lists list} with {postings posting}, {bits:.1} bits each
          pieces a list: half {list_pieces.p50}, 90 % {list_pieces.p90}, 99 % {list_pieces.p99}, all {list_pieces.max} at most";

const STALE: &str = "{folders_changed folder} with other names, {folders_gone} gone, {rules_changed} with other rules, {files_changed file} changed";

pub(super) fn report(tree: &Inspection) -> Report {
    let now = SystemTime::now();
    let used = tree.used_at.map(|used| now.duration_since(used).map_or(0, |age| age.as_secs()));
    let age = now_ns().saturating_sub(tree.made_at_ns) / 1_000_000_000;
    let index_len = tree.index_len();
    // A segment has some 50 KB of tables whatever its contents: for a smaller tree a percentage
    // means nothing.
    let share = (index_len <= tree.text_len).then(|| percent(index_len, tree.text_len));
    let is_stale = tree.staleness.is_some_and(|stale| {
        stale != Staleness { check_us: stale.check_us, ..Staleness::default() }
    });
    let files = tree.files.iter().map(|(name, len)| {
        Report::new("{name:<28} {len:B>9}", json!({ "name": name, "len": len }))
    });
    let text = json!({
        "is_stale": is_stale, "age": human_age(age), "used": used.map(human_age), "share": share,
        "check_ms": tree.staleness.map(|stale| stale.check_us as f64 / 1e3),
    });
    Report::new(TREE, print::json(TreeNow { tree, now }))
        .text(text)
        .lines("index_files", files)
        .lines("segments", tree.segments.iter().map(segment))
        .lines("stale", tree.staleness.map(|stale| Report::new(STALE, print::json(stale))))
}

fn segment(segment: &SegmentInspection) -> Report {
    let bits = segment.len as f64 * 8.0 / segment.posting_count.max(1) as f64;
    Report::new(SEGMENT, print::json(segment)).text(json!({ "bits": bits }))
}
