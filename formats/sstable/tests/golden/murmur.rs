//! The hash of partition keys as its description has it, byte by byte: Murmur3 of 128 bits, in
//! which the last bytes are extended by their sign.

/// Both halves of a key's hash.
pub(crate) fn murmur3(key: &[u8]) -> (u64, u64) {
    let (mut h1, mut h2) = (0u64, 0u64);
    let (blocks, tail) = key.split_at(key.len() / 16 * 16);
    for block in blocks.chunks(16) {
        let number = |start: usize| {
            (0..8).fold(0, |number, at| number | u64::from(block[start + at]) << (8 * at))
        };
        h1 ^= first(number(0));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= second(number(8));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let signed = |bytes: &[u8]| {
        let bits = |(at, byte): (usize, &u8)| (i64::from(*byte as i8) as u64) << (8 * at);
        bytes.iter().enumerate().map(bits).fold(0, |number, bits| number ^ bits)
    };
    let (low, high) = tail.split_at(tail.len().min(8));
    h2 ^= second(signed(high));
    h1 ^= first(signed(low));
    let len = key.len() as u64;
    (h1, h2) = (h1 ^ len, h2 ^ len);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (mixed(h1), mixed(h2));
    h1 = h1.wrapping_add(h2);
    (h1, h2.wrapping_add(h1))
}

/// The token of a key of a byte or more.
pub(crate) fn token(key: &[u8]) -> i64 {
    match murmur3(key).0 as i64 {
        i64::MIN => i64::MAX,
        token => token,
    }
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

fn first(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn second(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn mixed(k: u64) -> u64 {
    let k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}
