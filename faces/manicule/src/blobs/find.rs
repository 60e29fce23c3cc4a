//! Files and folders of snapshots, found by patterns of their paths, or by the blobs, trees and packs that they need.
//!
//! Callers: faces

mod lines;
mod pieces;

use std::ops::ControlFlow;

use manicule_blobs::find::{Finds, Patterns};
use manicule_blobs::{BlobKind, Id, Index, Kept, SnapshotFilter, Snapshots};
pub use manicule_blobs::{FoundObject, Moment, Place};
use manicule_core::watch::Watch;

use super::choose::chosen;
use super::error::Error;
use super::open::Open;
use lines::Lines;
use pieces::Wanted;

/// What the words of a search are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindBy {
    /// Each decides for itself: 8 to 64 hexadecimal digits with which the id of a blob, tree or pack of the index begins, or of a blob or tree that
    /// a tree names; or a pattern.
    Word,
    /// Ids of data blobs.
    Blob,
    /// Ids of trees.
    Tree,
    /// Ids of packs.
    Pack,
}

/// How a path that matches is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindForm {
    /// The path alone.
    Path,
    /// With mode, numbers of owner and group, size and time, as `restic find --long`.
    Long {
        /// Whether the size has a unit.
        is_human: bool,
    },
    /// As an object of `restic find --json`.
    Json,
}

/// Arguments of a search.
#[derive(Clone, Debug)]
pub struct FindCall {
    /// What is searched for: restic's patterns, or ids.
    pub words: Vec<Vec<u8>>,
    /// Which of the two.
    pub by: FindBy,
    /// Snapshots that are searched: `latest`, or beginnings of ids. Without any, those that the filter admits.
    pub snapshots: Vec<String>,
    /// Conditions on the snapshots.
    pub filter: SnapshotFilter,
    /// Whether the oldest snapshot is first, not the newest.
    pub oldest_first: bool,
    /// Whether letters of either case match a pattern.
    pub ignores_case: bool,
    /// Only what was last changed then, or later. For patterns.
    pub oldest: Option<Moment>,
    /// Only what was last changed then, or earlier. For patterns.
    pub newest: Option<Moment>,
    /// How paths are written.
    pub form: FindForm,
    /// Whether the places of blobs are listed: those of the files that match a pattern in the file's line, others in rows of their own.
    pub places: bool,
}

/// Something that was found.
#[derive(Clone, Copy, Debug)]
pub enum FindRow<'r> {
    /// A path that matches a pattern.
    Path {
        /// The snapshot.
        snapshot: &'r Kept,
        /// The path in the form that was asked for, without a line end.
        line: &'r [u8],
    },
    /// A file that needs a blob, or a folder that is a tree.
    Object(FoundObject<'r>),
    /// A place of a blob, by the index.
    Place {
        /// The blob's kind.
        kind: BlobKind,
        /// Its id.
        id: Id,
        /// The pack; `None` where the index doesn't have the blob.
        at: Option<(Id, Place)>,
    },
    /// Something that could not be searched, as a sentence.
    Gap(&'r str),
    /// A pack that can't be read, so that its blobs come from the index, as a sentence.
    Note(&'r str),
}

/// Searches snapshots. `take` receives what is found: snapshot by snapshot, paths in the order of their trees; and first what can't be searched.
///
/// Each distinct tree is read once, by all threads. Memory beside the index: the lines of the distinct matches.
pub fn find<E: From<Error>>(
    open: &Open,
    snapshots: &Snapshots,
    call: &FindCall,
    watch: &Watch<'_>,
    mut take: impl FnMut(FindRow<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let chosen = chosen_in_order(snapshots, call)?;
    let index = open.index_of(pieces::indexed(call), watch)?;
    let mut search = Search { open, index: &index, chosen, call, watch, take: &mut take };
    match Wanted::of(open, &index, call)? {
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

/// A search in an index that is loaded.
struct Search<'s, E> {
    open: &'s Open,
    index: &'s Index,
    chosen: Vec<&'s Kept>,
    call: &'s FindCall,
    watch: &'s Watch<'s>,
    take: &'s mut dyn FnMut(FindRow<'_>) -> Result<(), E>,
}

impl<E: From<Error>> Search<'_, E> {
    fn patterns(&mut self) -> Result<(), E> {
        let words = self.call.words.iter().map(Vec::as_slice);
        let patterns = Patterns::parse(words, self.call.ignores_case).map_err(Error::Patterns)?;
        let lines = Lines { patterns, call: self.call, index: self.index };
        let (repository, threads) = (&self.open.repository, self.open.threads());
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

fn flow<B>(result: Result<(), B>) -> ControlFlow<B> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

fn ended<E>(flow: ControlFlow<E>) -> Result<(), E> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
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
