//! What was brought ahead of the questions for it: listings, whole files, parts of packs. Each is
//! given once, but for parts that many ask for; what nobody asks for goes when there is too much of
//! it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

use manicule_format_restic::{FileKind, Id};
use manicule_store::store::{Name, StoreError};

use super::{Listed, Misplaced};

/// Maximum number of bytes of parts that wait for their readers.
const PARTS_BYTES_MAX: usize = 128 << 20;

/// How often a part is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Each byte once.
    Once,
    /// As long as there is room.
    Often,
}

/// A listing of packs tells both.
pub(super) type ListedPacks = (Vec<Listed>, Vec<Misplaced>);

/// What was brought.
#[derive(Debug, Default)]
pub(super) struct Brought {
    pub(super) lists: HashMap<FileKind, Result<Vec<Listed>, StoreError>>,
    /// Of the listing of packs that was given last.
    pub(super) misplaced: Option<Vec<Misplaced>>,
    pub(super) files: HashMap<Name, Result<Vec<u8>, StoreError>>,
    parts: Parts,
}

impl Brought {
    pub(super) fn has_part(&self, pack: &Id, range: &Range<u64>) -> bool {
        self.parts.find(pack, range).is_some()
    }

    pub(super) fn add_part(&mut self, pack: Id, start: u64, bytes: Vec<u8>, given: Given) {
        self.parts.add(pack, start, bytes, given);
    }

    /// Fills `out` from a part that has all of it; whether there is one.
    pub(super) fn copy_part(&mut self, pack: &Id, at: u64, out: &mut [u8]) -> bool {
        self.parts.copy(pack, at, out)
    }
}

/// Parts of packs, none within another.
#[derive(Debug, Default)]
struct Parts {
    of_packs: HashMap<Id, BTreeMap<u64, Part>>,
    /// In the order in which they came; some may be gone.
    came: VecDeque<(Id, u64)>,
    len: usize,
}

#[derive(Debug)]
struct Part {
    bytes: Vec<u8>,
    /// Number of its bytes that were not read yet; the largest of a part that stays.
    unread_len: usize,
}

impl Parts {
    fn find(&self, pack: &Id, range: &Range<u64>) -> Option<u64> {
        let (start, part) = self.of_packs.get(pack)?.range(..=range.start).next_back()?;
        (start + part.bytes.len() as u64 >= range.end).then_some(*start)
    }

    fn add(&mut self, pack: Id, start: u64, bytes: Vec<u8>, given: Given) {
        let end = start + bytes.len() as u64;
        if bytes.is_empty() || self.find(&pack, &(start..end)).is_some() {
            return;
        }
        let of_pack = self.of_packs.entry(pack).or_default();
        let within =
            of_pack.range(start..end).filter(|(at, part)| *at + part.bytes.len() as u64 <= end);
        let within: Vec<u64> = within.map(|(at, _)| *at).collect();
        for at in within {
            self.len -= of_pack.remove(&at).map_or(0, |part| part.bytes.len());
        }
        self.len += bytes.len();
        let unread_len = match given {
            Given::Once => bytes.len(),
            Given::Often => usize::MAX,
        };
        of_pack.insert(start, Part { bytes, unread_len });
        self.came.push_back((pack, start));
        while self.len > PARTS_BYTES_MAX {
            let Some((pack, start)) = self.came.pop_front() else { break };
            self.remove(&pack, start);
        }
    }

    fn remove(&mut self, pack: &Id, start: u64) {
        let Some(of_pack) = self.of_packs.get_mut(pack) else { return };
        self.len -= of_pack.remove(&start).map_or(0, |part| part.bytes.len());
        if of_pack.is_empty() {
            self.of_packs.remove(pack);
        }
        if self.of_packs.is_empty() {
            self.came.clear();
        }
    }

    /// A part that is given once goes when as many bytes of it were read as it has.
    fn copy(&mut self, pack: &Id, at: u64, out: &mut [u8]) -> bool {
        let Some(start) = self.find(pack, &(at..at + out.len() as u64)) else { return false };
        let parts = self.of_packs.get_mut(pack);
        let part = parts.and_then(|parts| parts.get_mut(&start)).expect("it was found");
        let from = (at - start) as usize;
        out.copy_from_slice(&part.bytes[from..from + out.len()]);
        if part.unread_len != usize::MAX {
            part.unread_len = part.unread_len.saturating_sub(out.len());
        }
        if part.unread_len == 0 {
            self.remove(pack, start);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACK: Id = Id([1; 32]);

    fn read(parts: &mut Parts, at: u64, len: usize) -> Option<Vec<u8>> {
        let mut out = vec![0; len];
        parts.copy(&PACK, at, &mut out).then_some(out)
    }

    #[test]
    fn a_part_is_given_until_it_was_read() {
        let mut parts = Parts::default();
        parts.add(PACK, 10, b"abcdef".into(), Given::Once);
        assert_eq!(read(&mut parts, 9, 2), None);
        assert_eq!(read(&mut parts, 14, 3), None);
        assert_eq!(read(&mut parts, 12, 2).unwrap(), b"cd");
        assert_eq!(read(&mut parts, 10, 4).unwrap(), b"abcd");
        assert_eq!((read(&mut parts, 10, 1), parts.len), (None, 0));
        parts.add(PACK, 10, b"abcdef".into(), Given::Often);
        (0..3).for_each(|_| assert_eq!(read(&mut parts, 10, 6).unwrap(), b"abcdef"));
    }

    #[test]
    fn no_part_hides_a_longer_one() {
        let mut parts = Parts::default();
        parts.add(PACK, 12, b"cd".into(), Given::Once);
        parts.add(PACK, 10, b"abcdef".into(), Given::Once);
        parts.add(PACK, 13, b"de".into(), Given::Once);
        parts.add(PACK, 14, b"efg".into(), Given::Once);
        assert_eq!(parts.len, 9);
        assert_eq!(read(&mut parts, 13, 3).unwrap(), b"def");
        assert_eq!(read(&mut parts, 14, 3).unwrap(), b"efg");
    }

    #[test]
    fn what_nobody_reads_goes() {
        let mut parts = Parts::default();
        for start in 0..5 {
            let bytes = vec![1; PARTS_BYTES_MAX / 4];
            parts.add(PACK, start * PARTS_BYTES_MAX as u64, bytes, Given::Often);
        }
        assert_eq!(read(&mut parts, 0, 1), None);
        assert!(
            parts.len <= PARTS_BYTES_MAX && read(&mut parts, PARTS_BYTES_MAX as u64, 1).is_some()
        );
    }
}
