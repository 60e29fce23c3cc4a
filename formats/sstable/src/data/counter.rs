//! The value of a counter's cell: what each server has counted.
//!
//! Bytes:   | 2 number of entries | entries × 2 index | shards × (16 id, 8 clock, 8 count) |, docs/formats/sstable.md,
//!          "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use crate::vint::ReadVint;

/// Length in bytes of a shard.
const SHARD_LEN: usize = 32;

/// Which server writes a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShardKind {
    /// As Cassandra has counted since 2.1: each its own, the higher clock wins.
    Global,
    /// The writer's own before that: clocks and counts add up.
    Local,
    /// Another server's before that.
    Remote,
}

/// What a server has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Id of the server's counter.
    pub id: [u8; 16],
    /// How often it has counted.
    pub clock: i64,
    /// Its sum.
    pub count: i64,
    /// Which server writes it.
    pub kind: ShardKind,
}

/// The shards of a counter, by id.
#[derive(Clone, Copy, Debug)]
pub struct Shards<'a> {
    /// Indexes of the shards that aren't remote, ascending.
    entries: &'a [u8],
    shards: &'a [u8],
    next: u16,
}

impl<'a> Shards<'a> {
    /// Opens a counter's value, which lies at `at`.
    pub fn open(value: &'a [u8], at: u64) -> Result<Shards<'a>, DecodeError> {
        let mut r = Reader::new(value, at);
        let entry_count = r.u16_be("number of a counter's entries")?;
        let entries = r.take("entries of a counter", usize::from(entry_count) * 2)?;
        let (shards, shards_at) = (r.rest(), r.at());
        if !shards.len().is_multiple_of(SHARD_LEN) {
            let (what, got) = ("length of a counter's shards", shards.len() as u64);
            let want = got.next_multiple_of(SHARD_LEN as u64);
            return Err(DecodeError::Corrupt { what, at: shards_at, want, got });
        }
        let count = (shards.len() / SHARD_LEN) as u64;
        let indexes = entries.chunks_exact(2).map(|entry| u64::from(index(entry)));
        if !indexes.clone().is_sorted_by(|a, b| a < b)
            || indexes.clone().any(|index| index >= count)
        {
            let (what, got) = ("entries of a counter", indexes.max().unwrap_or(0));
            return Err(DecodeError::Corrupt { what, at: at + 2, want: count, got });
        }
        Ok(Shards { entries, shards, next: 0 })
    }

    /// What all have counted together.
    pub fn total(self) -> i64 {
        self.fold(0, |total, shard| total.wrapping_add(shard.count))
    }
}

/// Index of an entry, without the bit that says that its shard is global.
fn index(entry: &[u8]) -> u16 {
    u16::from_be_bytes([entry[0] & 0x7f, entry[1]])
}

impl Iterator for Shards<'_> {
    type Item = Shard;

    fn next(&mut self) -> Option<Shard> {
        let (bytes, rest) = self.shards.split_first_chunk::<SHARD_LEN>()?;
        let kind = match self.entries.split_first_chunk::<2>() {
            Some((entry, rest)) if index(entry) == self.next => {
                self.entries = rest;
                if entry[0] & 0x80 != 0 { ShardKind::Global } else { ShardKind::Local }
            }
            _ => ShardKind::Remote,
        };
        self.shards = rest;
        self.next = self.next.wrapping_add(1);
        let number = |start| i64::from_be_bytes(bytes[start..start + 8].try_into().expect("eight"));
        let id = bytes[..16].try_into().expect("sixteen");
        Some(Shard { id, clock: number(16), count: number(24), kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(entries: &[u16], counts: &[i64]) -> Vec<u8> {
        let mut value = (entries.len() as u16).to_be_bytes().to_vec();
        entries.iter().for_each(|entry| value.extend_from_slice(&entry.to_be_bytes()));
        for (at, count) in counts.iter().enumerate() {
            value.extend_from_slice(&[at as u8; 16]);
            value.extend_from_slice(&7i64.to_be_bytes());
            value.extend_from_slice(&count.to_be_bytes());
        }
        value
    }

    #[test]
    fn shards_have_the_kinds_of_their_entries() {
        let value = value(&[0x8000, 2], &[5, -7, 10]);
        let shards = Shards::open(&value, 0).unwrap();
        let kinds: Vec<_> = shards.map(|shard| shard.kind).collect();
        assert_eq!(kinds, [ShardKind::Global, ShardKind::Remote, ShardKind::Local]);
        assert_eq!(shards.total(), 8);
        let ids: Vec<u8> = shards.map(|shard| shard.id[0] + shard.clock as u8).collect();
        assert_eq!(ids, [7, 8, 9]);
    }

    #[test]
    fn damaged_counters_are_refused() {
        let check = |value: &[u8], want: &str| {
            assert_eq!(Shards::open(value, 9).unwrap_err().to_string(), want);
        };
        check(&[0], "number of a counter's entries at offset 9: 2 bytes needed, 1 there");
        check(&[0, 2, 0, 0], "entries of a counter at offset 11: 4 bytes needed, 2 there");
        check(&[0, 0, 7], "length of a counter's shards at offset 11: wanted 32, got 1");
        let out_of_range = "entries of a counter at offset 11: wanted 1, got 1";
        check(&value(&[0x8001], &[1]), out_of_range);
        check(&value(&[1, 0], &[1, 2]), "entries of a counter at offset 11: wanted 2, got 1");
    }
}
