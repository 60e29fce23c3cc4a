//! The tenants of a bucket of Mimir's: each has a folder, and in it its blocks.

use manicule_format_prometheus::{
    BUCKET_INDEX_NAME, MARKERS_NAME, MIMIR_CLUSTER_NAME, TENANT_MARK_NAME, Ulid, tenant_mark_time,
};
use manicule_store::EntryKind;
use manicule_store::store::{Listed, Name, Store};

use super::error::BlockError;
use super::open::part;

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Its name, and that of its folder.
    pub name: String,
    /// When it was marked for deletion, in seconds since 1970; `None` if it isn't.
    pub marked_at: Option<i64>,
}

/// Whether an entry of a listing is called as a folder of a block.
pub(crate) fn is_block_folder(entry: &Listed) -> bool {
    entry.kind == EntryKind::Folder && entry.name.parse::<Ulid>().is_ok()
}

/// The tenants of a bucket, by name: folders with blocks, an index of blocks, or marks. A round for
/// the bucket, one for its folders, and one for marks of tenants.
pub fn tenants_in(store: &dyn Store) -> Result<Vec<Tenant>, BlockError> {
    let listed = store.list(&Name::root())?;
    let is_folder = |entry: &&Listed| {
        entry.kind == EntryKind::Folder
            && entry.name != MIMIR_CLUSTER_NAME
            && !is_block_folder(entry)
    };
    let folders = listed.iter().filter(is_folder).filter_map(|entry| Name::new(&entry.name));
    let mut folders: Vec<Name> = folders.collect();
    if folders.is_empty() {
        return Ok(Vec::new());
    }
    folders.sort();
    let (mut tenants, mut marks) = (Vec::new(), Vec::new());
    for (folder, entries) in folders.iter().zip(store.list_all(&folders)) {
        let entries = entries?;
        let has = |name: &str| entries.iter().any(|entry| entry.name == name);
        if has(BUCKET_INDEX_NAME) || has(MARKERS_NAME) || entries.iter().any(is_block_folder) {
            tenants.push(Tenant { name: folder.as_str().to_owned(), marked_at: None });
        }
        if has(MARKERS_NAME) {
            marks.push((tenants.len() - 1, part(&part(folder, MARKERS_NAME), TENANT_MARK_NAME)));
        }
    }
    let files: Vec<Name> = marks.iter().map(|(_, file)| file.clone()).collect();
    for ((place, _), json) in marks.into_iter().zip(store.read_all(&files, u64::MAX)) {
        match json {
            Err(error) if error.is_missing() => {}
            json => tenants[place].marked_at = tenant_mark_time(&json?).ok(),
        }
    }
    Ok(tenants)
}
