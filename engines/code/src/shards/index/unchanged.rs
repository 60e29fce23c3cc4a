//! Check whether an index already is what a run would write: every document is read and compared
//! with what the shards say.
//!
//! Names and lengths are compared first, which costs nothing. Reading everything then costs a
//! quarter of indexing. It is done where looks alone prove nothing, see `seen.rs`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use manicule_format_zoekt::{FORMAT_VERSION, Repository, Section, Shard, checksum};
use manicule_store::Mapped;

use super::super::open::sidecar;
use super::document::Document;
use super::source::Source;
use super::symbols::SymbolSections;
use super::{error::IndexError, options::IndexOptions};

/// Bytes, documents and postings of a shard.
type Counts = (u64, u64, u64);

/// The counts of the shards at `paths`, if they hold what a run would write; `next` gives the
/// documents of one shard after the other, in their order.
pub(super) fn is_unchanged(
    paths: &[PathBuf],
    source: &dyn Source,
    repository: &Repository,
    options: &IndexOptions<'_>,
    mut next: impl FnMut() -> Result<Option<Vec<Document>>, IndexError>,
) -> Result<Option<Vec<Counts>>, IndexError> {
    let maps: Vec<Mapped> = paths.iter().map_while(|path| Mapped::open(path).ok()).collect();
    let opened = maps.iter().zip(paths).map_while(|(map, path)| as_read(map, path));
    let shards: Vec<Shard<'_>> = opened.collect();
    // What can't be opened is not what would be written, and is written again.
    let document_count: usize = shards.iter().map(Shard::document_count).sum();
    if shards.is_empty() || shards.len() != paths.len() || document_count != source.document_count()
    {
        return Ok(None);
    }
    if !lens_agree(&shards, source) {
        return Ok(None);
    }
    if !are_about(&shards, repository, options) {
        return Ok(None);
    }
    let mut counts = Vec::new();
    for shard in &shards {
        // An empty folder has one shard without documents, and an intake that gives none.
        let documents = next()?.unwrap_or_default();
        if !holds(shard, &documents) {
            return Ok(None);
        }
        let postings = documents.iter().map(|d| u64::from(d.rune_count.saturating_sub(2))).sum();
        counts.push((shard.file_len(), documents.len() as u64, postings));
    }
    Ok(next()?.is_none().then_some(counts))
}

/// Whether shards are of this repository, and of this writer.
pub(super) fn are_about(
    shards: &[Shard<'_>],
    repository: &Repository,
    options: &IndexOptions<'_>,
) -> bool {
    !shards.is_empty()
        && shards.iter().all(|shard| {
            shard.metadata().zoekt_version == options.zoekt_version
                && shard.metadata().index_format_version == FORMAT_VERSION
                && shard.repositories() == std::slice::from_ref(repository)
        })
}

/// A shard as its readers take it: with what its sidecar says, tombstones for one. A sidecar that
/// can't be read is not what would be written either.
fn as_read<'m>(map: &'m Mapped, path: &Path) -> Option<Shard<'m>> {
    let mut shard = Shard::open(map).ok()?;
    if let Some(sidecar) = sidecar(path).ok()? {
        shard.replace_repositories(&sidecar.bytes).ok()?;
    }
    Some(shard)
}

/// Whether the shards hold documents of these names and lengths, as far as that can be decided
/// without reading: mostly it can, and a changed folder is not read twice.
fn lens_agree(shards: &[Shard<'_>], source: &dyn Source) -> bool {
    let count = source.document_count();
    let mut stored: HashMap<&[u8], &[u8]> = HashMap::with_capacity(count);
    for shard in shards {
        for document in 0..shard.document_count() {
            let texts = (shard.names().text(document), shard.contents().text(document));
            let (Ok(name), Ok(content)) = texts else { return false };
            stored.insert(name, content);
        }
    }
    (0..count).map(|index| source.document(index)).all(|listed| {
        stored.get(listed.name).is_some_and(|content| {
            // Of a skipped document the shard doesn't hold the length.
            content.len() as u64 == listed.len || content.starts_with(b"NOT-INDEXED: ")
        })
    })
}

/// Whether a shard holds these documents, in this order.
fn holds(shard: &Shard<'_>, documents: &[Document]) -> bool {
    let languages = &shard.metadata().language_map;
    let Ok(checksums) = shard.section(Section::ContentChecksums) else { return false };
    documents.len() == shard.document_count()
        && has_symbols(shard, documents)
        && checksums.len() == documents.len() * 8
        && documents.iter().zip(checksums.chunks(8)).enumerate().all(|(index, (document, sum))| {
            let language = languages.get(document.class.language.as_ref());
            // What is stored must be what its sum says, too: a damaged shard is written again.
            let is_whole = shard.contents().text(index).is_ok_and(|content| {
                content.len() == document.len as usize && checksum(content) == document.checksum
            });
            sum == document.checksum
                && is_whole
                && shard.names().text(index).is_ok_and(|name| name == document.name)
                && language == Some(&shard.language(index))
                && shard.category(index) == Ok(document.class.category)
        })
}

/// Whether a shard holds the symbols of these documents.
fn has_symbols(shard: &Shard<'_>, documents: &[Document]) -> bool {
    let documents: Vec<&Document> = documents.iter().collect();
    let runes: Vec<u32> = documents
        .iter()
        .scan(0u32, |next, document| {
            let first = *next;
            *next = first.wrapping_add(document.rune_count);
            Some(first)
        })
        .collect();
    SymbolSections::new(&documents, &runes).are_in(shard)
}
