//! The blocks of a folder against each other: which overlap in time, and which are copies.

use std::path::{Path, PathBuf};

use manicule_core::findings::Verdict;
use manicule_format_prometheus::Meta;
use manicule_store::Mapped;

use super::notes::warn;
use crate::block::error::BlockError;
use crate::block::marks::is_marked_for_deletion;
use crate::block::open::read_meta;
use crate::block::segments::segment_paths;

/// A block, by its meta file.
struct Known<'a> {
    path: &'a Path,
    meta: Meta,
}

/// Relation of a block to one that begins no later.
enum Relation {
    /// Index and chunks are the same, to the byte.
    Copy,
    /// One was made from the other, whose samples it holds.
    Parent,
    /// Their times overlap.
    Overlap,
}

/// Warns of blocks that overlap in time with one of their resolution that begins no later: once for
/// each, with what says most. Readers take such blocks; Prometheus merges them at the next
/// compaction, and Thanos stops compacting.
pub(super) fn check(blocks: &[PathBuf], verdict: &mut Verdict) -> Result<(), BlockError> {
    // What is marked for deletion has been reported as that, and a meta file that can't be read as
    // well.
    let blocks = blocks.iter().filter(|path| !is_marked_for_deletion(path));
    let known = blocks.filter_map(|path| Some(Known { path, meta: read_meta(path).ok()? }));
    let mut known: Vec<Known<'_>> = known.collect();
    known.sort_by_key(|block| (block.meta.min_time, block.path));
    let mut open: Vec<usize> = Vec::new();
    for (place, block) in known.iter().enumerate() {
        open.retain(|before| known[*before].meta.max_time > block.meta.min_time);
        let mut found: Option<(Relation, &Known<'_>)> = None;
        let resolution = block.meta.resolution();
        let open_before = open.iter().map(|before| &known[*before]);
        for before in open_before.filter(|before| before.meta.resolution() == resolution) {
            match relation(before, block)? {
                Relation::Copy => {
                    found = Some((Relation::Copy, before));
                    break;
                }
                Relation::Parent => found = Some((Relation::Parent, before)),
                Relation::Overlap => found = found.or(Some((Relation::Overlap, before))),
            }
        }
        if let Some((relation, before)) = found {
            warn(verdict, block.path, words(&relation, before, block));
        }
        open.push(place);
    }
    Ok(())
}

fn words(relation: &Relation, before: &Known<'_>, block: &Known<'_>) -> String {
    let other = &before.meta.ulid;
    match relation {
        Relation::Copy => format!("a copy of {other}: index and chunks are the same"),
        Relation::Parent if is_parent(before, block) => {
            format!("made from {other}, which is still there: its samples are twice in the folder")
        }
        Relation::Parent => {
            format!("{other} was made from it: its samples are twice in the folder")
        }
        Relation::Overlap => {
            let first = block.meta.min_time.max(before.meta.min_time);
            let end = block.meta.max_time.min(before.meta.max_time);
            format!("overlaps in time with {other}: both have times from {first} up to {end}")
        }
    }
}

fn relation(before: &Known<'_>, block: &Known<'_>) -> Result<Relation, BlockError> {
    if is_copy(before, block)? {
        return Ok(Relation::Copy);
    }
    if is_parent(before, block) || is_parent(block, before) {
        Ok(Relation::Parent)
    } else {
        Ok(Relation::Overlap)
    }
}

/// Whether `child` was made from `parent` alone or with others, and holds all that it held: by the
/// names in its meta file, of its parents or of the sources of a higher level.
fn is_parent(parent: &Known<'_>, child: &Known<'_>) -> bool {
    let (old, new) = (&parent.meta, &child.meta);
    let holds_times = new.min_time <= old.min_time && old.max_time <= new.max_time;
    let is_named = new.compaction.parents.iter().any(|parent| parent.ulid == old.ulid);
    let has_sources = new.compaction.level > old.compaction.level
        && !old.compaction.sources.is_empty()
        && old.compaction.sources.iter().all(|source| new.compaction.sources.contains(source));
    holds_times && (is_named || has_sources)
}

fn is_copy(before: &Known<'_>, block: &Known<'_>) -> Result<bool, BlockError> {
    let key = |meta: &Meta| (meta.min_time, meta.max_time, meta.stats);
    if key(&before.meta) != key(&block.meta) {
        return Ok(false);
    }
    let (ours, theirs) = (files(before.path)?, files(block.path)?);
    if ours.len() != theirs.len() {
        return Ok(false);
    }
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let open = |path: &Path| Mapped::open(path).map_err(BlockError::io(path));
        if open(ours)?[..] != open(theirs)?[..] {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Index and segments, as far as they are there.
fn files(block: &Path) -> Result<Vec<PathBuf>, BlockError> {
    let folder = block.join("chunks");
    let segments = segment_paths(&folder).map_err(BlockError::io(&folder))?;
    let index = Some(block.join("index")).filter(|index| index.exists());
    Ok(index.into_iter().chain(segments).collect())
}
