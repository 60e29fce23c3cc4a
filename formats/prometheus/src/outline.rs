//! The files of a block by their parts: what `inspect` shows and the format's document.
//!
//! Bytes:   docs/formats/prometheus.md

use std::collections::BTreeMap;

use manicule_core::bytes::{DecodeError, Outline, Reader};

use crate::index::{INDEX_MAGIC, Index, TOC_LEN, Toc};
use crate::index_header::{HeaderPlaces, INDEX_HEADER_MAGIC};
use crate::sections::{self, HEADER};
use crate::segment::{SEGMENT_HEADER_LEN, SEGMENT_MAGIC, Segment};
use crate::sparse_header::{SPARSE_LEN_MAX, SparsePlaces, unpacked};
use crate::tombstones::{TOMBSTONES_MAGIC, Tombstones};

/// A sparse header is a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// | 4 magic | 1 version |, of an index and of tombstones.
const HEADER_LEN: u64 = 5;

/// The parts of an index, an index-header, a segment or a tombstones file, in the order of their
/// offsets.
///
/// Of a damaged index this shows what its table of contents says, of other files what can be read.
pub fn outline(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let mut reader = Reader::new(bytes, 0);
    let magic = reader.u32_be("magic of a block's file")?.to_be_bytes();
    match magic {
        INDEX_MAGIC => index(bytes),
        INDEX_HEADER_MAGIC => index_header(bytes),
        SEGMENT_MAGIC => segment(bytes),
        TOMBSTONES_MAGIC => tombstones(bytes),
        other if other.starts_with(&GZIP_MAGIC) => sparse_header(bytes),
        other => {
            let (want, got) = (u32::from_be_bytes(INDEX_MAGIC), u32::from_be_bytes(other));
            let what = "magic of a block's file";
            Err(DecodeError::Corrupt { what, at: 0, want: want.into(), got: got.into() })
        }
    }
}

fn index(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let toc = Toc::decode(bytes)?;
    let opened = Index::open(bytes).ok();
    let count = |words: &dyn Fn(&Index<&[u8]>) -> String| {
        opened.as_ref().map_or("can't be read".to_owned(), words)
    };
    let end = (bytes.len() - TOC_LEN) as u64;
    let mut outline = Outline::default();
    let version = bytes.get(HEADER_LEN as usize - 1).copied().unwrap_or_default();
    outline.push(0..HEADER_LEN, HEADER, format_args!("version {version}"));
    let has_label_indices = toc.label_indices_table != toc.postings_table;
    let rows = [
        (
            sections::SYMBOLS,
            toc.symbols,
            count(&|index| format!("{} strings", index.symbol_count())),
        ),
        (sections::SERIES, toc.series, count(&series_count)),
        (sections::LABEL_INDICES, toc.label_indices, "that older readers used".to_owned()),
        (sections::POSTINGS, toc.postings, count(&|index| format!("{} lists", index.pair_count()))),
        (sections::LABEL_INDEX_TABLE, toc.label_indices_table, "of older readers".to_owned()),
        (sections::POSTINGS_TABLE, toc.postings_table, count(&pair_count)),
    ];
    for (place, (name, start, words)) in rows.iter().enumerate() {
        let is_legacy = [sections::LABEL_INDICES, sections::LABEL_INDEX_TABLE].contains(name);
        let next = rows.get(place + 1).map_or(end, |next| next.1).min(end);
        if *start < next && (has_label_indices || !is_legacy) {
            outline.push(*start..next, *name, words);
        }
    }
    outline.push(end..bytes.len() as u64, sections::TOC, "where the sections begin");
    Ok(outline)
}

fn index_header(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let places = HeaderPlaces::read(bytes)?;
    let toc_at = places.end.saturating_sub(TOC_LEN as u64).max(places.table);
    let mut outline = Outline::default();
    let table = places.postings_table;
    outline.push(
        0..places.symbols,
        HEADER,
        format_args!("version 1, the table at {table} of the index"),
    );
    outline.push(places.symbols..places.table, sections::SYMBOLS, "as in the index");
    outline.push(places.table..toc_at, sections::POSTINGS_TABLE, "as in the index");
    outline.push(toc_at..places.end, sections::TOC, "as in the index");
    outline.push(
        places.end..bytes.len() as u64,
        sections::TRAILER,
        "where the sections begin here",
    );
    Ok(outline)
}

fn sparse_header(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let places = SparsePlaces::read(&unpacked(bytes, SPARSE_LEN_MAX)?)?;
    let (symbols, names, sampling) = (places.symbol_count, places.names.len(), places.sampling);
    let mut outline = Outline::default();
    let words = format_args!(
        "gzip: every {sampling}th of {symbols} symbols and of the values of {names} names"
    );
    outline.push(0..bytes.len() as u64, sections::SPARSE_HEADER, words);
    Ok(outline)
}

fn series_count(index: &Index<&[u8]>) -> String {
    match index.all_postings() {
        Ok(list) => format!("{} series", list.len()),
        Err(_) => "the list of all series can't be read".to_owned(),
    }
}

fn pair_count(index: &Index<&[u8]>) -> String {
    format!("{} label pairs of {} names", index.pair_count(), index.names().len())
}

fn segment(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let segment = Segment::open(bytes)?;
    let mut outline = Outline::default();
    let mut next = SEGMENT_HEADER_LEN as u64;
    outline.push(0..next, HEADER, "version 1");
    let mut encodings: BTreeMap<u8, u64> = BTreeMap::new();
    for chunk in segment.chunks().map_while(Result::ok) {
        *encodings.entry(chunk.encoding).or_default() += 1;
        next = chunk.end;
    }
    let words = encodings.iter().map(|(encoding, count)| format!("{count} of encoding {encoding}"));
    let words = words.collect::<Vec<_>>().join(", ");
    outline.push(SEGMENT_HEADER_LEN as u64..next, sections::CHUNKS, words);
    let end = bytes.len() as u64;
    if next < end {
        outline.push(next..end, "the rest", "no chunk begins here");
    }
    Ok(outline)
}

fn tombstones(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let tombstones = Tombstones::decode(bytes)?;
    let mut outline = Outline::default();
    let end = bytes.len() as u64;
    let sum_at = end - size_of::<u32>() as u64;
    outline.push(0..HEADER_LEN, HEADER, "version 1");
    let (intervals, series) = (tombstones.interval_count(), tombstones.series().count());
    let words = format_args!("{intervals} times of {series} series");
    outline.push(HEADER_LEN..sum_at, sections::TOMBSTONES, words);
    outline.push(sum_at..end, "checksum", "of the entries");
    Ok(outline)
}
