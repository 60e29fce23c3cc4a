//! The documents of a shard taken into another one.

use manicule_format_zoekt::Shard;
use manicule_store::threads;

use super::super::index::Document;
use super::super::open::ShardError;
use super::super::stored::{StoredDocuments, StoredShard};
use super::error::CompoundError;

/// Documents read by a thread at once.
const AT_ONCE: usize = 64;

/// The documents of an input that are of some repositories: `numbers` gives the new number of each
/// repository that is kept. In the order of repositories, then of the shard.
pub(super) fn documents(
    input: &StoredShard,
    shard: &Shard<'_>,
    numbers: &[Option<u16>],
    threads: usize,
) -> Result<Vec<Document>, CompoundError> {
    let damaged = |error| ShardError::decode(&input.path)(error);
    let stored = StoredDocuments::new(&input.bytes, shard).map_err(damaged)?;
    let kept = |document: usize| Some((document, numbers[shard.repository_of(document)]?));
    let kept: Vec<(usize, u16)> = (0..shard.document_count()).filter_map(kept).collect();
    let parts: Vec<_> = kept.chunks(AT_ONCE).collect();
    let read = threads::map(threads, parts.len(), |part| {
        let documents = parts[part].iter();
        documents
            .map(|(document, repository)| stored.document(*document, *repository))
            .collect::<Result<Vec<_>, _>>()
    });
    let mut documents: Vec<Document> = Vec::with_capacity(kept.len());
    for part in read {
        documents.extend(part.map_err(damaged)?);
    }
    documents.sort_by_key(|document| document.repository);
    Ok(documents)
}
