//! The meta file of a merged block.
//!
//! Bytes:   docs/formats/prometheus.md

use std::collections::BTreeSet;

use manicule_format_prometheus::{Compaction, META_VERSION, Meta, Parent, Stats, Ulid};

/// Hints that stay when one of the blocks has them.
const ANY_HINTS: [&str; 2] = ["from-selected-series", "from-stale-series"];
/// The hint that stays when all of the blocks have it.
const ALL_HINT: &str = "from-out-of-order";

/// Key of Thanos's own fields of a block.
const THANOS: &str = "thanos";
/// Those of its fields about a block's own files: they are not true of another block.
const THANOS_FILES: [&str; 4] = ["files", "segment_files", "index_stats", "upload_time"];
/// Fields that blocks must agree in to be one for Thanos: whose series they hold, and how far apart
/// the samples are.
const THANOS_KINSHIP: [&str; 2] = ["labels", "downsample"];

/// Takes over what Thanos says of all of the blocks, as far as it is true of a block made of them:
/// nothing where they don't belong together.
fn keep_thanos(metas: &[&Meta], merged: &mut Meta) {
    let sections: Option<Vec<_>> =
        metas.iter().map(|meta| meta.rest.get(THANOS)?.as_object()).collect();
    let Some((first, others)) = sections.as_deref().and_then(<[_]>::split_first) else { return };
    let agree = |key: &str| others.iter().all(|other| other.get(key) == first.get(key));
    if THANOS_KINSHIP.iter().all(|key| agree(key)) {
        let mut section = (*first).clone();
        section.retain(|key, _| !THANOS_FILES.contains(&key.as_str()) && agree(key));
        merged.rest.insert(THANOS.to_owned(), section.into());
    }
}

/// Says how far apart points are also where nothing else of Thanos stays: without it nobody would
/// read aggregates.
fn keep_resolution(metas: &[&Meta], merged: &mut Meta) {
    let resolution = metas.first().map_or(0, |meta| meta.resolution());
    if resolution > 0 && merged.resolution() != resolution {
        merged.set_resolution(resolution);
    }
}

/// Meta file of a block that is made of others, all of one resolution; its counts aren't known yet.
pub(crate) fn merged(ulid: Ulid, metas: &[&Meta]) -> Meta {
    let has = |meta: &Meta, hint: &str| meta.compaction.hints.iter().any(|other| other == hint);
    let mut hints: BTreeSet<&str> = BTreeSet::new();
    for hint in ANY_HINTS {
        if metas.iter().any(|meta| has(meta, hint)) {
            hints.insert(hint);
        }
    }
    if metas.iter().all(|meta| has(meta, ALL_HINT)) {
        hints.insert(ALL_HINT);
    }
    let sources: BTreeSet<&String> =
        metas.iter().flat_map(|meta| &meta.compaction.sources).collect();
    let parent = |meta: &&Meta| Parent {
        ulid: meta.ulid.clone(),
        min_time: meta.min_time,
        max_time: meta.max_time,
    };
    let mut merged = Meta {
        ulid: ulid.to_string(),
        min_time: metas.iter().map(|meta| meta.min_time).min().unwrap_or_default(),
        max_time: metas.iter().map(|meta| meta.max_time).max().unwrap_or_default(),
        stats: Stats::default(),
        compaction: Compaction {
            level: metas.iter().map(|meta| meta.compaction.level).max().unwrap_or_default() + 1,
            sources: sources.into_iter().cloned().collect(),
            parents: metas.iter().map(parent).collect(),
            hints: hints.into_iter().map(str::to_owned).collect(),
            ..Compaction::default()
        },
        version: META_VERSION,
        ..Meta::default()
    };
    keep_thanos(metas, &mut merged);
    keep_resolution(metas, &mut merged);
    merged
}
