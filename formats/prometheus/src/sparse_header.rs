//! Mimir's sparse header, `sparse-index-header`: every 32nd symbol and label value of an index, with their places, so
//! that a gateway need not walk the tables before it answers.
//!
//! Bytes:   gzip of the protobuf Sparse { 1 Symbols { 1 packed places, 2 count }, 2 Postings { 1 map of name to
//!          Values { 1 repeated { 1 value, 2 place }, 2 end of the last list }, 2 sampling } }; a place counts from
//!          the length field of its table, docs/formats/prometheus.md
//! Callers: engines/series

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use manicule_core::bytes::put_uvarint;

/// Sampling interval: one of this many symbols and values is kept.
pub const SPARSE_HEADER_SAMPLING: u32 = 32;

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

    /// The next entry of the postings offset table begins at a place of it, and its list at an offset of the index.
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
    pub fn write(mut self, lists_end: u64, out: &mut dyn Write) -> io::Result<()> {
        self.end_name(lists_end);
        let mut symbols = Vec::with_capacity(self.symbols.len() + 16);
        put_bytes(1, &self.symbols, &mut symbols);
        put_number(2, self.symbol_count.into(), &mut symbols);
        let mut postings = self.names;
        put_number(2, SPARSE_HEADER_SAMPLING.into(), &mut postings);
        let mut sparse = Vec::with_capacity(symbols.len() + postings.len() + 16);
        put_message(1, &symbols, &mut sparse);
        put_message(2, &postings, &mut sparse);
        let mut gzip = GzEncoder::new(out, Compression::default());
        gzip.write_all(&sparse)?;
        gzip.finish()?;
        Ok(())
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
