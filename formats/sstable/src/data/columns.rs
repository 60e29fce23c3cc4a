//! Which columns of the header's list a row has.
//!
//! Bytes:   below 64 columns a vint of bits, set where a column is missing; else a vint number of missing ones, and vints of
//!          the present or of the missing, whichever are fewer; docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use crate::vint::ReadVint;

/// From this number of columns on they are listed.
pub(super) const LISTED_FROM: usize = 64;

/// The columns that a row has, as indexes into the header's list, ascending.
#[derive(Clone, Copy, Debug)]
pub(super) enum Columns<'a> {
    /// A bit for each that is still to come.
    Bits(u64),
    /// Those listed.
    Present { list: Reader<'a>, left: usize },
    /// All but those listed; `next` is the next column, `gap` the next that is missing.
    Missing { list: Reader<'a>, next: usize, gap: usize, count: usize },
}

impl<'a> Columns<'a> {
    /// All of them.
    #[inline]
    pub(super) fn all(count: usize) -> Columns<'static> {
        if count < LISTED_FROM {
            return Columns::Bits((1 << count) - 1);
        }
        Columns::Missing { list: Reader::new(&[], 0), next: 0, gap: count, count }
    }

    /// Reads which of `count` there are. Lists are checked here, so that [`Columns::next`] can't
    /// fail.
    pub(super) fn read(r: &mut Reader<'a>, count: usize) -> Result<Columns<'a>, DecodeError> {
        let (what, at) = ("columns of a row", r.at());
        let number = r.vint(what)?;
        if count < LISTED_FROM {
            let all = (1u64 << count) - 1;
            return match number & !all {
                0 => Ok(Columns::Bits(all & !number)),
                got => {
                    Err(DecodeError::Corrupt { what: "bits beyond the columns", at, want: 0, got })
                }
            };
        }
        if number > count as u64 {
            let what = "number of missing columns";
            return Err(DecodeError::Corrupt { what, at, want: count as u64, got: number });
        }
        let missing = number as usize;
        let present = count - missing;
        let list = *r;
        if missing != 0 && present < count / 2 {
            check_list(r, present, count)?;
            return Ok(Columns::Present { list, left: present });
        }
        check_list(r, missing, count)?;
        let list = Reader::new(&list.rest()[..list.rest().len() - r.rest().len()], list.at());
        let mut columns = Columns::Missing { list, next: 0, gap: 0, count };
        columns.next_gap();
        Ok(columns)
    }

    fn next_gap(&mut self) {
        if let Columns::Missing { list, gap, count, .. } = self {
            *gap = list.vint("column").map_or(*count, |column| column as usize);
        }
    }

    /// The index of the next column.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        match self {
            Columns::Bits(0) => None,
            Columns::Bits(bits) => {
                let column = bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                Some(column)
            }
            Columns::Present { left: 0, .. } => None,
            Columns::Present { list, left } => {
                *left -= 1;
                list.vint("column").ok().map(|column| column as usize)
            }
            Columns::Missing { .. } => self.next_not_missing(),
        }
    }

    fn next_not_missing(&mut self) -> Option<usize> {
        while let Columns::Missing { next, gap, count, .. } = self {
            let column = *next;
            if column >= *count {
                return None;
            }
            *next += 1;
            if column != *gap {
                return Some(column);
            }
            self.next_gap();
        }
        None
    }

    /// Whether none is left.
    pub(super) fn is_empty(mut self) -> bool {
        self.next().is_none()
    }
}

/// Passes over a list of indexes, which have to be below `count` and ascend.
fn check_list(r: &mut Reader<'_>, len: usize, count: usize) -> Result<(), DecodeError> {
    let mut least = 0;
    for _ in 0..len {
        let (what, at) = ("index of a column", r.at());
        let column = r.vint(what)?;
        if column < least || column >= count as u64 {
            let want = if column < least { least } else { count as u64 - 1 };
            return Err(DecodeError::Corrupt { what, at, want, got: column });
        }
        least = column + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(count: usize, bytes: &[u8], want: &[usize]) {
        let mut r = Reader::new(bytes, 0);
        let mut columns = Columns::read(&mut r, count).unwrap();
        assert!(r.rest().is_empty());
        let got: Vec<usize> = std::iter::from_fn(|| columns.next()).collect();
        assert_eq!(got, want, "{bytes:?} of {count}");
    }

    #[test]
    fn below_64_missing_columns_are_bits() {
        check(3, &[0b010], &[0, 2]);
        check(3, &[0], &[0, 1, 2]);
        check(0, &[0], &[]);
        assert!(Columns::read(&mut Reader::new(&[8], 0), 3).is_err());
        check(63, &[0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe], &[0]);
    }

    #[test]
    fn from_64_on_the_fewer_are_listed() {
        check(70, &[0x80, 68, 3, 69], &[3, 69]);
        let all_but: Vec<usize> = (0..70).filter(|column| ![0, 5, 69].contains(column)).collect();
        check(70, &[3, 0, 5, 69], &all_but);
        check(70, &[0], &(0..70).collect::<Vec<_>>());
        check(70, &[0x80, 70], &[]);
        let all = Columns::all(70);
        let mut listed = all;
        assert_eq!(std::iter::from_fn(|| listed.next()).count(), 70);
        for bytes in [&[2, 5, 5][..], &[2, 5, 4], &[1, 70], &[71], &[2, 5]] {
            assert!(Columns::read(&mut Reader::new(bytes, 0), 70).is_err(), "{bytes:?}");
        }
    }
}
