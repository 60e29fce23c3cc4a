//! An index of millions of entries: config, key and index files. Its packs exist nowhere, and there
//! are no snapshots.
//!
//! With the options of [`IndexOnlyOptions::five_million`] the entries are those of the golden
//! generator's `repogen -repo`, blob by blob.

use std::io;
use std::path::Path;

use manicule_format_restic::{BlobKind, Id, PackedBlob, Place};

use crate::writer::{Writer, Written};

/// Size of the index.
#[derive(Clone, Copy, Debug)]
pub struct IndexOnlyOptions {
    /// Seed of ids, keys and initialization vectors.
    pub seed: u64,
    /// Number of entries of data blobs. Each hundredth repeats an earlier id in another pack.
    pub data_count: u64,
    /// Number of entries of tree blobs.
    pub tree_count: u64,
}

impl IndexOnlyOptions {
    /// The repository of the peers' study: 5,000,000 entries, 119,375 packs, 100 index files.
    pub const fn five_million() -> Self {
        Self { seed: 1, data_count: 4_750_000, tree_count: 250_000 }
    }
}

const DATA_IN_PACK: u64 = 40;
const TREES_IN_PACK: u64 = 400;
/// One data entry in this many repeats an earlier id.
const REPEATED_ONE_IN: u64 = 100;
/// One data entry in this many is stored without compression.
const PLAIN_ONE_IN: u64 = 16;

/// Writes the repository into a new or empty folder. 50 bytes of disk an entry.
///
/// # Errors
/// If a file can't be written.
pub fn write_index_only(folder: &Path, options: &IndexOnlyOptions) -> io::Result<Written> {
    let mut writer = Writer::create(folder, options.seed)?;
    let kinds = [
        (BlobKind::Data, options.data_count, DATA_IN_PACK, "packdata"),
        (BlobKind::Tree, options.tree_count, TREES_IN_PACK, "packtree"),
    ];
    let mut blobs = Vec::new();
    for (kind, entry_count, in_pack, tag) in kinds {
        for first in (0..entry_count).step_by(in_pack as usize) {
            let mut offset = 0;
            blobs.clear();
            for n in first..entry_count.min(first + in_pack) {
                let blob = entry(&writer, kind, n, offset);
                offset += blob.place.len;
                blobs.push(blob);
            }
            let pack = Id(writer.tagged().bytes(tag, first / in_pack));
            writer.index_pack(pack, &blobs)?;
        }
    }
    writer.end()
}

/// Entry `n` of a kind, which lies at `offset` of its pack.
fn entry(writer: &Writer, kind: BlobKind, n: u64, offset: u32) -> PackedBlob {
    let is_data = kind == BlobKind::Data;
    let tag = if is_data { "blobdata" } else { "blobtree" };
    let repeats = is_data && n % REPEATED_ONE_IN == REPEATED_ONE_IN - 1;
    let number = if repeats { n / 2 / REPEATED_ONE_IN * REPEATED_ONE_IN } else { n };
    let id = writer.tagged().bytes(tag, number);
    let (word, _) = id[8..].split_first_chunk().expect("an id has 32 bytes");
    let raw_len = 200 + (u64::from_le_bytes(*word) % 800_000) as u32;
    let place = if is_data && n % PLAIN_ONE_IN == 7 {
        Place { offset, len: 32 + raw_len, raw_len: 0 }
    } else {
        Place { offset, len: 32 + raw_len / 2, raw_len }
    };
    PackedBlob { kind: Some(kind), id: Id(id), place }
}
