//! The blocks of a folder against each other: which overlap in time, and which are copies.

use std::path::PathBuf;

use manicule_core::findings::Verdict;
use manicule_format_prometheus::{INDEX_NAME, META_NAME, Meta};

use super::notes::warn;
use super::segments::segments_of;
use crate::block::error::BlockError;
use crate::block::marks::is_marked_for_deletion;
use crate::block::parts::{Folder, Part};

/// A block, by its meta file.
struct Known<'a> {
    block: &'a Folder,
    path: PathBuf,
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
pub(super) fn check(blocks: &[Folder], verdict: &mut Verdict) -> Result<(), BlockError> {
    // What is marked for deletion has been reported as that, and a meta file that can't be read as
    // well.
    let blocks = blocks.iter().filter(|block| !is_marked_for_deletion(block));
    let known = |block| Some(Known { block, path: block.path(), meta: meta_of(block)? });
    let known = blocks.filter_map(known);
    let mut known: Vec<Known<'_>> = known.collect();
    known.sort_by(|left, right| {
        (left.meta.min_time, &left.path).cmp(&(right.meta.min_time, &right.path))
    });
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
            warn(verdict, &block.path, words(&relation, before, block));
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
    let open = |part: Part<'_>| part.map().map_err(BlockError::io(&part.path()));
    let [ours, theirs] = [before.block, block.block].map(|block| block.part(INDEX_NAME));
    if ours.exists() != theirs.exists() {
        return Ok(false);
    }
    if ours.exists() && open(ours)?[..] != open(theirs)?[..] {
        return Ok(false);
    }
    let (ours, theirs) = (before.block.chunks()?, block.block.chunks()?);
    let (our_names, their_names) = (segments_of(&ours)?, segments_of(&theirs)?);
    if our_names.len() != their_names.len() {
        return Ok(false);
    }
    for (our_name, their_name) in our_names.iter().zip(&their_names) {
        if open(ours.part(our_name))?[..] != open(theirs.part(their_name))?[..] {
            return Ok(false);
        }
    }
    Ok(true)
}

fn meta_of(block: &Folder) -> Option<Meta> {
    Meta::decode(&block.part(META_NAME).read().ok()?).ok()
}
