//! The serialization header: columns of the table and the bases of the times in Data.db.
//!
//! Bytes:   vint timestamp, vint deletion time, vint ttl; vbytes key type; vint n, n x vbytes clustering type; twice vint n,
//!          n x (vbytes name, vbytes type), docs/formats/sstable.md, Header

use manicule_core::bytes::{DecodeError, Reader};

use crate::Version;
use crate::deletion::{Deletion, signed_local_time, unsigned_local_time};
use crate::error::SstableError;
use crate::shortened::shortened;
use crate::types::Type;
use crate::vint::{ReadVint, put_vint};

/// Microseconds from 1970 to 2015-09-22: the timestamp that is stored as 0.
pub const TIMESTAMP_EPOCH: i64 = 1_442_880_000_000_000;

/// Seconds from 1970 to 2015-09-22: the deletion time that is stored as 0.
pub const DELETION_TIME_EPOCH: u32 = 1_442_880_000;

/// A column that isn't of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in bytes of UTF-8.
    pub name: Vec<u8>,
    /// Its type.
    pub kind: Type,
}

/// Sort key of the columns of a row, by their names and whether they are complex: simple ones come
/// first.
///
/// Trap: of two names the first six bytes decide, and by their first one those from 0x80 on come
/// before ASCII.
pub fn column_key(name: &[u8], is_complex: bool) -> impl Ord {
    let mut front = [0; 6];
    let len = name.len().min(front.len());
    front[..len].copy_from_slice(&name[..len]);
    front[0] ^= 0x80;
    (is_complex, front, name)
}

/// What Data.db can't be read without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the table: whether deletion times are signed.
    pub version: Version,
    /// Timestamps are stored as differences to it, in microseconds since 1970.
    pub base_timestamp: i64,
    /// Local deletion times are stored as differences to it: 32 bits of seconds since 1970.
    pub base_deletion_time: u32,
    /// TTLs are stored as differences to it, in seconds.
    pub base_ttl: u32,
    /// Type of the partition key.
    pub key: Type,
    /// Types of the clustering columns. Their names, and those of the key, are not in the file.
    pub clustering: Vec<Type>,
    /// Static columns, in the order of their cells.
    pub statics: Vec<Column>,
    /// Regular columns, in the order of their cells.
    pub regulars: Vec<Column>,
}

impl Header {
    /// Reads a header.
    pub fn read(reader: &mut Reader<'_>, version: Version) -> Result<Header, SstableError> {
        let timestamp = reader.vint("base timestamp")?;
        let deletion_time = reader.vint("base deletion time")?;
        let ttl = reader.vint("base ttl")?;
        Ok(Header {
            version,
            base_timestamp: TIMESTAMP_EPOCH.wrapping_add(timestamp as i64),
            base_deletion_time: DELETION_TIME_EPOCH.wrapping_add(deletion_time as u32),
            base_ttl: ttl as u32,
            key: read_type(reader, "type of the partition key")?,
            clustering: many(reader, "number of clustering columns", |reader| {
                read_type(reader, "type of a clustering column")
            })?,
            statics: read_columns(reader, "number of static columns")?,
            regulars: read_columns(reader, "number of regular columns")?,
        })
    }

    /// Appends it.
    pub fn put(&self, out: &mut Vec<u8>) {
        put_vint(self.base_timestamp.wrapping_sub(TIMESTAMP_EPOCH) as u64, out);
        // Both are numbers of 32 signed bits, and so is what the writers store of them.
        let deletion_time = self.base_deletion_time.wrapping_sub(DELETION_TIME_EPOCH);
        put_vint(i64::from(deletion_time as i32) as u64, out);
        put_vint(i64::from(self.base_ttl as i32) as u64, out);
        put_type(&self.key, out);
        put_vint(self.clustering.len() as u64, out);
        self.clustering.iter().for_each(|kind| put_type(kind, out));
        for columns in [&self.statics, &self.regulars] {
            put_vint(columns.len() as u64, out);
            for column in columns {
                put_vint(column.name.len() as u64, out);
                out.extend_from_slice(&column.name);
                put_type(&column.kind, out);
            }
        }
    }

    /// The timestamp that a difference stands for, in microseconds since 1970.
    #[inline]
    pub fn timestamp(&self, delta: u64) -> i64 {
        self.base_timestamp.wrapping_add(delta as i64)
    }

    /// The local deletion time that a difference stands for, in seconds since 1970;
    /// [`NO_LOCAL_TIME`](crate::NO_LOCAL_TIME) for none.
    #[inline]
    pub fn local_time(&self, delta: u64) -> i64 {
        let bits = self.base_deletion_time.wrapping_add(delta as u32);
        if self.version.has_unsigned_times() {
            unsigned_local_time(bits)
        } else {
            signed_local_time(bits)
        }
    }

    /// The base of local deletion times as a number, in seconds since 1970: -1 where a signed one
    /// has all bits set.
    pub fn base_local_time(&self) -> i64 {
        if self.version.has_unsigned_times() {
            self.base_deletion_time.into()
        } else {
            self.base_deletion_time.cast_signed().into()
        }
    }

    /// The TTL that a difference stands for, in seconds. Below 0 only in damaged files.
    #[inline]
    pub fn ttl(&self, delta: u64) -> i32 {
        self.base_ttl.wrapping_add(delta as u32) as i32
    }

    /// Reads a deletion of a row, a range or a collection: two differences, timestamp first.
    pub fn deletion(&self, reader: &mut Reader<'_>) -> Result<Deletion, DecodeError> {
        let marked_at = self.timestamp(reader.vint("time of a deletion")?);
        let local_time = self.local_time(reader.vint("local time of a deletion")?);
        Ok(Deletion { marked_at, local_time })
    }

    /// Static or regular columns.
    pub fn columns(&self, is_static: bool) -> &[Column] {
        if is_static { &self.statics } else { &self.regulars }
    }
}

/// Appends the name of a type with its length in front.
fn put_type(kind: &Type, out: &mut Vec<u8>) {
    let name = kind.to_string();
    put_vint(name.len() as u64, out);
    out.extend_from_slice(name.as_bytes());
}

/// Reads a number and as many items. Nothing is set aside by the number alone.
pub(crate) fn many<'a, T>(
    reader: &mut Reader<'a>,
    what: &'static str,
    mut each: impl FnMut(&mut Reader<'a>) -> Result<T, SstableError>,
) -> Result<Vec<T>, SstableError> {
    let count = reader.length(what)?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(each(reader)?);
    }
    Ok(items)
}

/// Reads the name of a type with its length in front.
pub(crate) fn read_type(reader: &mut Reader<'_>, what: &'static str) -> Result<Type, SstableError> {
    let at = reader.at();
    let bytes = reader.vbytes(what)?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(SstableError::Text { what, at, want: "UTF-8", got: shortened(bytes) });
    };
    Type::parse(text).map_err(|source| SstableError::Type { what, at, source })
}

/// In the order of their cells: complex columns come last whatever the list says, which in some of
/// ScyllaDB's files goes by the names.
fn read_columns(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<Column>, SstableError> {
    let mut columns = many(reader, what, read_column)?;
    columns.sort_by_key(|column| column.kind.is_complex());
    Ok(columns)
}

fn read_column(reader: &mut Reader<'_>) -> Result<Column, SstableError> {
    let name = reader.vbytes("name of a column")?.to_vec();
    Ok(Column { name, kind: read_type(reader, "type of a column")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NO_LOCAL_TIME;

    fn header(version: Version, base_deletion_time: u32) -> Header {
        Header {
            version,
            base_timestamp: -5,
            base_deletion_time,
            base_ttl: 600,
            key: Type::Int,
            clustering: Vec::new(),
            statics: Vec::new(),
            regulars: Vec::new(),
        }
    }

    #[test]
    fn columns_are_simple_ones_first_then_by_name() {
        let key = |name: &'static str| column_key(name.as_bytes(), false);
        let mut names = ["é", "\u{80}", "a", "ab", "abcdefgh", "abcdefgi", "b", "z"];
        names.sort_by(|left, right| key(left).cmp(&key(right)));
        assert_eq!(names, ["\u{80}", "é", "a", "ab", "abcdefgh", "abcdefgi", "b", "z"]);
        assert!(column_key(b"a", true) > column_key(b"z", false));
        assert!(column_key(b"a", true) < column_key(b"b", true));
    }

    #[test]
    fn differences_wrap_as_the_writers_do() {
        let old = header(Version::Me, DELETION_TIME_EPOCH);
        assert_eq!((old.timestamp(3), old.timestamp(u64::MAX)), (-2, -6));
        assert_eq!(old.timestamp((i64::MIN + 5) as u64), i64::MIN);
        assert_eq!((old.ttl(5), old.ttl(u64::from(u32::MAX))), (605, 599));
        let none = u64::from(i32::MAX as u32 - DELETION_TIME_EPOCH);
        assert_eq!((old.local_time(none), old.local_time(none - 1)), (NO_LOCAL_TIME, 0x7fff_fffe));
        assert_eq!(old.local_time(none + 1), i64::from(i32::MIN));
        // From oa on: 32 bits without a sign, the difference extended by its sign.
        let new = header(Version::Oa, 1_700_000_000);
        let none = i64::from(u32::MAX.wrapping_sub(1_700_000_000) as i32) as u64;
        assert_eq!((new.local_time(none), new.local_time(none - 1)), (NO_LOCAL_TIME, 0xffff_fffe));
        assert_eq!(new.local_time(447_483_647), i64::from(i32::MAX));
        // As ScyllaDB writes it where nothing is deleted.
        assert_eq!(header(Version::Mc, u32::MAX).base_local_time(), -1);
        assert_eq!(header(Version::Oa, u32::MAX).base_local_time(), 0xffff_ffff);
    }

    #[test]
    fn a_header_is_read_in_the_order_of_its_bytes() {
        let mut bytes = vec![1, 0, 5, 9];
        bytes.extend_from_slice(b"Int32Type");
        bytes.extend_from_slice(&[1, 23]);
        bytes.extend_from_slice(b"ReversedType(UTF8Type) ");
        bytes.extend_from_slice(&[0, 1, 1, b'v', 8]);
        bytes.extend_from_slice(b"ByteType");
        let read = |bytes: &[u8]| Header::read(&mut Reader::new(bytes, 100), Version::Me);
        let header = read(&bytes).expect("a header");
        assert_eq!(header.base_timestamp, TIMESTAMP_EPOCH + 1);
        assert_eq!((header.base_deletion_time, header.base_ttl), (DELETION_TIME_EPOCH, 5));
        assert_eq!(header.clustering, [Type::Reversed(Box::new(Type::Text))]);
        let column = Column { name: b"v".to_vec(), kind: Type::Tinyint };
        assert_eq!((header.columns(true), header.columns(false)), (&[][..], &[column][..]));
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_err(), "{cut}");
        }
        bytes[8] = b')';
        let error = read(&bytes).expect_err("no type").to_string();
        let want = "type of the partition key at offset 103: type name at byte 4: wanted the end";
        assert!(error.starts_with(want), "{error}");
    }
}
