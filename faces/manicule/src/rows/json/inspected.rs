//! SSTables, as `inspect` shows them.

use manicule_rows::inspect::{
    BlockShape, CompressionShown, FilterShown, IndexKind, KeyShown, PartitionShape,
    SstableInspection,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::json::{Json, Keyed, Report, list, part, report};

report!(of: SstableInspection {
    path: of.path.to_string_lossy(), name, version,
    components: Keyed(of.components.iter().map(|(name, len)| (name, len))), partitioner, data_len,
    compression: part(&of.compression), partitions = partition_count,
    keys_estimated = key_estimate, rows = row_count, columns_set = column_count,
    tombstones = tombstone_count,
    timestamps: of.timestamps.map(|(min, max)| Json(Range { min, max })),
    local_deletion_times: Json(Range { min: of.local_times.0, max: of.local_times.1 }),
    ttls: Json(Range { min: of.ttls.0, max: of.ttls.1 }), level, repaired_at,
    filter: part(&of.filter), samples = sample_count,
    first_key: of.keys.as_ref().map(|keys| Json(&keys.0)),
    last_key: of.keys.as_ref().map(|keys| Json(&keys.1)), errors = broken,
    partition: part(&of.partition),
});

report!(of: CompressionShown { class, chunk_len, chunks = chunk_count });

report!(of: FilterShown {
    hash_functions = hash_count, bits = bit_count, bits_set = set_bit_count, chance,
});

report!(of: KeyShown { key, token });

/// The least and the greatest of some values.
struct Range<T> {
    min: T,
    max: T,
}

impl<T: Serialize> Report for Range<T> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        to.serialize_entry("min", &self.min)?;
        to.serialize_entry("max", &self.max)
    }
}

report!(of: PartitionShape {
    key, token, position, len, blocks = block_count, index: Index(of.index),
    shown: list(&of.blocks),
});

report!(of: BlockShape { number, offset, len, first, last, open = is_open });

/// Null without an index, an object with its length or place otherwise.
struct Index(IndexKind);

impl Serialize for Index {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            IndexKind::None => to.serialize_none(),
            IndexKind::Promoted(len) => to.collect_map([("promoted_len", len)]),
            IndexKind::Trie(root) => to.collect_map([("trie_root", root)]),
        }
    }
}
