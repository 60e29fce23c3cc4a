//! Head of a partition: its deletion and its static row.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Deletion, Frame, FrameKind, Parsed, PartitionHead, Row, Unfiltered};
use manicule_store::pages::Reading;

use crate::RowsError;
use crate::table::{DataFile, Sstable, Window, shown};

/// What a partition has before its rows.
#[derive(Clone, Debug)]
pub struct Head {
    /// Offset of the partition in the uncompressed data.
    pub position: u64,
    /// The partition's deletion; live if there is none.
    pub deletion: Deletion,
    /// Length in bytes of key, deletion and static row.
    pub len: u64,
    /// Bytes of the static row and their offset, if the table has static columns.
    statics: Option<(u64, Vec<u8>)>,
}

impl Head {
    /// A head of which the index says all: of a table without static columns.
    pub(super) fn of_index(position: u64, deletion: Deletion, len: u64) -> Self {
        Head { position, deletion, len, statics: None }
    }

    pub(crate) fn read(
        sstable: &Sstable,
        position: u64,
        window: &mut Window<'_, DataFile>,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let shape = sstable.shape();
        let (deletion, len) = window.parse("partition", position, reading, |window| {
            let head = PartitionHead::read(window, position, shape)?;
            Ok(head.map(|head| (head.deletion, head.len as u64)))
        })?;
        let mut head = Head { position, deletion, len, statics: None };
        if shape.has_statics() {
            let at = position + len;
            let frame = read_frame(window, at, sstable, reading)?;
            if frame.kind != FrameKind::Static {
                let (what, want, got) = ("static row", 1, 0);
                return Err(sstable.data().damaged(DecodeError::Corrupt { what, at, want, got }));
            }
            let bytes = window.at(at, frame.len, reading)?;
            head.statics = Some((at, bytes[..frame.len].to_vec()));
            head.len += frame.len as u64;
        }
        Ok(head)
    }

    /// The same of the partition that the index has there for a key: the data have to have it too.
    pub(crate) fn read_of(
        sstable: &Sstable,
        position: u64,
        key: &[u8],
        window: &mut Window<'_, DataFile>,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let head = Head::read(sstable, position, window, reading)?;
        let shape = sstable.shape();
        let other = window.parse("partition", position, reading, |window| {
            let head = PartitionHead::read(window, position, shape)?;
            Ok(head.map(|head| (head.key != key).then(|| head.key.to_vec())))
        })?;
        match other {
            None => Ok(head),
            Some(other) => Err(other_key(sstable, position, key, &other)),
        }
    }

    /// The static row; `None` where there is none, or one that says nothing.
    pub fn static_row(&self, sstable: &Sstable) -> Result<Option<Row<'_>>, RowsError> {
        let Some((at, bytes)) = &self.statics else { return Ok(None) };
        let damaged = |error| sstable.data().damaged(error);
        let Parsed::Done(frame) = Frame::read(bytes, *at, sstable.shape()).map_err(damaged)? else {
            return Ok(None);
        };
        match frame.open(bytes, sstable.shape()).map_err(damaged)? {
            Unfiltered::Row(row) if !row.is_empty() => Ok(Some(row)),
            _ => Ok(None),
        }
    }
}

/// Index and data have different keys at a place.
pub(crate) fn other_key(sstable: &Sstable, position: u64, want: &[u8], got: &[u8]) -> RowsError {
    let [want, got] = [want, got].map(|key| shown(sstable.header(), key));
    let what = format!(
        "by the index the partition {want} begins at offset {position}, and there is {got}: one of the \
         two is damaged"
    );
    RowsError::Contradicted { file: sstable.path().to_owned(), what }
}

/// The frame at a place, with as many bytes in the window as it has.
pub(crate) fn read_frame(
    window: &mut Window<'_, DataFile>,
    at: u64,
    sstable: &Sstable,
    reading: &mut Reading<'_>,
) -> Result<Frame, RowsError> {
    let shape = sstable.shape();
    let frame = window.parse("unfiltered", at, reading, |window| Frame::read(window, at, shape))?;
    if window.has(at, frame.len) {
        return Ok(frame);
    }
    let have = window.stream().len().saturating_sub(at);
    if frame.len as u64 > have {
        let (what, need) = ("unfiltered", frame.len as u64);
        return Err(sstable.data().damaged(DecodeError::Short { what, at, need, have }));
    }
    window.at(at, frame.len, reading)?;
    Ok(frame)
}
