//! Layout of a shard's sections: their names, shapes and orders, and the table of contents.
//!
//! Bytes:   docs/formats/zoekt.md, sections *Container* and *Sections*

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

/// Layout of a section's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One piece.
    Simple,
    /// Items back to back, after them one u32 an item: the offset in the file where it begins.
    Compound,
    /// As `Compound`; a hint for readers to look at the index late.
    Lazy,
}

impl Shape {
    /// The number that stands for it in the table of contents.
    pub fn kind(self) -> u8 {
        match self {
            Shape::Simple => 0,
            Shape::Compound => 1,
            Shape::Lazy => 2,
        }
    }

    fn word_count(kind: u32, at: u64) -> Result<usize, DecodeError> {
        match kind {
            0 => Ok(2),
            1 | 2 => Ok(4),
            _ => {
                let what = "kind of a section in the table of contents";
                Err(DecodeError::Corrupt { what, at, want: 2, got: kind.into() })
            }
        }
    }
}

macro_rules! sections {
    ($($name:ident $tag:literal $shape:ident $about:literal,)*) => {
        /// A section of a shard, in the order of the table of contents.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Section { $(#[doc = $about] $name,)* }

        impl Section {
            /// All sections, in the order of the table of contents.
            pub const ALL: [Section; SECTION_COUNT] = [$(Section::$name,)*];

            /// Its name in the table of contents.
            pub fn tag(self) -> &'static str {
                match self { $(Section::$name => $tag,)* }
            }

            /// Layout of the section.
            pub fn shape(self) -> Shape {
                match self { $(Section::$name => Shape::$shape,)* }
            }

            /// Description of the section, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $(Section::$name => $about,)* }
            }
        }
    };
}

/// Number of sections in the table of contents.
pub const SECTION_COUNT: usize = 29;

sections! {
    MetaData "metaData" Simple "About the shard, as JSON.",
    RepoMetaData "repoMetaData" Simple "About the repository or repositories, as JSON.",
    FileContents "fileContents" Compound "The documents.",
    FileNames "fileNames" Compound "Their names.",
    FileSections "fileSections" Compound "Where symbols are in each document, in bytes.",
    FileEndSymbol "fileEndSymbol" Simple "How many symbols there are up to each document.",
    SymbolMap "symbolMap" Lazy "The distinct parents of symbols.",
    SymbolKindMap "symbolKindMap" Compound "The distinct kinds of symbols.",
    SymbolMetaData "symbolMetaData" Simple "Kind and parent of each symbol.",
    Newlines "newlines" Compound "Where lines end in each document.",
    NgramText "ngramText" Simple "The trigrams of the documents, rising.",
    Postings "postings" Compound "Where each trigram occurs.",
    NameNgramText "nameNgramText" Simple "The trigrams of the names, rising.",
    NamePostings "namePostings" Compound "Where each of them occurs.",
    BranchMasks "branchMasks" Simple "The branches of each document.",
    SubRepos "subRepos" Simple "The sub-repository of each document.",
    RuneOffsets "runeOffsets" Simple "The byte offset of each hundredth rune of the documents.",
    NameRuneOffsets "nameRuneOffsets" Simple "The same of the names.",
    FileEndRunes "fileEndRunes" Simple "How many runes there are up to the end of each document.",
    NameEndRunes "nameEndRunes" Simple "The same of the names.",
    ContentChecksums "contentChecksums" Simple "A CRC-64 of each document.",
    Languages "languages" Simple "The language of each document.",
    Categories "categories" Simple "The category of each document.",
    RuneDocSections "runeDocSections" Simple "Where symbols are in the corpus, in runes.",
    Repos "repos" Simple "The repository of each document; only in shards of several.",
    ReposIdsBitmap "reposIDsBitmap" Simple "The ids of the repositories; only in shards of several.",
    NameBloom "nameBloom" Simple "No longer used.",
    ContentBloom "contentBloom" Simple "No longer used.",
    Ranks "ranks" Simple "No longer used.",
}

/// The sections that are written, in the order of their bytes in the file.
pub const FILE_ORDER: [Section; 26] = [
    Section::FileContents,
    Section::Newlines,
    Section::FileEndSymbol,
    Section::SymbolMap,
    Section::SymbolKindMap,
    Section::SymbolMetaData,
    Section::BranchMasks,
    Section::FileSections,
    Section::NgramText,
    Section::Postings,
    Section::RuneOffsets,
    Section::FileEndRunes,
    Section::FileNames,
    Section::NameNgramText,
    Section::NamePostings,
    Section::NameRuneOffsets,
    Section::NameEndRunes,
    Section::SubRepos,
    Section::ContentChecksums,
    Section::Languages,
    Section::Categories,
    Section::RuneDocSections,
    Section::Repos,
    Section::ReposIdsBitmap,
    Section::MetaData,
    Section::RepoMetaData,
];

/// Extent of a section, from the start of the file. `index` is empty for a simple section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The offset of its first byte.
    pub at: u32,
    /// Length in bytes, the index apart.
    pub len: u32,
    /// The offset of its index.
    pub index_at: u32,
    /// Length of the index in bytes.
    pub index_len: u32,
}

impl Extent {
    /// The bytes of the section.
    pub fn data(&self) -> Range<u64> {
        u64::from(self.at)..u64::from(self.at) + u64::from(self.len)
    }

    /// The bytes of its index.
    pub fn index(&self) -> Range<u64> {
        u64::from(self.index_at)..u64::from(self.index_at) + u64::from(self.index_len)
    }

    /// Number of items of a compound section.
    pub fn item_count(&self) -> usize {
        self.index_len as usize / ITEM_LEN
    }
}

/// A shard ends in two u32: where its table of contents begins, and how long it is.
pub(crate) const TRAILER_LEN: usize = 8;
/// The bytes of an item in the index of a compound section.
pub(crate) const ITEM_LEN: usize = size_of::<u32>();
/// The most bytes that a shard can have: its offsets have 32 bits, and the last value is not used.
pub const SHARD_LEN_MAX: u64 = u32::MAX as u64 - 1;

/// A row of the table of contents, as it stands there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TocRow<'a> {
    /// The name of the section.
    pub(crate) tag: &'a [u8],
    /// The number of its shape.
    kind: u32,
    /// Offset of the name.
    pub(crate) name_at: u64,
    /// Offset of the shape, which the extent follows.
    pub(crate) at: u64,
    pub(crate) extent: Extent,
}

impl TocRow<'_> {
    /// The section of that name, whatever the shape.
    pub(crate) fn named(&self) -> Option<Section> {
        Section::ALL.into_iter().find(|section| section.tag().as_bytes() == self.tag)
    }

    /// The section of that name and shape.
    pub(crate) fn section(&self) -> Option<Section> {
        self.named().filter(|section| u32::from(section.shape().kind()) == self.kind)
    }
}

/// The sign of a shard: whether a file of `len` bytes that ends in `trailer` is long enough for the
/// table of contents that this points to. A text's last bytes would point hundreds of megabytes
/// far.
pub fn ends_as_shard(trailer: [u8; TRAILER_LEN], len: u64) -> bool {
    let word = u64::from_be_bytes(trailer);
    let (at, table_len) = (word >> 32, word & u64::from(u32::MAX));
    let end = len.saturating_sub(TRAILER_LEN as u64);
    at > 0 && table_len > 0 && at + table_len <= end
}

/// The rows of a table of contents. Ends after the first that can't be read.
pub(crate) struct Rows<'a> {
    /// Range of the table.
    pub(crate) bytes: Range<u64>,
    table: Reader<'a>,
    is_damaged: bool,
}

impl<'a> Rows<'a> {
    /// Finds the table of a whole shard by its last eight bytes.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let have = bytes.len() as u64;
        let Some(trailer_at) = bytes.len().checked_sub(TRAILER_LEN) else {
            let need = TRAILER_LEN as u64;
            return Err(DecodeError::Short { what: "trailer", at: 0, need, have });
        };
        if have > SHARD_LEN_MAX {
            let (what, want) = ("length of the shard", SHARD_LEN_MAX);
            return Err(DecodeError::Corrupt { what, at: 0, want, got: have });
        }
        let mut trailer = Reader::new(&bytes[trailer_at..], trailer_at as u64);
        let at = trailer.u32_be("place of the table of contents")?;
        let len = trailer.u32_be("length of the table of contents")?;
        let end = u64::from(at) + u64::from(len);
        if end > trailer_at as u64 {
            let (what, want) = ("end of the table of contents", trailer_at as u64);
            return Err(DecodeError::Corrupt { what, at: want, want, got: end });
        }
        let mut table = Reader::new(&bytes[at as usize..end as usize], at.into());
        let mark = table.u32_be("mark of a table of contents with names")?;
        if mark != 0 {
            let what = "mark of a table of contents with names (an older one has none)";
            return Err(DecodeError::Corrupt { what, at: at.into(), want: 0, got: mark.into() });
        }
        Ok(Rows { bytes: at.into()..end, table, is_damaged: false })
    }

    fn read(&mut self) -> Result<TocRow<'a>, DecodeError> {
        let table = &mut self.table;
        let name_at = table.at();
        let len = table.varint_u32("length of a section's name")?;
        let tag = table.take("name of a section", len as usize)?;
        let at = table.at();
        let kind = table.varint_u32("kind of a section")?;
        let mut words = [0; 4];
        for word in words.iter_mut().take(Shape::word_count(kind, at)?) {
            *word = table.u32_be("extent of a section")?;
        }
        let [start, len, index_at, index_len] = words;
        let extent = Extent { at: start, len, index_at, index_len };
        Ok(TocRow { tag, kind, name_at, at, extent })
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Result<TocRow<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_damaged || self.table.rest().is_empty() {
            return None;
        }
        let row = self.read();
        self.is_damaged = row.is_err();
        Some(row)
    }
}

/// The table of contents of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toc {
    /// Offset of the table.
    pub at: u64,
    /// Length in bytes.
    pub len: u64,
    extents: [Extent; SECTION_COUNT],
}

impl Toc {
    /// Reads the table of contents of a whole shard. Every extent lies before the table.
    ///
    /// Sections that nobody knows, or of another kind, are passed over, as the peer does.
    pub fn open(bytes: &[u8]) -> Result<Toc, DecodeError> {
        let rows = Rows::open(bytes)?;
        let mut toc = Toc::empty(&rows);
        for row in rows {
            let row = row?;
            if row.section().is_some() {
                toc.take(&row)?;
            }
        }
        Ok(toc)
    }

    /// A table of contents that names nothing.
    pub(crate) fn empty(rows: &Rows<'_>) -> Toc {
        let extents = [Extent::default(); SECTION_COUNT];
        Toc { at: rows.bytes.start, len: rows.bytes.end - rows.bytes.start, extents }
    }

    /// Takes a row whose extent is sound; says what is wrong with it otherwise.
    pub(crate) fn take(&mut self, row: &TocRow<'_>) -> Result<(), DecodeError> {
        self.check(row.extent, row.at)?;
        if let Some(section) = row.section() {
            self.extents[section as usize] = row.extent;
        }
        Ok(())
    }

    fn check(&self, extent: Extent, at: u64) -> Result<(), DecodeError> {
        let end = extent.data().end.max(extent.index().end);
        if end > self.at {
            let what = "end of a section, before the table of contents";
            return Err(DecodeError::Corrupt { what, at, want: self.at, got: end });
        }
        if !(extent.index_len as usize).is_multiple_of(ITEM_LEN) {
            let (what, got) = ("length of an index, in fours", extent.index_len.into());
            return Err(DecodeError::Corrupt { what, at, want: got & !3, got });
        }
        Ok(())
    }

    /// Extent of a section; all zeros if it isn't there.
    pub fn extent(&self, section: Section) -> Extent {
        self.extents[section as usize]
    }

    /// The bytes of a table of contents with these extents.
    pub fn encode(extents: &[Extent; SECTION_COUNT]) -> Vec<u8> {
        let mut out = vec![0; size_of::<u32>()];
        for (section, extent) in Section::ALL.into_iter().zip(extents) {
            out.push(section.tag().len() as u8);
            out.extend_from_slice(section.tag().as_bytes());
            out.push(section.shape().kind());
            let words = [extent.at, extent.len, extent.index_at, extent.index_len];
            let count = if section.shape() == Shape::Simple { 2 } else { 4 };
            words[..count].iter().for_each(|word| out.extend_from_slice(&word.to_be_bytes()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_contents_has_674_bytes_and_reads_back() {
        let mut extents = [Extent::default(); SECTION_COUNT];
        extents[Section::Postings as usize] = Extent { at: 1, len: 5, index_at: 6, index_len: 8 };
        let table = Toc::encode(&extents);
        assert_eq!(table.len(), 674);
        let trailer = ((14 << 32) + 674u64).to_be_bytes();
        assert!(ends_as_shard(trailer, 14 + 674 + 8) && !ends_as_shard(trailer, 14 + 674 + 7));
        assert!(!ends_as_shard([0; 8], 100) && !ends_as_shard(*b"no\nshard", 1 << 20));
        let mut bytes = vec![7; 14];
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&14u32.to_be_bytes());
        bytes.extend_from_slice(&674u32.to_be_bytes());
        let toc = Toc::open(&bytes).unwrap();
        assert_eq!(toc.extent(Section::Postings), extents[Section::Postings as usize]);
        assert_eq!(toc.extent(Section::Postings).item_count(), 2);
    }

    #[test]
    fn every_cut_of_a_table_is_an_error() {
        let table = Toc::encode(&[Extent::default(); SECTION_COUNT]);
        for len in 0..table.len() {
            let mut bytes = table[..len].to_vec();
            bytes.extend_from_slice(&0u32.to_be_bytes());
            bytes.extend_from_slice(&(table.len() as u32).to_be_bytes());
            assert!(Toc::open(&bytes).is_err(), "{len}");
        }
    }
}
