//! Blobs that are stored in several places.

use std::collections::BTreeSet;

use manicule_format_restic::{BlobKind, Id};

use crate::index::{Found, Index};

/// A blob that is stored in several places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Its kind.
    pub kind: BlobKind,
    /// Its id.
    pub id: Id,
    /// Its places in the order of the index; what all but the first take is wasted.
    pub places: Vec<Found>,
}

impl Duplicate {
    /// Stored bytes of all places but the first.
    pub fn wasted_bytes(&self) -> u64 {
        self.places.iter().skip(1).map(|found| u64::from(found.place.len)).sum()
    }
}

/// Every blob of several places, data first, in the order of ids. Index files that list a pack once
/// more make no further place.
///
/// One pass over the entries of the index.
pub fn duplicates(index: &Index) -> Vec<Duplicate> {
    let mut all = Vec::new();
    for kind in [BlobKind::Data, BlobKind::Tree] {
        let blobs = index.of(kind);
        let further = blobs.entries_by_blob().filter(|(first, number, ..)| first != number);
        let ids: BTreeSet<Id> = further.map(|(_, _, id, _)| id).collect();
        all.extend(ids.into_iter().map(|id| {
            let places = index.places(kind, &id).collect();
            Duplicate { kind, id, places }
        }));
    }
    all
}
