//! A document whose matches are scored: its texts and its symbols.

use std::ops::Range;

use manicule_core::bytes::DecodeError;

use super::super::run::Document;
use super::kinds;

/// A document, with its symbols where it has any.
pub(super) struct Subject<'d> {
    pub(super) document: &'d Document<'d>,
    symbols: Vec<Range<u32>>,
}

impl<'d> Subject<'d> {
    pub(super) fn new(document: &'d Document<'d>) -> Result<Self, DecodeError> {
        let shard = document.shard.shard();
        let symbols =
            if shard.has_symbols() { shard.symbol_ranges(document.number)? } else { Vec::new() };
        Ok(Subject { document, symbols })
    }

    /// The symbol that shares most bytes with a match in the content.
    pub(super) fn symbol_at(&self, range: &Range<usize>) -> Option<usize> {
        let first = self.symbols.partition_point(|symbol| symbol.end as usize <= range.start);
        let shared = |symbol: &Range<u32>| {
            let (start, end) = (symbol.start as usize, symbol.end as usize);
            range.end.min(end).saturating_sub(range.start.max(start))
        };
        let near = self.symbols[first..].iter().enumerate();
        let near = near.take_while(|(_, symbol)| (symbol.start as usize) < range.end);
        let mut best = (0, None);
        for (index, symbol) in near {
            let len = shared(symbol);
            if len > best.0 {
                best = (len, Some(first + index));
            }
        }
        best.1
    }

    /// Place of a symbol.
    pub(super) fn symbol(&self, index: usize) -> Range<usize> {
        let symbol = &self.symbols[index];
        symbol.start as usize..symbol.end as usize
    }

    /// Factor of a symbol's kind.
    pub(super) fn factor(&self, index: usize) -> Result<f64, DecodeError> {
        let document = self.document;
        let info = document.shard.shard().symbol_info(document.number, index)?;
        let name = &document.content[self.symbol(index)];
        Ok(kinds::factor(document.language(), document.name, name, info.kind))
    }
}
