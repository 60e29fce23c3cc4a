//! Statistics of an SSTable.

use manicule_rows::table::SstableStats;
use manicule_rows::{BoundsText, Histogram, NO_LOCAL_TIME, PlainForm, Token};
use serde::ser::SerializeMap;

use crate::json::{Json, Keyed, Report, list, report};

/// Package of the compressors that Cassandra has.
const COMPRESSORS: &str = "org.apache.cassandra.io.compress.";

/// Statistics, and the time by which tombstones may be dropped.
#[derive(Clone, Copy, Debug)]
pub struct CountedSstable<'c> {
    /// The statistics.
    pub stats: &'c SstableStats,
    /// What was deleted before may be dropped, in seconds since 1970.
    pub gc_before: i64,
}

impl CountedSstable<'_> {
    /// Class of the compressor, with its package.
    pub fn compressor(&self) -> Option<String> {
        let class = &self.stats.compression.as_ref()?.class;
        Some(if class.contains('.') { class.clone() } else { format!("{COMPRESSORS}{class}") })
    }

    /// Names and types of columns.
    pub fn columns(&self, is_static: bool) -> Vec<(String, String)> {
        let columns = self.stats.header.columns(is_static).iter();
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        columns.map(|column| (name(&column.name), column.kind.to_string())).collect()
    }

    /// The clusterings that are covered.
    pub fn bounds(&self) -> BoundsText {
        let form = PlainForm::of(self.stats.header.version);
        self.stats.statistics.bounds.text(&self.stats.header.clustering, form)
    }

    /// A partition key, as sstablemetadata writes it.
    pub fn key_text(&self, key: &[u8]) -> String {
        let mut text = String::new();
        self.stats.header.key.put_plain(key, PlainForm::of(self.stats.header.version), &mut text);
        text
    }

    /// `{CommitLogPosition(segmentId=1, position=2)=CommitLogPosition(..), ..}`, as sstablemetadata
    /// has it.
    pub fn intervals(&self) -> String {
        let intervals = self.stats.statistics.log_intervals.iter().map(|(from, to)| {
            let [from, to] = [from, to].map(|place| {
                format!("CommitLogPosition(segmentId={}, position={})", place.segment, place.offset)
            });
            format!("{from}={to}")
        });
        format!("{{{}}}", intervals.collect::<Vec<_>>().join(", "))
    }

    fn key(&self, key: &[u8]) -> Json<Key> {
        Json(Key { key: self.key_text(key), token: Token::of(key).0 })
    }

    fn named(&self, is_static: bool) -> Vec<Json<Column>> {
        let columns = self.columns(is_static).into_iter();
        list(columns.map(|(name, kind)| Column { name, kind }))
    }
}

// None of the histograms' empty buckets.
report!(of: CountedSstable<'_> {
    sstable: of.stats.descriptor.to_string(), partitioner: of.stats.validation.partitioner,
    filter_chance: of.stats.validation.filter_chance,
    min_timestamp: of.stats.statistics.min_timestamp,
    max_timestamp: of.stats.statistics.max_timestamp,
    min_local_deletion_time: time(of.stats.statistics.min_local_time),
    max_local_deletion_time: time(of.stats.statistics.max_local_time),
    min_ttl: of.stats.statistics.min_ttl, max_ttl: of.stats.statistics.max_ttl,
    compression: of.stats.compression.as_ref().map(|_| Json(Compression(*of))),
    first: of.stats.keys.as_ref().map(|keys| of.key(&keys.0)),
    last: of.stats.keys.as_ref().map(|keys| of.key(&keys.1)), clusterings: Json(of.bounds()),
    droppable_tombstones: of.stats.statistics.droppable_ratio(of.gc_before),
    level: of.stats.statistics.level, repaired_at: of.stats.statistics.repaired_at,
    host: of.stats.statistics.host.map(uuid),
    pending_repair: of.stats.statistics.pending_repair.map(uuid),
    is_transient: of.stats.statistics.is_transient, replay_positions: of.intervals(),
    columns_set: of.stats.statistics.column_count, rows: of.stats.statistics.row_count,
    drop_times: drop_times(of.stats),
    partition_bytes: buckets(&of.stats.statistics.partition_sizes),
    partition_columns: buckets(&of.stats.statistics.cell_counts),
    cardinality: of.stats.cardinality,
    token_coverage: of.stats.statistics.token_coverage.filter(|share| share.is_finite()),
    has_partition_deletions: of.stats.statistics.has_partition_deletions,
    base_timestamp: of.stats.header.base_timestamp,
    base_local_deletion_time: of.stats.header.base_local_time(),
    base_ttl: of.stats.header.base_ttl, key_type: of.stats.header.key.to_string(),
    clustering_types: clustering_types(of.stats), static_columns: of.named(true),
    regular_columns: of.named(false),
});

struct Key {
    key: String,
    token: i64,
}

report!(of: Key { key, token });

struct Column {
    name: String,
    kind: String,
}

report!(of: Column { name, type = kind });

struct Compression<'c>(CountedSstable<'c>);

impl Report for Compression<'_> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        let Some(compression) = &self.0.stats.compression else { return Ok(()) };
        let options = compression.options.iter().map(|(key, value)| (key, value));
        to.serialize_entry("class", &self.0.compressor())?;
        to.serialize_entry("options", &Keyed(options))?;
        to.serialize_entry("chunk_bytes", &compression.chunk_len)?;
        to.serialize_entry("ratio", &self.0.stats.statistics.compression_ratio)
    }
}

impl Report for BoundsText {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        match self {
            BoundsText::Slice(text) => to.serialize_entry("covered", text),
            BoundsText::Values { min, max } => {
                to.serialize_entry("min", min)?;
                to.serialize_entry("max", max)
            }
        }
    }
}

fn time(time: i64) -> Option<i64> {
    (time != NO_LOCAL_TIME).then_some(time)
}

fn clustering_types(stats: &SstableStats) -> Vec<String> {
    stats.header.clustering.iter().map(ToString::to_string).collect()
}

fn drop_times(stats: &SstableStats) -> Vec<(i64, u64)> {
    let bins = stats.statistics.tombstones.bins.iter();
    bins.map(|(time, count)| (time.trunc() as i64, *count)).collect()
}

fn buckets(histogram: &Histogram) -> Vec<(i64, u64)> {
    histogram.buckets().iter().filter(|bucket| bucket.1 > 0).copied().collect()
}

/// A UUID in text.
pub fn uuid(id: [u8; 16]) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(id));
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}
