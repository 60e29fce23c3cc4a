//! SSTables, shown: files, counts, times, keys, and the index of a partition as a picture.

use std::io;

use anyhow::Result;
use manicule::rows::inspect::{
    BlockShape, IndexKind, PartitionShape, SstableInspection, TableInspection,
};
use manicule::times::utc;
use serde_json::json;

use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print};
use crate::report::{Report, fields};
use crate::units::{counted, grouped, human_len};

const SSTABLE: &str = "\
sstable    {name}, version {version}, {path}
[components?files      {components}]
data       {data_len:B}, [compression?{compression.class}, {compression.chunks chunk} of {compression.chunk_len:B}|not compressed]
holds      {partitions partition}[estimate?, by estimate {estimate}], {rows row}, {columns_set column} set
written    {written}
deleted    {deleted}
ttl        [has_ttl?{ttls.min} to {ttls.max} seconds|none]
level      {level}, [repaired_at?repaired {repaired_at:ms}|never repaired]
[filter?filter     {filter.hash_functions hash function}, {filter.bits_set} of {filter.bits} bits set, made for {filter.chance}]
[has_samples?summary    {samples sample}]
[first_key?keys       {first_key.key} (token {first_key.token}) to {last_key.key} (token {last_key.token})]
{partition}";

const TABLE: &str = "\
table      {path}
{sstables}
all        {len:B>9}  {partitions partition}, {rows row}
[largest?largest    in {name}]
{largest}";

const LINE: &str =
    "{name:<10} {files_len:B>9}  {partitions partition}, {rows row}, level {level}, {written}";

const PARTITION: &str = "\
partition  {key} (token {token}) at {position}, {len:B}
index      {how}
[is_indexed?     block         offset      bytes]
[is_indexed?{shown}]";

const BLOCK: &str = "\
[skips?        ..]
{number:>10} {offset,:>14} {len,:>10} [open?~| ] {bar:<24} {names}";

/// Characters of the longest bar.
const BAR_LEN: u64 = 24;

/// Exit code 1 if something of it is broken.
pub(super) fn show(table: &TableInspection, is_json: bool, out: &mut Print) -> Result<u8> {
    print_all(table, is_json, out)?;
    for left_out in &table.left_out {
        say(&format_args!("{}: {}", left_out.path.display(), left_out.why));
    }
    table.broken.iter().for_each(|error| say(error));
    let broken = table.sstables.iter().flat_map(|sstable| &sstable.broken);
    broken.clone().for_each(|why| say(why));
    Ok(exit::if_any(table.broken.is_empty() && broken.count() == 0))
}

/// For people several are a line each, then their sums.
fn print_all(table: &TableInspection, is_json: bool, out: &mut Print) -> io::Result<()> {
    if !is_json && table.sstables.len() != 1 {
        return folder(table).print("table", is_json, out);
    }
    table.sstables.iter().try_for_each(|own| report(own).print("sstable", is_json, out))
}

fn folder(table: &TableInspection) -> Report {
    let own = || table.sstables.iter();
    let shaped = own().filter_map(|own| Some((own, own.partition.as_ref()?)));
    let largest = shaped.max_by_key(|(_, partition)| partition.len);
    let lines = own().map(|own| {
        let fields = fields!(own =>
            name, files_len: files_len(own), partitions = partition_count, rows = row_count, level,
            written: written(own));
        Report::new(LINE, fields)
    });
    let fields = json!({
        "path": print::path(&table.path), "len": own().map(files_len).sum::<u64>(),
        "partitions": own().map(|own| own.partition_count).sum::<u64>(),
        "rows": own().map(|own| own.row_count).sum::<u64>(),
        "name": largest.map(|(own, _)| &own.name),
    });
    Report::new(TABLE, fields)
        .lines("sstables", lines)
        .lines("largest", largest.map(|(_, partition)| partition_report(partition)))
}

fn files_len(sstable: &SstableInspection) -> u64 {
    sstable.components.iter().map(|(_, len)| len).sum()
}

fn report(sstable: &SstableInspection) -> Report {
    let files = sstable.components.iter().map(|(name, len)| {
        Report::new("{name:<18} {len:B>9}", json!({ "name": name, "len": len }))
    });
    let text = json!({
        "estimate": sstable.key_estimate.map(grouped), "written": written(sstable),
        "deleted": deleted(sstable), "has_ttl": sstable.ttls != (0, 0),
        "has_samples": sstable.sample_count.is_some(),
    });
    Report::new(SSTABLE, print::json(sstable))
        .text(text)
        .lines("components", files)
        .lines("partition", sstable.partition.as_ref().map(partition_report))
}

/// Times of writing.
fn written(sstable: &SstableInspection) -> String {
    let shown = |micros: i64| utc(micros.div_euclid(1000));
    match sstable.timestamps {
        None => "nothing".to_owned(),
        Some((least, greatest)) => format!("{} to {}", shown(least), shown(greatest)),
    }
}

/// Times of deletions.
fn deleted(sstable: &SstableInspection) -> String {
    let seconds = |time: i64| utc(time * 1000);
    let tombstones = grouped(sstable.tombstone_count);
    let times = match sstable.local_times {
        (None, _) => return "nothing, and nothing expires".to_owned(),
        // What is live has no such time, and is counted as the last.
        (Some(least), None) => format!("from {} on", seconds(least)),
        (Some(least), Some(greatest)) => format!("{} to {}", seconds(least), seconds(greatest)),
    };
    format!("{times}, {tombstones} tombstones and expiries")
}

/// The partition, and its blocks as bars beside their names: a bar is as long as its block, `~` is
/// a range deletion that is open.
fn partition_report(partition: &PartitionShape) -> Report {
    let count = counted(partition.block_count, "block");
    let how = match partition.index {
        IndexKind::None => "none: it is one block".to_owned(),
        IndexKind::Promoted(len) => format!("{count}, promoted index of {}", human_len(len)),
        IndexKind::Trie(root) => format!("{count}, trie with its root at {root}"),
    };
    let longest = partition.blocks.iter().map(|block| block.len).max().unwrap_or(0).max(1);
    let before = std::iter::once(None).chain(partition.blocks.iter().map(|own| Some(own.number)));
    let blocks = partition.blocks.iter().zip(before).map(|(own, before)| {
        let bar = "█".repeat((own.len * BAR_LEN).div_ceil(longest) as usize);
        let skips = before.is_some_and(|before| before + 1 < own.number);
        Report::new(BLOCK, print::json(own))
            .text(json!({ "skips": skips, "bar": bar, "names": names(own) }))
    });
    let is_indexed = !matches!(partition.index, IndexKind::None);
    Report::new(PARTITION, print::json(partition))
        .text(json!({ "how": how, "is_indexed": is_indexed }))
        .lines("shown", blocks)
}

fn names(block: &BlockShape) -> String {
    match &block.last {
        Some(last) => format!("{} to {last}", block.first),
        None if block.first.is_empty() => "from the first row".to_owned(),
        None => format!("from {}", block.first),
    }
}
