//! The SSTables of a path at a moment, each opened when it is first needed.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use manicule_rows::table::{LeftOut, Listed, Sstable, TableOptions, list_some_at, read_header};
use manicule_rows::{Header, RowsError};
use manicule_store::pages::Reading;

use super::open::place_of;
use crate::same::Stamp;

/// What a path has at a moment.
#[derive(Debug)]
pub(super) struct Listing {
    /// Its finished SSTables, by version and generation: at least one.
    pub(super) listed: Vec<Listed>,
    /// Files that are no finished SSTable.
    pub(super) left_out: Vec<LeftOut>,
    /// Those that are open, at the places of the list.
    opened: Vec<OnceLock<Kept>>,
}

/// An SSTable that is open.
#[derive(Clone, Debug)]
struct Kept {
    sstable: Sstable,
    /// Of each of its files, in the order of its components; of those in an object store the list
    /// says which they are.
    stamps: Vec<Stamp>,
}

impl Listing {
    /// Lists a path. What `before` has open stays so, if the files are still the same.
    pub(super) fn of(path: &Path, before: Option<&Listing>) -> Result<Self, RowsError> {
        let (listed, left_out) = list_some_at(&place_of(path)?)?;
        let kept = |listed: &Listed| {
            let (before, kept) = before?.kept(listed)?;
            let is_same = before.versions() == listed.versions()
                && stamps(listed).is_ok_and(|stamps| stamps == kept.stamps);
            is_same.then(|| kept.clone())
        };
        let slot = |listed: &Listed| kept(listed).map_or_else(OnceLock::new, OnceLock::from);
        let opened = listed.iter().map(slot).collect();
        Ok(Listing { listed, left_out, opened })
    }

    fn kept(&self, wanted: &Listed) -> Option<(&Listed, &Kept)> {
        let place = self.listed.iter().position(|listed| listed == wanted)?;
        Some((&self.listed[place], self.opened[place].get()?))
    }

    /// The SSTable at a place of the list.
    pub(super) fn sstable(
        &self,
        place: usize,
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Sstable, RowsError> {
        match self.opened[place].get() {
            Some(kept) => Ok(kept.sstable.clone()),
            None => {
                let listed = &self.listed[place];
                let stamps = stamps(listed);
                Ok(self.keep(place, Sstable::open(listed, reads, reading)?, stamps))
            }
        }
    }

    /// The same, unless its filter says that it doesn't have a partition: of one that isn't open
    /// Filter.db is all that is read then.
    pub(super) fn sstable_if_it_may_have(
        &self,
        place: usize,
        key: &[u8],
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Sstable>, RowsError> {
        if let Some(kept) = self.opened[place].get() {
            let may_have = kept.sstable.may_have(key, reading)?;
            return Ok(may_have.then(|| kept.sstable.clone()));
        }
        let listed = &self.listed[place];
        let stamps = stamps(listed);
        let opened = Sstable::open_if_it_may_have(listed, key, reads, reading)?;
        Ok(opened.map(|sstable| self.keep(place, sstable, stamps)))
    }

    /// The header of the SSTable at a place, of which nothing else is opened.
    pub(super) fn header(
        &self,
        place: usize,
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Header, RowsError> {
        match self.opened[place].get() {
            Some(kept) => Ok(kept.sstable.header().clone()),
            None => read_header(&self.listed[place], reads, reading),
        }
    }

    /// Keeps an SSTable for who asks next; of two that open it at once all get the first's. Whose
    /// files couldn't be looked at is opened again by the next.
    fn keep(&self, place: usize, sstable: Sstable, stamps: io::Result<Vec<Stamp>>) -> Sstable {
        let Ok(stamps) = stamps else { return sstable };
        self.opened[place].get_or_init(|| Kept { sstable, stamps }).sstable.clone()
    }
}

fn stamps(listed: &Listed) -> io::Result<Vec<Stamp>> {
    if !listed.versions().is_empty() {
        return Ok(Vec::new());
    }
    listed.components.iter().map(|component| Stamp::of(&listed.path(component))).collect()
}
