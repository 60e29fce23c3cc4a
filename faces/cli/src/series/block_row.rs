//! Formats the summary of a written block, and of what it leaves out, in words.

use std::path::Path;

use manicule::series::json::MadeOf;
use manicule::series::merge::{LeftOut, Merged};
use manicule::series::{Meta, Writes};

use crate::messages::say;
use crate::units::counted;

/// A line about a block.
pub(super) fn text(block: &Merged) -> String {
    format!("{}  {}\n", block.path.display(), contents(&block.meta))
}

/// What is in a block.
fn contents(meta: &Meta) -> String {
    let (samples, chunks) = (meta.stats.num_samples, meta.stats.num_chunks);
    let (samples, chunks) = (counted(samples, "sample"), counted(chunks, "chunk"));
    format!("{} series, {samples}, {chunks}", meta.stats.num_series)
}

/// A line about a block that was made, would be made, or has no sample.
pub(super) fn text_of_try(block: Option<&Merged>, meta: &Meta) -> String {
    match block {
        Some(block) => text(block),
        None if meta.stats.num_samples == 0 => "no sample is left: no block was made\n".to_owned(),
        None => format!("nothing was written; the block would have {}\n", contents(meta)),
    }
}

/// Says what Prometheus does with blocks that a new one is made of, if they lie beside it.
pub(super) fn warn_of_parents(output: &Path, beside: u64) {
    if beside > 0 {
        say(&format_args!(
            "{}: {} that the new one is made of {} beside it; Prometheus removes such blocks",
            output.display(),
            counted(beside, "block"),
            if beside == 1 { "lies" } else { "lie" },
        ));
    }
}

/// What is written by a call with `--dry-run` or `--strict`.
pub(super) fn writes(dry_run: bool, strict: bool) -> Writes {
    match (dry_run, strict) {
        (true, _) => Writes::Never,
        (false, true) => Writes::IfSound,
        (false, false) => Writes::Always,
    }
}

/// A line about the samples: those that were left out by reason, and all together.
pub(super) fn samples_text(left: &LeftOut, kept: u64) -> String {
    let source = MadeOf { left_out: left, kept }.source();
    let mut out = format!("{} of {source}", counted(kept, "sample"));
    for (count, why) in [
        (left.deleted, "deleted"),
        (left.dropped, "of series that are left out"),
        (left.repeated, "twice there"),
        (left.lost, "lost to another value of the same time"),
        (left.outside, "outside of the times that the meta file says"),
        (left.tombstoned, "deleted before by tombstones, not counted among them"),
    ] {
        if count > 0 {
            out += &format!(", {count} {why}");
        }
    }
    out + "\n"
}
