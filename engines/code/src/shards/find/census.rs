//! What there is to search, whatever the question: documents that count, their lengths, and those
//! that are not indexed.

use super::super::open::ShardError;
use super::admit::Admit;
use super::bring;
use super::files::{OpenShard, REASON_LEN_MAX, reason_of};
use super::receipt::NotIndexed;

/// Counts of all that could be searched, whatever the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Documents that are alive, admitted and indexed.
    pub documents: u64,
    /// Their bytes.
    pub len: u64,
    /// Documents that are not indexed, by reason.
    pub not_indexed: NotIndexed,
}

/// Counts what there is to search: a look at each name and at the front of each document. Of shards
/// that are elsewhere all contents are brought.
pub fn census(shards: &[OpenShard<'_>], admit: &Admit) -> Result<Census, ShardError> {
    bring::texts(shards, usize::MAX)?;
    let mut census = Census::default();
    for open in shards {
        for number in 0..open.shard().document_count() {
            let content = text(open, number)?;
            if live(open, number, content.len(), admit)?.is_none() {
                continue;
            }
            match reason_of(content) {
                Some(reason) => *reason.count(&mut census.not_indexed) += 1,
                None => {
                    census.documents += 1;
                    census.len += text_len(content);
                }
            }
        }
    }
    Ok(census)
}

/// Counts the documents that are not indexed, by reason: a look at each name and at texts that are
/// as short as a reason.
pub fn not_indexed(shards: &[OpenShard<'_>], admit: &Admit) -> Result<NotIndexed, ShardError> {
    bring::texts(shards, REASON_LEN_MAX)?;
    let mut counts = NotIndexed::default();
    for open in shards {
        for number in 0..open.shard().document_count() {
            let len = text_len_of(open, number)?;
            if len <= REASON_LEN_MAX
                && live(open, number, len, admit)?.is_some()
                && let Some(reason) = reason_of(text(open, number)?)
            {
                *reason.count(&mut counts) += 1;
            }
        }
    }
    Ok(counts)
}

/// The bytes of a text, a byte order mark apart: whoever searches it takes that for none of them.
pub(super) fn text_len(content: &[u8]) -> u64 {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content).len() as u64
}

/// Number of repositories with documents that are alive.
pub fn repository_count<'s>(shards: impl Iterator<Item = &'s OpenShard<'s>>) -> usize {
    let mut names: Vec<_> = shards
        .flat_map(|open| open.shard().repositories())
        .filter(|repository| !repository.tombstone)
        .map(|repository| &repository.name)
        .collect();
    names.sort();
    names.dedup();
    names.len()
}

/// Name of a document whose content is as long, if it counts.
pub(super) fn live<'s>(
    open: &'s OpenShard<'_>,
    number: usize,
    len: usize,
    admit: &Admit,
) -> Result<Option<&'s [u8]>, ShardError> {
    let name = open.shard().names().text(number).map_err(|error| open.damaged(error))?;
    Ok((open.is_live(number, name) && admit.admits(name, len)).then_some(name))
}

/// Length of a document's content, which is not read.
pub(super) fn text_len_of(open: &OpenShard<'_>, number: usize) -> Result<usize, ShardError> {
    let range = open.shard().contents().texts().range(number);
    range.map(|range| range.len()).map_err(|error| open.damaged(error))
}

/// Content of a document.
pub(super) fn text<'s>(open: &'s OpenShard<'_>, number: usize) -> Result<&'s [u8], ShardError> {
    open.shard().contents().text(number).map_err(|error| open.damaged(error))
}
