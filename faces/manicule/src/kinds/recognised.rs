//! An address of an object store, recognised by one listing.
//!
//! The names that a listing shows decide: to prove them by bytes, as in a local folder, would be a
//! round for each kind, and opening reads those bytes anyway.

use std::io;
use std::path::{Path, PathBuf};

use manicule_store::pages::{ReadCounts, SystemCache};
use manicule_store::store::{Access, Listed, Name, StoreError};

use super::address::{Lies, ListedNames, Seen};
use super::kind::Kind;
use super::row::SystemRow;
use super::systems::systems;
use crate::place::{Listing, Remote, remote};

/// A folder by its entries.
pub(crate) fn seen(path: PathBuf, listed: Vec<Listed>) -> Seen {
    let names = ListedNames::of(&listed);
    let kinds: Vec<Kind> = systems().iter().flat_map(|row| row.signs.listed(names)).collect();
    let is_searched = |kind: &Kind| !kind.system().is_text();
    let searched: Vec<Kind> = kinds.iter().copied().filter(is_searched).collect();
    let is_own = |row: &&&SystemRow| searched.iter().any(|kind| kind.system() == row.system);
    let own: Vec<_> = systems().iter().filter(is_own).collect();
    let is_other =
        |place: &usize| !own.iter().any(|row| row.signs.takes_name(listed[*place].name.as_bytes()));
    let others = (0..listed.len()).filter(is_other).collect();
    Seen { listing: Listing { path, listed }, kinds, searched, others }
}

/// Number of first bytes of a file that say its kind.
pub(super) const HEAD_LEN: u64 = 16;

/// Looks at an address. One that is a file by its name is believed, and costs nothing; a folder
/// costs its listing; an object beside that a look and its first bytes.
pub(crate) fn lies_at(path: &Path) -> Result<Lies, StoreError> {
    let remote = remote(path)?.expect("an address");
    if let Some(kind) = systems().iter().find_map(|row| row.signs.of_name(path)) {
        return Ok(Lies::File(kind));
    }
    let listed = match remote.store.list(&remote.name) {
        // A web server has no listings.
        Err(error) if error.source.kind() == io::ErrorKind::Unsupported => Vec::new(),
        listed => listed?,
    };
    if listed.is_empty() && remote.name != Name::root() {
        return file_at(&remote).map(Lies::File);
    }
    Ok(Lies::Folder(seen(path.to_owned(), listed)))
}

/// Kind of an object by its first bytes.
fn file_at(remote: &Remote) -> Result<Kind, StoreError> {
    let source = remote.store.open(&remote.name, Access::Positioned(SystemCache::Used))?;
    let mut head = vec![0; source.len().min(HEAD_LEN) as usize];
    if !head.is_empty() {
        let read = source.read_at(0, &mut head, &mut ReadCounts::default());
        read.map_err(|source| StoreError { file: remote.store.show(&remote.name), source })?;
    }
    let by_head = systems().iter().find_map(|row| row.signs.of_head(&head));
    Ok(by_head.unwrap_or(Kind::FILE))
}

#[cfg(test)]
mod tests {
    use manicule_store::EntryKind;

    use super::*;

    /// Names, of which those of folders end in `/`: the kinds of a folder that has them, and what
    /// of it is searched as text.
    #[track_caller]
    fn check(names: &str, want: &[Kind], others: &str) {
        let entry = |name: &str| Listed {
            name: name.trim_end_matches('/').to_owned(),
            kind: if name.ends_with('/') { EntryKind::Folder } else { EntryKind::File },
            len: None,
            version: None,
        };
        let seen = super::seen(PathBuf::from("s3://a/b"), names.split(' ').map(entry).collect());
        assert_eq!(seen.kinds, want, "{names}");
        let left: Vec<&str> = seen.others().map(|entry| entry.name.as_str()).collect();
        assert_eq!(left.join(" "), others, "{names}");
    }

    #[test]
    fn folders_by_their_names() {
        const ULID: &str = "01M7YV9D4RCH84S6NS9PC6AJ27/";
        check("a.txt b/", &[], "a.txt b");
        check("chunks/ index meta.json", &[Kind::PROMETHEUS_BLOCK], "");
        check("index meta.json", &[Kind::PROMETHEUS_BLOCK], "");
        check("index index.html", &[], "index index.html");
        check(&format!("{ULID} debug/"), &[Kind::PROMETHEUS_DATA], "debug");
        check("bucket-index.json.gz markers/ notes", &[Kind::PROMETHEUS_DATA], "notes");
        let repository = "config data/ index/ keys/ locks/ snapshots/";
        check(repository, &[Kind::RESTIC_REPOSITORY], "");
        check("config keys/ README", &[], "config keys README");
        check("config/ data/ keys/", &[], "config data keys");
        check("a.zoekt a.zoekt.meta notes", &[Kind::ZOEKT_SHARDS], "notes");
        let sstable = "me-1-big-Data.db me-1-big-TOC.txt backups/ me-1-big-Filter.db";
        check(sstable, &[Kind::SSTABLE_FOLDER], "backups");
        check("me-1-big-Data.db me-2-big-TOC.txt", &[], "me-1-big-Data.db me-2-big-TOC.txt");
        let store = "CURRENT dict/ leaf/ log/ manifest-0000000003 stat/";
        check(store, &[Kind::GRAPH_STORE], "");
        check("CURRENT MANIFEST-000004", &[], "CURRENT MANIFEST-000004");
    }

    #[test]
    fn several_kinds_in_one_folder() {
        let names = "a.zoekt me-1-big-Data.db me-1-big-Statistics.db notes";
        check(names, &[Kind::ZOEKT_SHARDS, Kind::SSTABLE_FOLDER], "notes");
    }
}
