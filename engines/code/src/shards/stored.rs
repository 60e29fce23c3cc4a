//! Shards that others are written from: opened with their sidecars, their documents taken whole.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::{Category, Section, Shard, checksum, newlines, rune_count};
use manicule_store::store::RangedFile;

use super::classify::{Class, Classify, Linguist, Unclassified};
use super::index::{Body, Document};
use super::open::{FoundShard, ShardError, Sidecar};
use super::symbols::Symbols;

/// A shard that documents are taken from, mapped.
pub(super) struct StoredShard {
    pub(super) path: PathBuf,
    pub(super) bytes: Arc<RangedFile>,
    sidecar: Option<Sidecar>,
}

impl StoredShard {
    pub(super) fn open(path: &Path) -> Result<Self, ShardError> {
        let FoundShard { path, bytes, sidecar, .. } = FoundShard::open(path)?;
        Ok(StoredShard { path, bytes, sidecar })
    }

    /// The shard, with what its sidecar says.
    pub(super) fn shard(&self) -> Result<Shard<'_>, ShardError> {
        let mut shard = Shard::open(&self.bytes).map_err(ShardError::damaged(&self.path))?;
        if let Some(Sidecar { path, bytes }) = &self.sidecar {
            shard.replace_repositories(bytes).map_err(ShardError::sidecar(path))?;
        }
        Ok(shard)
    }
}

/// The documents of a shard, as others are to have them.
pub(super) struct StoredDocuments<'s> {
    bytes: Arc<RangedFile>,
    shard: &'s Shard<'s>,
    sub_repositories: Vec<u32>,
    linguist: Linguist,
}

impl<'s> StoredDocuments<'s> {
    /// The documents of a shard that `bytes` holds.
    pub(super) fn new(bytes: &Arc<RangedFile>, shard: &'s Shard<'s>) -> Result<Self, DecodeError> {
        let sub_repositories = shard.numbers(Section::SubRepos)?;
        if sub_repositories.len() != shard.document_count() {
            let at = u64::from(shard.toc().extent(Section::SubRepos).at);
            let (want, got) = (shard.document_count() as u64, sub_repositories.len() as u64);
            return Err(DecodeError::Corrupt { what: Section::SubRepos.tag(), at, want, got });
        }
        let bytes = Arc::clone(bytes);
        Ok(StoredDocuments { bytes, shard, sub_repositories, linguist: Linguist::default() })
    }

    /// The document of a number, as one of the repository numbered `repository`.
    pub(super) fn document(&self, number: usize, repository: u16) -> Result<Document, DecodeError> {
        let shard = self.shard;
        let name = shard.names().text(number)?.to_vec();
        let range = shard.contents().texts().range(number)?;
        let content = shard.contents().text(number)?;
        // Nothing else says whether it is whole, and the new sum is computed from it.
        shard.check_content(number, content)?;
        Ok(Document {
            class: self.class(number, &name, content)?,
            name,
            skip: None,
            len: range.end - range.start,
            rune_count: rune_count(content) as u32,
            is_ascii: content.is_ascii(),
            checksum: checksum(content),
            newlines: newlines(content).into(),
            symbols: Symbols::of(shard, number, content)?,
            branch_mask: shard.branch_mask(number),
            sub_repository: self.sub_repositories[number],
            repository,
            body: Body::Mapped(Arc::clone(&self.bytes), range.start as usize),
        })
    }

    fn class(&self, number: usize, name: &[u8], content: &[u8]) -> Result<Class, DecodeError> {
        let category = self.shard.category(number).map_err(|byte| {
            let at = u64::from(self.shard.toc().extent(Section::Categories).at) + number as u64;
            let (want, got) = (Category::Default as u64, u64::from(byte));
            DecodeError::Corrupt { what: "category of a document", at, want, got }
        })?;
        let code = self.shard.language(number);
        let mut names = self.shard.metadata().language_map.iter();
        let language = match names.find(|(_, known)| **known == code) {
            Some((language, _)) if !language.is_empty() => Cow::Owned(language.clone()),
            _ => self.linguist.classify(&Unclassified { name, content, skip: None }).language,
        };
        Ok(Class { language, category })
    }
}
