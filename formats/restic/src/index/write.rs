//! Writes index files, byte by byte as restic does.
//!
//! Bytes:   docs/formats/restic.md

use manicule_core::go::json::put_string;
use manicule_core::hex;

use crate::blob::PackedBlob;
use crate::id::Id;

use super::scan::{BLOBS, ID, KIND, LEN, OFFSET, RAW_LEN};
use super::sink::ListedPack;

/// From this number of blobs on an index file is full: it is closed after the pack with which it
/// got there.
pub const INDEX_BLOB_COUNT_FULL: u64 = 50_000;

/// Longest entry, with a comma.
const ENTRY_LEN_MAX: usize = 162;

/// An index file that is being written: packs, and after each its blobs.
#[derive(Clone, Debug)]
pub struct IndexWriter {
    json: Vec<u8>,
    pack_count: u64,
    blob_count: u64,
    /// Whether the open pack has a blob.
    has_blob: bool,
    /// Whether the packs that are marked for deletion have begun.
    has_marked: bool,
}

impl Default for IndexWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl IndexWriter {
    /// An index file without packs.
    pub fn new() -> Self {
        let json = b"{\"packs\":[".to_vec();
        IndexWriter { json, pack_count: 0, blob_count: 0, has_blob: false, has_marked: false }
    }

    /// Begins a pack, in which the next blobs lie. All of a pack's blobs belong into one file.
    ///
    /// # Panics
    /// If a pack was marked before.
    pub fn pack(&mut self, id: &Id) {
        assert!(!self.has_marked, "marked packs come last");
        self.json.extend_from_slice(if self.pack_count == 0 { b"" } else { b"]}," });
        self.put_id(id);
        self.json.extend_from_slice(BLOBS);
        self.pack_count += 1;
        self.has_blob = false;
    }

    /// Begins a pack that rustic has marked for deletion, as rustic writes it. These come after all
    /// others.
    ///
    /// # Panics
    /// If the pack isn't marked.
    pub fn marked(&mut self, pack: &ListedPack<'_>) {
        assert!(pack.is_marked, "a pack of packs_to_delete");
        self.json.extend_from_slice(match (self.has_marked, self.pack_count) {
            (true, _) => b"]},",
            (false, 0) => b"],\"packs_to_delete\":[",
            (false, _) => b"]}],\"packs_to_delete\":[",
        });
        self.put_id(&pack.id);
        self.json.push(b'"');
        if let Some(time) = &pack.time {
            self.json.extend_from_slice(b",\"time\":");
            put_string(time.as_bytes(), &mut self.json);
        }
        if let Some(len) = pack.len {
            self.json.extend_from_slice(format!(",\"size\":{len}").as_bytes());
        }
        self.json.extend_from_slice(&BLOBS[1..]);
        self.pack_count += 1;
        (self.has_marked, self.has_blob) = (true, false);
    }

    /// The beginning of a pack: its id, without the quote after it.
    fn put_id(&mut self, id: &Id) {
        self.json.extend_from_slice(ID);
        self.json.extend_from_slice(&hex::encode_32(&id.0));
    }

    /// Adds a blob to the last pack. Costs some 130 ns.
    ///
    /// # Panics
    /// If there is no pack yet.
    pub fn blob(&mut self, blob: &PackedBlob) {
        assert!(self.pack_count > 0, "a blob lies in a pack");
        let json = &mut self.json;
        json.reserve(ENTRY_LEN_MAX);
        json.extend_from_slice(if self.has_blob { b"," } else { b"" });
        json.extend_from_slice(ID);
        json.extend_from_slice(&hex::encode_32(&blob.id.0));
        if let Some(kind) = blob.kind {
            json.extend_from_slice(KIND);
            json.extend_from_slice(kind.name().as_bytes());
        }
        put_number(OFFSET, blob.place.offset, json);
        put_number(LEN, blob.place.len, json);
        if blob.place.is_compressed() {
            put_number(RAW_LEN, blob.place.raw_len, json);
        }
        json.push(b'}');
        self.has_blob = true;
        self.blob_count += 1;
    }

    /// Number of blobs so far.
    pub fn blob_count(&self) -> u64 {
        self.blob_count
    }

    /// Number of packs so far.
    pub fn pack_count(&self) -> u64 {
        self.pack_count
    }

    /// Whether it is to be closed before the next pack.
    pub fn is_full(&self) -> bool {
        self.blob_count >= INDEX_BLOB_COUNT_FULL
    }

    /// The JSON, with restic's line break at its end.
    pub fn finish(mut self) -> Vec<u8> {
        self.json.extend_from_slice(if self.pack_count == 0 { b"]}\n" } else { b"]}]}\n" });
        self.json
    }
}

fn put_number(name: &[u8], number: u32, json: &mut Vec<u8>) {
    json.extend_from_slice(name);
    json.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
