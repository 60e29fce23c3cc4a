//! Damages of golden tables, and what is found of each.

use manicule_format_sstable::{Component, IndexEntry, StatisticsFile, Version};

use super::Copy;

/// Where and what is found of a damage.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) table: &'static str,
    pub(super) damage: fn(&Copy),
    /// Component, and words of the finding.
    pub(super) want: (&'static str, &'static str),
    /// Whether it is found without reading rows.
    pub(super) is_quick: bool,
    /// Whether readers do without what is damaged.
    pub(super) is_warning: bool,
}

const FOUND: Case = Case {
    name: "",
    version: "me",
    table: "mixed",
    damage: |_| {},
    want: ("", ""),
    is_quick: true,
    is_warning: false,
};

/// The first bytes of a promoted index or its end, in the index of `me/wide`.
fn promoted_of_wide(index: &[u8]) -> std::ops::Range<usize> {
    let entry = IndexEntry::read(index, 0).unwrap().last("entry", 0, index).unwrap();
    entry.promoted_at as usize..entry.end() as usize
}

/// Puts another class of the same length.
fn put_partitioner(bytes: &mut [u8], class: &[u8]) {
    let old = b"org.apache.cassandra.dht.Murmur3Partitioner";
    let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
    bytes[at..at + old.len()].copy_from_slice(class);
}

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a flipped bit of plain data, the digest made again",
        damage: |copy| {
            copy.edit(&Component::Data, |bytes| bytes[5_000] ^= 4);
            copy.digest();
        },
        want: ("Data.db", "chunk of Data.db by CRC.db: wanted"),
        ..FOUND
    },
    Case {
        name: "a flipped bit of plain data, CRC.db gone",
        damage: |copy| {
            copy.edit(&Component::Data, |bytes| bytes[5_000] ^= 4);
            copy.remove(&Component::Crc);
        },
        want: ("Digest.crc32", "checksum of Data.db: wanted"),
        ..FOUND
    },
    Case {
        name: "a flipped bit of compressed data, the digest made again",
        table: "wide",
        damage: |copy| {
            copy.edit(&Component::Data, |bytes| bytes[20_000] ^= 4);
            copy.digest();
        },
        want: ("Data.db", ", its own: wanted"),
        ..FOUND
    },
    Case {
        name: "CRC.db with too few sums",
        damage: |copy| copy.edit(&Component::Crc, |bytes| bytes.truncate(4)),
        want: ("CRC.db", "number of checksums: wanted 1, got 0"),
        ..FOUND
    },
    Case {
        name: "a block of a promoted index",
        table: "wide",
        damage: |copy| {
            copy.edit(&Component::Index, |bytes| {
                let promoted = promoted_of_wide(bytes);
                // In the first block's first name.
                bytes[promoted.start + 20] ^= 1;
            });
        },
        want: ("Index.db", "first name of a block of the partition at 0: wanted"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "the offset map of a promoted index",
        table: "wide",
        damage: |copy| {
            copy.edit(&Component::Index, |bytes| {
                let promoted = promoted_of_wide(bytes);
                bytes[promoted.end - 1] ^= 1;
            });
        },
        want: ("Index.db", "number of clustering values of the partition at 0"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "a filter that denies every key",
        damage: |copy| copy.edit(&Component::Filter, |bytes| bytes[8..].fill(0)),
        want: ("Filter.db", "denies the key"),
        ..FOUND
    },
    Case {
        name: "a filter that is cut",
        damage: |copy| copy.edit(&Component::Filter, |bytes| bytes.truncate(10)),
        want: ("Filter.db", "number of words of the filter"),
        ..FOUND
    },
    Case {
        name: "a summary that is cut",
        damage: |copy| copy.edit(&Component::Summary, |bytes| bytes.truncate(30)),
        want: ("Summary.db", "wanted"),
        ..FOUND
    },
    Case {
        name: "a sample of another place",
        table: "small",
        damage: |copy| {
            copy.edit(&Component::Summary, |bytes| {
                let at = 24 + u32::from_le_bytes(bytes[28..32].try_into().unwrap()) as usize;
                // The position is the last eight bytes before the next sample.
                bytes[at - 8] ^= 1;
            });
        },
        want: ("Summary.db", "sample"),
        ..FOUND
    },
    Case {
        name: "no summary",
        damage: |copy| copy.remove(&Component::Summary),
        want: ("Summary.db", "is not there: readers make it again"),
        is_warning: true,
        ..FOUND
    },
    Case {
        name: "no filter",
        damage: |copy| copy.remove(&Component::Filter),
        want: ("Filter.db", "is not there: readers make it again"),
        is_warning: true,
        ..FOUND
    },
    Case {
        name: "no table of contents",
        damage: |copy| copy.remove(&Component::Toc),
        want: ("TOC.txt", "is not there"),
        ..FOUND
    },
    Case {
        name: "no digest",
        damage: |copy| copy.remove(&Component::Digest),
        want: ("Digest.crc32", "is not there: readers make it again"),
        is_warning: true,
        ..FOUND
    },
    Case {
        name: "an empty table of contents",
        damage: |copy| copy.edit(&Component::Toc, Vec::clear),
        want: ("TOC.txt", "doesn't name Data.db"),
        ..FOUND
    },
    Case {
        name: "a partitioner that is not known",
        damage: |copy| {
            copy.edit(&Component::Statistics, |bytes| {
                put_partitioner(bytes, b"org.apache.cassandra.dht.Random_Partitioner");
            });
        },
        want: ("Statistics.db", "none of Cassandra's"),
        ..FOUND
    },
    Case {
        name: "a partitioner of another order",
        table: "small",
        damage: |copy| {
            copy.edit(&Component::Statistics, |bytes| {
                put_partitioner(bytes, b"org.apache.cassandra.dht_.RandomPartitioner");
            });
        },
        want: ("Data.db", "order of partitions"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "no statistics",
        damage: |copy| copy.remove(&Component::Statistics),
        want: ("Statistics.db", "nothing can be read without it"),
        ..FOUND
    },
    Case {
        name: "no index",
        damage: |copy| copy.remove(&Component::Index),
        want: ("Index.db", "no partition is found without it: rows rebuild makes it again"),
        ..FOUND
    },
    Case {
        name: "no places of chunks",
        table: "wide",
        damage: |copy| copy.remove(&Component::CompressionInfo),
        want: ("CompressionInfo.db", "is not there, and TOC.txt names it"),
        ..FOUND
    },
    Case {
        name: "an entry of the index with another key",
        table: "small",
        damage: |copy| copy.edit(&Component::Index, |bytes| bytes[3] ^= 1),
        want: ("Index.db", "another key than the partition at 0"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "an index that is cut",
        table: "small",
        damage: |copy| copy.edit(&Component::Index, |bytes| bytes.truncate(bytes.len() - 3)),
        want: ("Index.db", "wanted"),
        ..FOUND
    },
    Case {
        name: "an entry of the index too few",
        table: "small",
        damage: |copy| {
            copy.edit(&Component::Index, |bytes| {
                let entry = IndexEntry::read(bytes, 0).unwrap().last("entry", 0, bytes).unwrap();
                bytes.drain(..entry.end() as usize);
            });
        },
        want: ("Index.db", "no entry leads to the partition at 0"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "a wrong offset of a chunk",
        table: "wide",
        damage: |copy| {
            // The second of four bytes that rise from chunk to chunk.
            copy.edit(&Component::CompressionInfo, |bytes| {
                let at = bytes.len() - 9;
                bytes[at] ^= 1;
            });
        },
        want: ("Data.db", ", its own: wanted"),
        ..FOUND
    },
    Case {
        name: "a greatest timestamp that is too small",
        damage: |copy| {
            copy.edit(&Component::Statistics, |bytes| {
                let read = StatisticsFile::open(bytes, Version::Me).unwrap().statistics().unwrap();
                let times = [read.min_timestamp.to_be_bytes(), read.max_timestamp.to_be_bytes()];
                let times = times.concat();
                let at = bytes.windows(16).position(|window| window == times).unwrap();
                bytes[at + 8..at + 16].copy_from_slice(&read.min_timestamp.to_be_bytes());
            });
        },
        want: ("Statistics.db", "greatest timestamp: wanted"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "statistics with a checksum of their own",
        version: "ea",
        table: "wide",
        damage: |copy| copy.edit(&Component::Statistics, |bytes| bytes[200] ^= 1),
        want: ("Statistics.db", "statistics section"),
        ..FOUND
    },
    Case {
        name: "rows that are out of order, all checksums made again",
        damage: |copy| {
            // The second row of the first partition gets the clustering of the first: (0, 'b0').
            copy.edit(&Component::Data, |bytes| bytes[315] = b'0');
            copy.sums();
        },
        want: ("Data.db", "order of clusterings in the partition 5: wanted"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "a length of what was before, all checksums made again",
        table: "comp",
        damage: |copy| {
            copy.edit(&Component::Data, |bytes| bytes[28] ^= 1);
            copy.sums();
        },
        want: (
            "Data.db",
            "length of what was before in the partition (4, 'x4'): wanted 26, got 27",
        ),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "a leaf of the trie of partitions",
        version: "ea",
        table: "wide",
        damage: |copy| copy.edit(&Component::Partitions, |bytes| bytes[1] ^= 1),
        want: ("Partitions.db", "hash of a partition's key"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "the footer of the trie of partitions",
        version: "ea",
        table: "wide",
        damage: |copy| {
            copy.edit(&Component::Partitions, |bytes| {
                let at = bytes.len() - 9;
                bytes[at] ^= 1;
            });
        },
        want: ("Partitions.db", "number of partitions"),
        is_quick: false,
        ..FOUND
    },
    Case {
        name: "an entry of Rows.db",
        version: "ea",
        table: "wide",
        damage: |copy| {
            copy.edit(&Component::Rows, |bytes| {
                // The number of blocks comes before the deletion, which is live.
                let at = bytes.len() - 2;
                bytes[at] ^= 1;
            });
        },
        want: ("Rows.db", "number of"),
        is_quick: false,
        ..FOUND
    },
];
