//! A shard read where it lies: documents, names, trigrams and their positions, without rebuilding
//! anything.
//!
//! Opening reads the table of contents, the JSON and the rune counts of documents and names: some
//! 100 microseconds for 10,000 documents, whatever the size of the contents. Everything else is
//! looked up in place, and checked as it is touched.
//!
//! Bytes:   docs/formats/zoekt.md

use std::sync::Arc;

use manicule_core::bytes::{DecodeError, FileBytes, Reader};

use super::corpus::{CONTENTS, Corpus, NAMES};
use super::items::Items;
use crate::checksum::checksum;
use crate::deltas;
use crate::error::Error;
use crate::layout::{Section, Toc};
use crate::metadata::{
    COMPOUND_VERSION, FEATURE_VERSION, FEATURE_VERSION_MIN, FORMAT_VERSION, IndexMetadata,
    Repository,
};
use crate::source::{Foreseen, Source};
use crate::words::Category;

/// What an error calls the number that a content is compared with.
const CHECKSUM: &str = "checksum of a document";

/// A shard, open.
#[derive(Debug)]
pub struct Shard<'a> {
    source: Source<'a>,
    toc: Toc,
    metadata: Arc<IndexMetadata>,
    repositories: Arc<[Repository]>,
    repository_of: Arc<[u32]>,
    contents: Corpus<'a>,
    names: Corpus<'a>,
}

/// What opening a shard decodes, without its bytes: with it the shard is opened again for next to
/// nothing. Takes eight bytes a document; a clone is the same.
#[derive(Clone, Debug)]
pub struct ShardHead {
    file_len: usize,
    toc: Toc,
    metadata: Arc<IndexMetadata>,
    repositories: Arc<[Repository]>,
    repository_of: Arc<[u32]>,
    content_ends: Arc<[u32]>,
    name_ends: Arc<[u32]>,
}

impl<'a> Shard<'a> {
    /// Opens the bytes of a whole shard file.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        Shard::of(Source::whole(bytes))
    }

    /// Opens a shard of which some bytes may still be elsewhere: what
    /// [`Toc::opening`] names is brought, the rest when it is asked for.
    pub fn open_file<B: FileBytes + Sync>(file: &'a B) -> Result<Self, Error> {
        Shard::of(Source::of(file))
    }

    /// Opens the shard that a head is of again.
    ///
    /// # Panics
    /// If the file has another length than the one that the head is of.
    pub fn open_again<B: FileBytes + Sync>(file: &'a B, head: &ShardHead) -> Result<Self, Error> {
        let (source, toc) = (Source::of(file), head.toc.clone());
        assert_eq!(source.len(), head.file_len, "a head is of one file");
        if !source.is_whole() {
            source.bring(&toc.opening(Foreseen::Documents))?;
        }
        let ends = |ends: &Arc<[u32]>| Arc::clone(ends);
        Ok(Shard {
            contents: Corpus::with_ends(source, &toc, &CONTENTS, ends(&head.content_ends)),
            names: Corpus::with_ends(source, &toc, &NAMES, ends(&head.name_ends)),
            source,
            toc,
            metadata: Arc::clone(&head.metadata),
            repositories: Arc::clone(&head.repositories),
            repository_of: Arc::clone(&head.repository_of),
        })
    }

    /// What was decoded to open it.
    pub fn head(&self) -> ShardHead {
        ShardHead {
            file_len: self.source.len(),
            toc: self.toc.clone(),
            metadata: Arc::clone(&self.metadata),
            repositories: Arc::clone(&self.repositories),
            repository_of: Arc::clone(&self.repository_of),
            content_ends: Arc::clone(&self.contents.ends),
            name_ends: Arc::clone(&self.names.ends),
        }
    }

    fn of(source: Source<'a>) -> Result<Self, Error> {
        let toc = source.toc()?;
        if !source.is_whole() {
            // Names, lengths, languages and branches of documents: they are not asked for again.
            source.bring(&toc.opening(Foreseen::Documents))?;
        }
        let metadata: IndexMetadata = json(source, &toc, Section::MetaData)?;
        check_versions(&metadata)?;
        let repositories = repositories(source, &toc)?;
        let is_compound = metadata.index_format_version == COMPOUND_VERSION;
        let repository_of = if is_compound { repository_of(source, &toc)? } else { Vec::new() };
        let contents = Corpus::open(source, &toc, &CONTENTS)?;
        let names = Corpus::open(source, &toc, &NAMES)?;
        let (metadata, repositories) = (Arc::new(metadata), repositories.into());
        let repository_of = repository_of.into();
        let shard = Shard { source, toc, metadata, repositories, repository_of, contents, names };
        shard.check_counts()?;
        Ok(shard)
    }

    /// The counts that must be alike, and the lengths of the sections with a fixed number of bytes
    /// a document.
    fn check_counts(&self) -> Result<(), DecodeError> {
        let count = self.document_count();
        let same = |section: Section, got: usize| {
            if got == count {
                Ok(())
            } else {
                let at = u64::from(self.toc.extent(section).at);
                let (want, got) = (count as u64, got as u64);
                Err(DecodeError::Corrupt { what: section.tag(), at, want, got })
            }
        };
        for section in [Section::FileNames, Section::Newlines, Section::FileSections] {
            same(section, self.toc.extent(section).item_count())?;
        }
        same(Section::FileEndRunes, self.contents.ends.len())?;
        same(Section::NameEndRunes, self.names.ends.len())?;
        if self.metadata.index_format_version == COMPOUND_VERSION {
            same(Section::Repos, self.repository_of.len())?;
        }
        for (section, len) in
            [(Section::BranchMasks, 8), (Section::Languages, 2), (Section::Categories, 1)]
        {
            let extent = self.toc.extent(section);
            let got = extent.len as usize;
            if got != count * len {
                let (at, want, got) = (u64::from(extent.at), (count * len) as u64, got as u64);
                return Err(DecodeError::Corrupt { what: section.tag(), at, want, got });
            }
        }
        // A shard of format 16 is of one repository: every document belongs to the first.
        let is_compound = self.metadata.index_format_version == COMPOUND_VERSION;
        let (at, got) = (self.toc.extent(Section::RepoMetaData).at.into(), self.repositories.len());
        if got == 0 || (!is_compound && got != 1) {
            let (what, want, got) = ("number of repositories", 1, got as u64);
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        for repository in &*self.repository_of {
            if *repository as usize >= self.repositories.len() {
                let at = u64::from(self.toc.extent(Section::Repos).at);
                let (want, got) = (self.repositories.len() as u64, u64::from(*repository));
                return Err(DecodeError::Corrupt { what: "number of a repository", at, want, got });
            }
        }
        Ok(())
    }

    /// Length of the file in bytes.
    pub fn file_len(&self) -> u64 {
        self.source.len() as u64
    }

    /// Whether all bytes are at hand. If not, a byte that is read costs as much as ten that are
    /// searched.
    pub fn is_whole(&self) -> bool {
        self.source.is_whole()
    }

    /// Table of contents: extents of the sections.
    pub fn toc(&self) -> &Toc {
        &self.toc
    }

    /// Metadata of the shard.
    pub fn metadata(&self) -> &IndexMetadata {
        &self.metadata
    }

    /// The repositories whose documents it holds. One, unless the shard is compound.
    pub fn repositories(&self) -> &[Repository] {
        &self.repositories
    }

    /// Takes what a sidecar file (`SHARD.meta`) says of the repositories instead of what the shard
    /// says: tombstones, newer branches. There must be as many as before.
    pub fn replace_repositories(&mut self, sidecar: &[u8]) -> Result<(), Error> {
        let repositories = read_repositories(sidecar, "sidecar", 0)?;
        if repositories.len() != self.repositories.len() {
            let (want, got) = (self.repositories.len() as u64, repositories.len() as u64);
            let what = "repositories of a sidecar";
            return Err(DecodeError::Corrupt { what, at: 0, want, got }.into());
        }
        self.repositories = repositories.into();
        Ok(())
    }

    /// Number of documents.
    pub fn document_count(&self) -> usize {
        self.contents.texts.len()
    }

    /// The documents.
    pub fn contents(&self) -> &Corpus<'a> {
        &self.contents
    }

    /// Their names.
    pub fn names(&self) -> &Corpus<'a> {
        &self.names
    }

    /// Compares the content of a document with its checksum: nothing else in a shard says whether
    /// it is whole.
    pub fn check_content(&self, document: usize, content: &[u8]) -> Result<(), DecodeError> {
        let want = self.content_checksum(document)?;
        let got = u64::from_be_bytes(checksum(content));
        if got == want {
            return Ok(());
        }
        let at = self.checksum_at(document);
        Err(DecodeError::Corrupt { what: CHECKSUM, at, want, got })
    }

    /// The checksum of a document's content as it is stored.
    pub fn content_checksum(&self, document: usize) -> Result<u64, DecodeError> {
        let (section, len) = (Section::ContentChecksums, size_of::<u64>() as u64);
        self.section_at(section, document as u64 * len, len)?.u64_be(CHECKSUM)
    }

    fn checksum_at(&self, document: usize) -> u64 {
        let at = self.toc.extent(Section::ContentChecksums).at;
        u64::from(at) + (document * size_of::<u64>()) as u64
    }

    /// Index of the repository that a document belongs to.
    #[inline]
    pub fn repository_of(&self, document: usize) -> usize {
        self.repository_of.get(document).map_or(0, |repository| *repository as usize)
    }

    /// The code of a document's language; the metadata's map names it.
    #[inline]
    pub fn language(&self, document: usize) -> u16 {
        u16::from_le_bytes(self.of_document(Section::Languages, document))
    }

    /// The category of a document, or the byte that stands for none.
    #[inline]
    pub fn category(&self, document: usize) -> Result<Category, u8> {
        let [byte] = self.of_document(Section::Categories, document);
        Category::from_byte(byte).ok_or(byte)
    }

    /// The branches of a document: bit `i` stands for the repository's branch `i`.
    #[inline]
    pub fn branch_mask(&self, document: usize) -> u64 {
        u64::from_be_bytes(self.of_document(Section::BranchMasks, document))
    }

    /// What a section has of a document, whose length and presence opening has seen to.
    #[inline]
    fn of_document<const LEN: usize>(&self, section: Section, document: usize) -> [u8; LEN] {
        let at = u64::from(self.toc.extent(section).at) + (document * LEN) as u64;
        self.source.asked(at..at + LEN as u64).try_into().expect("as many bytes")
    }

    /// The items of a compound section.
    pub fn items(&self, section: Section) -> Items<'a> {
        Items::new(self.source, self.toc.extent(section), section.tag())
    }

    /// The bytes of a section, without its index.
    pub fn section(&self, section: Section) -> Result<&'a [u8], DecodeError> {
        self.source.get(self.toc.extent(section).data())
    }

    /// The bytes of a section from an offset on, as many as are wanted or there.
    pub(crate) fn section_at(
        &self,
        section: Section,
        offset: u64,
        len: u64,
    ) -> Result<Reader<'a>, DecodeError> {
        let data = self.toc.extent(section).data();
        let start = data.start.saturating_add(offset);
        if start > data.end {
            let (what, at, have) = (section.tag(), data.start, data.end - data.start);
            return Err(DecodeError::Short { what, at, need: offset, have });
        }
        self.source.reader(start..data.end.min(start + len))
    }

    /// Line ends of a document: the offset of each line feed.
    pub fn newlines(&self, document: usize) -> Result<Vec<u32>, DecodeError> {
        self.deltas_of(Section::Newlines, document)
    }

    /// Start and end of each symbol of a document, in bytes, by start.
    pub fn symbol_sections(&self, document: usize) -> Result<Vec<u32>, DecodeError> {
        self.deltas_of(Section::FileSections, document)
    }

    fn deltas_of(&self, section: Section, document: usize) -> Result<Vec<u32>, DecodeError> {
        deltas::decode(section.tag(), self.items(section).reader(document)?)
    }

    /// The numbers of a section of sized deltas.
    pub fn numbers(&self, section: Section) -> Result<Vec<u32>, DecodeError> {
        deltas::decode(section.tag(), self.source.reader(self.toc.extent(section).data())?)
    }
}

pub(crate) fn check_versions(metadata: &IndexMetadata) -> Result<(), Error> {
    let format = metadata.index_format_version;
    if !(FORMAT_VERSION..=COMPOUND_VERSION).contains(&format) {
        let (what, want) = ("the shard's format version", FORMAT_VERSION);
        return Err(Error::Version { what, want, got: format });
    }
    let features = metadata.index_feature_version;
    if features < FEATURE_VERSION_MIN {
        let (what, want) = ("the shard's feature version", FEATURE_VERSION_MIN);
        return Err(Error::Version { what, want, got: features });
    }
    let reader = metadata.index_min_reader_version;
    if reader > FEATURE_VERSION {
        let (what, want) = ("the oldest reader's version", FEATURE_VERSION);
        return Err(Error::Version { what, want, got: reader });
    }
    Ok(())
}

fn json<T: serde::de::DeserializeOwned>(
    file: Source<'_>,
    toc: &Toc,
    section: Section,
) -> Result<T, Error> {
    let extent = toc.extent(section);
    let (what, at) = (section.tag(), u64::from(extent.at));
    let json = file.get(extent.data())?;
    serde_json::from_slice(json).map_err(|source| Error::Json { what, at, source })
}

fn repositories(source: Source<'_>, toc: &Toc) -> Result<Vec<Repository>, Error> {
    let section = Section::RepoMetaData;
    let extent = toc.extent(section);
    read_repositories(source.get(extent.data())?, section.tag(), extent.at.into())
}

/// One repository, or several in an array.
pub(crate) fn read_repositories(
    bytes: &[u8],
    what: &'static str,
    at: u64,
) -> Result<Vec<Repository>, Error> {
    let is_array = bytes.trim_ascii_start().first() == Some(&b'[');
    let read = if is_array {
        serde_json::from_slice(bytes)
    } else {
        serde_json::from_slice(bytes).map(|repository| vec![repository])
    };
    read.map_err(|source| Error::Json { what, at, source })
}

/// The repository of each document. Their numbers have 16 bits, and wrap as such.
fn repository_of(source: Source<'_>, toc: &Toc) -> Result<Vec<u32>, DecodeError> {
    let section = Section::Repos;
    let numbers = deltas::decode(section.tag(), source.reader(toc.extent(section).data())?)?;
    Ok(numbers.into_iter().map(|number| number & 0xffff).collect())
}
