//! Rows: a series as the number of its set of names, and for each of these the number of a value.
//!
//! Bytes:   docs/formats/labels.md, section Part

use manicule_core::bytes::{DecodeError, Reader, put_uvarint};

use crate::Part;

/// A series of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Its set of names.
    pub set: u32,
    /// Each of them, with the value.
    pub labels: Vec<(u32, u32)>,
}

/// Appends a series.
pub fn put_row(set: u32, values: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    std::iter::once(set).chain(values).for_each(|number| put_uvarint(number.into(), out));
}

/// The series of a part, one after the other.
#[derive(Clone, Debug)]
pub struct Rows<'p, 'a> {
    part: &'p Part<'a>,
    reader: Reader<'p>,
    left: u32,
}

impl<'p, 'a> Rows<'p, 'a> {
    /// The series of a part whose rows begin at an offset of the file.
    pub fn new(part: &'p Part<'a>, at: u64) -> Self {
        Rows { part, reader: Reader::new(&part.rows, at), left: part.row_count }
    }

    /// Reads the next series into `row`; `false` after the last.
    pub fn read(&mut self, row: &mut Row) -> Result<bool, DecodeError> {
        let Some(left) = self.left.checked_sub(1) else { return self.end() };
        self.left = left;
        let part = self.part;
        row.set = number(&mut self.reader, "a series' set", part.sets.len())?;
        row.labels.clear();
        for &name in &part.sets[row.set as usize] {
            let count = part.values[name as usize].len();
            row.labels.push((name, number(&mut self.reader, "a series' value", count)?));
        }
        Ok(true)
    }

    /// Reads all of them.
    pub(crate) fn check(mut self) -> Result<(), DecodeError> {
        let mut row = Row::default();
        while self.read(&mut row)? {}
        Ok(())
    }

    fn end(&self) -> Result<bool, DecodeError> {
        let (at, got) = (self.reader.at(), self.reader.rest().len() as u64);
        if got > 0 {
            let what = "bytes behind the last series";
            return Err(DecodeError::Corrupt { what, at, want: 0, got });
        }
        Ok(false)
    }
}

fn number(reader: &mut Reader<'_>, what: &'static str, end: usize) -> Result<u32, DecodeError> {
    let (at, want) = (reader.at(), end as u64);
    let got = reader.uvarint(what)?;
    match u32::try_from(got) {
        Ok(number) if got < want => Ok(number),
        _ => Err(DecodeError::Corrupt { what, at, want, got }),
    }
}
