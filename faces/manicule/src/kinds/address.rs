//! What lies at an address of an object store: names, and what they say.

use manicule_store::EntryKind;
use manicule_store::store::Listed;

use super::kind::Kind;
use crate::place::Listing;

/// The names directly below an address.
#[derive(Clone, Copy, Debug)]
pub struct ListedNames<'l>(&'l [Listed]);

impl<'l> ListedNames<'l> {
    /// Those of a listing.
    pub(super) fn of(listed: &'l [Listed]) -> Self {
        ListedNames(listed)
    }

    fn of_kind(self, kind: EntryKind) -> impl Iterator<Item = &'l str> {
        let entries = self.0.iter().filter(move |entry| entry.kind == kind);
        entries.map(|entry| entry.name.as_str())
    }

    /// Those of objects.
    pub fn files(self) -> impl Iterator<Item = &'l str> {
        self.of_kind(EntryKind::File)
    }

    /// Those of folders: beginnings of the names of others.
    pub fn folders(self) -> impl Iterator<Item = &'l str> {
        self.of_kind(EntryKind::Folder)
    }

    /// Whether there is an object of this name.
    pub fn has_file(self, name: &str) -> bool {
        self.files().any(|file| file == name)
    }

    /// Whether there is a folder of this name.
    pub fn has_folder(self, name: &str) -> bool {
        self.folders().any(|folder| folder == name)
    }
}

/// What lies at an address.
#[derive(Clone, Debug)]
pub(crate) enum Lies {
    /// Names that begin with it.
    Folder(Seen),
    /// An object; by its name or its first bytes of this kind.
    File(Kind),
}

/// A folder that was listed.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) listing: Listing,
    /// Its kinds, in the order of systems; none where it is a folder as any other.
    pub(crate) kinds: Vec<Kind>,
    /// Those that an engine of their own searches.
    pub(super) searched: Vec<Kind>,
    /// Places in the listing of the entries that none of these takes.
    pub(super) others: Vec<usize>,
}

impl Seen {
    /// Its kinds that an engine of their own searches.
    pub(crate) fn searched(&self) -> impl Iterator<Item = Kind> {
        self.searched.iter().copied()
    }

    /// The entries that none of those takes.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Listed> {
        self.others.iter().map(|place| &self.listing.listed[*place])
    }
}
