//! Paths of a shard's documents, as they are printed.
//!
//! Callers: code, find

use manicule::code::shards::find::Document;

/// Printed path of a document: `NAME`, where a call reads several repositories `REPOSITORY/NAME`, and of a repository
/// with several branches `BRANCH:NAME`, as `git grep` has it.
pub(crate) fn document_path<'p>(
    document: &Document<'p>,
    with_repository: bool,
    buffer: &'p mut Vec<u8>,
) -> &'p [u8] {
    let repository = document.repository();
    let branches = repository.and_then(|repository| repository.branches.as_deref());
    let has_several = branches.is_some_and(|branches| branches.len() > 1);
    if !with_repository && !has_several {
        return document.name;
    }
    buffer.clear();
    if has_several {
        buffer.extend_from_slice(document.branches().collect::<Vec<_>>().join(",").as_bytes());
        buffer.push(b':');
    }
    if let Some(repository) = repository.filter(|_| with_repository) {
        buffer.extend_from_slice(&repository.name.0);
        buffer.push(b'/');
    }
    buffer.extend_from_slice(document.name);
    buffer
}
