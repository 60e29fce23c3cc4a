//! Symbols of documents: their kinds and what they are declared in.
//!
//! Bytes:   docs/formats/zoekt.md, sections *fileEndSymbol*, *symbolMetaData*, *symbolMap* and
//! *symbolKindMap*

use std::ops::Range;

use manicule_core::bytes::DecodeError;

use crate::layout::Section;
use crate::shard::Shard;

/// Facts about a symbol. Its name is the text between its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolInfo<'a> {
    /// Its kind, as ctags names it.
    pub kind: &'a [u8],
    /// The symbol that it is declared in; empty if there is none.
    pub parent: &'a [u8],
    /// The kind of that.
    pub parent_kind: &'a [u8],
}

/// Length of a row of *symbolMetaData*: four numbers, the first of which means nothing.
const ROW_LEN: u64 = 4 * WORD_LEN;

const WORD_LEN: u64 = size_of::<u32>() as u64;

impl<'a> Shard<'a> {
    /// Whether any document has a symbol.
    pub fn has_symbols(&self) -> bool {
        self.toc().extent(Section::SymbolMetaData).len > 0
    }

    /// The edges of a document's symbols, in bytes, increasing and without overlaps.
    pub fn symbol_ranges(&self, document: usize) -> Result<Vec<Range<u32>>, DecodeError> {
        let edges = self.symbol_sections(document)?;
        let (what, at) = (Section::FileSections.tag(), self.toc().extent(Section::FileSections).at);
        let corrupt = |want: u32, got: u32| {
            let (want, got) = (u64::from(want), u64::from(got));
            DecodeError::Corrupt { what, at: at.into(), want, got }
        };
        let texts = self.contents().texts().range(document)?;
        let len = texts.end - texts.start;
        let last = edges.last().copied().unwrap_or(0);
        if edges.len() % 2 != 0 || last > len {
            return Err(corrupt(len, last));
        }
        if let Some(pair) = edges.windows(2).find(|pair| pair[0] > pair[1]) {
            return Err(corrupt(pair[0], pair[1]));
        }
        Ok(edges.as_chunks::<2>().0.iter().map(|[start, end]| *start..*end).collect())
    }

    /// Kind and parent of symbol `index` of a document.
    pub fn symbol_info(
        &self,
        document: usize,
        index: usize,
    ) -> Result<SymbolInfo<'a>, DecodeError> {
        let first = self.first_symbol(document)?;
        let at = (u64::from(first) + index as u64) * ROW_LEN;
        let mut row = self.section_at(Section::SymbolMetaData, at, ROW_LEN)?;
        row.u32_be("first word of a symbol")?;
        let kind = row.u32_be("kind of a symbol")?;
        let parent = row.u32_be("parent of a symbol")?;
        let parent_kind = row.u32_be("kind of a parent")?;
        Ok(SymbolInfo {
            kind: self.word(Section::SymbolKindMap, kind)?,
            parent: self.word(Section::SymbolMap, parent)?,
            parent_kind: self.word(Section::SymbolKindMap, parent_kind)?,
        })
    }

    /// Number of symbols in the documents before one.
    fn first_symbol(&self, document: usize) -> Result<u32, DecodeError> {
        let at = document as u64 * WORD_LEN;
        self.section_at(Section::FileEndSymbol, at, WORD_LEN)?.u32_be("number of symbols")
    }

    /// Where in the file kinds and parents of a document's symbols are.
    pub fn symbol_rows(&self, document: usize) -> Result<Range<u64>, DecodeError> {
        let at = u64::from(self.toc().extent(Section::SymbolMetaData).at);
        let row = |number: u32| at + u64::from(number) * ROW_LEN;
        Ok(row(self.first_symbol(document)?)..row(self.first_symbol(document + 1)?))
    }

    /// Item `number` of a map.
    fn word(&self, section: Section, number: u32) -> Result<&'a [u8], DecodeError> {
        let items = self.items(section);
        if number as usize >= items.len() {
            let (what, at) = (section.tag(), u64::from(self.toc().extent(section).at));
            let (want, got) = (items.len() as u64, u64::from(number));
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        items.get(number as usize)
    }
}
