//! Rows that follow each other: of each column the kinds of its values, and their texts.
//!
//! A column as bytes:  | count × 4 kinds | count × 4 ends | texts |, numbers little-endian

use manicule_core::bytes::{DecodeError, Reader};

/// Kind of a value that lacks.
const LACKS: u32 = u32::MAX;

/// A value: the number of its kind, and its text.
pub(crate) type Staged<'c> = (u32, &'c str);

/// Values of a column.
#[derive(Debug, Default)]
pub(super) struct StagedColumn {
    kinds: Vec<u32>,
    /// Where each text ends.
    ends: Vec<u32>,
    texts: String,
}

impl StagedColumn {
    pub(super) fn push(&mut self, value: Option<Staged<'_>>) {
        let (kind, text) = value.unwrap_or((LACKS, ""));
        self.kinds.push(kind);
        self.texts.push_str(text);
        self.ends.push(u32::try_from(self.texts.len()).expect("a chunk has less than 4 GiB"));
    }

    /// Its values, from the first on.
    pub(super) fn values(&self) -> impl Iterator<Item = Option<Staged<'_>>> {
        let mut start = 0;
        self.kinds.iter().zip(&self.ends).map(move |(&kind, &end)| {
            let text = &self.texts[start..end as usize];
            start = end as usize;
            (kind != LACKS).then_some((kind, text))
        })
    }

    /// Bytes that it holds.
    fn len(&self) -> usize {
        self.texts.len() + 4 * (self.kinds.len() + self.ends.len())
    }
}

/// Rows that follow each other.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(super) columns: Vec<StagedColumn>,
    row_count: usize,
}

impl Chunk {
    /// No rows of some columns.
    pub(super) fn new(column_count: usize) -> Chunk {
        let columns = (0..column_count).map(|_| StagedColumn::default()).collect();
        Chunk { columns, row_count: 0 }
    }

    pub(super) fn end_row(&mut self) {
        self.row_count += 1;
    }

    pub(crate) fn row_count(&self) -> usize {
        self.row_count
    }

    /// The values of a column, from the first row on.
    pub(crate) fn values(&self, at: usize) -> impl Iterator<Item = Option<Staged<'_>>> {
        self.columns[at].values()
    }

    /// Bytes that it holds.
    pub(super) fn len(&self) -> usize {
        self.columns.iter().map(StagedColumn::len).sum()
    }

    /// It as bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        for column in &self.columns {
            let numbers = column.kinds.iter().chain(&column.ends);
            numbers.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            bytes.extend_from_slice(column.texts.as_bytes());
        }
        bytes
    }

    /// That of bytes, which a file has held.
    pub(super) fn of_bytes(
        bytes: &[u8],
        column_count: usize,
        row_count: usize,
    ) -> Result<Chunk, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let numbers = |reader: &mut Reader<'_>, what| -> Result<Vec<u32>, DecodeError> {
            let (all, _) = reader.take(what, 4 * row_count)?.as_chunks();
            Ok(all.iter().map(|number| u32::from_le_bytes(*number)).collect())
        };
        let mut column = || {
            let kinds = numbers(&mut reader, "kinds")?;
            let ends = numbers(&mut reader, "ends of texts")?;
            let len = ends.last().map_or(0, |end| *end as usize);
            let texts = String::from_utf8_lossy(reader.take("texts", len)?).into_owned();
            Ok(StagedColumn { kinds, ends, texts })
        };
        let columns = (0..column_count).map(|_| column()).collect::<Result<_, DecodeError>>()?;
        Ok(Chunk { columns, row_count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_reads_back_from_its_bytes() {
        let rows = [[Some((0, "é")), None], [Some((7, "")), Some((1, "b"))], [None, None]];
        let mut chunk = Chunk::new(2);
        for row in rows {
            chunk.columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            chunk.end_row();
        }
        let bytes = chunk.to_bytes();
        assert_eq!(bytes.len(), chunk.len());
        let read = Chunk::of_bytes(&bytes, 2, 3).unwrap();
        for at in 0..2 {
            let want: Vec<Option<Staged<'_>>> = rows.iter().map(|row| row[at]).collect();
            assert_eq!(chunk.values(at).collect::<Vec<_>>(), want);
            assert_eq!(read.values(at).collect::<Vec<_>>(), want);
        }
        assert!(Chunk::of_bytes(&bytes[..bytes.len() - 1], 2, 3).is_err());
    }
}
