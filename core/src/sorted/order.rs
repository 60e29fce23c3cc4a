//! The order of strings by their bytes, sorted by their first eight bytes wherever these decide.

use super::{StepSort, Strings};

/// The first eight bytes as a number that orders as they do; shorter strings are filled up with
/// zeros.
#[inline]
pub fn prefix(string: &[u8]) -> u64 {
    if let Some(head) = string.first_chunk() {
        return u64::from_be_bytes(*head);
    }
    let mut head = [0; 8];
    head[..string.len()].copy_from_slice(string);
    u64::from_be_bytes(head)
}

/// The numbers of all strings in the order of their bytes; equal strings stand in the order of
/// their numbers.
///
/// 46,933 symbols take 8 ms: most comparisons are of two numbers side by side, without a look at a
/// string.
pub fn sorted(strings: &(impl Strings + ?Sized)) -> Vec<u32> {
    let mut sort = StringSort::new();
    while !sort.step(strings, usize::MAX) {}
    (0..strings.count() as usize).map(|place| sort.number(place)).collect()
}

/// [`sorted`] in steps.
#[derive(Clone, Debug)]
pub struct StringSort(Stage);

#[derive(Clone, Debug)]
enum Stage {
    /// The keys of the first strings.
    Keys(Vec<Key>),
    Sort(StepSort<Key>),
}

/// The first eight bytes of a string, and its number.
type Key = (u64, u32);

impl StringSort {
    /// A sort that has not looked at any string yet.
    #[expect(clippy::new_without_default, reason = "a beginning, not a value")]
    pub fn new() -> Self {
        StringSort(Stage::Keys(Vec::new()))
    }

    /// Sorts on, until about `budget` strings were looked at; whether all are in order now. The
    /// strings are the same in each step.
    pub fn step(&mut self, strings: &(impl Strings + ?Sized), budget: usize) -> bool {
        match &mut self.0 {
            Stage::Keys(keys) => {
                let count = strings.count();
                keys.reserve(count as usize - keys.len());
                let first = keys.len() as u32;
                let end =
                    count.min(first.saturating_add(budget.clamp(1, u32::MAX as usize) as u32));
                keys.extend((first..end).map(|number| (prefix(strings.get(number)), number)));
                if end == count {
                    self.0 = Stage::Sort(StepSort::new(std::mem::take(keys)));
                }
                false
            }
            Stage::Sort(sort) => sort.step(budget, |left, right| {
                let by_bytes = || strings.get(left.1).cmp(strings.get(right.1));
                left.0.cmp(&right.0).then_with(by_bytes).then(left.1.cmp(&right.1))
            }),
        }
    }

    /// The number of the string at a place of the order.
    ///
    /// # Panics
    /// If no step has said that all are in order, or there is no such place.
    #[inline]
    pub fn number(&self, place: usize) -> u32 {
        let Stage::Sort(sort) = &self.0 else { panic!("all are in order when a step says so") };
        sort.items()[place].1
    }
}

/// Whether two strings are equal. Without a call where they are short, as labels are: ends that
/// overlap are compared.
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
