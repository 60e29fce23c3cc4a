//! Partition keys as text.

use manicule_rows::table::Sstable;

use super::error::Error;

/// Reads a partition key of an SSTable: as CQL writes it, as sstabledump takes it, or its bytes as
/// `0x00ff`.
pub(super) fn read_key(sstable: &Sstable, text: &str) -> Result<Vec<u8>, Error> {
    let kind = &sstable.header().key;
    let read = kind.read_key(text).or_else(|_| kind.read_plain_key(text));
    read.map_err(|source| Error::Literal { what: format!("partition key {text:?}"), source })
}

/// A partition key as CQL writes it: a value, or `(value, value)` of several columns.
pub(super) fn key_text(sstable: &Sstable, key: &[u8]) -> String {
    let mut text = String::new();
    sstable.header().key.put_literal(Some(key), &mut text);
    text
}
