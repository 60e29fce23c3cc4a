//! Paths of a shard's documents, as they are printed.
//!
//! Callers: code, find

use manicule::code::shards::find::Document;

/// Printed path of a document.
pub(crate) fn document_path<'p>(
    document: &Document<'p>,
    with_repository: bool,
    buffer: &'p mut Vec<u8>,
) -> &'p [u8] {
    match document.repository().filter(|_| with_repository) {
        None => document.name,
        Some(repository) => {
            buffer.clear();
            buffer.extend_from_slice(&repository.name.0);
            buffer.push(b'/');
            buffer.extend_from_slice(document.name);
            buffer
        }
    }
}
