//! Symbols of documents as the sections of a shard have them.
//!
//! Bytes:   docs/formats/zoekt.md, section *Symbols*

use manicule_format_zoekt::{Section, Shard, sized_deltas};

use super::super::symbols::Words;
use super::document::Document;

/// The sections about symbols.
#[derive(Default)]
pub(super) struct SymbolSections {
    /// Section *fileEndSymbol*.
    pub(super) ends: Vec<u8>,
    /// Items of section *symbolMap*.
    pub(super) parents: Vec<Box<[u8]>>,
    /// Items of section *symbolKindMap*.
    pub(super) kinds: Vec<Box<[u8]>>,
    /// Section *symbolMetaData*.
    pub(super) metadata: Vec<u8>,
    /// Items of section *fileSections*, one after the other, and where each ends.
    spans: Vec<u8>,
    span_ends: Vec<usize>,
    /// Section *runeDocSections*.
    pub(super) runes: Vec<u8>,
}

impl SymbolSections {
    /// The sections of `documents`, each of which begins at one of the runes of the corpus.
    pub(super) fn new(documents: &[&Document], first_runes: &[u32]) -> Self {
        let mut sections = SymbolSections::default();
        let (mut kinds, mut parents) = (Words::default(), Words::default());
        let (mut count, mut runes) = (0u32, Vec::new());
        sections.ends.extend_from_slice(&count.to_be_bytes());
        for (document, first_rune) in documents.iter().zip(first_runes) {
            let symbols = &document.symbols;
            for symbol in &symbols.list {
                let kind = kinds.number(symbols.word(symbol.kind));
                let parent = parents.number(symbols.word(symbol.parent));
                let parent_kind = kinds.number(symbols.word(symbol.parent_kind));
                for number in [0, kind, parent, parent_kind] {
                    sections.metadata.extend_from_slice(&number.to_be_bytes());
                }
                runes.extend([symbol.start_rune, symbol.end_rune].map(|rune| first_rune + rune));
            }
            count += symbols.list.len() as u32;
            sections.ends.extend_from_slice(&count.to_be_bytes());
            let spans: Vec<u32> =
                symbols.list.iter().flat_map(|symbol| [symbol.start, symbol.end]).collect();
            sections.spans.extend_from_slice(&sized_deltas(spans.into_iter()));
            sections.span_ends.push(sections.spans.len());
        }
        sections.runes = sized_deltas(runes.into_iter());
        (sections.kinds, sections.parents) = (kinds.list, parents.list);
        sections
    }

    /// Items of section *fileSections*.
    pub(super) fn spans(&self) -> impl Iterator<Item = &[u8]> + Clone {
        self.span_ends.iter().enumerate().map(|(index, end)| {
            let start = index.checked_sub(1).map_or(0, |before| self.span_ends[before]);
            &self.spans[start..*end]
        })
    }

    /// Whether a shard has these sections.
    pub(super) fn are_in(&self, shard: &Shard<'_>) -> bool {
        let has = |section, bytes: &[u8]| shard.section(section).unwrap() == bytes;
        let has_items = |section, items: &mut dyn Iterator<Item = &[u8]>| {
            let there = shard.items(section);
            (0..there.len())
                .all(|index| items.next().is_some_and(|item| there.get(index) == Ok(item)))
                && items.next().is_none()
        };
        has(Section::FileEndSymbol, &self.ends)
            && has(Section::SymbolMetaData, &self.metadata)
            && has(Section::RuneDocSections, &self.runes)
            && has_items(Section::SymbolMap, &mut self.parents.iter().map(|word| &**word))
            && has_items(Section::SymbolKindMap, &mut self.kinds.iter().map(|word| &**word))
            && has_items(Section::FileSections, &mut self.spans())
    }
}
