//! Searches for blobs, trees and packs.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use manicule_blobs::find::{Finds, Pieces, begun, blobs_of_packs, header_of_pack};
use manicule_blobs::{
    BlobKind, FileKind, FoundObject, Id, IdPrefix, Index, Indexed, PackNo, PackedBlob, RepoError,
};

use super::call::{FindBy, FindCall, FindRow};
use super::search::{Search, ended, flow};
use crate::blobs::error::Error;
use crate::blobs::open::Repository;

/// Number of digits from which on a word may be an id.
const DIGITS_MIN: usize = 8;

/// What the words of a call name.
pub(super) struct Wanted {
    pieces: Pieces,
    /// Blobs whose places are listed, by the index.
    listed: BTreeSet<(BlobKind, Id)>,
    /// Number of trees after which restic ends the search of a snapshot.
    trees_max: Option<usize>,
    /// Packs whose blobs come from the index, as sentences.
    notes: Vec<String>,
    /// Whether no index file has any of the words: trees may name them, as check does, or they are
    /// patterns after all.
    is_guess: bool,
}

impl Wanted {
    /// `None` where the words are patterns.
    pub(super) fn of(
        repository: &Repository,
        index: &Index,
        call: &FindCall,
    ) -> Result<Option<Wanted>, Error> {
        let mut wanted = Wanted {
            pieces: Pieces::nothing(),
            listed: BTreeSet::new(),
            trees_max: None,
            notes: Vec::new(),
            is_guess: false,
        };
        match call.by {
            FindBy::Word => return wanted.words(index, call),
            FindBy::Blob => wanted.blobs(index, call, BlobKind::Data)?,
            FindBy::Tree => {
                wanted.blobs(index, call, BlobKind::Tree)?;
                let words: HashSet<&Vec<u8>> = call.words.iter().collect();
                wanted.trees_max = Some(words.len());
            }
            FindBy::Pack => wanted.packs(repository, index, call)?,
        }
        Ok(Some(wanted))
    }

    /// Whether the words are patterns if trees name none of them.
    pub(super) fn may_be_patterns(&self) -> bool {
        self.is_guess
    }

    /// Words that are ids of something in the index; all of them, or none. Those that look like an
    /// id go with the others.
    fn words(mut self, index: &Index, call: &FindCall) -> Result<Option<Wanted>, Error> {
        let (mut ids, mut patterns, mut unknown) = (None, None, Vec::new());
        for word in &call.words {
            let shown = || String::from_utf8_lossy(word).into_owned();
            match prefix(word) {
                None => patterns = patterns.or_else(|| Some(shown())),
                Some(prefix) if self.word(index, &prefix) => ids = ids.or_else(|| Some(shown())),
                Some(prefix) => unknown.push(prefix),
            }
        }
        if let (Some(id), Some(pattern)) = (&ids, &patterns) {
            return Err(Error::Mixed { id: id.clone(), pattern: pattern.clone() });
        }
        for prefix in unknown {
            let kinds = [BlobKind::Data, BlobKind::Tree];
            kinds.into_iter().for_each(|kind| self.pieces.add_begun(kind, prefix));
        }
        self.is_guess = ids.is_none();
        Ok(patterns.is_none().then_some(self))
    }

    /// Adds all that a word names in the index; whether that is anything.
    fn word(&mut self, index: &Index, prefix: &IdPrefix) -> bool {
        let mut found: Vec<(BlobKind, Id)> = Vec::new();
        for kind in [BlobKind::Data, BlobKind::Tree] {
            found.extend(begun(index, kind, prefix).into_iter().map(|id| (kind, id)));
        }
        found.extend(of_packs(blobs_of_packs(index, &packs_begun(index, prefix))));
        found.iter().for_each(|(kind, id)| self.add(*kind, *id));
        !found.is_empty()
    }

    fn add(&mut self, kind: BlobKind, id: Id) {
        self.pieces.add(kind, id);
        self.listed.insert((kind, id));
    }

    fn blobs(&mut self, index: &Index, call: &FindCall, kind: BlobKind) -> Result<(), Error> {
        for word in &call.words {
            let prefix = wanted_prefix(word)?;
            // As in restic, what trees name counts, whether the index has it or not.
            self.pieces.add_begun(kind, prefix);
            if let Some(id) = Id::parse(word) {
                self.listed.insert((kind, id));
            } else if call.places {
                self.listed.extend(begun(index, kind, &prefix).into_iter().map(|id| (kind, id)));
            }
        }
        Ok(())
    }

    /// The blobs of packs: by the header of each, and by the index where it can't be read.
    fn packs(
        &mut self,
        repository: &Repository,
        index: &Index,
        call: &FindCall,
    ) -> Result<(), Error> {
        let files = repository.engine.storage().list(FileKind::Pack).map_err(RepoError::from)?;
        for word in &call.words {
            let prefix = wanted_prefix(word)?;
            let mut is_found = false;
            for file in files.iter().filter(|file| prefix.matches(&file.id)) {
                match header_of_pack(&repository.engine, file) {
                    Ok(blobs) => {
                        is_found = true;
                        of_blobs(blobs).for_each(|(kind, id)| self.add(kind, id));
                    }
                    Err(why) => self.notes.push(why),
                }
            }
            if is_found {
                continue;
            }
            let packs = packs_begun(index, &prefix);
            if packs.is_empty() {
                return Err(Error::NoPack(prefix.to_string()));
            }
            for pack in &packs {
                let id = index.pack(*pack).id;
                self.notes.push(format!(
                    "pack {id}: its file can't be read; its blobs come from the index"
                ));
            }
            of_packs(blobs_of_packs(index, &packs)).for_each(|(kind, id)| self.add(kind, id));
        }
        Ok(())
    }
}

/// The blobs that a call needs an index of: patterns go by trees alone, unless places of files are
/// asked for.
pub(super) fn indexed(call: &FindCall) -> Indexed {
    let is_pattern = |word: &Vec<u8>| prefix(word).is_none();
    if call.by == FindBy::Word && !call.places && call.words.iter().all(is_pattern) {
        Indexed::Trees
    } else {
        Indexed::All
    }
}

fn prefix(word: &[u8]) -> Option<IdPrefix> {
    IdPrefix::parse(word).filter(|prefix| prefix.digit_count() >= DIGITS_MIN)
}

fn wanted_prefix(word: &[u8]) -> Result<IdPrefix, Error> {
    let shown = || String::from_utf8_lossy(word).into_owned();
    prefix(word).ok_or_else(|| Error::NotABlob(shown()))
}

fn packs_begun(index: &Index, prefix: &IdPrefix) -> HashSet<PackNo> {
    let packs = (0..).map(PackNo).zip(index.packs());
    packs.filter(|(_, pack)| prefix.matches(&pack.id)).map(|(number, _)| number).collect()
}

fn of_packs(blobs: Vec<(PackNo, PackedBlob)>) -> impl Iterator<Item = (BlobKind, Id)> {
    of_blobs(blobs.into_iter().map(|(_, blob)| blob))
}

fn of_blobs(blobs: impl IntoIterator<Item = PackedBlob>) -> impl Iterator<Item = (BlobKind, Id)> {
    blobs.into_iter().filter_map(|blob| Some((blob.kind?, blob.id)))
}

impl<E: From<Error>> Search<'_, E> {
    /// Whether anything was found.
    pub(super) fn pieces(&mut self, wanted: &Wanted) -> Result<bool, E> {
        wanted.notes.iter().try_for_each(|note| (self.take)(FindRow::Note(note)))?;
        let is_first = self.call.by == FindBy::Word;
        if is_first {
            self.places(wanted)?;
        }
        let (repository, threads) = (&self.repository.engine, self.repository.threads());
        let pieces = &wanted.pieces;
        let finds =
            Finds::search(repository, self.index, &self.chosen, pieces, threads, self.watch);
        let finds = finds.map_err(Error::Repo)?;
        self.gaps(&finds)?;
        let mut count = 0;
        for at in 0..self.chosen.len() {
            ended(self.in_snapshot(at, wanted, &finds, &mut count))?;
        }
        if self.call.places && !is_first {
            self.places(wanted)?;
        }
        Ok(count > 0)
    }

    /// Matches of one snapshot. A search for trees ends, as in restic, once as many were found as
    /// are searched for, in this snapshot and in those before.
    fn in_snapshot(
        &mut self,
        at: usize,
        wanted: &Wanted,
        finds: &Finds<(BlobKind, Id)>,
        count: &mut usize,
    ) -> ControlFlow<E> {
        let kept = self.chosen[at];
        let mut found = |kind, id, path: &[u8], parent| {
            let (snapshot, time) = (kept.id, kept.snapshot.time);
            let object = FoundObject { kind, id, path, parent, snapshot, time };
            flow((self.take)(FindRow::Object(object)).map_err(Some))?;
            *count += 1;
            match wanted.trees_max {
                Some(max) if *count >= max => ControlFlow::Break(None),
                _ => ControlFlow::Continue(()),
            }
        };
        let root = finds.root(at).filter(|root| wanted.pieces.has(BlobKind::Tree, root));
        let mut done = match root {
            Some(root) => found(BlobKind::Tree, root, b"/", None),
            None => ControlFlow::Continue(()),
        };
        if done.is_continue() {
            done = finds.each(self.index, at, |at| {
                let (kind, id) = *at.kept;
                found(kind, id, at.path, (kind == BlobKind::Data).then_some(at.parent))
            });
        }
        match done {
            ControlFlow::Break(Some(error)) => ControlFlow::Break(error),
            ControlFlow::Break(None) | ControlFlow::Continue(()) => ControlFlow::Continue(()),
        }
    }

    fn places(&mut self, wanted: &Wanted) -> Result<(), E> {
        for &(kind, id) in &wanted.listed {
            let mut places = self.index.places(kind, &id).peekable();
            if places.peek().is_none() {
                (self.take)(FindRow::Place { kind, id, at: None })?;
            }
            for found in places {
                let at = Some((self.index.pack(found.pack).id, found.place));
                (self.take)(FindRow::Place { kind, id, at })?;
            }
        }
        Ok(())
    }
}
