//! Components by their parts: what lies where, in short.
//!
//! Bytes:   docs/formats/sstable.md

use std::fmt::Write;

use manicule_core::bytes::{DecodeError, Outline};
use manicule_core::hex;

use crate::component::Component;
use crate::compression::CompressionInfo;
use crate::crc::ChunkSums;
use crate::digest::read_digest;
use crate::error::SstableError;
use crate::filter::Filter;
use crate::index::IndexEntry;
use crate::scylla::ScyllaFile;
use crate::statistics::StatisticsFile;
use crate::summary::Summary;
use crate::toc::read_toc;
use crate::trie::{FOOTER_LEN, Footer};
use crate::version::Version;

/// Maximum number of entries, samples and sums that are listed, each by itself.
const LISTED_MAX: usize = 1000;

/// The parts of a component; `None` of Data.db, Rows.db and of what isn't known, which are read by
/// others.
pub fn outline(
    component: &Component,
    version: Version,
    bytes: &[u8],
) -> Result<Option<Outline>, SstableError> {
    let mut out = Outline::default();
    let len = bytes.len() as u64;
    match component {
        Component::Toc => toc(bytes, &mut out)?,
        Component::Digest => out.push(0..len, "crc32", read_digest(bytes)?),
        Component::Crc => {
            let sums = ChunkSums::open(bytes)?;
            out.push(0..4, "chunk length", sums.chunk_len());
            out.push(4..len, "checksums", sums.count());
        }
        Component::Filter => {
            let filter = Filter::open(bytes, version)?;
            out.push(0..4, "hash functions", filter.hash_count());
            out.push(4..8, "words", filter.bit_count() / 64);
            let (set, all) = (filter.set_bit_count(), filter.bit_count());
            out.push(8..len, "bits", format_args!("{set} of {all} set"));
        }
        Component::Summary => summary(bytes, &mut out)?,
        Component::Statistics => statistics(bytes, version, &mut out)?,
        Component::CompressionInfo => compression(bytes, version, &mut out)?,
        Component::Index => index(bytes, &mut out)?,
        Component::Partitions => partitions(bytes, &mut out)?,
        Component::Scylla => scylla(bytes, &mut out)?,
        Component::Data | Component::Rows | Component::Other(_) => return Ok(None),
    }
    Ok(Some(out))
}

fn toc(bytes: &[u8], out: &mut Outline) -> Result<(), SstableError> {
    read_toc(bytes)?;
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len() as u64;
        out.push(at..end, "component", String::from_utf8_lossy(line).trim());
        at = end;
    }
    Ok(())
}

fn summary(bytes: &[u8], out: &mut Outline) -> Result<(), DecodeError> {
    let summary = Summary::open(bytes)?;
    let count = summary.count();
    out.push(0..4, "index interval", summary.head.min_index_interval);
    out.push(4..8, "samples", count);
    out.push(8..16, "length of the samples", summary.samples_len());
    out.push(16..20, "sampling level", summary.head.sampling_level);
    out.push(20..24, "samples at the full level", summary.head.full_count);
    let mut at = 24 + 4 * count as u64;
    out.push(24..at, "offsets", "");
    for index in 0..count.min(LISTED_MAX) {
        let sample = summary.sample(index)?;
        let end = at + sample.key.len() as u64 + 8;
        out.push(at..end, "sample", format_args!("{} at {}", shown(sample.key), sample.position));
        at = end;
    }
    let end = 24 + summary.samples_len();
    if at < end {
        out.push(at..end, "samples", format_args!("{} more", count - count.min(LISTED_MAX)));
    }
    let first_end = end + 4 + summary.first_key.len() as u64;
    out.push(end..first_end, "first key", shown(summary.first_key));
    out.push(first_end..bytes.len() as u64, "last key", shown(summary.last_key));
    Ok(())
}

fn statistics(bytes: &[u8], version: Version, out: &mut Outline) -> Result<(), SstableError> {
    let file = StatisticsFile::open(bytes, version)?;
    let first = file.sections().map(|(_, at, _)| at).min().unwrap_or(bytes.len() as u64);
    out.push(0..first, "table of sections", file.sections().count());
    let validation = file.validation()?;
    // ScyllaDB has written images of another precision, which only compaction would estimate by.
    let keys = file.cardinality().ok().flatten().map(|image| image.estimate());
    let (fields, header) = (file.statistics()?, file.header()?);
    let mut sections: Vec<_> = file.sections().collect();
    sections.sort_by_key(|(_, at, _)| *at);
    for (name, at, section) in sections {
        let value = match name {
            "validation section" => {
                format!("{}, filter for {}", validation.partitioner, validation.filter_chance)
            }
            "compaction section" => {
                keys.map_or_else(String::new, |keys| format!("about {keys} keys"))
            }
            "statistics section" => {
                let (least, greatest) = (fields.min_timestamp, fields.max_timestamp);
                format!("{} rows, timestamps {least} to {greatest}", fields.row_count)
            }
            _ => {
                let columns = header.statics.len() + header.regulars.len();
                let clustering = header.clustering.len();
                format!("key {}, {clustering} clustering columns, {columns} others", header.key)
            }
        };
        out.push(at..at + section.len() as u64, name, value);
    }
    Ok(())
}

fn compression(bytes: &[u8], version: Version, out: &mut Outline) -> Result<(), SstableError> {
    let info = CompressionInfo::open(bytes, version)?;
    let offsets = info.offsets_at();
    let end = offsets + 8 * info.offset_count() as u64;
    let (class, chunk_len, data_len) = (info.class, info.chunk_len, info.data_len);
    let header = format!("{class}, chunks of {chunk_len} of {data_len} bytes");
    out.push(0..offsets, "header", header);
    out.push(offsets..end, "offsets of chunks", info.chunk_count());
    if let Some(dictionary) = info.dictionary {
        let value = format!("id {}, {} bytes", dictionary.id, dictionary.bytes.len());
        out.push(end..bytes.len() as u64, "dictionary", value);
    }
    Ok(())
}

fn index(bytes: &[u8], out: &mut Outline) -> Result<(), DecodeError> {
    let mut at = 0;
    for _ in 0..LISTED_MAX {
        let Some(window) = bytes.get(at as usize..).filter(|rest| !rest.is_empty()) else { break };
        let entry = IndexEntry::read(window, at)?.last("entry", at, window)?;
        let mut value = format!("{} at {}", shown(entry.key), entry.position);
        if entry.promoted_len > 0 {
            // A String takes everything.
            let _ = write!(value, ", promoted index of {} bytes", entry.promoted_len);
        }
        out.push(at..entry.end(), "entry", value);
        at = entry.end();
    }
    if at < bytes.len() as u64 {
        out.push(at..bytes.len() as u64, "entries", "more");
    }
    Ok(())
}

fn partitions(bytes: &[u8], out: &mut Outline) -> Result<(), DecodeError> {
    let len = bytes.len() as u64;
    let Some(footer) = bytes.last_chunk::<FOOTER_LEN>() else {
        let need = FOOTER_LEN as u64;
        return Err(DecodeError::Short { what: "footer", at: 0, need, have: len });
    };
    let footer = Footer::read(*footer, len)?;
    let footer_at = len - FOOTER_LEN as u64;
    let keys = bytes.get(footer.keys_at as usize..footer_at as usize).unwrap_or_default();
    let (first, last) = footer.keys(keys)?;
    let (count, root) = (footer.partition_count, footer.root);
    out.push(0..footer.keys_at, "trie", format_args!("{count} partitions, root at {root}"));
    let keys = format!("{} to {}", shown(first), shown(last));
    out.push(footer.keys_at..footer_at, "first and last key", keys);
    out.push(footer_at..len, "footer", "");
    Ok(())
}

fn scylla(bytes: &[u8], out: &mut Outline) -> Result<(), SstableError> {
    let file = ScyllaFile::open(bytes)?;
    for (tag, at, part) in file.parts() {
        let name = tag.name().map_or_else(|| format!("part {}", tag.0), str::to_owned);
        out.push(at..at + part.len() as u64, name, "");
    }
    Ok(())
}

/// Number of bytes of a key that are shown.
const SHOWN_MAX: usize = 40;

/// A key, whose type isn't known here: its text, or hexadecimal digits.
fn shown(key: &[u8]) -> String {
    let (front, more) = match key.get(..SHOWN_MAX) {
        Some(front) if key.len() > SHOWN_MAX => (front, ".."),
        _ => (key, ""),
    };
    let text = std::str::from_utf8(front).ok();
    match text.filter(|text| !text.is_empty() && !text.contains(char::is_control)) {
        Some(text) => format!("{text:?}{more}"),
        None => format!("0x{}{more}", hex::encode(front)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(component: Component, version: Version, bytes: &[u8], want: &str) {
        let outline = outline(&component, version, bytes).expect("an outline").expect("parts");
        assert_eq!(outline.to_string(), want);
    }

    #[test]
    fn small_components_are_shown_by_their_parts() {
        check(Component::Digest, Version::Me, b"12345", "0..5  crc32  12345\n");
        let names = b"Data.db\nTOC.txt\n";
        let want = " 0..8   component  Data.db\n 8..16  component  TOC.txt\n";
        check(Component::Toc, Version::Me, names, want);
        let filter = [0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3];
        let want = " 0..4   hash functions  5\n 4..8   words           1\n 8..16  bits            2 of 64 set\n";
        check(Component::Filter, Version::Me, &filter, want);
        let entries = [0, 1, b'a', 0, 0, 0, 2, 0, 7, 9, 0];
        let want = " 0..5   entry  \"a\" at 0\n 5..11  entry  0x0007 at 9\n";
        check(Component::Index, Version::Me, &entries, want);
    }

    #[test]
    fn what_has_no_parts_of_its_own_has_none() {
        for component in [Component::Data, Component::Rows, Component::Other("x.db".to_owned())] {
            assert!(outline(&component, Version::Me, b"").expect("no error").is_none());
        }
        assert!(outline(&Component::Partitions, Version::Da, b"short").is_err());
    }
}
