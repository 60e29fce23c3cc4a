//! Parts of values that have some: elements of collections, fields of tuples, parts of composite
//! keys.
//!
//! Bytes:   list, set: i32 n, n x (i32 length, bytes); map: i32 n, n x (key, value); tuple: (i32 length, bytes)*;
//!          composite: (u16 length, bytes, u8 end)*; docs/formats/sstable.md, Values

use crate::vint::split_vint;

/// A value: `None` is null; no bytes are the empty value, which every type has.
pub type Value<'a> = Option<&'a [u8]>;

/// The parts of a value, in order. Ends early at bytes that aren't the format's:
/// [`Elements::is_whole`] says whether.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a [u8],
    /// Number of parts to come; `None`: until the bytes end.
    left: Option<u64>,
    form: Form,
    is_broken: bool,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// i32 length, -1 for null.
    Long,
    /// u16 length, and a byte after the part.
    Composite,
    /// A fixed length, stored nowhere.
    Fixed(usize),
    /// vint length.
    Vint,
}

impl<'a> Elements<'a> {
    /// Elements of a frozen list or set.
    pub fn of_list(value: &'a [u8]) -> Self {
        Self::counted(value, 1)
    }

    /// Keys and values of a frozen map, in turn.
    pub fn of_map(value: &'a [u8]) -> Self {
        Self::counted(value, 2)
    }

    fn counted(value: &'a [u8], each: u64) -> Self {
        let (count, rest) = match value.split_first_chunk::<4>() {
            Some((count, rest)) => (i32::from_be_bytes(*count), rest),
            None => (-1, value),
        };
        let left = u64::try_from(count).unwrap_or(0) * each;
        Elements { rest, left: Some(left), form: Form::Long, is_broken: count < 0 }
    }

    /// Fields of a tuple or user type. Fields at the end may be missing.
    pub fn of_tuple(value: &'a [u8]) -> Self {
        Elements { rest: value, left: None, form: Form::Long, is_broken: false }
    }

    /// Parts of a composite key.
    pub fn of_composite(value: &'a [u8]) -> Self {
        Elements { rest: value, left: None, form: Form::Composite, is_broken: false }
    }

    /// Elements of a vector, whose width is that of its type.
    pub fn of_vector(value: &'a [u8], count: u32, width: Option<usize>) -> Self {
        let form = width.map_or(Form::Vint, Form::Fixed);
        Elements { rest: value, left: Some(count.into()), form, is_broken: false }
    }

    /// Number of parts to come where the value says it; it may say more than there are.
    pub fn claimed_count(&self) -> Option<u64> {
        self.left
    }

    /// Whether everything so far was as the format says; after the last part, whether the bytes end
    /// with it.
    pub fn is_whole(&self) -> bool {
        !self.is_broken && (self.left != Some(0) || self.rest.is_empty())
    }

    fn part(&mut self) -> Option<Value<'a>> {
        match self.form {
            Form::Long => {
                let (len, rest) = self.rest.split_first_chunk::<4>()?;
                self.rest = rest;
                match i32::from_be_bytes(*len) {
                    -1 => Some(None),
                    len => Some(Some(self.cut(usize::try_from(len).ok()?)?)),
                }
            }
            Form::Composite => {
                let (len, rest) = self.rest.split_first_chunk::<2>()?;
                self.rest = rest;
                let part = self.cut(u16::from_be_bytes(*len).into())?;
                self.cut(1)?;
                Some(Some(part))
            }
            // Elements without bytes are as many as a type's name says, whatever the value: nobody
            // writes such.
            Form::Fixed(0) => None,
            Form::Fixed(width) => Some(Some(self.cut(width)?)),
            Form::Vint => {
                let (len, len_len) = split_vint(self.rest)?;
                self.rest = &self.rest[len_len..];
                Some(Some(self.cut(usize::try_from(len).ok()?)?))
            }
        }
    }

    fn cut(&mut self, len: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(part)
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let is_end = match self.left {
            Some(left) => left == 0,
            None => self.rest.is_empty(),
        };
        if is_end || self.is_broken {
            return None;
        }
        let part = self.part();
        self.is_broken = part.is_none();
        self.left = self.left.map(|left| left - 1);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(mut elements: Elements<'_>) -> (String, bool) {
        let mut text = Vec::new();
        for part in elements.by_ref() {
            text.push(part.map_or_else(|| "null".to_owned(), |part| format!("{part:?}")));
        }
        (text.join(" "), elements.is_whole())
    }

    #[test]
    fn parts_come_in_order() {
        let list = [0, 0, 0, 2, 0, 0, 0, 1, 7, 0xff, 0xff, 0xff, 0xff];
        let check = |elements, want: &str| assert_eq!(parts(elements), (want.to_owned(), true));
        check(Elements::of_list(&list), "[7] null");
        check(Elements::of_map(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 9]), "[] [9]");
        check(Elements::of_tuple(&list[4..]), "[7] null");
        check(Elements::of_tuple(&[]), "");
        check(Elements::of_composite(&[0, 1, 5, 0, 0, 2, 6, 7, 0]), "[5] [6, 7]");
        check(Elements::of_vector(&[1, 2, 3, 4], 2, Some(2)), "[1, 2] [3, 4]");
        check(Elements::of_vector(&[1, 5, 0], 2, None), "[5] []");
    }

    #[test]
    fn bytes_that_are_cut_or_left_are_noticed() {
        let list = [0, 0, 0, 2, 0, 0, 0, 1, 7, 0xff, 0xff, 0xff, 0xff];
        for cut in 0..list.len() {
            assert!(!parts(Elements::of_list(&list[..cut])).1, "{cut}");
        }
        assert!(!parts(Elements::of_list(&[&list[..], &[0]].concat())).1);
        assert!(!parts(Elements::of_list(&[0xff; 4])).1);
        assert_eq!(parts(Elements::of_list(&[0x7f, 0xff, 0xff, 0xff])), (String::new(), false));
        assert!(!parts(Elements::of_vector(&[1, 2, 3], 2, Some(2))).1);
        assert!(!parts(Elements::of_composite(&[0, 1, 5])).1);
        assert_eq!(Elements::of_vector(&[], u32::MAX, Some(0)).count(), 0);
    }
}
