//! The SSTables of a path at a moment, each opened when it is first needed.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use manicule_rows::table::{
    Ahead, LeftOut, Listed, Sstable, TableOptions, bring_for_lookup, list_some_at, read_header,
    read_headers,
};
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
    /// Lists a path for some questions. What `before` has open stays so, if the files are still the
    /// same.
    pub(super) fn of(
        path: &Path,
        ahead: Ahead,
        before: Option<&Listing>,
    ) -> Result<Self, RowsError> {
        let (listed, left_out) = list_some_at(&place_of(path)?, ahead)?;
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

    /// All its SSTables.
    pub(super) fn sstables(
        &self,
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<Sstable>, RowsError> {
        let opened = self.with_those_that_wait(|listed| {
            let opened = Sstable::open_all(listed, reads, reading).into_iter();
            opened.map(|opened| opened.map(Some)).collect()
        })?;
        let kept = self.opened.iter().zip(opened).map(|(kept, opened)| match kept.get() {
            Some(kept) => Some(kept.sstable.clone()),
            None => opened,
        });
        Ok(kept.flatten().collect())
    }

    /// The same, but for those of which the filter says that they don't have a partition: of one
    /// that isn't open Filter.db is all that is read then.
    pub(super) fn sstables_that_may_have(
        &self,
        key: &[u8],
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<Option<Sstable>>, RowsError> {
        let mut sstables = self.with_those_that_wait(|listed| {
            Sstable::open_all_that_may_have(listed, key, reads, reading)
        })?;
        let kept: Vec<_> = self.kept_places().collect();
        let before: Vec<Sstable> = kept.iter().map(|(_, kept)| kept.sstable.clone()).collect();
        let may_have = Sstable::all_may_have(&before, key, reading);
        for (((place, _), sstable), may_have) in kept.iter().zip(before).zip(may_have) {
            sstables[*place] = may_have?.then_some(sstable);
        }
        Ok(sstables)
    }

    /// Opens those that aren't open, and keeps them: at the places of the list.
    fn with_those_that_wait(
        &self,
        open: impl FnOnce(&[&Listed]) -> Vec<Result<Option<Sstable>, RowsError>>,
    ) -> Result<Vec<Option<Sstable>>, RowsError> {
        let waits = |place: &usize| self.opened[*place].get().is_none();
        let waiting: Vec<usize> = (0..self.listed.len()).filter(waits).collect();
        let listed: Vec<&Listed> = waiting.iter().map(|place| &self.listed[*place]).collect();
        let stamps: Vec<_> = listed.iter().map(|listed| stamps(listed)).collect();
        let mut sstables = vec![None; self.listed.len()];
        for ((place, stamps), opened) in waiting.into_iter().zip(stamps).zip(open(&listed)) {
            sstables[place] = opened?.map(|sstable| self.keep(place, sstable, stamps));
        }
        Ok(sstables)
    }

    /// The headers of all its SSTables, of which nothing else is opened.
    pub(super) fn headers(
        &self,
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<Header>, RowsError> {
        let places = 0..self.listed.len();
        let waiting: Vec<usize> =
            places.filter(|place| self.opened[*place].get().is_none()).collect();
        let listed: Vec<&Listed> = waiting.iter().map(|place| &self.listed[*place]).collect();
        let mut read = read_headers(&listed, reads, reading).into_iter();
        let header = |kept: &OnceLock<Kept>| match kept.get() {
            Some(kept) => Ok(kept.sstable.header().clone()),
            None => read.next().expect("a header of each that isn't open"),
        };
        self.opened.iter().map(header).collect()
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

    /// The header of the newest SSTable; who asks for it is going
    /// to look a key up.
    pub(super) fn header_for_lookup(
        &self,
        reads: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Header, RowsError> {
        let newest = self.listed.len() - 1;
        if self.opened[newest].get().is_none() {
            bring_for_lookup(&self.listed);
        }
        self.header(newest, reads, reading)
    }

    fn kept_places(&self) -> impl Iterator<Item = (usize, &Kept)> {
        let places = self.opened.iter().enumerate();
        places.filter_map(|(place, kept)| Some((place, kept.get()?)))
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
