//! Reads an index file: by the fast scanner if it is as restic writes it, else by the general one.

use manicule_core::go::json::JsonError;

use super::general::read_general;
use super::scan::scan;
use super::sink::IndexSink;

/// How an index file was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexForm {
    /// Byte by byte as restic does.
    Canonical,
    /// Otherwise: other order, white space, unknown fields, rustic's.
    General,
}

/// Reads the JSON of an index file and hands out what it lists. After an error the sink has been
/// restarted: nothing of the file counts.
///
/// A canonical file takes one pass, about 50 ns a blob; the first byte that differs begins it again
/// with [`IndexSink::restart`], in three passes at about 1.5 µs a blob. Neither takes memory.
pub fn read_index<S: IndexSink + ?Sized>(
    json: &[u8],
    sink: &mut S,
) -> Result<IndexForm, JsonError> {
    if scan(json, sink).is_some() {
        return Ok(IndexForm::Canonical);
    }
    sink.restart();
    let read = read_general(json, sink);
    if read.is_err() {
        sink.restart();
    }
    read.map(|()| IndexForm::General)
}
