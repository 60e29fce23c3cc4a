//! Mimir's sparse header, `sparse-index-header`: every 32nd symbol and label value of an index,
//! with their places, so that a gateway need not walk the tables before it answers.
//!
//! Bytes:   gzip of the protobuf Sparse { 1 Symbols { 1 packed places, 2 count }, 2 Postings { 1 map of name to
//!          Values { 1 repeated { 1 value, 2 place }, 2 end of the last list }, 2 sampling } }; a
//!          place counts from the length field of its table, docs/formats/prometheus.md

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use manicule_core::bytes::{DecodeError, Reader, put_uvarint};

/// Sampling interval: one of this many symbols and values is kept.
pub const SPARSE_HEADER_SAMPLING: u32 = 32;

/// Bytes of the longest sparse header that is read without its index, before compression.
pub(crate) const SPARSE_LEN_MAX: u64 = 256 << 20;

/// Wire types of protobuf.
const NUMBER: u64 = 0;
const BYTES: u64 = 2;

/// A sparse header, gathered symbol by symbol and value by value.
#[derive(Clone, Debug, Default)]
pub struct SparseHeader {
    symbol_count: u32,
    /// Places of symbols, packed.
    symbols: Vec<u8>,
    /// The map's entries of finished names.
    names: Vec<u8>,
    name: Option<Name>,
}

/// The name whose values come.
#[derive(Clone, Debug)]
struct Name {
    name: Vec<u8>,
    count: u32,
    values: Vec<u8>,
    /// The last value and its place, while it isn't kept.
    last: Option<(Vec<u8>, u64)>,
}

impl SparseHeader {
    /// The next symbol begins at a place of the symbol table.
    pub fn symbol(&mut self, place: u64) {
        if self.symbol_count.is_multiple_of(SPARSE_HEADER_SAMPLING) {
            put_uvarint(place, &mut self.symbols);
        }
        self.symbol_count += 1;
    }

    /// The next entry of the postings offset table begins at a place of it, and its list at an
    /// offset of the index.
    pub fn value(&mut self, name: &[u8], value: &[u8], place: u64, list_at: u64) {
        if self.name.as_ref().is_none_or(|before| before.name != name) {
            self.end_name(list_at);
            let name = name.to_vec();
            self.name = Some(Name { name, count: 0, values: Vec::new(), last: None });
        }
        let name = self.name.as_mut().expect("a name was begun");
        name.last = Some((value.to_vec(), place));
        if name.count.is_multiple_of(SPARSE_HEADER_SAMPLING) {
            name.keep_last();
        }
        name.count += 1;
    }

    /// Finishes a name whose last list ends where the next one begins.
    fn end_name(&mut self, lists_end: u64) {
        let Some(mut name) = self.name.take() else { return };
        name.keep_last();
        // What a reader wants is where the checksum of the last list begins.
        put_number(2, lists_end - 4, &mut name.values);
        let mut entry = Vec::with_capacity(name.values.len() + name.name.len() + 12);
        put_bytes(1, &name.name, &mut entry);
        put_message(2, &name.values, &mut entry);
        put_message(1, &entry, &mut self.names);
    }

    /// Writes the header of an index whose posting lists end at an offset.
    pub fn write(self, lists_end: u64, out: &mut dyn Write) -> io::Result<()> {
        let mut gzip = GzEncoder::new(out, Compression::default());
        gzip.write_all(&self.message(lists_end))?;
        gzip.finish()?;
        Ok(())
    }

    /// The message before it is compressed.
    pub(crate) fn message(mut self, lists_end: u64) -> Vec<u8> {
        self.end_name(lists_end);
        let mut symbols = Vec::with_capacity(self.symbols.len() + 16);
        put_bytes(1, &self.symbols, &mut symbols);
        put_number(2, self.symbol_count.into(), &mut symbols);
        let mut postings = self.names;
        put_number(2, SPARSE_HEADER_SAMPLING.into(), &mut postings);
        let mut sparse = Vec::with_capacity(symbols.len() + postings.len() + 16);
        put_message(1, &symbols, &mut sparse);
        put_message(2, &postings, &mut sparse);
        sparse
    }
}

impl Name {
    fn keep_last(&mut self) {
        let Some((value, place)) = self.last.take() else { return };
        let mut entry = Vec::with_capacity(value.len() + 16);
        put_bytes(1, &value, &mut entry);
        put_number(2, place, &mut entry);
        put_message(1, &entry, &mut self.values);
    }
}

/// A number that isn't 0: that is what a field says that isn't there.
fn put_number(field: u64, value: u64, out: &mut Vec<u8>) {
    if value != 0 {
        put_uvarint(field << 3 | NUMBER, out);
        put_uvarint(value, out);
    }
}

/// Bytes that are not empty: that is what a field says that isn't there.
fn put_bytes(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    if !bytes.is_empty() {
        put_message(field, bytes, out);
    }
}

fn put_message(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    put_uvarint(field << 3 | BYTES, out);
    put_uvarint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// A sparse header as it is read: the places that it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparsePlaces {
    pub(crate) symbol_count: u64,
    /// Places of the symbols that are kept.
    pub(crate) symbols: Vec<u64>,
    /// Of each name, in whatever order they come.
    pub(crate) names: BTreeMap<Vec<u8>, NamePlaces>,
    /// One of so many is kept.
    pub(crate) sampling: u64,
}

/// The values of a name that are kept, with their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NamePlaces {
    pub(crate) values: Vec<(Vec<u8>, u64)>,
    /// Where the checksum of the last list begins.
    pub(crate) lists_end: u64,
}

/// Decompresses a sparse header; one of more than `len_max` bytes is refused.
pub(crate) fn unpacked(bytes: &[u8], len_max: u64) -> Result<Vec<u8>, DecodeError> {
    let mut message = Vec::new();
    let read = GzDecoder::new(bytes).take(len_max.saturating_add(1)).read_to_end(&mut message);
    let (what, at, got) = ("gzip of a sparse header", 0, message.len() as u64);
    match read {
        Ok(_) if got <= len_max => Ok(message),
        Ok(_) => {
            Err(DecodeError::Corrupt { what: "length of a sparse header", at, want: len_max, got })
        }
        Err(_) => {
            let (need, have) = (got + 1, bytes.len() as u64);
            Err(DecodeError::Short { what, at, need, have })
        }
    }
}

impl SparsePlaces {
    /// Reads the message.
    pub(crate) fn read(message: &[u8]) -> Result<Self, DecodeError> {
        let mut places = SparsePlaces::default();
        each_field(Reader::new(message, 0), &mut |field| match field {
            Field::Message(1, symbols) => each_field(symbols, &mut |field| {
                match field {
                    Field::Message(1, mut packed) => {
                        while !packed.rest().is_empty() {
                            places.symbols.push(packed.uvarint("place of a symbol")?);
                        }
                    }
                    Field::Number(1, place) => places.symbols.push(place),
                    Field::Number(2, count) => places.symbol_count = count,
                    _ => {}
                }
                Ok(())
            }),
            Field::Message(2, postings) => each_field(postings, &mut |field| {
                match field {
                    Field::Message(1, entry) => {
                        let (name, values) = NamePlaces::read(entry)?;
                        places.names.insert(name, values);
                    }
                    Field::Number(2, sampling) => places.sampling = sampling,
                    _ => {}
                }
                Ok(())
            }),
            _ => Ok(()),
        })?;
        Ok(places)
    }
}

impl NamePlaces {
    /// An entry of the map: the name, and its values.
    fn read(entry: Reader<'_>) -> Result<(Vec<u8>, Self), DecodeError> {
        let (mut name, mut places) = (Vec::new(), NamePlaces::default());
        each_field(entry, &mut |field| match field {
            Field::Message(1, text) => {
                name = text.rest().to_vec();
                Ok(())
            }
            Field::Message(2, values) => each_field(values, &mut |field| {
                match field {
                    Field::Message(1, value) => places.values.push(value_place(value)?),
                    Field::Number(2, end) => places.lists_end = end,
                    _ => {}
                }
                Ok(())
            }),
            _ => Ok(()),
        })?;
        Ok((name, places))
    }
}

fn value_place(message: Reader<'_>) -> Result<(Vec<u8>, u64), DecodeError> {
    let (mut value, mut place) = (Vec::new(), 0);
    each_field(message, &mut |field| {
        match field {
            Field::Message(1, text) => value = text.rest().to_vec(),
            Field::Number(2, number) => place = number,
            _ => {}
        }
        Ok(())
    })?;
    Ok((value, place))
}

/// A field of a message, by its number.
enum Field<'a> {
    Number(u64, u64),
    Message(u64, Reader<'a>),
}

fn each_field<'a>(
    mut message: Reader<'a>,
    each: &mut dyn FnMut(Field<'a>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    while !message.rest().is_empty() {
        let at = message.at();
        let key = message.uvarint("key of a field")?;
        let value = message.uvarint("value of a field")?;
        match key & 7 {
            NUMBER => each(Field::Number(key >> 3, value))?,
            BYTES => {
                let start = message.at();
                let len = usize::try_from(value).unwrap_or(usize::MAX);
                let bytes = message.take("bytes of a field", len)?;
                each(Field::Message(key >> 3, Reader::new(bytes, start)))?;
            }
            got => {
                let what = "wire type of a field";
                return Err(DecodeError::Corrupt { what, at, want: BYTES, got });
            }
        }
    }
    Ok(())
}
