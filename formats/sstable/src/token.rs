//! Tokens: the order of partitions, and the hashes by which a Bloom filter looks.
//!
//! Bytes:   MurmurHash3 x64 128, seed 0, with the last bytes taken as signed, docs/formats/sstable.md, Order of partitions

use std::cmp::Ordering;

use md5::{Digest, Md5};

/// Both halves of the hash of a partition key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyHash {
    /// The first, of which the token is made.
    pub high: u64,
    /// The second.
    pub low: u64,
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

impl KeyHash {
    /// Hash of a partition key. Cost: 1 ns for two bytes.
    pub fn of(key: &[u8]) -> KeyHash {
        let (mut high, mut low) = (0_u64, 0_u64);
        let (blocks, tail) = key.as_chunks::<16>();
        for block in blocks {
            let both = u128::from_le_bytes(*block);
            high ^= mix_high(both as u64);
            high = high.rotate_left(27).wrapping_add(low);
            high = high.wrapping_mul(5).wrapping_add(0x52dc_e729);
            low ^= mix_low((both >> 64) as u64);
            low = low.rotate_left(31).wrapping_add(high);
            low = low.wrapping_mul(5).wrapping_add(0x3849_5ab5);
        }
        let (front, back) = tail.split_at(tail.len().min(8));
        low ^= mix_low(signed_word(back));
        high ^= mix_high(signed_word(front));
        finish(high, low, key.len() as u64)
    }

    /// The token of the key that was hashed, which had a byte or more.
    pub fn token(self) -> Token {
        // The least token is that of no key.
        Token(if self.high == 1 << 63 { i64::MAX } else { self.high as i64 })
    }
}

fn mix_high(word: u64) -> u64 {
    word.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix_low(word: u64) -> u64 {
    word.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

/// The last bytes, lowest first, each extended by its sign: Java's bytes have one.
pub(crate) fn signed_word(bytes: &[u8]) -> u64 {
    let words = bytes.iter().enumerate();
    words.fold(0, |word, (at, byte)| word ^ (*byte as i8 as i64 as u64) << (8 * at))
}

fn finish(high: u64, low: u64, len: u64) -> KeyHash {
    let (high, low) = (high ^ len, low ^ len);
    let high = high.wrapping_add(low);
    let low = low.wrapping_add(high);
    let (high, low) = (scatter(high), scatter(low));
    let high = high.wrapping_add(low);
    KeyHash { high, low: low.wrapping_add(high) }
}

fn scatter(word: u64) -> u64 {
    let word = (word ^ word >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let word = (word ^ word >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ word >> 33
}

/// Place of a partition on the ring of Murmur3Partitioner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub i64);

impl Token {
    /// Token of a partition key.
    pub fn of(key: &[u8]) -> Token {
        if key.is_empty() { Token(i64::MIN) } else { KeyHash::of(key).token() }
    }
}

/// How partitions are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioner {
    /// By token, then by the bytes of the key.
    Murmur3,
    /// By the bytes of the key.
    ByteOrdered,
    /// By the magnitude of the key's MD5 as a signed number, then by the bytes of the key.
    Random,
    /// In another way: a reader has the order of the file alone.
    Other,
}

/// Partitioners of Cassandra whose order isn't computed here: by the texts of keys, and of index
/// tables by the type of the key.
const UNORDERED: [&str; 2] = ["OrderPreservingPartitioner", "LocalPartitioner"];

impl Partitioner {
    /// The partitioner of this class.
    pub fn of_class(class: &str) -> Partitioner {
        match class.rsplit('.').next() {
            Some("Murmur3Partitioner") => Partitioner::Murmur3,
            Some("ByteOrderedPartitioner") => Partitioner::ByteOrdered,
            Some("RandomPartitioner") => Partitioner::Random,
            _ => Partitioner::Other,
        }
    }

    /// Whether the class is one of Cassandra's.
    pub fn is_known_class(class: &str) -> bool {
        let name = class.rsplit('.').next().unwrap_or_default();
        Partitioner::of_class(class) != Partitioner::Other || UNORDERED.contains(&name)
    }

    /// Order of two partitions; `None` where only the file knows it.
    pub fn compare(self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        match self {
            Partitioner::Murmur3 => {
                let tokens = Token::of(left).cmp(&Token::of(right));
                Some(tokens.then_with(|| left.cmp(right)))
            }
            Partitioner::ByteOrdered => Some(left.cmp(right)),
            Partitioner::Random => {
                let tokens = random_token(left).cmp(&random_token(right));
                Some(tokens.then_with(|| left.cmp(right)))
            }
            Partitioner::Other => (left == right).then_some(Ordering::Equal),
        }
    }
}

/// Token of RandomPartitioner.
fn random_token(key: &[u8]) -> u128 {
    i128::from_be_bytes(Md5::digest(key).into()).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_that_sstablemetadata_prints() {
        let check = |key: &[u8], want: i64| assert_eq!(Token::of(key), Token(want), "{key:x?}");
        check(&5_i32.to_be_bytes(), -7_509_452_495_886_106_294);
        check(&3_i32.to_be_bytes(), 9_010_454_139_840_013_625);
        check(b"p1", -9_032_840_179_063_523_349);
        check(b"p2", 8_069_292_045_054_636_054);
        check(b"\0\x04\0\0\0\x04\0\0\x02x4\0", -2_084_475_353_302_800_008);
        check(b"", i64::MIN);
    }

    #[test]
    fn last_bytes_are_signed() {
        assert_eq!(signed_word(&[0x80]), 0xffff_ffff_ffff_ff80);
        assert_eq!(signed_word(&[1, 0xff]), 0xffff_ffff_ffff_ff01);
        assert_eq!(signed_word(&[0; 8]), 0);
        assert_eq!(KeyHash { high: 1 << 63, low: 0 }.token(), Token(i64::MAX));
    }

    #[test]
    fn partitions_are_ordered_by_token_and_then_by_key() {
        let class = "org.apache.cassandra.dht.Murmur3Partitioner";
        let murmur = Partitioner::of_class(class);
        assert_eq!(murmur.compare(b"p1", b"p2"), Some(Ordering::Less));
        assert_eq!(murmur.compare(b"p2", b"p1"), Some(Ordering::Greater));
        assert_eq!(Partitioner::ByteOrdered.compare(b"p2", b"p1"), Some(Ordering::Greater));
        // MD5 of "p1" and "p2": ec6ef230.., whose magnitude is 13910d.., and 1d665b9b..
        assert_eq!(random_token(b"p1") >> 120, 0x13);
        assert_eq!(random_token(b"p2") >> 120, 0x1d);
        let random = Partitioner::of_class("org.apache.cassandra.dht.RandomPartitioner");
        assert_eq!(random.compare(b"p1", b"p2"), Some(Ordering::Less));
        let local = "org.apache.cassandra.dht.LocalPartitioner";
        assert_eq!(Partitioner::of_class(local).compare(b"p2", b"p1"), None);
        for (class, want) in [(local, true), ("RandomPartitioner", true), ("Random_", false)] {
            assert_eq!(Partitioner::is_known_class(class), want, "{class}");
        }
    }
}
