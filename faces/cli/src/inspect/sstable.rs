//! SSTables, shown: files, counts, times, keys, and the index of a partition as a picture.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use manicule::rows::inspect::{
    BlockShape, IndexKind, KeyShown, PartitionShape, SstableInspection, TableInspection,
};
use manicule::times::utc;
use serde_json::{Value as Json, json};

use super::options::Options;
use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print};
use crate::units::{counted, grouped, human_len};

/// Exit code 1 if something of it is broken.
pub(super) fn show(table: &TableInspection, options: &Options, out: &mut Print) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!("--hex shows a section of a file; give a component other than Data.db"));
        return Ok(exit::FAILED);
    }
    if options.json {
        for sstable in &table.sstables {
            out.row("sstable", as_json(sstable))?;
        }
    } else {
        let text = match &table.sstables[..] {
            [sstable] => as_text(sstable)?,
            several => folder_as_text(table, several)?,
        };
        out.write_all(text.as_bytes())?;
    }
    for left_out in &table.left_out {
        say(&format_args!("{}: {}", left_out.path.display(), left_out.why));
    }
    table.broken.iter().for_each(|error| say(error));
    let broken = table.sstables.iter().flat_map(|sstable| &sstable.broken);
    broken.clone().for_each(|why| say(why));
    Ok(exit::if_any(table.broken.is_empty() && broken.count() == 0))
}

/// A line for each SSTable, then the sums.
fn folder_as_text(table: &TableInspection, several: &[SstableInspection]) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "table      {}", table.path.display())?;
    let (mut len, mut partition_count, mut row_count) = (0, 0, 0);
    for sstable in several {
        let own = files_len(sstable);
        writeln!(
            out,
            "{:<10} {:>9}  {}, {}, level {}, {}",
            sstable.name,
            human_len(own),
            counted(sstable.partition_count, "partition"),
            counted(sstable.row_count, "row"),
            sstable.level,
            times(sstable)
        )?;
        len += own;
        partition_count += sstable.partition_count;
        row_count += sstable.row_count;
    }
    let (partitions, rows) = (counted(partition_count, "partition"), counted(row_count, "row"));
    writeln!(out, "all        {:>9}  {partitions}, {rows}", human_len(len))?;
    let shaped = several.iter().filter_map(|sstable| Some((sstable, sstable.partition.as_ref()?)));
    if let Some((sstable, partition)) = shaped.max_by_key(|(_, partition)| partition.len) {
        writeln!(out, "largest    in {}", sstable.name)?;
        partition_as_text(partition, &mut out)?;
    }
    Ok(out)
}

fn files_len(sstable: &SstableInspection) -> u64 {
    sstable.components.iter().map(|(_, len)| len).sum()
}

fn as_text(sstable: &SstableInspection) -> Result<String> {
    let mut out = String::new();
    let (name, version) = (&sstable.name, sstable.version);
    writeln!(out, "sstable    {name}, version {version}, {}", sstable.path.display())?;
    for (number, (component, len)) in sstable.components.iter().enumerate() {
        let label = if number == 0 { "files" } else { "" };
        writeln!(out, "{label:<10} {component:<18} {:>9}", human_len(*len))?;
    }
    let compression = match &sstable.compression {
        None => "not compressed".to_owned(),
        Some(of) => {
            let (class, chunks) = (&of.class, counted(of.chunk_count, "chunk"));
            format!("{class}, {chunks} of {}", human_len(of.chunk_len))
        }
    };
    writeln!(out, "data       {}, {compression}", human_len(sstable.data_len))?;
    let estimate = sstable.key_estimate.map(|keys| format!(", by estimate {}", grouped(keys)));
    let (partitions, rows) =
        (counted(sstable.partition_count, "partition"), counted(sstable.row_count, "row"));
    let columns = counted(sstable.column_count, "column");
    let estimate = estimate.unwrap_or_default();
    writeln!(out, "holds      {partitions}{estimate}, {rows}, {columns} set")?;
    writeln!(out, "written    {}", times(sstable))?;
    let seconds = |time: i64| utc(time * 1000);
    let tombstones = grouped(sstable.tombstone_count);
    let deleted = match sstable.local_times {
        (None, _) => "nothing, and nothing expires".to_owned(),
        // What is live has no such time, and is counted as the last.
        (Some(least), None) => {
            format!("from {} on, {tombstones} tombstones and expiries", seconds(least))
        }
        (Some(least), Some(greatest)) => {
            let (least, greatest) = (seconds(least), seconds(greatest));
            format!("{least} to {greatest}, {tombstones} tombstones and expiries")
        }
    };
    writeln!(out, "deleted    {deleted}")?;
    let ttl = match sstable.ttls {
        (0, 0) => "none".to_owned(),
        (least, greatest) => format!("{least} to {greatest} seconds"),
    };
    writeln!(out, "ttl        {ttl}")?;
    let repaired = match sstable.repaired_at {
        0 => "never repaired".to_owned(),
        time => format!("repaired {}", utc(time)),
    };
    writeln!(out, "level      {}, {repaired}", sstable.level)?;
    index_as_text(sstable, &mut out)?;
    if let Some(partition) = &sstable.partition {
        partition_as_text(partition, &mut out)?;
    }
    Ok(out)
}

fn index_as_text(sstable: &SstableInspection, out: &mut String) -> Result<()> {
    if let Some(filter) = &sstable.filter {
        let (functions, set) = (counted(filter.hash_count, "hash function"), filter.set_bit_count);
        let (bits, chance) = (filter.bit_count, filter.chance);
        writeln!(out, "filter     {functions}, {set} of {bits} bits set, made for {chance}")?;
    }
    if let Some(samples) = sstable.sample_count {
        writeln!(out, "summary    {}", counted(samples, "sample"))?;
    }
    if let Some((first, last)) = &sstable.keys {
        let shown = |key: &KeyShown| format!("{} (token {})", key.key, key.token);
        writeln!(out, "keys       {} to {}", shown(first), shown(last))?;
    }
    Ok(())
}

/// Times of writing.
fn times(sstable: &SstableInspection) -> String {
    let shown = |micros: i64| utc(micros.div_euclid(1000));
    match sstable.timestamps {
        None => "nothing".to_owned(),
        Some((least, greatest)) => format!("{} to {}", shown(least), shown(greatest)),
    }
}

/// Characters of the longest bar.
const BAR_LEN: u64 = 24;

/// The partition, and its blocks as bars beside their names: a bar is as long as its block, `~` is
/// a range deletion that is open.
fn partition_as_text(partition: &PartitionShape, out: &mut String) -> Result<()> {
    let PartitionShape { key, token, position, len, block_count, index, blocks } = partition;
    writeln!(out, "partition  {key} (token {token}) at {position}, {}", human_len(*len))?;
    let count = counted(*block_count, "block");
    match index {
        IndexKind::None => return Ok(writeln!(out, "index      none: it is one block")?),
        IndexKind::Promoted(len) => {
            writeln!(out, "index      {count}, promoted index of {}", human_len(*len))?;
        }
        IndexKind::Trie(root) => writeln!(out, "index      {count}, trie with its root at {root}")?,
    }
    let longest = blocks.iter().map(|block| block.len).max().unwrap_or(0).max(1);
    writeln!(out, "{:>10} {:>14} {:>10}", "block", "offset", "bytes")?;
    let mut before = None;
    for block in blocks {
        if before.is_some_and(|before| before + 1 < block.number) {
            writeln!(out, "{:>10}", "..")?;
        }
        before = Some(block.number);
        let bar = (block.len * BAR_LEN).div_ceil(longest) as usize;
        let open = if block.is_open { '~' } else { ' ' };
        writeln!(
            out,
            "{:>10} {:>14} {:>10} {open} {:<width$} {}",
            block.number,
            grouped(block.offset),
            grouped(block.len),
            "█".repeat(bar),
            names(block),
            width = BAR_LEN as usize
        )?;
    }
    Ok(())
}

fn names(block: &BlockShape) -> String {
    match &block.last {
        Some(last) => format!("{} to {last}", block.first),
        None if block.first.is_empty() => "from the first row".to_owned(),
        None => format!("from {}", block.first),
    }
}

fn as_json(sstable: &SstableInspection) -> Json {
    let components = sstable.components.iter();
    let components: serde_json::Map<String, Json> =
        components.map(|(name, len)| (name.clone(), (*len).into())).collect();
    let key = |key: &KeyShown| json!({ "key": key.key, "token": key.token });
    let span = |(least, greatest): (i64, i64)| json!({ "min": least, "max": greatest });
    json!({
        "path": print::path(&sstable.path),
        "name": sstable.name,
        "version": sstable.version,
        "components": components,
        "partitioner": sstable.partitioner,
        "data_len": sstable.data_len,
        "compression": sstable.compression.as_ref().map(|of| json!({
            "class": of.class, "chunk_len": of.chunk_len, "chunks": of.chunk_count,
        })),
        "partitions": sstable.partition_count,
        "keys_estimated": sstable.key_estimate,
        "rows": sstable.row_count,
        "columns_set": sstable.column_count,
        "tombstones": sstable.tombstone_count,
        "timestamps": sstable.timestamps.map(span),
        "local_deletion_times": { "min": sstable.local_times.0, "max": sstable.local_times.1 },
        "ttls": { "min": sstable.ttls.0, "max": sstable.ttls.1 },
        "level": sstable.level,
        "repaired_at": sstable.repaired_at,
        "filter": sstable.filter.map(|filter| json!({
            "hash_functions": filter.hash_count, "bits": filter.bit_count,
            "bits_set": filter.set_bit_count, "chance": filter.chance,
        })),
        "samples": sstable.sample_count,
        "first_key": sstable.keys.as_ref().map(|keys| key(&keys.0)),
        "last_key": sstable.keys.as_ref().map(|keys| key(&keys.1)),
        "partition": sstable.partition.as_ref().map(partition_as_json),
        "errors": sstable.broken,
    })
}

fn partition_as_json(partition: &PartitionShape) -> Json {
    let blocks = partition.blocks.iter().map(|block| {
        json!({
            "number": block.number, "offset": block.offset, "len": block.len,
            "first": block.first, "last": block.last, "open": block.is_open,
        })
    });
    let index = match partition.index {
        IndexKind::None => Json::Null,
        IndexKind::Promoted(len) => json!({ "promoted_len": len }),
        IndexKind::Trie(root) => json!({ "trie_root": root }),
    };
    json!({
        "key": partition.key,
        "token": partition.token,
        "position": partition.position,
        "len": partition.len,
        "blocks": partition.block_count,
        "index": index,
        "shown": blocks.collect::<Vec<_>>(),
    })
}
