//! Clustering prefixes: places among the rows of a partition, of rows themselves and of bounds.
//!
//! Bytes:   for each group of 32 components a vint with two bits a component from the low end (01 empty, 10 null), then
//!          the values that are neither, bare if their type has a fixed width,
//!          docs/formats/sstable.md, Clustering

use std::cmp::Ordering;

use manicule_core::bytes::{DecodeError, Reader};

use crate::types::{Type, Value, compare_values};
use crate::vint::{ReadVint, put_vint};

/// Kind of a prefix: a row, or a bound and the side of it that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PrefixKind {
    /// End before everything that has the prefix: `)`.
    ExclusiveEnd = 0,
    /// Start with everything that has the prefix: `[`.
    InclusiveStart = 1,
    /// A boundary between two ranges, before everything that has the prefix: `)[`.
    ExclusiveEndInclusiveStart = 2,
    /// The static row; never written as a place.
    Static = 3,
    /// A row.
    Row = 4,
    /// A boundary between two ranges, after everything that has the prefix: `](`.
    InclusiveEndExclusiveStart = 5,
    /// End with everything that has the prefix: `]`.
    InclusiveEnd = 6,
    /// Start after everything that has the prefix: `(`.
    ExclusiveStart = 7,
}

impl PrefixKind {
    const ALL: [PrefixKind; 8] = [
        PrefixKind::ExclusiveEnd,
        PrefixKind::InclusiveStart,
        PrefixKind::ExclusiveEndInclusiveStart,
        PrefixKind::Static,
        PrefixKind::Row,
        PrefixKind::InclusiveEndExclusiveStart,
        PrefixKind::InclusiveEnd,
        PrefixKind::ExclusiveStart,
    ];

    /// The kind of a number.
    pub fn of_number(number: u8) -> Option<PrefixKind> {
        PrefixKind::ALL.get(usize::from(number)).copied()
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Order among prefixes of the same components: bounds before, the row, bounds after.
    fn weight(self) -> u8 {
        match self {
            PrefixKind::ExclusiveEnd
            | PrefixKind::InclusiveStart
            | PrefixKind::ExclusiveEndInclusiveStart => 0,
            PrefixKind::Static => 1,
            PrefixKind::Row => 2,
            PrefixKind::InclusiveEndExclusiveStart
            | PrefixKind::InclusiveEnd
            | PrefixKind::ExclusiveStart => 3,
        }
    }

    /// Whether it lies after everything that has its components.
    pub fn is_after(self) -> bool {
        self.weight() == 3
    }

    /// Whether it is a bound or a boundary: what a range tombstone marker has.
    pub fn is_bound(self) -> bool {
        !matches!(self, PrefixKind::Static | PrefixKind::Row)
    }

    /// Whether one range ends here and another starts.
    pub fn is_boundary(self) -> bool {
        use PrefixKind::{ExclusiveEndInclusiveStart, InclusiveEndExclusiveStart};
        matches!(self, ExclusiveEndInclusiveStart | InclusiveEndExclusiveStart)
    }

    /// Whether a range ends here, in the direction of the file.
    pub fn closes(self) -> bool {
        self.is_boundary() || matches!(self, PrefixKind::ExclusiveEnd | PrefixKind::InclusiveEnd)
    }

    /// Whether a range starts here, in the direction of the file.
    pub fn opens(self) -> bool {
        use PrefixKind::{ExclusiveStart, InclusiveStart};
        self.is_boundary() || matches!(self, ExclusiveStart | InclusiveStart)
    }
}

/// The components of a prefix as they lie in a file, checked once.
#[derive(Clone, Copy, Debug)]
pub struct Components<'a> {
    count: usize,
    bytes: &'a [u8],
}

/// A place among the rows of a partition.
#[derive(Clone, Copy, Debug)]
pub struct Prefix<'a> {
    /// Its kind.
    pub kind: PrefixKind,
    /// Its components; of a row as many as there are clustering columns, of a bound as many or
    /// fewer.
    pub components: Components<'a>,
}

/// Number of components that share a header.
const GROUP_LEN: usize = 32;

impl<'a> Components<'a> {
    /// None: the place before or after all rows.
    pub const NONE: Components<'static> = Components { count: 0, bytes: &[] };

    /// Reads `count` components of the first `count` types.
    ///
    /// # Errors
    /// Bytes that are cut, bits of both empty and null, or of components that aren't there; a count
    /// beyond the types.
    pub fn read(
        reader: &mut Reader<'a>,
        types: &[Type],
        count: usize,
    ) -> Result<Components<'a>, DecodeError> {
        let Some(types) = types.get(..count) else {
            let (what, at) = ("number of clustering components", reader.at());
            let (want, got) = (types.len() as u64, count as u64);
            return Err(DecodeError::Corrupt { what, at, want, got });
        };
        let bytes = reader.rest();
        let start = reader.at();
        for group in types.chunks(GROUP_LEN) {
            let (what, at) = ("header of clustering components", reader.at());
            let mut header = reader.vint(what)?;
            if group.len() < GROUP_LEN && header >> (2 * group.len()) != 0 {
                let want = (1 << (2 * group.len())) - 1;
                return Err(DecodeError::Corrupt { what, at, want, got: header });
            }
            for kind in group {
                match header & 3 {
                    0 => skip_value(reader, kind)?,
                    3 => return Err(DecodeError::Corrupt { what, at, want: 2, got: 3 }),
                    _ => {}
                }
                header >>= 2;
            }
        }
        let len = (reader.at() - start) as usize;
        Ok(Components { count, bytes: &bytes[..len] })
    }

    /// Components that were passed over by the widths of their types, and so checked.
    #[inline]
    pub(crate) fn of_checked(count: usize, bytes: &'a [u8]) -> Components<'a> {
        Components { count, bytes }
    }

    /// Number of components.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The bytes as they lie in the file: headers and values.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The components, by the types that they were read with.
    pub fn values<'t>(&self, types: &'t [Type]) -> Values<'a, 't> {
        let types = &types[..self.count.min(types.len())];
        Values { rest: self.bytes, types, header: 0, at: 0 }
    }
}

fn skip_value(reader: &mut Reader<'_>, kind: &Type) -> Result<(), DecodeError> {
    let what = "clustering component";
    match kind.fixed_width() {
        Some(width) => reader.take(what, width)?,
        None => reader.vbytes(what)?,
    };
    Ok(())
}

/// Components one after the other.
#[derive(Clone, Debug)]
pub struct Values<'a, 't> {
    rest: &'a [u8],
    types: &'t [Type],
    header: u64,
    at: usize,
}

impl<'a> Iterator for Values<'a, '_> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        let kind = self.types.get(self.at)?;
        // They were read before: what fails here is a list of other types.
        let mut reader = Reader::new(self.rest, 0);
        if self.at.is_multiple_of(GROUP_LEN) {
            self.header = reader.vint("header").ok()?;
        }
        let bits = self.header & 3;
        self.header >>= 2;
        self.at += 1;
        let value = match (bits, kind.fixed_width()) {
            (0, Some(width)) => Some(reader.take("component", width).ok()?),
            (0, None) => Some(reader.vbytes("component").ok()?),
            (1, _) => Some(&[][..]),
            _ => None,
        };
        self.rest = reader.rest();
        Some(value)
    }
}

impl<'a> Prefix<'a> {
    /// The place before all rows.
    pub const FIRST: Prefix<'static> =
        Prefix { kind: PrefixKind::InclusiveStart, components: Components::NONE };

    /// The place after all rows.
    pub const LAST: Prefix<'static> =
        Prefix { kind: PrefixKind::InclusiveEnd, components: Components::NONE };

    /// Reads a prefix with its kind in front, as in names of blocks: a row has all components, a
    /// bound their number.
    pub fn read(reader: &mut Reader<'a>, types: &[Type]) -> Result<Prefix<'a>, DecodeError> {
        let (what, at) = ("kind of a clustering prefix", reader.at());
        let number = reader.u8(what)?;
        let kind = PrefixKind::of_number(number).filter(|kind| *kind != PrefixKind::Static);
        let Some(kind) = kind else {
            return Err(DecodeError::Corrupt { what, at, want: 7, got: number.into() });
        };
        let count = match kind {
            PrefixKind::Row => types.len(),
            _ => reader.u16_be("number of clustering components")?.into(),
        };
        Ok(Prefix { kind, components: Components::read(reader, types, count)? })
    }

    /// The components.
    pub fn values<'t>(&self, types: &'t [Type]) -> Values<'a, 't> {
        self.components.values(types)
    }

    /// Order of two places of a partition whose clustering columns have these types.
    pub fn compare(types: &[Type], left: &Prefix<'_>, right: &Prefix<'_>) -> Ordering {
        let common = left.components.count.min(right.components.count);
        // The same place in two SSTables, as a merge meets it: no value has to be looked at.
        if left.components.count == right.components.count
            && left.components.bytes == right.components.bytes
        {
            return left.kind.weight().cmp(&right.kind.weight());
        }
        let pairs = left.values(types).zip(right.values(types));
        for (kind, (left, right)) in types[..common.min(types.len())].iter().zip(pairs) {
            // Null is first, in descending order too.
            let order = compare_values(Some(kind), left, right);
            if order.is_ne() {
                return order;
            }
        }
        match left.components.count.cmp(&right.components.count) {
            Ordering::Equal => left.kind.weight().cmp(&right.kind.weight()),
            Ordering::Less => side(left.kind),
            Ordering::Greater => side(right.kind).reverse(),
        }
    }
}

/// Order of a shorter prefix against everything that goes on where it ends.
fn side(kind: PrefixKind) -> Ordering {
    if kind.is_after() { Ordering::Greater } else { Ordering::Less }
}

/// A prefix that owns its bytes: a bound that was asked for, the last place seen.
#[derive(Clone, Debug)]
pub struct PrefixBuf {
    kind: PrefixKind,
    count: usize,
    bytes: Vec<u8>,
}

impl PrefixBuf {
    /// Writes a prefix. Values of fixed width must have it or be empty.
    ///
    /// # Panics
    /// If there are more values than types, or a value of a fixed width has another.
    pub fn new(kind: PrefixKind, types: &[Type], values: &[Value<'_>]) -> PrefixBuf {
        assert!(values.len() <= types.len(), "no more components than clustering columns");
        let mut bytes = Vec::new();
        for (types, values) in types.chunks(GROUP_LEN).zip(values.chunks(GROUP_LEN)) {
            put_vint(group_header(values), &mut bytes);
            for (kind, value) in types.iter().zip(values) {
                put_value(kind, value.unwrap_or_default(), &mut bytes);
            }
        }
        PrefixBuf { kind, count: values.len(), bytes }
    }

    /// A copy.
    pub fn of(prefix: &Prefix<'_>) -> PrefixBuf {
        let Components { count, bytes } = prefix.components;
        PrefixBuf { kind: prefix.kind, count, bytes: bytes.to_vec() }
    }

    /// Becomes a copy, in the memory that it has.
    pub fn set(&mut self, prefix: &Prefix<'_>) {
        (self.kind, self.count) = (prefix.kind, prefix.components.count);
        self.bytes.clear();
        self.bytes.extend_from_slice(prefix.components.bytes);
    }

    /// The prefix.
    pub fn as_prefix(&self) -> Prefix<'_> {
        let components = Components { count: self.count, bytes: &self.bytes };
        Prefix { kind: self.kind, components }
    }
}

fn group_header(values: &[Value<'_>]) -> u64 {
    let bits = values.iter().map(|value| match value {
        None => 2,
        Some([]) => 1,
        Some(_) => 0,
    });
    bits.enumerate().fold(0, |header, (index, bits)| header | bits << (2 * index))
}

fn put_value(kind: &Type, value: &[u8], out: &mut Vec<u8>) {
    if value.is_empty() {
        return;
    }
    match kind.fixed_width() {
        Some(width) => assert_eq!(value.len(), width, "a value of {kind}"),
        None => put_vint(value.len() as u64, out),
    }
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types() -> Vec<Type> {
        vec![Type::Int, Type::Reversed(Box::new(Type::Text)), Type::Tinyint]
    }

    fn values<'a>(texts: &[Value<'a>]) -> Vec<Value<'a>> {
        texts.to_vec()
    }

    #[test]
    fn components_are_read_as_they_were_written() {
        let types = types();
        let int = 7_i32.to_be_bytes();
        let rows: [(&[Value<'_>], &[u8]); 5] = [
            (&[], &[]),
            (&[Some(&int)], &[0, 0, 0, 0, 7]),
            (&[Some(&[]), Some(b"ab"), Some(&[5])], &[1, 2, b'a', b'b', 1, 5]),
            (&[None, Some(&[])], &[6]),
            (&[Some(&int), None, None], &[0x28, 0, 0, 0, 7]),
        ];
        for (wanted, bytes) in rows {
            let written = PrefixBuf::new(PrefixKind::InclusiveEnd, &types, wanted);
            assert_eq!(written.bytes, bytes);
            let mut reader = Reader::new(bytes, 0);
            let read = Components::read(&mut reader, &types, wanted.len()).expect("components");
            assert_eq!((read.bytes(), reader.rest()), (bytes, &[][..]));
            assert_eq!(read.values(&types).collect::<Vec<_>>(), wanted);
            for cut in 0..bytes.len() {
                let mut reader = Reader::new(&bytes[..cut], 0);
                assert!(Components::read(&mut reader, &types, wanted.len()).is_err());
            }
        }
    }

    #[test]
    fn more_than_32_components_have_several_headers() {
        let types = vec![Type::Tinyint; 70];
        let wanted: Vec<Value<'_>> = (0..70)
            .map(|index| match index % 3 {
                0 => None,
                1 => Some(&[][..]),
                _ => Some(&[9][..]),
            })
            .collect();
        let written = PrefixBuf::new(PrefixKind::Row, &types, &wanted);
        let mut reader = Reader::new(&written.bytes, 0);
        let read = Components::read(&mut reader, &types, 70).expect("components");
        assert_eq!(read.values(&types).collect::<Vec<_>>(), wanted);
        assert!(reader.rest().is_empty());
    }

    #[test]
    fn bits_that_mean_nothing_are_refused() {
        let read = |bytes: &[u8], count| {
            let mut reader = Reader::new(bytes, 50);
            Components::read(&mut reader, &types(), count).map(|read| read.count())
        };
        let what = "header of clustering components";
        assert_eq!(read(&[3], 1), Err(DecodeError::Corrupt { what, at: 50, want: 2, got: 3 }));
        assert_eq!(read(&[4], 1), Err(DecodeError::Corrupt { what, at: 50, want: 3, got: 4 }));
        let what = "number of clustering components";
        assert_eq!(read(&[0], 4), Err(DecodeError::Corrupt { what, at: 50, want: 3, got: 4 }));
        let what = "kind of a clustering prefix";
        for got in [3, 8, 255] {
            let error = Prefix::read(&mut Reader::new(&[got, 0, 0], 6), &types()).map(|_| ());
            let got = got.into();
            assert_eq!(error, Err(DecodeError::Corrupt { what, at: 6, want: 7, got }));
        }
    }

    #[test]
    fn bounds_lie_on_their_side_of_what_they_are_bounds_of() {
        use PrefixKind::{ExclusiveEnd, ExclusiveStart, InclusiveEnd, InclusiveStart, Row};
        let types = types();
        let (one, two) = (1_i32.to_be_bytes(), 2_i32.to_be_bytes());
        // Strictly increasing; the second column descends, null is first all the same.
        let ordered: [(PrefixKind, &[Value<'_>]); 15] = [
            (InclusiveStart, &[]),
            (Row, &[None, None, None]),
            (Row, &[Some(&[]), Some(b"a"), Some(&[1])]),
            (ExclusiveEnd, &[Some(&one)]),
            (Row, &[Some(&one), None, Some(&[1])]),
            (InclusiveStart, &[Some(&one), Some(b"b")]),
            (Row, &[Some(&one), Some(b"b"), Some(&[0xff])]),
            (InclusiveStart, &[Some(&one), Some(b"b"), Some(&[1])]),
            (Row, &[Some(&one), Some(b"b"), Some(&[1])]),
            (ExclusiveStart, &[Some(&one), Some(b"b"), Some(&[1])]),
            (InclusiveEnd, &[Some(&one), Some(b"b")]),
            (Row, &[Some(&one), Some(b"a"), Some(&[1])]),
            (Row, &[Some(&one), Some(&[]), Some(&[1])]),
            (ExclusiveStart, &[Some(&one)]),
            (ExclusiveEnd, &[Some(&two)]),
        ];
        let ordered = ordered.map(|(kind, wanted)| PrefixBuf::new(kind, &types, &values(wanted)));
        for (left_at, left) in ordered.iter().enumerate() {
            for (right_at, right) in ordered.iter().enumerate() {
                let order = Prefix::compare(&types, &left.as_prefix(), &right.as_prefix());
                assert_eq!(order, left_at.cmp(&right_at), "{left:?} {right:?}");
            }
            let place = left.as_prefix();
            assert_eq!(Prefix::compare(&types, &Prefix::LAST, &place), Ordering::Greater);
        }
        // Places between the same rows are equal.
        let at = |kind| PrefixBuf::new(kind, &types, &[Some(&one)]);
        let (low, high) = (at(ExclusiveEnd), at(InclusiveStart));
        assert_eq!(Prefix::compare(&types, &low.as_prefix(), &high.as_prefix()), Ordering::Equal);
    }
}
