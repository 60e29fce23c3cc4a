//! Paths of a shard's documents, as they are shown.

use super::shards::find::Document;

/// Shown path of a document: `NAME`, where a call reads several repositories `REPOSITORY/NAME`,
/// and where it isn't on all branches of its repository `BRANCH:NAME`, as `git grep` has it: of two
/// documents by one name none is on all.
pub fn document_path<'p>(
    document: &Document<'p>,
    with_repository: bool,
    buffer: &'p mut Vec<u8>,
) -> &'p [u8] {
    let repository = document.repository();
    let branches = repository.and_then(|repository| repository.branches.as_deref());
    let is_on_some = branches.is_some_and(|all| document.branches().count() < all.len());
    if !with_repository && !is_on_some {
        return document.name;
    }
    buffer.clear();
    if is_on_some {
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
