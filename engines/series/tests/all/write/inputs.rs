//! The inputs of the golden indexes: label sets as lines of tabs, chunks by a rule.

use std::io::Cursor;

use manicule_core::watch::Watch;
use manicule_format_prometheus::{ChunkMeta, ChunkRef};
use manicule_series::write::{
    ChunksBy, Joined, Outputs, SortedSets, SymbolChoice, WriteError, WriteOptions, Written,
    write_index, write_index_with,
};
use manicule_testkit::golden_chunks;

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

/// The chunks of the golden indexes.
pub(crate) fn chunk_rule() -> ChunksBy<impl FnMut(u64, &mut Vec<ChunkMeta>)> {
    let mut rule = golden_chunks();
    ChunksBy::new(move |place, chunks| {
        chunks.extend(rule(place).map(|chunk| ChunkMeta {
            min_time: chunk.min_time,
            max_time: chunk.max_time,
            reference: ChunkRef(chunk.reference),
        }));
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
