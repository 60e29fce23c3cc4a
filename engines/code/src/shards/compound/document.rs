//! A document of a shard taken into another one.

use std::borrow::Cow;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::{Category, Section, Shard, checksum, newlines, rune_count};
use manicule_store::threads;

use super::super::classify::{Class, Classify, Linguist, Unclassified};
use super::super::index::{Body, Document};
use super::super::open::ShardError;
use super::super::symbols::Symbols;
use super::error::CompoundError;
use super::input::Input;

/// Documents read by a thread at once.
const AT_ONCE: usize = 64;

/// The documents of an input that are of some repositories: `numbers` gives the new number of each
/// repository that is kept. In the order of repositories, then of the shard.
pub(super) fn documents(
    input: &Input,
    shard: &Shard<'_>,
    numbers: &[Option<u16>],
    threads: usize,
) -> Result<Vec<Document>, CompoundError> {
    let damaged = |error| ShardError::decode(&input.path)(error);
    let sub_repositories = shard.numbers(Section::SubRepos).map_err(damaged)?;
    if sub_repositories.len() != shard.document_count() {
        let at = u64::from(shard.toc().extent(Section::SubRepos).at);
        let (want, got) = (shard.document_count() as u64, sub_repositories.len() as u64);
        let what = Section::SubRepos.tag();
        return Err(damaged(DecodeError::Corrupt { what, at, want, got }).into());
    }
    let reader = Reader { input, shard, sub_repositories, linguist: Linguist::default() };
    let kept = |document: usize| Some((document, numbers[shard.repository_of(document)]?));
    let kept: Vec<(usize, u16)> = (0..shard.document_count()).filter_map(kept).collect();
    let parts: Vec<_> = kept.chunks(AT_ONCE).collect();
    let read = threads::map(threads, parts.len(), |part| {
        let documents = parts[part].iter();
        documents
            .map(|(document, repository)| reader.document(*document, *repository))
            .collect::<Result<Vec<_>, _>>()
    });
    let mut documents: Vec<Document> = Vec::with_capacity(kept.len());
    for part in read {
        documents.extend(part.map_err(damaged)?);
    }
    documents.sort_by_key(|document| document.repository);
    Ok(documents)
}

struct Reader<'r> {
    input: &'r Input,
    shard: &'r Shard<'r>,
    sub_repositories: Vec<u32>,
    linguist: Linguist,
}

impl Reader<'_> {
    fn document(&self, number: usize, repository: u16) -> Result<Document, DecodeError> {
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
            body: Body::Mapped(Arc::clone(&self.input.bytes), range.start as usize),
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
