//! Blobs that are stored several times.

use manicule_blobs::{Duplicate, Found, Index};

use crate::json::{Shown, list, report};

/// A blob with the index that says where its copies are.
#[derive(Clone, Copy, Debug)]
pub struct Duplicated<'d> {
    /// The blob.
    pub blob: &'d Duplicate,
    /// The index.
    pub index: &'d Index,
}

report!(of: Duplicated<'_> {
    kind: of.blob.kind.name(), id: Shown(of.blob.id), count: of.blob.places.len(),
    wasted_bytes: of.blob.wasted_bytes(),
    places: list(of.blob.places.iter().map(|found| Copy { found, index: of.index })),
});

struct Copy<'c> {
    found: &'c Found,
    index: &'c Index,
}

report!(of: Copy<'_> {
    pack: Shown(of.index.pack(of.found.pack).id), offset: of.found.place.offset,
    length: of.found.place.len, uncompressed_length: of.found.place.raw_len,
});

/// Sums of blobs that are stored several times.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateSums {
    /// Number of such blobs.
    pub blobs: usize,
    /// Number of places after the first of each.
    pub copies: u64,
    /// Bytes there.
    pub wasted_bytes: u64,
}

impl DuplicateSums {
    /// The sums of all of them.
    pub fn of(all: &[Duplicate]) -> Self {
        DuplicateSums {
            blobs: all.len(),
            copies: all.iter().map(|one| one.places.len() as u64 - 1).sum(),
            wasted_bytes: all.iter().map(Duplicate::wasted_bytes).sum(),
        }
    }
}

report!(of: DuplicateSums { blobs, copies, wasted_bytes });
