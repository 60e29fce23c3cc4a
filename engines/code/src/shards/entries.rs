//! The entries of a folder of shards, as a store has listed them.

use std::collections::BTreeMap;
use std::io;

use manicule_store::EntryKind;
use manicule_store::planned::is_written_in;
use manicule_store::store::{Listed, Name, Store};

/// The entries of a store's own folder, by their names.
#[derive(Debug)]
pub(super) struct Entries<'s> {
    pub(super) store: &'s dyn Store,
    by_name: BTreeMap<String, Listed>,
}

impl<'s> Entries<'s> {
    /// Those that a folder was listed with before.
    pub(super) fn of(store: &'s dyn Store, listed: Vec<Listed>) -> Self {
        let by_name = listed.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        Entries { store, by_name }
    }

    /// Lists the folder.
    pub(super) fn list(store: &'s dyn Store) -> io::Result<Self> {
        let listed = store.list(&Name::root()).map_err(|error| error.source)?;
        Ok(Entries::of(store, listed))
    }

    /// The entries, in the order of their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Listed> {
        self.by_name.values()
    }

    /// Whether a file is there, or a link to nothing, of which whoever opens it says more.
    pub(super) fn may_be_file(&self, entry: &Listed) -> bool {
        match entry.kind {
            EntryKind::File => true,
            EntryKind::Folder => false,
            // What was looked through is a link.
            EntryKind::Rest => {
                entry.len.is_some() && self.store.look(&name_of(&entry.name)).is_err()
            }
        }
    }

    /// The entry of a name, be it there or not.
    pub(super) fn of_name(&self, name: &str) -> Listed {
        let unlisted =
            || Listed { name: name.to_owned(), kind: EntryKind::File, len: None, version: None };
        self.by_name.get(name).cloned().unwrap_or_else(unlisted)
    }

    /// The name that a planned file has now: `aside` if it is written there, `name` else.
    pub(super) fn now(&self, aside: String, name: &str) -> io::Result<String> {
        let len = self.by_name.get(&aside).and_then(|entry| entry.len);
        let is_written = match len {
            Some(len) => len > 0,
            None => is_written_in(self.store, &name_of(&aside)).map_err(|error| error.source)?,
        };
        Ok(if is_written { aside } else { name.to_owned() })
    }
}

/// The name of an entry of a store's own folder.
pub(super) fn name_of(entry: &str) -> Name {
    Name::new(entry).expect("an entry's name has no parts")
}
