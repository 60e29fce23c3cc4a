//! How much of each pack is used: the input of every decision about packs.
//!
//! A used blob that is stored once is used where it lies. Of one that is stored several times, one
//! copy is chosen to be the used one: going through the entries in the order of the index, the
//! first whose pack is kept anyway, as it has used blobs or nothing but such copies, or else the
//! last. The others are duplicates. restic loads index files in a random order and so chooses at
//! random; here it is the order of the files' ids.

use manicule_format_restic::BlobKind;

use crate::index::PackKind;

/// An entry of the index as the plan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: BlobKind,
    /// Number of the blob: the same for all its places, another for each blob.
    pub(crate) blob: u32,
    pub(crate) pack: u32,
    pub(crate) len: u32,
    pub(crate) is_compressed: bool,
}

/// A pack's blobs, used and not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackUse {
    pub(crate) kind: PackKind,
    pub(crate) used_blobs: u64,
    /// Those that no snapshot needs, and copies of used ones that are not chosen.
    pub(crate) unused_blobs: u64,
    /// Copies of used blobs among the unused, before one of each blob's was chosen.
    copies: u64,
    /// Stored bytes of used blobs, and the pack's header.
    pub(crate) used_bytes: u64,
    pub(crate) unused_bytes: u64,
    /// Those of the unused bytes that are copies of used blobs.
    pub(crate) duplicate_bytes: u64,
    /// Whether a blob is stored as it is, without compression.
    pub(crate) is_plain: bool,
}

impl PackUse {
    fn empty(header_bytes: u64) -> Self {
        PackUse {
            kind: PackKind::Empty,
            used_blobs: 0,
            unused_blobs: 0,
            copies: 0,
            used_bytes: header_bytes,
            unused_bytes: 0,
            duplicate_bytes: 0,
            is_plain: false,
        }
    }

    fn meet(&mut self, stored: &Entry) {
        self.kind = self.kind.with(stored.kind);
        self.is_plain |= !stored.is_compressed;
    }

    /// Length of its file, by its blobs.
    pub(crate) fn len(&self) -> u64 {
        self.used_bytes + self.unused_bytes
    }
}

/// Blobs and their stored bytes, without headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of blobs.
    pub blobs: u64,
    /// Their stored bytes.
    pub bytes: u64,
}

impl Amount {
    pub(crate) fn add(&mut self, len: u32) {
        self.blobs += 1;
        self.bytes += u64::from(len);
    }

    fn take(&mut self, len: u32) {
        self.blobs -= 1;
        self.bytes -= u64::from(len);
    }
}

/// Use of all packs of the index.
#[derive(Debug)]
pub(crate) struct PackUses {
    pub(crate) packs: Vec<PackUse>,
    pub(crate) used: Amount,
    pub(crate) duplicate: Amount,
    pub(crate) unused: Amount,
}

impl PackUses {
    /// From `headers`, the length of each pack's header with all that is no blob, and `entries`,
    /// which goes through all entries in the order of the index, each time in the same. `is_used`
    /// has a flag for each blob's number.
    pub(crate) fn of<I: Iterator<Item = Entry>>(
        headers: impl Iterator<Item = u64>,
        entries: impl Fn() -> I,
        is_used: &[bool],
    ) -> Self {
        let mut places = vec![0u8; is_used.len()];
        for stored in entries().filter(|stored| is_used[stored.blob as usize]) {
            let count = &mut places[stored.blob as usize];
            *count = count.saturating_add(1);
        }
        let mut uses = PackUses {
            packs: headers.map(PackUse::empty).collect(),
            used: Amount::default(),
            duplicate: Amount::default(),
            unused: Amount::default(),
        };
        entries().for_each(|stored| uses.count(&stored, places[stored.blob as usize]));
        if uses.duplicate.blobs > 0 {
            uses.choose(entries(), &mut places);
        }
        uses
    }

    fn count(&mut self, stored: &Entry, places: u8) {
        let pack = &mut self.packs[stored.pack as usize];
        pack.meet(stored);
        let amount = match places {
            0 => &mut self.unused,
            1 => &mut self.used,
            _ => &mut self.duplicate,
        };
        amount.add(stored.len);
        if places == 1 {
            pack.used_blobs += 1;
            pack.used_bytes += u64::from(stored.len);
        } else {
            pack.unused_blobs += 1;
            pack.unused_bytes += u64::from(stored.len);
            if places > 1 {
                pack.copies += 1;
                pack.duplicate_bytes += u64::from(stored.len);
            }
        }
    }

    /// Chooses the used copy of each blob with several. `places` holds the number of copies still
    /// to come, and 0 once one is chosen.
    fn choose(&mut self, entries: impl Iterator<Item = Entry>, places: &mut [u8]) {
        // A blob stored once was counted, and is no copy.
        places.iter_mut().filter(|places| **places == 1).for_each(|places| *places = 0);
        for stored in entries {
            let to_come = &mut places[stored.blob as usize];
            if *to_come == 0 {
                continue;
            }
            let pack = &mut self.packs[stored.pack as usize];
            let is_kept = pack.used_blobs > 0 || pack.copies == pack.unused_blobs;
            if !is_kept && *to_come > 1 {
                *to_come -= 1;
                continue;
            }
            *to_come = 0;
            pack.used_blobs += 1;
            pack.used_bytes += u64::from(stored.len);
            pack.unused_blobs -= 1;
            pack.unused_bytes -= u64::from(stored.len);
            pack.duplicate_bytes -= u64::from(stored.len);
            self.used.add(stored.len);
            self.duplicate.take(stored.len);
        }
    }
}
