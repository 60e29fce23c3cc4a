//! The inputs of the golden indexes: label sets as lines of tabs, chunks by a rule.

use std::io::Cursor;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_format_prometheus::{ChunkMeta, ChunkRef};
use manicule_series::write::{
    ChunksBy, Joined, Outputs, SortedSets, SymbolChoice, WriteError, WriteOptions, Written,
    write_index, write_index_with,
};

/// Much memory, no legacy sections.
pub(crate) const PLAIN: WriteOptions =
    WriteOptions { memory: 300 << 20, symbols: SymbolChoice::All, label_indices: false };

/// So little memory that every window has the smallest length.
pub(crate) const TINY: WriteOptions = WriteOptions { memory: 1, ..PLAIN };

/// The label sets of a file: one series a line, names and values in turn.
pub(crate) fn label_sets(text: &[u8]) -> SortedSets {
    let mut sets = SortedSets::default();
    each_set(text, |labels| sets.push(labels));
    sets
}

pub(crate) fn each_set<'t>(text: &'t [u8], mut push: impl FnMut(Vec<(&'t [u8], &'t [u8])>)) {
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let mut fields = line.split(|&byte| byte == b'\t');
        let pair = || Some((fields.next()?, fields.next()?));
        push(std::iter::from_fn(pair).collect());
    }
}

/// The chunks of the golden indexes: two an hour apart, of 150 to 209 bytes, in segments of
/// 512 MiB.
pub(crate) fn chunk_rule() -> ChunksBy<impl FnMut(u64, &mut Vec<ChunkMeta>)> {
    let mut next = 8u64;
    ChunksBy::new(move |place, chunks| {
        for number in 0..2 {
            let min_time = 1_700_000_000_000 + number as i64 * 3_600_000;
            let reference = ChunkRef(next);
            chunks.push(ChunkMeta { min_time, max_time: min_time + 3_570_000, reference });
            next += 150 + (place * 7 + number * 13) % 60;
            if next & 0xffff_ffff > 512 << 20 {
                next = ((next >> 32) + 1) << 32 | 8;
            }
        }
    })
}

/// The index of some label sets with the chunks of the rule.
pub(crate) fn index(sets: &SortedSets, options: WriteOptions) -> (Vec<u8>, Written) {
    let mut file = Vec::new();
    let written = try_index(sets, options, &mut file).unwrap();
    (file, written)
}

pub(crate) fn try_index(
    sets: &SortedSets,
    options: WriteOptions,
    file: &mut Vec<u8>,
) -> Result<Written, WriteError> {
    let source = Joined { labels: sets.series(), chunks: chunk_rule() };
    write_index(sets, sets.pairs(), source, options, file, &Watch::none().silent())
}

/// An index and its index-header.
pub(crate) fn index_and_header(
    sets: &SortedSets,
    options: WriteOptions,
    threads: usize,
) -> (Vec<u8>, Vec<u8>) {
    let (mut file, mut header) = (Vec::new(), Cursor::new(Vec::new()));
    let source = Joined { labels: sets.series(), chunks: chunk_rule() };
    let outputs =
        Outputs { index: &mut file, index_header: Some(&mut header), sparse_header: None };
    write_index_with(
        sets,
        sets.pairs(),
        source,
        options,
        outputs,
        threads,
        &Watch::none().silent(),
    )
    .unwrap();
    (file, header.into_inner())
}

/// The folder of the whole golden set, if this machine has it.
pub(crate) fn whole_golden_set(left_out: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MANICULE_GOLDEN").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("left out: {left_out} (MANICULE_GOLDEN names no folder)");
    }
    folder
}
