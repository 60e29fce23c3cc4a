//! The symbols of a document, from ctags or from a shard.

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::{Shard, ascii_len, rune_count};

use super::words::Words;

/// A symbol of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shards) struct Symbol {
    /// Offset of its first byte in the document.
    pub(in crate::shards) start: u32,
    /// Offset after its last byte.
    pub(in crate::shards) end: u32,
    /// The same offsets in runes.
    pub(in crate::shards) start_rune: u32,
    pub(in crate::shards) end_rune: u32,
    /// Numbers of words: its kind, its parent's name, its parent's kind.
    pub(in crate::shards) kind: u32,
    pub(in crate::shards) parent: u32,
    pub(in crate::shards) parent_kind: u32,
}

/// The symbols of a document, by their start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::shards) struct Symbols {
    pub(in crate::shards) list: Box<[Symbol]>,
    /// Kinds and parents, each once.
    pub(in crate::shards) words: Box<[Box<[u8]>]>,
}

impl Symbols {
    /// The symbols that a shard has of a document.
    pub(in crate::shards) fn of(
        shard: &Shard<'_>,
        document: usize,
        content: &[u8],
    ) -> Result<Symbols, DecodeError> {
        let ranges = shard.symbol_ranges(document)?;
        let (mut words, mut list) = (Words::default(), Vec::with_capacity(ranges.len()));
        for (index, Range { start, end }) in ranges.into_iter().enumerate() {
            let info = shard.symbol_info(document, index)?;
            let [kind, parent, parent_kind] =
                [info.kind, info.parent, info.parent_kind].map(|word| words.number(word));
            let (start_rune, end_rune) = (start, end);
            list.push(Symbol { start, end, start_rune, end_rune, kind, parent, parent_kind });
        }
        count_runes(&mut list, content);
        Ok(Symbols { list: list.into(), words: words.list.into() })
    }

    /// A word that a symbol names by its number.
    pub(in crate::shards) fn word(&self, number: u32) -> &[u8] {
        &self.words[number as usize]
    }
}

/// Makes rune offsets of byte offsets.
pub(super) fn count_runes(symbols: &mut [Symbol], content: &[u8]) {
    if symbols.is_empty() || ascii_len(content) == content.len() {
        return;
    }
    let (mut at, mut runes) = (0, 0);
    for symbol in symbols {
        for (byte, rune) in
            [(symbol.start, &mut symbol.start_rune), (symbol.end, &mut symbol.end_rune)]
        {
            runes += rune_count(&content[at..byte as usize]) as u32;
            (at, *rune) = (byte as usize, runes);
        }
    }
}
