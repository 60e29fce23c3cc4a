//! A shard read where it lies: documents, names, trigrams and their positions, without rebuilding
//! anything.
//!
//! Opening reads the table of contents, the JSON and the rune counts of documents and names: some
//! 100 microseconds for 10,000 documents, whatever the size of the contents. Everything else is
//! looked up in place, and checked as it is touched.
//!
//! Bytes:   docs/formats/zoekt.md

use manicule_core::bytes::{DecodeError, Reader};

use super::corpus::{CONTENTS, Corpus, NAMES};
use super::items::{Items, reader, slice};
use crate::checksum::checksum;
use crate::deltas;
use crate::error::Error;
use crate::layout::{Section, Toc};
use crate::metadata::{
    COMPOUND_VERSION, FEATURE_VERSION, FEATURE_VERSION_MIN, FORMAT_VERSION, IndexMetadata,
    Repository,
};
use crate::words::Category;

/// What an error calls the number that a content is compared with.
const CHECKSUM: &str = "checksum of a document";

/// A shard, open.
#[derive(Debug)]
pub struct Shard<'a> {
    bytes: &'a [u8],
    toc: Toc,
    metadata: IndexMetadata,
    repositories: Vec<Repository>,
    repository_of: Vec<u32>,
    contents: Corpus<'a>,
    names: Corpus<'a>,
}

impl<'a> Shard<'a> {
    /// Opens the bytes of a whole shard file.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        let toc = Toc::open(bytes)?;
        let metadata: IndexMetadata = json(bytes, &toc, Section::MetaData)?;
        check_versions(&metadata)?;
        let repositories = repositories(bytes, &toc)?;
        let is_compound = metadata.index_format_version == COMPOUND_VERSION;
        let repository_of = if is_compound { repository_of(bytes, &toc)? } else { Vec::new() };
        let contents = Corpus::open(bytes, &toc, &CONTENTS)?;
        let names = Corpus::open(bytes, &toc, &NAMES)?;
        let shard = Shard { bytes, toc, metadata, repositories, repository_of, contents, names };
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
        for repository in &self.repository_of {
            if *repository as usize >= self.repositories.len() {
                let at = u64::from(self.toc.extent(Section::Repos).at);
                let (want, got) = (self.repositories.len() as u64, u64::from(*repository));
                return Err(DecodeError::Corrupt { what: "number of a repository", at, want, got });
            }
        }
        Ok(())
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
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
        self.repositories = repositories;
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
        let sums = self.section(Section::ContentChecksums);
        let own = sums.get(document * size_of::<u64>()..).unwrap_or_default();
        Reader::new(own, self.checksum_at(document)).u64_be(CHECKSUM)
    }

    fn checksum_at(&self, document: usize) -> u64 {
        let at = self.toc.extent(Section::ContentChecksums).at;
        u64::from(at) + (document * size_of::<u64>()) as u64
    }

    /// Index of the repository that a document belongs to.
    pub fn repository_of(&self, document: usize) -> usize {
        self.repository_of.get(document).map_or(0, |repository| *repository as usize)
    }

    /// The code of a document's language; the metadata's map names it.
    pub fn language(&self, document: usize) -> u16 {
        let at = self.toc.extent(Section::Languages).at as usize + document * 2;
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    /// The category of a document, or the byte that stands for none.
    pub fn category(&self, document: usize) -> Result<Category, u8> {
        let byte = self.bytes[self.toc.extent(Section::Categories).at as usize + document];
        Category::from_byte(byte).ok_or(byte)
    }

    /// The branches of a document: bit `i` stands for the repository's branch `i`.
    pub fn branch_mask(&self, document: usize) -> u64 {
        let at = self.toc.extent(Section::BranchMasks).at as usize + document * 8;
        u64::from_be_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"))
    }

    /// The items of a compound section.
    pub fn items(&self, section: Section) -> Items<'a> {
        Items::new(self.bytes, self.toc.extent(section), section.tag())
    }

    /// The bytes of a section, without its index.
    pub fn section(&self, section: Section) -> &'a [u8] {
        slice(self.bytes, self.toc.extent(section).data())
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
        let range = self.items(section).range(document)?;
        deltas::decode(section.tag(), reader(self.bytes, range))
    }

    /// The numbers of a section of sized deltas.
    pub fn numbers(&self, section: Section) -> Result<Vec<u32>, DecodeError> {
        deltas::decode(section.tag(), reader(self.bytes, self.toc.extent(section).data()))
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
    bytes: &[u8],
    toc: &Toc,
    section: Section,
) -> Result<T, Error> {
    let extent = toc.extent(section);
    let (what, at) = (section.tag(), u64::from(extent.at));
    serde_json::from_slice(slice(bytes, extent.data())).map_err(|source| Error::Json {
        what,
        at,
        source,
    })
}

fn repositories(bytes: &[u8], toc: &Toc) -> Result<Vec<Repository>, Error> {
    let section = Section::RepoMetaData;
    let extent = toc.extent(section);
    read_repositories(slice(bytes, extent.data()), section.tag(), extent.at.into())
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
fn repository_of(bytes: &[u8], toc: &Toc) -> Result<Vec<u32>, DecodeError> {
    let section = Section::Repos;
    let numbers = deltas::decode(section.tag(), reader(bytes, toc.extent(section).data()))?;
    Ok(numbers.into_iter().map(|number| number & 0xffff).collect())
}
