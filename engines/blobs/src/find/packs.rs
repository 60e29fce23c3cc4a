//! What ids and packs name: blobs of the index that begin so, and the blobs of packs.

use std::collections::HashSet;

use manicule_format_restic::{BlobKind, FileKind, Id, IdPrefix, PackedBlob};

use crate::index::{Index, PackNo};
use crate::packs::{HeaderError, read_header};
use crate::repository::Repository;
use crate::storage::{FileName, Listed};

/// The ids of a kind's blobs in the index that begin so, each once, ordered. All entries are gone
/// through, unless the id is whole.
pub fn begun(index: &Index, kind: BlobKind, prefix: &IdPrefix) -> Vec<Id> {
    if let Some(id) = Id::parse(prefix.to_string().as_bytes()) {
        return if index.has(kind, &id) { vec![id] } else { Vec::new() };
    }
    let entries = index.of(kind).entries().map(|(_, id, _)| id);
    let mut ids: Vec<Id> = entries.filter(|id| prefix.matches(id)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The blobs that the index has in some packs, in the order of packs and offsets.
pub fn blobs_of_packs(index: &Index, packs: &HashSet<PackNo>) -> Vec<(PackNo, PackedBlob)> {
    let mut blobs = Vec::new();
    for kind in [BlobKind::Data, BlobKind::Tree] {
        let entries = index.of(kind).entries().filter(|(.., stored)| packs.contains(&stored.pack));
        blobs.extend(entries.map(|(_, id, stored)| {
            (stored.pack, PackedBlob { kind: Some(kind), id, place: stored.place })
        }));
    }
    blobs.sort_unstable_by_key(|(pack, blob)| (*pack, blob.place.offset, *blob));
    blobs
}

/// The blobs that the header of a pack file lists; why it can't be read, as a sentence.
pub fn header_of_pack(repository: &Repository, pack: &Listed) -> Result<Vec<PackedBlob>, String> {
    let in_words = |error: HeaderError| {
        let file = repository.storage().name(FileName::Of(FileKind::Pack, pack.id));
        format!("{file}: {error}")
    };
    read_header(repository, pack, 0).map(|header| header.blobs).map_err(in_words)
}
