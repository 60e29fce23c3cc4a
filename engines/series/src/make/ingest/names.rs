//! Which series a sample is of: by its text, as long as that was seen before.

use manicule_core::sorted::{Interner, Strings, sorted};

use crate::make::write::LabelSets;
use crate::openmetrics::{Kind, LabelSet, Sample, SyntaxError};

/// The series met so far, numbered in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Texts of series, each with its kind as last byte, and the series that they are.
    texts: Interner,
    series_of_text: Vec<u32>,
    /// The text that came after each text when it was met last: samples come in the same order
    /// again and again.
    next_text: Vec<u32>,
    last_text: usize,
    /// Label sets, encoded so that they sort as the series do.
    keys: Interner,
    sets: LabelSets,
    scratch: Vec<u8>,
}

impl Names {
    /// The series of a sample.
    #[inline]
    pub(super) fn series(&mut self, sample: &Sample<'_>) -> Result<u32, SyntaxError> {
        if sample.is_repeat {
            return Ok(self.series_of_text[self.last_text]);
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(sample.series);
        self.scratch.push(kind_byte(sample.kind));
        let text = match self.next_text.get(self.last_text) {
            Some(&next) if self.texts.get(next) == self.scratch => next,
            _ => self.texts.intern(&self.scratch),
        } as usize;
        if text == self.series_of_text.len() {
            let labels = sample.labels()?;
            let series = self.add(&labels);
            self.series_of_text.push(series);
            self.next_text.push(0);
        }
        self.next_text[self.last_text] = text as u32;
        self.last_text = text;
        Ok(self.series_of_text[text])
    }

    fn add(&mut self, labels: &LabelSet) -> u32 {
        self.scratch.clear();
        for (name, value) in labels.iter() {
            put_ordered(name, &mut self.scratch);
            put_ordered(value, &mut self.scratch);
        }
        let series = self.keys.intern(&self.scratch);
        if u64::from(series) == self.sets.series().count() {
            self.sets.push(labels.iter());
        }
        series
    }

    /// All series in the order of their labels.
    pub(super) fn sorted(&self) -> Vec<u32> {
        sorted(&self.keys)
    }

    pub(super) fn sets(&self) -> &LabelSets {
        &self.sets
    }

    pub(super) fn count(&self) -> u32 {
        self.keys.count()
    }

    /// Memory held, in bytes.
    pub(super) fn memory(&self) -> usize {
        let texts = self.texts.memory() + self.series_of_text.capacity() * 8;
        texts + self.keys.memory() + self.sets.memory()
    }
}

fn kind_byte(kind: Kind) -> u8 {
    match kind {
        Kind::Histogram => b'h',
        Kind::Summary => b's',
        Kind::Other => b'o',
    }
}

/// Appends a string so that lists of strings sort as the bytes do: 00 becomes 00 FF, and 00 01 ends
/// it.
fn put_ordered(string: &[u8], out: &mut Vec<u8>) {
    for (number, part) in string.split(|byte| *byte == 0).enumerate() {
        if number > 0 {
            out.extend_from_slice(&[0, 0xff]);
        }
        out.extend_from_slice(part);
    }
    out.extend_from_slice(&[0, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_lists_sort_as_lists() {
        let lists: &[&[&[u8]]] = &[
            &[],
            &[b""],
            &[b"", b""],
            &[b"\0"],
            &[b"\0", b"a"],
            &[b"\0\0"],
            &[b"\x01"],
            &[b"a"],
            &[b"a", b"b"],
            &[b"a\0"],
            &[b"a\x01"],
            &[b"ab"],
            &[b"\xff"],
        ];
        let mut want = lists.to_vec();
        want.sort();
        let mut got = lists.to_vec();
        got.sort_by_key(|list| {
            let mut out = Vec::new();
            list.iter().for_each(|string| put_ordered(string, &mut out));
            out
        });
        assert_eq!(got, want);
    }
}
