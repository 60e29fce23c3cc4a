//! Damages of a file: cut at the borders of its records, emptied, gone, longer, with bits flipped,
//! replaced by a folder.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::Rng;

/// One damage of a file of some length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// Ends before this byte.
    Cut(usize),
    /// Has no bytes.
    Empty,
    /// Is not there.
    Absent,
    /// Has a zero byte more.
    Longer,
    /// Has foreign bytes after its own.
    Followed,
    /// A bit of this byte is flipped.
    Flip {
        /// Index of the byte.
        at: usize,
        /// Which bit, from the lowest.
        bit: u32,
    },
    /// A folder has its name.
    Folder,
}

/// Number of cuts of a file whose records have more borders: evenly spread ones.
const CUTS_MAX: usize = 24;
/// Percent of the file between two flipped bits.
const FLIP_STEP: usize = 5;
/// Number of foreign bytes that follow a file.
const FOREIGN_LEN: usize = 100;

impl Damage {
    /// All damages of a file of `len` bytes whose records end at `borders`.
    pub fn all(len: usize, borders: &[usize]) -> Vec<Damage> {
        let mut borders: Vec<usize> =
            borders.iter().copied().filter(|border| (1..len).contains(border)).collect();
        borders.sort_unstable();
        borders.dedup();
        let step = borders.len().div_ceil(CUTS_MAX).max(1);
        let cuts = borders.into_iter().step_by(step).map(Damage::Cut);
        let last = (len > 1).then(|| Damage::Cut(len - 1));
        let whole = [Damage::Absent, Damage::Longer, Damage::Followed, Damage::Folder];
        let flips = (FLIP_STEP..100).step_by(FLIP_STEP).map(|percent| Damage::Flip {
            at: len * percent / 100,
            // Another bit each time: high ones change lengths, low ones texts.
            bit: (percent / FLIP_STEP) as u32 % 8,
        });
        let flips = flips.take(if len == 0 { 0 } else { usize::MAX });
        let empty = (len > 0).then_some(Damage::Empty);
        let mut all: Vec<Damage> =
            cuts.chain(last).chain(empty).chain(whole).chain(flips).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether what is left is a beginning of the file.
    pub fn is_cut(self) -> bool {
        matches!(self, Damage::Cut(_) | Damage::Empty)
    }

    /// Puts the damaged file in the place of the sound one of these bytes.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn put(self, path: &Path, bytes: &[u8]) {
        let mut bytes = bytes.to_vec();
        match self {
            Damage::Absent => return fs::remove_file(path).expect("it was there"),
            Damage::Folder => {
                fs::remove_file(path).expect("it was there");
                return fs::create_dir(path).expect("a folder");
            }
            Damage::Cut(len) => bytes.truncate(len),
            Damage::Empty => bytes.clear(),
            Damage::Longer => bytes.push(0),
            Damage::Followed => {
                let mut rng = Rng::new(bytes.len() as u64);
                bytes.extend((0..FOREIGN_LEN).map(|_| rng.bits() as u8));
            }
            Damage::Flip { at, bit } => bytes[at] ^= 1 << bit,
        }
        fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Cut(len) => write!(f, "cut at {len}"),
            Damage::Empty => f.write_str("empty"),
            Damage::Absent => f.write_str("absent"),
            Damage::Longer => f.write_str("one byte more"),
            Damage::Followed => f.write_str("foreign bytes after it"),
            Damage::Flip { at, bit } => write!(f, "bit {bit} of byte {at} flipped"),
            Damage::Folder => f.write_str("replaced by a folder"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_border_is_cut_once_and_the_ends_are_drawn() {
        let all = Damage::all(40, &[0, 7, 7, 30, 40]);
        let cuts: Vec<_> = all.iter().filter(|damage| damage.is_cut()).copied().collect();
        let want = [Damage::Cut(7), Damage::Cut(30), Damage::Cut(39), Damage::Empty];
        assert_eq!(cuts, want);
        assert_eq!(all.len(), want.len() + 4 + 19, "{all:?}");
    }

    #[test]
    fn an_empty_file_is_not_cut() {
        let whole = [Damage::Absent, Damage::Longer, Damage::Followed, Damage::Folder];
        assert_eq!(Damage::all(0, &[0, 3]), whole);
    }

    #[test]
    fn what_is_put_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for damage in Damage::all(50, &[10, 20]) {
            let _ = fs::remove_dir(&path);
            fs::write(&path, [7; 50]).expect("a file");
            damage.put(&path, &[7; 50]);
            assert_ne!(fs::read(&path).ok(), Some(vec![7; 50]), "{damage}");
        }
    }
}
