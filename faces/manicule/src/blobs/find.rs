//! Files and folders of snapshots, found by patterns of their paths, or by the blobs, trees and
//! packs that they need.

mod call;
mod lines;
mod pieces;
mod search;

use manicule_blobs::find::{Finds, Patterns};
pub use manicule_blobs::{FoundObject, Moment, Place};
use manicule_blobs::{Kept, Snapshots};
use manicule_core::watch::Watch;

use super::choose::chosen;
use super::error::Error;
use super::open::Repository;
pub use call::{FindBy, FindCall, FindForm, FindRow};
use lines::Lines;
use pieces::Wanted;
use search::{Search, ended, flow};

impl Repository {
    /// Searches snapshots. `take` receives what is found: snapshot by snapshot, paths in the order
    /// of their trees; and first what can't be searched.
    ///
    /// Each distinct tree is read once, by all threads. Memory beside the index: the lines of the
    /// distinct matches.
    pub fn find<E: From<Error>>(
        &self,
        snapshots: &Snapshots,
        call: &FindCall,
        watch: &Watch<'_>,
        mut take: impl FnMut(FindRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let chosen = chosen_in_order(snapshots, call)?;
        let index = self.index_of(pieces::indexed(call), watch)?;
        let mut search =
            Search { repository: self, index: &index, chosen, call, watch, take: &mut take };
        match Wanted::of(self, &index, call)? {
            None => search.patterns()?,
            Some(wanted) => {
                let is_found = search.pieces(&wanted)?;
                if wanted.may_be_patterns() && !is_found {
                    search.patterns()?;
                }
            }
        }
        index.check_cache().map_err(|error| Error::Repo(error).into())
    }
}

impl<E: From<Error>> Search<'_, E> {
    fn patterns(&mut self) -> Result<(), E> {
        let words = self.call.words.iter().map(Vec::as_slice);
        let patterns = Patterns::parse(words, self.call.ignores_case).map_err(Error::Patterns)?;
        let lines = Lines { patterns, call: self.call, index: self.index };
        let (repository, threads) = (&self.repository.engine, self.repository.threads());
        let finds =
            Finds::search(repository, self.index, &self.chosen, &lines, threads, self.watch);
        let finds = finds.map_err(Error::Repo)?;
        self.gaps(&finds)?;
        let mut text = Vec::new();
        for (at, snapshot) in self.chosen.iter().enumerate() {
            let done = finds.each(self.index, at, |found| {
                text.clear();
                found.kept.put(self.call.form, found.path, &mut text);
                flow((self.take)(FindRow::Path { snapshot, line: &text }))
            });
            ended(done)?;
        }
        Ok(())
    }

    fn gaps<K: Send>(&mut self, finds: &Finds<K>) -> Result<(), E> {
        finds.gaps().iter().try_for_each(|gap| (self.take)(FindRow::Gap(gap)))
    }
}

/// The snapshots that a call means, in its order.
fn chosen_in_order<'k>(snapshots: &'k Snapshots, call: &FindCall) -> Result<Vec<&'k Kept>, Error> {
    let mut places = chosen(snapshots, &call.snapshots, &call.filter)?;
    if !call.oldest_first {
        places.reverse();
    }
    Ok(places.into_iter().map(|at| &snapshots.kept[at]).collect())
}
