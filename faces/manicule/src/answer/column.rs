//! The values of a column, pushed one after the other.

use std::collections::HashMap;

use super::condition::Cell;
use super::field::{Field, Kind, UUID_LEN};
use super::texts::{Bits, Texts};

/// Rows: as many values of each column.
#[derive(Clone, Debug)]
pub struct Batch {
    pub(super) columns: Vec<Column>,
    pub(super) row_count: usize,
}

impl Batch {
    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// The columns, in the order of the answer's fields.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

/// Values of a column.
#[derive(Clone, Debug)]
pub struct Column {
    pub(super) kind: Kind,
    pub(super) values: Values,
    /// Which values are there; `None`: all.
    pub(super) present: Option<Bits>,
    pub(super) len: usize,
}

/// Values as they lie in memory: as in Arrow. Where one lacks there is a zero, or nothing.
#[derive(Clone, Debug)]
pub(super) enum Values {
    Bits(Bits),
    Ints(Vec<i64>),
    Singles(Vec<f32>),
    Floats(Vec<f64>),
    Decimals(Vec<i128>),
    Uuids(Vec<[u8; UUID_LEN]>),
    Texts(Texts),
    Words(Words),
    /// The items of all lists, and where each list ends.
    Lists(Vec<i32>, Box<Column>),
    /// The items of all lists, the same number of each.
    FixedLists(Box<Column>, usize),
    /// Keys and values of all maps, and where each map ends.
    Maps(Vec<i32>, Box<[Column; 2]>),
    Parts(Vec<Column>),
}

/// Texts of a dictionary.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub(super) numbers: Vec<i32>,
    pub(super) words: Texts,
    by_word: HashMap<Box<[u8]>, i32>,
    last: i32,
}

impl Words {
    fn push(&mut self, word: &[u8]) {
        // Most words are that of the row before.
        let is_last = self.words.len() > 0 && self.words.get(self.last as usize) == word;
        if !is_last {
            let next = self.words.len() as i32;
            self.last = match self.by_word.get(word) {
                Some(number) => *number,
                None => {
                    self.words.push(word);
                    self.by_word.insert(word.into(), next);
                    next
                }
            };
        }
        self.numbers.push(self.last);
    }
}

impl Column {
    /// No values.
    pub fn new(kind: Kind) -> Column {
        let of = |field: &Field| Column::new(field.kind.clone());
        let values = match &kind {
            Kind::Boolean => Values::Bits(Bits::default()),
            Kind::Int8
            | Kind::Int16
            | Kind::Int32
            | Kind::Int
            | Kind::Date
            | Kind::Time
            | Kind::Millis
            | Kind::Micros
            | Kind::LocalMicros => Values::Ints(Vec::new()),
            Kind::Float32 => Values::Singles(Vec::new()),
            Kind::Float => Values::Floats(Vec::new()),
            Kind::Decimal(_) => Values::Decimals(Vec::new()),
            Kind::Uuid => Values::Uuids(Vec::new()),
            Kind::Text | Kind::Bytes => Values::Texts(Texts::default()),
            Kind::Word => Values::Words(Words::default()),
            Kind::List(item) => Values::Lists(Vec::new(), Box::new(of(item))),
            Kind::FixedList(item, count) => {
                let count = usize::try_from(*count).expect("a length");
                Values::FixedLists(Box::new(of(item)), count)
            }
            Kind::Map(pair) => Values::Maps(Vec::new(), Box::new([of(&pair[0]), of(&pair[1])])),
            Kind::Struct(fields) => Values::Parts(fields.iter().map(of).collect()),
        };
        Column { kind, values, present: None, len: 0 }
    }

    /// The kind of its values.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a value is there.
    pub fn is_present(&self, at: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.get(at))
    }

    fn wrong(&self, given: &str) -> ! {
        panic!("a column of {:?} was given {given}", self.kind)
    }

    fn count(&mut self) {
        self.len += 1;
        if let Some(present) = &mut self.present {
            present.push(true);
        }
    }

    /// Adds a value that lacks.
    pub fn null(&mut self) {
        match &mut self.values {
            Values::Bits(bits) => bits.push(false),
            Values::Ints(ints) => ints.push(0),
            Values::Singles(floats) => floats.push(0.0),
            Values::Floats(floats) => floats.push(0.0),
            Values::Decimals(decimals) => decimals.push(0),
            Values::Uuids(uuids) => uuids.push([0; UUID_LEN]),
            Values::Texts(texts) => texts.end(),
            Values::Words(words) => words.numbers.push(words.last),
            Values::Lists(ends, items) => ends.push(items.len as i32),
            // A list that lacks has items all the same.
            Values::FixedLists(items, count) => (0..*count).for_each(|_| items.null()),
            Values::Maps(ends, pair) => ends.push(pair[0].len as i32),
            Values::Parts(parts) => parts.iter_mut().for_each(Column::null),
        }
        self.present.get_or_insert_with(|| Bits::ones(self.len)).push(false);
        self.len += 1;
        if let Values::Words(words) = &mut self.values
            && words.words.len() == 0
        {
            // A number needs a word to stand for, if only for one that lacks.
            words.words.push(b"");
            words.by_word.insert(Box::default(), 0);
        }
    }

    /// Adds a boolean.
    pub fn boolean(&mut self, value: bool) {
        match &mut self.values {
            Values::Bits(bits) => bits.push(value),
            _ => self.wrong("a boolean"),
        }
        self.count();
    }

    /// Adds a number, or a time.
    pub fn int(&mut self, value: i64) {
        match &mut self.values {
            Values::Ints(ints) => ints.push(value),
            _ => self.wrong("a number"),
        }
        self.count();
    }

    /// Adds a double.
    pub fn float(&mut self, value: f64) {
        match &mut self.values {
            Values::Floats(floats) => floats.push(value),
            _ => self.wrong("a double"),
        }
        self.count();
    }

    /// Adds a float of 32 bits.
    pub fn single(&mut self, value: f32) {
        match &mut self.values {
            Values::Singles(floats) => floats.push(value),
            _ => self.wrong("a float of 32 bits"),
        }
        self.count();
    }

    /// Adds a decimal, without its point.
    pub fn decimal(&mut self, digits: i128) {
        match &mut self.values {
            Values::Decimals(decimals) => decimals.push(digits),
            _ => self.wrong("a decimal"),
        }
        self.count();
    }

    /// Adds a UUID.
    pub fn uuid(&mut self, uuid: [u8; UUID_LEN]) {
        match &mut self.values {
            Values::Uuids(uuids) => uuids.push(uuid),
            _ => self.wrong("a UUID"),
        }
        self.count();
    }

    /// Adds a text, of text or of a dictionary.
    pub fn text(&mut self, text: &str) {
        match (&mut self.values, &self.kind) {
            (Values::Texts(texts), Kind::Text) => texts.push(text.as_bytes()),
            (Values::Words(words), _) => words.push(text.as_bytes()),
            _ => self.wrong("a text"),
        }
        self.count();
    }

    /// Adds bytes as a text, in which each that is not of UTF-8 becomes U+FFFD.
    pub fn lossy(&mut self, bytes: &[u8]) {
        match str::from_utf8(bytes) {
            Ok(text) => self.text(text),
            Err(_) => self.text(&String::from_utf8_lossy(bytes)),
        }
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        match (&mut self.values, &self.kind) {
            (Values::Texts(texts), Kind::Bytes) => texts.push(bytes),
            _ => self.wrong("bytes"),
        }
        self.count();
    }

    /// Adds a list, whose items `fill` pushes.
    pub fn list(&mut self, fill: impl FnOnce(&mut Column)) {
        match &mut self.values {
            Values::Lists(ends, items) => {
                fill(items);
                ends.push(i32::try_from(items.len).expect("a batch has less than 2^31 items"));
            }
            Values::FixedLists(items, count) => {
                fill(items);
                assert_eq!(items.len, (self.len + 1) * *count, "each list has as many items");
            }
            _ => self.wrong("a list"),
        }
        self.count();
    }

    /// Adds a list of texts.
    pub fn texts<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>) {
        self.list(|items| texts.into_iter().for_each(|text| items.text(text.as_ref())));
    }

    /// Adds a map, whose keys and values `fill` pushes, as many of both.
    pub fn pairs(&mut self, fill: impl FnOnce(&mut Column, &mut Column)) {
        let Values::Maps(ends, pair) = &mut self.values else { self.wrong("a map") };
        let [keys, values] = &mut **pair;
        fill(keys, values);
        assert_eq!(keys.len, values.len, "each key has a value");
        ends.push(i32::try_from(keys.len).expect("a batch has less than 2^31 pairs"));
        self.count();
    }

    /// Adds a map of texts. What is not UTF-8 is as in [`lossy`](Self::lossy).
    pub fn map<'t>(&mut self, pairs: impl IntoIterator<Item = (&'t [u8], &'t [u8])>) {
        self.pairs(|keys, values| {
            for (key, value) in pairs {
                keys.lossy(key);
                values.lossy(value);
            }
        });
    }

    /// Adds a struct: `fill` pushes a value of each part.
    pub fn parts(&mut self, fill: impl FnOnce(&mut [Column])) {
        match &mut self.values {
            Values::Parts(parts) => fill(parts),
            _ => self.wrong("a struct"),
        }
        self.count();
    }

    /// A value, as conditions test it.
    pub(super) fn cell(&self, at: usize) -> Cell<'_> {
        if !self.is_present(at) {
            return Cell::Null;
        }
        match &self.values {
            Values::Bits(bits) => Cell::Boolean(bits.get(at)),
            Values::Ints(ints) => Cell::Int(ints[at]),
            Values::Singles(floats) => Cell::Float(floats[at].into()),
            Values::Floats(floats) => Cell::Float(floats[at]),
            Values::Decimals(decimals) => Cell::Decimal(decimals[at], self.scale()),
            Values::Uuids(uuids) => Cell::Uuid(&uuids[at]),
            _ => self.own_text(at).map_or(Cell::Other, Cell::Text),
        }
    }

    /// Number of digits behind the point, of decimals.
    pub(super) fn scale(&self) -> u8 {
        match self.kind {
            Kind::Decimal(scale) => scale,
            _ => self.wrong("a look at its scale"),
        }
    }

    /// A value that is a text.
    pub(super) fn own_text(&self, at: usize) -> Option<&str> {
        let bytes = match (&self.values, &self.kind) {
            (Values::Texts(texts), Kind::Text) => texts.get(at),
            (Values::Words(words), _) => words.words.get(words.numbers[at] as usize),
            _ => return None,
        };
        Some(str::from_utf8(bytes).expect("only UTF-8 was pushed"))
    }

    /// Removes the last values: `len` are left.
    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        match &mut self.values {
            Values::Bits(bits) => bits.truncate(len),
            Values::Ints(ints) => ints.truncate(len),
            Values::Singles(floats) => floats.truncate(len),
            Values::Floats(floats) => floats.truncate(len),
            Values::Decimals(decimals) => decimals.truncate(len),
            Values::Uuids(uuids) => uuids.truncate(len),
            Values::Texts(texts) => texts.truncate(len),
            Values::Words(words) => words.numbers.truncate(len),
            Values::Lists(ends, items) => {
                ends.truncate(len);
                items.truncate(ends.last().map_or(0, |end| *end as usize));
            }
            Values::FixedLists(items, count) => items.truncate(len * *count),
            Values::Maps(ends, pair) => {
                ends.truncate(len);
                let pair_count = ends.last().map_or(0, |end| *end as usize);
                pair.iter_mut().for_each(|own| own.truncate(pair_count));
            }
            Values::Parts(parts) => parts.iter_mut().for_each(|part| part.truncate(len)),
        }
        if let Some(present) = &mut self.present {
            present.truncate(len);
        }
        self.len = len;
    }

    /// Bytes of its texts, about: what a batch is bounded by beside its rows.
    pub(super) fn text_len(&self) -> usize {
        match &self.values {
            Values::Texts(texts) => texts.bytes.len(),
            Values::Words(words) => words.words.bytes.len(),
            Values::Lists(_, items) | Values::FixedLists(items, _) => {
                items.text_len() + 8 * items.len
            }
            Values::Maps(_, pair) => pair.iter().map(|own| own.text_len() + 8 * own.len).sum(),
            Values::Parts(parts) => parts.iter().map(Column::text_len).sum(),
            Values::Bits(_)
            | Values::Ints(_)
            | Values::Singles(_)
            | Values::Floats(_)
            | Values::Decimals(_)
            | Values::Uuids(_) => 0,
        }
    }
}

/// The range of a list's items, or of a map's pairs.
pub(super) fn range(ends: &[i32], at: usize) -> std::ops::Range<usize> {
    at.checked_sub(1).map_or(0, |before| ends[before] as usize)..ends[at] as usize
}
