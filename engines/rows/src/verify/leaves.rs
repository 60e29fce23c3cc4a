//! The tries of a table beside its partitions: Partitions.db, and the entries of Rows.db.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Component, Deletion, Footer, Header, PartitionPayload, PartitionPlace, PartitionTrieCheck,
    Partitioner, RowsEntry, SstableError, Step, TriePage, TrieWalk, WalkFrom,
};
use manicule_store::pages::Reading;

use super::begun::Begun;
use super::notes::{Notes, Spot};
use super::pages::{TrieError, TrieFiles, TriePages};
use crate::RowsError;
use crate::lookup::{put_key, trie_page};
use crate::table::{FirstLast, OpenFile, Window, trie_ends, trie_footer};

/// Longest way down a trie: a key of 65,535 bytes, each a zero, is escaped to twice as many.
pub(super) const PATH_LEN_MAX: usize = 1 << 18;

/// Section of findings about the trie of partitions, and about entries of Rows.db.
const TRIE: &str = "trie";
const ENTRIES: &str = "entries";
const FOOTER: &str = "footer";

/// The leaves of the partitions, in their order.
#[derive(Debug)]
pub(super) struct Leaves<'t> {
    files: TrieFiles<'t>,
    header: &'t Header,
    partitioner: Partitioner,
    /// `None` once nothing more can be compared.
    check: Option<PartitionTrieCheck>,
    footer: Option<Footer>,
    keys: Option<FirstLast>,
    /// Where the leaves of partitions that were left out end.
    skipping: Option<TrieWalk<'static>>,
    form: Vec<u8>,
}

/// An entry of Rows.db.
#[derive(Clone, Debug)]
pub(super) struct OwnEntry {
    at: u64,
    key: Vec<u8>,
    pub(super) position: u64,
    root: u64,
    pub(super) block_count: u64,
    deletion: Deletion,
    len: usize,
}

impl OwnEntry {
    pub(super) fn as_entry(&self) -> RowsEntry<'_> {
        let OwnEntry { at, ref key, position, root, block_count, deletion, len } = *self;
        RowsEntry { at, key, position, root, block_count, deletion, len }
    }
}

impl<'t> Leaves<'t> {
    /// Before the first partition.
    pub(super) fn new(
        files: TrieFiles<'t>,
        header: &'t Header,
        partitioner: Partitioner,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let footer = notes.taken(FOOTER, trie_footer(files.partitions, reading))?;
        let keys = match footer {
            Some(_) => notes.taken(FOOTER, trie_ends(files.partitions, reading))?,
            None => None,
        };
        let is_known = matches!(partitioner, Partitioner::Murmur3 | Partitioner::ByteOrdered);
        let known = footer.filter(|_| is_known);
        let check = known.map(|footer| PartitionTrieCheck::new(footer, PATH_LEN_MAX));
        let (skipping, form, keys) = (None, Vec::new(), keys.map(|(_, keys)| keys));
        Ok(Leaves { files, header, partitioner, check, footer, keys, skipping, form })
    }

    /// The next partition. Returns its entry in Rows.db, if it has one that is its own.
    pub(super) fn partition(
        &mut self,
        begun: &Begun<'_>,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<Option<OwnEntry>, RowsError> {
        let Begun { key, hash, position, deletion } = *begun;
        let Some(check) = self.check.as_mut() else { return Ok(None) };
        self.form.clear();
        if !put_key(self.partitioner, self.header, key, hash, &mut self.form) {
            return Ok(None);
        }
        let of = format!(" of the partition at {position}");
        let pages = &mut TriePages { file: self.files.partitions, reading };
        let found = check.partition(&self.form, hash.low as u8, position, pages);
        // Of a leaf that is wrong the next may be right; after a node that isn't one nothing is.
        let is_lost = matches!(&found, Err(TrieError::Decode(error)) if !is_of_leaf(error));
        let found = TrieError::noted(found, &Component::Partitions, TRIE, &of, notes)?;
        if is_lost {
            self.check = None;
        }
        let Some(Some(at)) = found else { return Ok(None) };
        let entry = self.entry(at, reading);
        let Some(entry) = TrieError::noted(entry, &Component::Rows, ENTRIES, &of, notes)? else {
            return Ok(None);
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
        Ok(Some(entry))
    }

    fn entry(&self, at: u64, reading: &mut Reading<'_>) -> Result<OwnEntry, TrieError> {
        let mut window = Window::new(self.files.rows);
        let read = window.parse("entry of Rows.db", at, reading, |window| {
            let parsed = RowsEntry::read(window, at, self.header.version)?;
            Ok(parsed.map(|entry| OwnEntry {
                at: entry.at,
                key: entry.key.to_vec(),
                position: entry.position,
                root: entry.root,
                block_count: entry.block_count,
                deletion: entry.deletion,
                len: entry.len,
            }))
        });
        read.map_err(|error| match error {
            RowsError::Damaged { source: SstableError::Decode(error), .. } => {
                TrieError::Decode(error)
            }
            error => TrieError::Rows(error),
        })
    }

    /// Calls `each` with the position of every partition, in the order of the leaves.
    pub(super) fn each(
        &self,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
        mut each: impl FnMut(u64, &mut Notes),
    ) -> Result<(), RowsError> {
        let some = self.footer.filter(|footer| footer.partition_count > 0);
        let Some(footer) = some else { return Ok(()) };
        let mut walk = TrieWalk::new(footer.root, WalkFrom::First, PATH_LEN_MAX);
        loop {
            let next = self.next_position(&mut walk, reading);
            match TrieError::noted(next, &Component::Partitions, TRIE, "", notes)? {
                Some(Some(position)) => each(position, notes),
                Some(None) | None => return Ok(()),
            }
        }
    }

    fn next_position(
        &self,
        walk: &mut TrieWalk<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<u64>, TrieError> {
        while let Some(number) = walk.page() {
            let bytes = trie_page(self.files.partitions, number, reading);
            let bytes = bytes.map_err(TrieError::Rows)?;
            if let Step::Found(payload) = walk.step(TriePage { number, bytes: &bytes })? {
                return Ok(Some(match PartitionPayload::read(payload)?.place {
                    PartitionPlace::Data(position) => position,
                    PartitionPlace::Rows(at) => self.entry(at, reading)?.position,
                }));
            }
        }
        Ok(None)
    }

    /// Rows.db.
    pub(super) fn rows(&self) -> &'t OpenFile {
        self.files.rows
    }

    /// The first position after a place, where partitions are left out: from there on nothing is
    /// compared.
    pub(super) fn skip(
        &mut self,
        at: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Option<u64>, RowsError> {
        self.check = None;
        let Some(footer) = self.footer else { return Ok(None) };
        let first = || TrieWalk::new(footer.root, WalkFrom::First, PATH_LEN_MAX);
        let mut walk = self.skipping.take().unwrap_or_else(first);
        let found = loop {
            match self.next_position(&mut walk, reading) {
                Ok(Some(position)) if position <= at => {}
                Ok(position) => break position,
                Err(TrieError::Decode(_)) => break None,
                Err(TrieError::Rows(error)) => return Err(error),
            }
        };
        self.skipping = Some(walk);
        Ok(found)
    }

    /// All partitions were passed.
    pub(super) fn end(
        &mut self,
        first: &[u8],
        last: &[u8],
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let (Some(footer), Some(mut check)) = (self.footer, self.check.take()) else {
            return Ok(());
        };
        let ended = check.end(&mut TriePages { file: self.files.partitions, reading });
        TrieError::noted(ended, &Component::Partitions, TRIE, "", notes)?;
        if self.keys.as_ref().is_some_and(|keys| (&keys.0[..], &keys.1[..]) != (first, last)) {
            let spot = Spot::at(&Component::Partitions, FOOTER, footer.keys_at);
            notes.wrong(spot, "first and last key are not those of the table");
        }
        Ok(())
    }
}

/// Whether an error is about what a leaf says, not about the way to it.
fn is_of_leaf(error: &DecodeError) -> bool {
    matches!(&error.what()[..], "hash of a partition's key" | "position of a partition")
}
