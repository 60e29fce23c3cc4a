//! From a path to open shards: a file, or a folder of them, mapped and read in place.
//!
//! Bytes:   docs/formats/zoekt.md

use std::ops::Range;
use std::path::Path;

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::{Error, Foreseen, Repository, Section, Shard, SymbolInfo};
use manicule_store::NamedEntry;
use manicule_store::store::{Fetched, RangedFile};

use super::super::decoded::Decoded;
use super::super::open::{FoundShard, ShardError, Take, find, find_among, find_in};
use super::super::opening::bring_opening;
use super::receipt::NotIndexed;

/// The files of shards, mapped.
#[derive(Debug)]
pub struct ShardFiles {
    files: Vec<FoundShard>,
}

impl ShardFiles {
    /// Maps a shard, or all finished shards of a folder, by name. Those of a folder that can't be
    /// read are handed to `failed`, one by one.
    pub fn open(path: &Path, failed: &mut dyn FnMut(ShardError)) -> Result<Self, ShardError> {
        Ok(ShardFiles { files: find(path, &[], failed)? })
    }

    /// The same, as it is now: shards that are still the same stay mapped.
    pub fn open_again(
        &self,
        path: &Path,
        failed: &mut dyn FnMut(ShardError),
    ) -> Result<Self, ShardError> {
        Ok(ShardFiles { files: find(path, &self.files, failed)? })
    }

    /// As [`ShardFiles::open`], of all finished shards in a store's own folder, or the `only` one;
    /// those of `before` that are still the same stay mapped. Where the store is not local nothing
    /// is read of them yet.
    pub fn open_in(
        files: &Fetched,
        only: Option<&str>,
        before: Option<&ShardFiles>,
        failed: &mut dyn FnMut(ShardError),
    ) -> Result<Self, ShardError> {
        let before = before.map_or(&[][..], |before| &before.files);
        Ok(ShardFiles { files: find_in(files, only, Take::Ranges, before, failed)? })
    }

    /// As [`ShardFiles::open`], of a folder by the entries that it was listed with before.
    pub fn open_among(
        folder: &Path,
        entries: &[NamedEntry],
        failed: &mut dyn FnMut(ShardError),
    ) -> Result<Self, ShardError> {
        Ok(ShardFiles { files: find_among(folder, entries, failed)? })
    }

    /// Opens each shard: at first some 100 microseconds for 10,000 documents, whatever their size,
    /// and next to nothing later, as what was decoded is kept. Of a store that is not local two
    /// rounds bring what that reads and what is foreseen, once. Those that are damaged are handed
    /// to `failed`.
    pub fn shards(
        &self,
        foreseen: Foreseen,
        failed: &mut dyn FnMut(ShardError),
    ) -> Vec<OpenShard<'_>> {
        let brought = bring_opening(self.files.iter(), foreseen);
        let mut shards = Vec::with_capacity(self.files.len());
        for (file, brought) in self.files.iter().zip(brought) {
            let brought = brought.map_err(|error| file.damaged(error));
            match brought.and_then(|()| OpenShard::open(file)) {
                Ok(open) => shards.push(open),
                Err(error) => failed(error),
            }
        }
        shards
    }
}

/// A shard, open for searching.
#[derive(Debug)]
pub struct OpenShard<'a> {
    file: &'a FoundShard,
    shard: Shard<'a>,
    decoded: &'a Decoded,
}

/// Repository within another, whose documents lie below a path of that.
#[derive(Clone, Copy, Debug)]
pub struct SubRepository<'a> {
    /// The path.
    pub path: &'a str,
    /// The repository.
    pub repository: &'a Repository,
}

/// A symbol of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name: the text at its place.
    pub name: &'a [u8],
    /// Its kind, and what it is declared in.
    pub info: SymbolInfo<'a>,
}

impl<'a> OpenShard<'a> {
    fn open(file: &'a FoundShard) -> Result<Self, ShardError> {
        let (shard, decoded) = file.opened()?;
        Ok(OpenShard { file, shard, decoded })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Its bytes.
    pub(super) fn file(&self) -> &'a RangedFile {
        &self.file.bytes
    }

    /// The shard itself.
    pub fn shard(&self) -> &Shard<'a> {
        &self.shard
    }

    /// Damage that was found later than at opening, or the reason why bytes could not be brought.
    pub(super) fn damaged(&self, source: impl Into<Error>) -> ShardError {
        self.file.damaged(source)
    }

    /// The repository of a document.
    pub fn repository(&self, document: usize) -> Option<&Repository> {
        self.shard.repositories().get(self.shard.repository_of(document))
    }

    /// The sub-repository of a document, if it isn't the repository's own.
    pub fn sub_repository(&self, document: usize) -> Result<Option<SubRepository<'_>>, ShardError> {
        let map = self.repository(document).and_then(|own| own.sub_repo_map.as_ref());
        let Some(map) = map.filter(|map| !map.is_empty()) else { return Ok(None) };
        let numbers = match self.decoded.sub_repositories.get() {
            Some(numbers) => numbers,
            None => {
                let read = self.shard.numbers(Section::SubRepos);
                let numbers = read.map_err(|error| self.damaged(error))?;
                self.decoded.sub_repositories.get_or_init(|| numbers)
            }
        };
        let number = numbers.get(document).map_or(0, |number| *number as usize);
        let own = number.checked_sub(1).and_then(|index| map.iter().nth(index));
        Ok(own.map(|(path, repository)| SubRepository { path, repository }))
    }

    /// The commit that a document is of, on the first of its branches; empty if it has none.
    pub fn version(&self, document: usize) -> Result<&str, ShardError> {
        let sub_repository = self.sub_repository(document)?.map(|own| own.repository);
        let branches = sub_repository.or(self.repository(document));
        let branches = branches.and_then(|own| own.branches.as_deref()).unwrap_or_default();
        let first = self.shard.branch_mask(document).trailing_zeros() as usize;
        Ok(branches.get(first).map_or("", |branch| branch.version.as_str()))
    }

    /// The checksum of a document's content: CRC-64, as Go's ISO table has it.
    pub fn checksum(&self, document: usize) -> Result<u64, ShardError> {
        self.shard.content_checksum(document).map_err(|error| self.damaged(error))
    }

    /// Symbol `index` of a document.
    pub fn symbol(&self, document: usize, index: usize) -> Result<Symbol<'_>, ShardError> {
        let symbol = || {
            let ranges = self.shard.symbol_ranges(document)?;
            let range = ranges.get(index).cloned().unwrap_or_default();
            let content = self.shard.contents().text(document)?;
            let name = content.get(range.start as usize..range.end as usize).unwrap_or_default();
            Ok(Symbol { name, info: self.shard.symbol_info(document, index)? })
        };
        symbol().map_err(|error: DecodeError| self.damaged(error))
    }

    /// Places of a document's symbols, in bytes of its content, increasing.
    pub fn symbol_ranges(&self, document: usize) -> Result<Vec<Range<u32>>, ShardError> {
        self.shard.symbol_ranges(document).map_err(|error| self.damaged(error))
    }

    /// Kind of symbol `index` of a document, and what it is declared in.
    pub fn symbol_info(&self, document: usize, index: usize) -> Result<SymbolInfo<'a>, ShardError> {
        self.shard.symbol_info(document, index).map_err(|error| self.damaged(error))
    }

    /// Content of a document, compared with its checksum.
    pub fn content(&self, document: usize) -> Result<&'a [u8], ShardError> {
        let content = self.shard.contents().text(document);
        let content = content.map_err(|error| self.damaged(error))?;
        self.check_content(document, content)?;
        Ok(content)
    }

    /// Compares the content of a document with its checksum, the first time.
    pub(super) fn check_content(&self, document: usize, content: &[u8]) -> Result<(), ShardError> {
        let check = || self.shard.check_content(document, content);
        self.decoded.check_once(document, check).map_err(|error| self.damaged(error))
    }

    /// The byte offset of each hundredth rune of the contents, where it is worth to be kept: of a
    /// shard that is all here, isn't all ASCII, and is asked again.
    pub(super) fn rune_samples(&self) -> Result<&[u32], ShardError> {
        let rune_count = self.shard.contents().ends().last().copied().unwrap_or(0);
        if !self.shard.is_whole() || u64::from(rune_count) == self.content_len() {
            return Ok(&[]);
        }
        let read = || self.shard.numbers(Section::RuneOffsets);
        self.decoded.rune_samples(read).map_err(|error| self.damaged(error))
    }

    /// Offsets of the newlines in a document.
    pub fn newlines(&self, document: usize) -> Result<Vec<u32>, ShardError> {
        self.shard.newlines(document).map_err(|error| self.damaged(error))
    }

    /// The languages that the shard names.
    pub(super) fn languages(&self) -> impl Iterator<Item = &str> {
        self.decoded.languages.values().map(String::as_str)
    }

    /// The language of a document; empty if it has none.
    pub fn language(&self, document: usize) -> &str {
        self.decoded.languages.get(&self.shard.language(document)).map_or("", String::as_str)
    }

    /// Whether a document still counts: neither it nor its repository has a tombstone.
    pub(super) fn is_live(&self, document: usize, name: &[u8]) -> bool {
        if self.decoded.all_live {
            return true;
        }
        let Some(repository) = self.repository(document) else { return true };
        let is_dead = |name: &str| {
            repository.file_tombstones.as_ref().is_some_and(|dead| dead.contains_key(name))
        };
        !repository.tombstone && !std::str::from_utf8(name).is_ok_and(is_dead)
    }

    /// Length of all documents together, in bytes.
    pub(super) fn content_len(&self) -> u64 {
        self.shard.toc().extent(Section::FileContents).len.into()
    }
}

/// Reason for which a document's content is not there: as a shard spells it, and where it is
/// counted.
#[derive(Debug)]
pub(super) struct Reason(&'static [u8], fn(&mut NotIndexed) -> &mut u64);

impl Reason {
    /// The reason itself, without the word before it.
    pub(super) fn text(&self) -> &'static str {
        let text = self.0.strip_prefix(b"NOT-INDEXED: ").unwrap_or(self.0);
        str::from_utf8(text).expect("reasons are ASCII")
    }

    /// The count of documents that are not indexed for it.
    pub(super) fn count<'c>(&self, counts: &'c mut NotIndexed) -> &'c mut u64 {
        (self.1)(counts)
    }
}

const REASONS: [Reason; 5] = [
    Reason(b"NOT-INDEXED: exceeds the maximum size limit", |counts| &mut counts.too_large),
    Reason(b"NOT-INDEXED: contains too few trigrams", |counts| &mut counts.too_small),
    Reason(b"NOT-INDEXED: contains binary content", |counts| &mut counts.binary),
    Reason(b"NOT-INDEXED: contains too many trigrams", |counts| &mut counts.too_many_trigrams),
    Reason(b"NOT-INDEXED: object missing from repository", |counts| &mut counts.missing),
];

/// The longest of them.
pub(super) const REASON_LEN_MAX: usize = 43;

/// Contradiction of this content with the document's; `None` if there is none. Looks at the bytes
/// only where their number is right.
pub(super) fn reason_of(content: &[u8]) -> Option<&'static Reason> {
    if content.len() > REASON_LEN_MAX {
        return None;
    }
    REASONS.iter().find(|reason| reason.0 == content)
}

#[cfg(test)]
mod tests {
    use manicule_format_zoekt::Skip;

    use super::*;

    #[test]
    fn the_reasons_are_those_of_the_format() {
        let skips = [Skip::TooLarge, Skip::TooSmall, Skip::Binary, Skip::TooManyTrigrams];
        for (index, skip) in skips.into_iter().enumerate() {
            assert_eq!(reason_of(skip.marker()).map(|reason| reason.0), Some(REASONS[index].0));
        }
        let longest = REASONS.iter().map(|reason| reason.0.len()).max();
        assert_eq!(longest, Some(REASON_LEN_MAX));
        assert!(reason_of(b"NOT-INDEXED: contains binary content.").is_none());
    }
}
