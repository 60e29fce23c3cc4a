//! What a parser or writer of rows needs to know of a table: widths of its clustering and columns,
//! bases of its times.
//!
//! Made once for a table, so that no type is asked for a cell.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use crate::deletion::{
    Deletion, DeletionForm, local_time_bits, signed_local_time, unsigned_local_time,
};
use crate::header::{Column, Header};
use crate::types::Type;
use crate::vint::{ReadVint, put_vint};

/// Number of clustering values that share a header of two bits each.
const GROUP_LEN: usize = 32;

/// How rows of a table are laid out.
#[derive(Clone, Debug)]
pub struct RowShape {
    clustering: Vec<Width>,
    /// Length of a full clustering without null or empty values, header included, where all widths
    /// are fixed.
    plain_clustering_len: Option<usize>,
    statics: Vec<ColumnShape>,
    regulars: Vec<ColumnShape>,
    base_timestamp: i64,
    base_local_time: u32,
    base_ttl: i32,
    has_unsigned_times: bool,
    deletion_form: DeletionForm,
}

/// Width of a value in bytes; `None`: its length is stored with it.
type Width = Option<usize>;

/// How a column's cells are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnShape {
    /// A collection or a user type that isn't frozen: several cells with paths.
    pub(super) is_complex: bool,
    pub(super) width: Width,
}

impl RowShape {
    /// The shape of a table's rows, from the header in Statistics.db.
    pub fn new(header: &Header) -> RowShape {
        let version = header.version;
        let clustering: Vec<Width> = header.clustering.iter().map(Type::fixed_width).collect();
        let columns = |columns: &[Column]| {
            let shape = |column: &Column| {
                let (is_complex, width) = (column.kind.is_complex(), column.kind.fixed_width());
                ColumnShape { is_complex, width }
            };
            columns.iter().map(shape).collect()
        };
        RowShape {
            plain_clustering_len: plain_len(&clustering),
            clustering,
            statics: columns(&header.statics),
            regulars: columns(&header.regulars),
            base_timestamp: header.base_timestamp,
            base_local_time: header.base_deletion_time,
            base_ttl: header.base_ttl as i32,
            has_unsigned_times: version.has_unsigned_times(),
            deletion_form: version.deletion_form(),
        }
    }

    /// Number of clustering columns.
    pub fn clustering_count(&self) -> usize {
        self.clustering.len()
    }

    /// Whether each partition has a static row.
    pub fn has_statics(&self) -> bool {
        !self.statics.is_empty()
    }

    /// Form of the deletions that aren't pairs of differences.
    pub fn deletion_form(&self) -> DeletionForm {
        self.deletion_form
    }

    #[inline]
    pub(super) fn columns(&self, is_static: bool) -> &[ColumnShape] {
        if is_static { &self.statics } else { &self.regulars }
    }

    /// Number of values of a marker or of a block's name, which are no more than there are
    /// clustering columns.
    pub(crate) fn prefix_len(&self, r: &mut Reader<'_>) -> Result<usize, DecodeError> {
        let (what, at) = ("number of clustering values", r.at());
        let got = r.u16_be(what)?.into();
        let want = self.clustering.len();
        if got <= want {
            Ok(got)
        } else {
            let (want, got) = (want as u64, got as u64);
            Err(DecodeError::Corrupt { what, at, want, got })
        }
    }

    /// Passes over the first `count` values of a clustering, and their headers.
    #[inline]
    pub(crate) fn skip_clustering(
        &self,
        r: &mut Reader<'_>,
        count: usize,
    ) -> Result<(), DecodeError> {
        if let (Some(len), Some(0)) = (self.plain_clustering_len, r.rest().first())
            && count == self.clustering.len()
        {
            r.take("clustering", len)?;
            return Ok(());
        }
        self.skip_values(r, count)
    }

    fn skip_values(&self, r: &mut Reader<'_>, count: usize) -> Result<(), DecodeError> {
        for group in self.clustering[..count].chunks(GROUP_LEN) {
            let at = r.at();
            let mut header = r.vint("header of clustering values")?;
            for width in group {
                match (header & 3, width) {
                    (0, Some(width)) => drop(r.take("clustering value", *width)?),
                    (0, None) => drop(r.vbytes("clustering value")?),
                    (3, _) => {
                        let what = "header of clustering values";
                        return Err(DecodeError::Corrupt { what, at, want: 2, got: 3 });
                    }
                    _ => {}
                }
                header >>= 2;
            }
            if header != 0 {
                let what = "bits beyond the clustering values";
                return Err(DecodeError::Corrupt { what, at, want: 0, got: header });
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn timestamp(&self, r: &mut Reader<'_>) -> Result<i64, DecodeError> {
        Ok(self.base_timestamp.wrapping_add(r.vint("timestamp")? as i64))
    }

    #[inline]
    pub(super) fn local_time(&self, r: &mut Reader<'_>) -> Result<i64, DecodeError> {
        let bits = self.base_local_time.wrapping_add(r.vint("local deletion time")? as u32);
        Ok(if self.has_unsigned_times {
            unsigned_local_time(bits)
        } else {
            signed_local_time(bits)
        })
    }

    #[inline]
    pub(super) fn ttl(&self, r: &mut Reader<'_>) -> Result<i32, DecodeError> {
        Ok(self.base_ttl.wrapping_add(r.vint("time to live")? as i32))
    }

    pub(super) fn put_timestamp(&self, timestamp: i64, out: &mut Vec<u8>) {
        put_vint(timestamp.wrapping_sub(self.base_timestamp) as u64, out);
    }

    /// Writers extend a difference of 32 bits by its sign.
    pub(super) fn put_local_time(&self, time: i64, out: &mut Vec<u8>) {
        let bits = local_time_bits(time, self.has_unsigned_times);
        put_vint(i64::from(bits.wrapping_sub(self.base_local_time) as i32) as u64, out);
    }

    pub(super) fn put_ttl(&self, ttl: i32, out: &mut Vec<u8>) {
        put_vint(i64::from(ttl.wrapping_sub(self.base_ttl)) as u64, out);
    }

    pub(super) fn put_deletion(&self, deletion: Deletion, out: &mut Vec<u8>) {
        self.put_timestamp(deletion.marked_at, out);
        self.put_local_time(deletion.local_time, out);
    }

    /// A deletion as differences: the timestamp comes first.
    #[inline]
    pub(super) fn deletion(&self, r: &mut Reader<'_>) -> Result<Deletion, DecodeError> {
        Ok(Deletion { marked_at: self.timestamp(r)?, local_time: self.local_time(r)? })
    }
}

/// Length of a clustering whose values are all there, where it is the same for all rows.
fn plain_len(clustering: &[Width]) -> Option<usize> {
    let values: Option<usize> = clustering.iter().copied().sum();
    // A header of several bytes is of 32 values at most; a single one of no bits is one byte.
    values.filter(|_| (1..=GROUP_LEN).contains(&clustering.len())).map(|len| len + 1)
}
