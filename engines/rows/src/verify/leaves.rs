//! The tries of a table beside its partitions: Partitions.db, and the entries of Rows.db.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"
//! Callers: index

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Component, Deletion, FOOTER_LEN, Footer, Header, KeyHash, PartitionPayload, PartitionPlace,
    PartitionTrieCheck, Partitioner, RowsEntry, Step, TriePage, TrieWalk, WalkFrom,
};

use super::notes::{Notes, Spot};
use crate::lookup::put_key;

/// Longest way down a trie: a key of 65,535 bytes, each a zero, is escaped to twice as many.
pub(super) const PATH_LEN_MAX: usize = 1 << 18;

/// Section of findings about the trie of partitions, and about entries of Rows.db.
const TRIE: &str = "trie";
const ENTRIES: &str = "entries";

/// The leaves of the partitions, in their order.
#[derive(Debug)]
pub(super) struct Leaves<'t> {
    partitions: &'t [u8],
    rows: &'t [u8],
    header: &'t Header,
    partitioner: Partitioner,
    /// `None` once nothing more can be compared.
    check: Option<PartitionTrieCheck<'t>>,
    footer: Option<Footer>,
    /// Where the leaves of partitions that were left out end.
    skipping: Option<TrieWalk<'static>>,
    form: Vec<u8>,
}

impl<'t> Leaves<'t> {
    /// Before the first partition, with the bytes of both files.
    pub(super) fn new(
        partitions: &'t [u8],
        rows: &'t [u8],
        header: &'t Header,
        partitioner: Partitioner,
        notes: &mut Notes,
    ) -> Self {
        let footer = footer(partitions);
        let footer =
            footer.map_err(|error| notes.error(&Component::Partitions, "footer", &error, "")).ok();
        let known = footer.filter(|_| partitioner != Partitioner::Other);
        let check = known.map(|footer| PartitionTrieCheck::new(partitions, footer, PATH_LEN_MAX));
        let (skipping, form) = (None, Vec::new());
        Leaves { partitions, rows, header, partitioner, check, footer, skipping, form }
    }

    /// The next partition. Returns its entry in Rows.db, if it has one that is its own.
    pub(super) fn partition(
        &mut self,
        (key, hash): (&[u8], KeyHash),
        position: u64,
        deletion: Deletion,
        notes: &mut Notes,
    ) -> Option<RowsEntry<'t>> {
        let check = self.check.as_mut()?;
        self.form.clear();
        if !put_key(self.partitioner, self.header, (key, hash), &mut self.form) {
            return None;
        }
        let of = format!(" of the partition at {position}");
        let at = match check.partition(&self.form, hash.low as u8, position) {
            Ok(at) => at?,
            Err(error) => {
                notes.error(&Component::Partitions, TRIE, &error, of);
                // Of a leaf that is wrong the next may be right; after a node that isn't one nothing is.
                if !is_of_leaf(&error) {
                    self.check = None;
                }
                return None;
            }
        };
        let entry = match self.entry(at) {
            Ok(entry) => entry,
            Err(error) => {
                notes.error(&Component::Rows, ENTRIES, &error, of);
                return None;
            }
        };
        let spot = Spot::at(&Component::Rows, ENTRIES, at);
        if entry.key != key {
            notes.wrong(spot, format_args!("another key than that{of}"));
        }
        if entry.position != position {
            notes.differs(spot, "position of a partition", position, entry.position);
        }
        if entry.deletion != deletion {
            notes.wrong(spot, format_args!("another deletion than that{of}"));
        }
        Some(entry)
    }

    fn entry(&self, at: u64) -> Result<RowsEntry<'t>, DecodeError> {
        let window =
            usize::try_from(at).ok().and_then(|at| self.rows.get(at..)).unwrap_or_default();
        RowsEntry::read(window, at, self.header.version)?.last("entry of Rows.db", at, window)
    }

    /// Calls `each` with the position of every partition, in the order of the leaves.
    pub(super) fn each(&self, notes: &mut Notes, mut each: impl FnMut(u64, &mut Notes)) {
        let Some(footer) = self.footer.filter(|footer| footer.partition_count > 0) else { return };
        let mut walk = TrieWalk::new(footer.root, WalkFrom::First, PATH_LEN_MAX);
        loop {
            match self.next_position(&mut walk) {
                Ok(Some(position)) => each(position, notes),
                Ok(None) => return,
                Err(error) => return notes.error(&Component::Partitions, TRIE, &error, ""),
            }
        }
    }

    fn next_position(&self, walk: &mut TrieWalk<'_>) -> Result<Option<u64>, DecodeError> {
        while let Some(number) = walk.page() {
            if let Step::Found(payload) = walk.step(TriePage::of(self.partitions, number))? {
                return Ok(Some(match PartitionPayload::read(payload)?.place {
                    PartitionPlace::Data(position) => position,
                    PartitionPlace::Rows(at) => self.entry(at)?.position,
                }));
            }
        }
        Ok(None)
    }

    /// The bytes of Rows.db.
    pub(super) fn rows(&self) -> &'t [u8] {
        self.rows
    }

    /// The first position after a place, where partitions are left out: from there on nothing is compared.
    pub(super) fn skip(&mut self, at: u64) -> Option<u64> {
        self.check = None;
        let root = self.footer?.root;
        let first = || TrieWalk::new(root, WalkFrom::First, PATH_LEN_MAX);
        let mut walk = self.skipping.take().unwrap_or_else(first);
        let mut found = None;
        while let Ok(Some(position)) = self.next_position(&mut walk) {
            if position > at {
                found = Some(position);
                break;
            }
        }
        self.skipping = Some(walk);
        found
    }

    /// All partitions were passed.
    pub(super) fn end(&mut self, first: &[u8], last: &[u8], notes: &mut Notes) {
        let (Some(footer), Some(mut check)) = (self.footer, self.check.take()) else { return };
        if let Err(error) = check.end() {
            notes.error(&Component::Partitions, TRIE, &error, "");
        }
        let end = self.partitions.len() - FOOTER_LEN;
        let keys = self.partitions.get(footer.keys_at as usize..end).unwrap_or_default();
        match footer.keys(keys) {
            Err(error) => notes.error(&Component::Partitions, "footer", &error, ""),
            Ok(keys) if keys == (first, last) => {}
            Ok(_) => {
                let spot = Spot::at(&Component::Partitions, "footer", footer.keys_at);
                notes.wrong(spot, "first and last key are not those of the table");
            }
        }
    }
}

/// What Partitions.db ends with.
fn footer(partitions: &[u8]) -> Result<Footer, DecodeError> {
    let Some(bytes) = partitions.last_chunk::<FOOTER_LEN>() else {
        let (need, have) = (FOOTER_LEN as u64, partitions.len() as u64);
        return Err(DecodeError::Short { what: "footer", at: 0, need, have });
    };
    Footer::read(*bytes, partitions.len() as u64)
}

/// Whether an error is about what a leaf says, not about the way to it.
fn is_of_leaf(error: &DecodeError) -> bool {
    matches!(&error.what()[..], "hash of a partition's key" | "position of a partition")
}
