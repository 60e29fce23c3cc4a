//! Result of a search in posting lists: a list where it lies, a list of its own, or bits.

use std::borrow::Cow;

use super::bits::{Bits, BitsIter};
use super::increasing::{self, Increasing, ends, narrow, number};

/// Increasing numbers.
#[derive(Clone, Debug)]
pub enum Found<'a> {
    /// As a list.
    List(Cow<'a, Increasing>),
    /// As bits: unions of many lists.
    Bits(Bits),
}

/// Density from which on a union is made of bits, as one number in this many of the stretch it
/// covers: sorting costs some 20 ns a number, clearing and reading bits 1 ns for 64.
const BITS_FROM: u64 = 512;

impl<'a> Found<'a> {
    /// Nothing.
    pub const EMPTY: Found<'static> = Found::List(Cow::Borrowed(&[]));

    /// Union of the lists. One list stays where it lies.
    pub fn unite(lists: &[&'a Increasing]) -> Self {
        let (mut len, mut first, mut last) = (0u64, u32::MAX, 0);
        let mut only: Option<&'a Increasing> = None;
        let mut count = 0;
        for &list in lists {
            let Some((low, high)) = ends(list) else { continue };
            (len, first, last) = (len + list.len() as u64, first.min(low), last.max(high));
            (only, count) = (Some(list), count + 1);
        }
        match (only, count) {
            (None, _) => Found::EMPTY,
            (Some(list), 1) => Found::List(Cow::Borrowed(list)),
            (Some(_), _) if len * BITS_FROM < u64::from(last - first) => {
                Found::List(Cow::Owned(unite_sorted(lists)))
            }
            (Some(_), _) => {
                let mut bits = Bits::empty(first, last);
                lists.iter().for_each(|list| bits.insert_all(list));
                Found::Bits(bits)
            }
        }
    }

    /// Number of members. Bits are counted.
    pub fn len(&self) -> usize {
        match self {
            Found::List(list) => list.len(),
            Found::Bits(bits) => bits.count(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends().is_none()
    }

    /// The smallest and the largest number.
    pub fn ends(&self) -> Option<(u32, u32)> {
        match self {
            Found::List(list) => ends(list),
            Found::Bits(bits) => bits.ends(),
        }
    }

    /// The numbers, increasing.
    #[inline]
    pub fn iter(&self) -> Numbers<'_> {
        match self {
            Found::List(list) => Numbers::List(list.iter()),
            Found::Bits(bits) => Numbers::Bits(bits.iter()),
        }
    }

    /// Whether a number is in.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        match self {
            Found::List(list) => list.binary_search(&number.to_be_bytes()).is_ok(),
            Found::Bits(bits) => bits.contains(number),
        }
    }

    /// Intersection with `other`.
    #[must_use]
    pub fn intersect(self, other: &Found<'_>) -> Self {
        match (self, other) {
            (Found::List(left), Found::List(right)) => {
                let mut out = Vec::with_capacity(left.len().min(right.len()));
                increasing::intersect(&left, right, &mut out);
                Found::List(Cow::Owned(out))
            }
            (Found::List(list), Found::Bits(bits)) => Found::List(Cow::Owned(both(&list, bits))),
            (Found::Bits(bits), Found::List(list)) => Found::List(Cow::Owned(both(list, &bits))),
            (Found::Bits(mut left), Found::Bits(right)) => {
                left.intersect(right);
                Found::Bits(left)
            }
        }
    }

    /// Union with `other`.
    #[must_use]
    pub fn or(self, other: Found<'a>) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self,
            (true, _) => other,
            (false, false) => {
                let lists = [self, other].map(Found::into_list);
                match Found::unite(&[&lists[0], &lists[1]]) {
                    Found::List(list) => Found::List(Cow::Owned(list.into_owned())),
                    Found::Bits(bits) => Found::Bits(bits),
                }
            }
        }
    }

    /// The same as a list.
    pub fn into_list(self) -> Cow<'a, Increasing> {
        match self {
            Found::List(list) => list,
            Found::Bits(bits) => bits.iter().map(u32::to_be_bytes).collect(),
        }
    }

    /// Difference from `other`.
    #[must_use]
    pub fn subtract(self, other: &Found<'_>) -> Self {
        match (self, other) {
            (Found::List(left), Found::List(right)) => {
                let mut out = Vec::with_capacity(left.len());
                increasing::subtract(&left, right, &mut out);
                Found::List(Cow::Owned(out))
            }
            (Found::List(list), Found::Bits(bits)) => {
                let kept = list.iter().filter(|at| !bits.contains(number(**at)));
                Found::List(Cow::Owned(kept.copied().collect()))
            }
            (Found::Bits(mut left), Found::List(right)) => {
                right.iter().for_each(|at| left.remove(number(*at)));
                Found::Bits(left)
            }
            (Found::Bits(mut left), Found::Bits(right)) => {
                left.subtract(right);
                Found::Bits(left)
            }
        }
    }
}

/// Intersection of a list and bits.
fn both(list: &Increasing, bits: &Bits) -> Vec<[u8; 4]> {
    let Some((first, last)) = bits.ends() else { return Vec::new() };
    let kept = narrow(list, first, last).iter().filter(|at| bits.contains(number(**at)));
    kept.copied().collect()
}

/// The union of few numbers from anywhere.
fn unite_sorted(lists: &[&Increasing]) -> Vec<[u8; 4]> {
    let mut all = lists.concat();
    // Big-endian bytes are in the order of their numbers.
    all.sort_unstable_by_key(|at| number(*at));
    all.dedup();
    all
}

/// Increasing numbers, one after the other.
#[derive(Clone, Debug)]
pub enum Numbers<'a> {
    /// Of a list.
    List(std::slice::Iter<'a, [u8; 4]>),
    /// Of bits.
    Bits(BitsIter<'a>),
}

impl Iterator for Numbers<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Numbers::List(list) => list.next().map(|at| number(*at)),
            Numbers::Bits(bits) => bits.next(),
        }
    }

    #[inline]
    fn fold<A, F: FnMut(A, u32) -> A>(self, start: A, mut each: F) -> A {
        match self {
            Numbers::List(list) => list.fold(start, |all, at| each(all, number(*at))),
            Numbers::Bits(bits) => bits.fold(start, each),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Probe;
    use super::*;

    #[test]
    fn every_pair_of_shapes_agrees_with_the_plain_way() {
        let mut state = 11u64;
        let mut random = move |below: u32| {
            state = crate::bytes::mix(state, 1);
            (state % u64::from(below)) as u32
        };
        for round in 0..2000 {
            // Of large gaps the union is a list, of small ones bits.
            let step = [1, 3, 40, 5000][round % 4];
            let mut lists = || -> Vec<Vec<[u8; 4]>> {
                let count = random(4);
                let mut list = |_| {
                    let (first, len) = (random(50), random(20));
                    let all = (first..first + len).filter(|n| n % (1 + len % 3) == 0);
                    all.map(|n| (n * step).to_be_bytes()).collect()
                };
                (0..count).map(&mut list).collect()
            };
            let (left, right) = (lists(), lists());
            let plain = |lists: &[Vec<[u8; 4]>]| -> Vec<u32> {
                let mut all: Vec<u32> = lists.concat().into_iter().map(number).collect();
                all.sort();
                all.dedup();
                all
            };
            fn unite(lists: &[Vec<[u8; 4]>]) -> Found<'_> {
                Found::unite(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>())
            }
            let (l, r) = (plain(&left), plain(&right));
            let check = |found: Found<'_>, plain: &[u32]| {
                assert_eq!(found.iter().collect::<Vec<_>>(), plain, "round {round}");
                assert_eq!((found.len(), found.is_empty()), (plain.len(), plain.is_empty()));
                let ends = plain.first().map(|first| (*first, *plain.last().unwrap()));
                assert_eq!(found.ends(), ends);
                assert_eq!(found.iter().sum::<u32>(), plain.iter().sum());
            };
            check(unite(&left), &l);
            let both: Vec<u32> = l.iter().copied().filter(|n| r.contains(n)).collect();
            let less: Vec<u32> = l.iter().copied().filter(|n| !r.contains(n)).collect();
            check(unite(&left).intersect(&unite(&right)), &both);
            check(unite(&left).subtract(&unite(&right)), &less);
            check(unite(&left).or(unite(&right)), &plain(&[left.clone(), right.clone()].concat()));
            for list in &right {
                let plain = list.iter().any(|at| l.contains(&number(*at)));
                let left = unite(&left);
                let probe = Probe::new(&left);
                let meets = probe.is_some_and(|probe| probe.meets(list));
                assert_eq!(meets, plain, "round {round}");
            }
            for n in 0..100 * step {
                assert_eq!(unite(&left).contains(n), l.contains(&n), "round {round}");
                if step > 100 {
                    break;
                }
            }
        }
    }
}
