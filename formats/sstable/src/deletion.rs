//! Deletions: of a partition, a row, a range of rows, a collection.
//!
//! Bytes:   long: i32 local time, i64 marked at; short: 80 when there is none, else i64 marked at, u32 local time;
//!          docs/formats/sstable.md, Deletions

use manicule_core::bytes::{DecodeError, Reader};

use crate::Version;

/// A local time that is none, in seconds: nothing was deleted, nothing expires.
pub const NO_LOCAL_TIME: i64 = i64::MAX;

/// Timestamp of what was never written, in microseconds.
pub const NO_TIMESTAMP: i64 = i64::MIN;

/// Everything that was written up to a time is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deletion {
    /// What was written at this timestamp or before is deleted; microseconds since 1970.
    /// [`NO_TIMESTAMP`]: nothing is.
    pub marked_at: i64,
    /// When the deletion was made by the server's clock, in seconds since 1970. [`NO_LOCAL_TIME`]:
    /// nothing is deleted.
    pub local_time: i64,
}

/// How a deletion is written that isn't a pair of deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionForm {
    /// Twelve bytes: local time, marked at. Up to `nb`.
    Long,
    /// One byte or twelve: marked at, unsigned local time. From `oa` on.
    Short,
    /// As short, and `c0` in front of thirteen bytes for a negative time: Rows.db of ScyllaDB.
    ShortSigned,
}

impl Version {
    /// Greatest local deletion time that there are bytes for, in seconds since 1970: in 2038, from
    /// `oa` on in 2106.
    pub fn local_time_max(self) -> i64 {
        // The next is none; writers leave the one before out too.
        if self.has_unsigned_times() { i64::from(u32::MAX) - 2 } else { i64::from(i32::MAX) - 1 }
    }

    /// Form of deletions in Data.db and Index.db.
    pub fn deletion_form(self) -> DeletionForm {
        if self.has_short_deletions() { DeletionForm::Short } else { DeletionForm::Long }
    }
}

impl Deletion {
    /// No deletion.
    pub const LIVE: Deletion = Deletion { marked_at: NO_TIMESTAMP, local_time: NO_LOCAL_TIME };

    /// Whether nothing is deleted.
    #[inline]
    pub fn is_live(&self) -> bool {
        *self == Deletion::LIVE
    }

    /// Whether what was written at `timestamp` is deleted.
    #[inline]
    pub fn deletes(&self, timestamp: i64) -> bool {
        !self.is_live() && timestamp <= self.marked_at
    }

    /// Whether this one is kept of the two: the later mark, and of equal marks the later local
    /// time.
    #[inline]
    pub fn supersedes(&self, other: &Deletion) -> bool {
        (self.marked_at, self.local_time) > (other.marked_at, other.local_time)
    }

    /// Reads one in a form.
    pub fn read(reader: &mut Reader<'_>, form: DeletionForm) -> Result<Deletion, DecodeError> {
        if form == DeletionForm::Long {
            let local_time = signed_local_time(reader.u32_be("local time of a deletion")?);
            let marked_at = reader.u64_be("time of a deletion")? as i64;
            return Ok(Deletion { marked_at, local_time });
        }
        let (what, at) = ("deletion", reader.at());
        match reader.rest().first() {
            Some(0x80) => {
                reader.take(what, 1)?;
                return Ok(Deletion::LIVE);
            }
            Some(0xc0) if form == DeletionForm::ShortSigned => {
                reader.take(what, 1)?;
            }
            Some(&got @ 0x80..) => {
                return Err(DecodeError::Corrupt { what, at, want: 0x80, got: got.into() });
            }
            _ => {}
        }
        let marked_at = reader.u64_be("time of a deletion")? as i64;
        let local_time = unsigned_local_time(reader.u32_be("local time of a deletion")?);
        Ok(Deletion { marked_at, local_time })
    }

    /// Appends it in a form. In the short one a negative mark has no bytes.
    ///
    /// # Panics
    /// If the form is short, there is a deletion and its mark is negative.
    pub fn put(&self, form: DeletionForm, out: &mut Vec<u8>) {
        let local_time = |none: u32| match self.local_time {
            NO_LOCAL_TIME => none,
            time => time as u32,
        };
        if form == DeletionForm::Long {
            out.extend_from_slice(&local_time(i32::MAX as u32).to_be_bytes());
            out.extend_from_slice(&self.marked_at.to_be_bytes());
            return;
        }
        if self.is_live() {
            out.push(0x80);
            return;
        }
        if self.marked_at < 0 {
            assert!(form == DeletionForm::ShortSigned, "a negative mark has no short form");
            out.push(0xc0);
        }
        out.extend_from_slice(&self.marked_at.to_be_bytes());
        out.extend_from_slice(&local_time(u32::MAX).to_be_bytes());
    }
}

/// A local time of 32 signed bits.
#[inline]
pub(crate) fn signed_local_time(bits: u32) -> i64 {
    match bits as i32 {
        i32::MAX => NO_LOCAL_TIME,
        seconds => seconds.into(),
    }
}

/// The 32 bits of a local time, signed or not.
///
/// # Panics
/// If it has no such bits: callers have compared it with [`Version::local_time_max`].
#[inline]
pub(crate) fn local_time_bits(time: i64, is_unsigned: bool) -> u32 {
    match (time, is_unsigned) {
        (NO_LOCAL_TIME, true) => u32::MAX,
        (NO_LOCAL_TIME, false) => i32::MAX as u32,
        (time, true) => u32::try_from(time).expect("a time until 2106"),
        (time, false) => i32::try_from(time).expect("a time until 2038") as u32,
    }
}

/// A local time of 32 unsigned bits.
#[inline]
pub(crate) fn unsigned_local_time(bits: u32) -> i64 {
    match bits {
        u32::MAX => NO_LOCAL_TIME,
        seconds => seconds.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [DeletionForm; 3] =
        [DeletionForm::Long, DeletionForm::Short, DeletionForm::ShortSigned];

    #[test]
    fn deletions_read_back_in_every_form() {
        let marks = [0, 5, i64::MAX];
        let times = [0, 1_700_000_000, i64::from(i32::MAX) - 1];
        for (form, marked_at) in FORMS.into_iter().flat_map(|form| marks.map(|mark| (form, mark))) {
            for local_time in times {
                let deletion = Deletion { marked_at, local_time };
                let mut bytes = Vec::new();
                deletion.put(form, &mut bytes);
                assert_eq!(bytes.len(), 12);
                assert_eq!(Deletion::read(&mut Reader::new(&bytes, 0), form), Ok(deletion));
                assert!(Deletion::read(&mut Reader::new(&bytes[..11], 0), form).is_err());
            }
        }
        let late = Deletion { marked_at: 1, local_time: 4_000_000_000 };
        let mut bytes = Vec::new();
        late.put(DeletionForm::Short, &mut bytes);
        assert_eq!(Deletion::read(&mut Reader::new(&bytes, 0), DeletionForm::Short), Ok(late));
    }

    #[test]
    fn no_deletion_is_twelve_bytes_or_one() {
        let long = [0x7f, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0];
        for (form, want) in FORMS.into_iter().zip([&long[..], &[0x80], &[0x80]]) {
            let mut bytes = Vec::new();
            Deletion::LIVE.put(form, &mut bytes);
            assert_eq!(bytes, want);
            assert_eq!(Deletion::read(&mut Reader::new(want, 0), form), Ok(Deletion::LIVE));
        }
        assert!(Deletion::LIVE.is_live() && !Deletion::LIVE.deletes(i64::MIN));
    }

    #[test]
    fn a_negative_mark_is_scyllas() {
        let deletion = Deletion { marked_at: -2, local_time: 7 };
        let mut bytes = Vec::new();
        deletion.put(DeletionForm::ShortSigned, &mut bytes);
        assert_eq!(bytes, [0xc0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 7]);
        let read = |form| Deletion::read(&mut Reader::new(&bytes, 40), form);
        assert_eq!(read(DeletionForm::ShortSigned), Ok(deletion));
        let want = DecodeError::Corrupt { what: "deletion", at: 40, want: 0x80, got: 0xc0 };
        assert_eq!(read(DeletionForm::Short), Err(want));
    }

    #[test]
    fn the_later_one_supersedes() {
        let deletion = |marked_at, local_time| Deletion { marked_at, local_time };
        assert!(deletion(2, 0).supersedes(&deletion(1, 9)));
        assert!(deletion(2, 9).supersedes(&deletion(2, 8)));
        assert!(!deletion(2, 9).supersedes(&deletion(2, 9)));
        assert!(deletion(-5, 0).supersedes(&Deletion::LIVE) && deletion(3, 0).deletes(3));
    }
}
