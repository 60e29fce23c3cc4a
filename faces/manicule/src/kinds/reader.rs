//! A path of one kind, and the operations on it: inspection and verification.

use std::path::PathBuf;

use manicule_core::bytes::{DecodeError, Outline};
use manicule_core::watch::Watch;

use super::kind::Kind;
use crate::cache::Cache;
use crate::inspect::{Error, IndexFile, Inspected, Verified};
use crate::place::{Listing, map};

/// Context of a call, whatever the kind.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The cache with the indexes of trees, if there is one.
    pub cache: Option<&'a Cache>,
    /// Number of threads.
    pub threads: usize,
    /// Receives the call's progress, and can end it.
    pub watch: &'a Watch<'a>,
    /// Key of the partition whose index is shown, as CQL writes it; of none the largest.
    pub key: Option<&'a str>,
    /// Gives the password of what is encrypted, if there is one; asked only where it is needed. An
    /// error is a sentence.
    pub password: fn() -> Result<Option<Vec<u8>>, String>,
}

/// A path that was recognised as one of its kinds.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path.
    pub path: PathBuf,
    /// Its kind.
    pub kind: Kind,
    /// Reader of its kind, unless it is read as something else.
    pub(super) reader: Reader,
    /// What an address was recognised by.
    pub(super) listing: Option<Listing>,
}

impl Place {
    /// Contents of the path as this kind.
    pub fn inspect(&self, call: &Call<'_>) -> Result<Inspected, Error> {
        self.lend(|| (self.reader.inspect)(self, call))
    }

    /// Parts of a file of an index, or of a shard, with their bytes: as much as can be read of a
    /// damaged one. `None` for a folder.
    pub fn parts(&self) -> Result<Option<IndexFile>, Error> {
        (self.reader.parts)(self)
    }

    /// Verifies the path as this kind: the index of a tree and that it agrees with the tree, one
    /// file of an index by itself, a shard, or all shards of a folder; a Prometheus block, an index
    /// of one, or all of a data folder. Parts that can't be read of a folder are handed to
    /// `failed`.
    pub fn verify(
        &self,
        call: &Call<'_>,
        failed: &mut dyn FnMut(Error),
    ) -> Result<Verified, Error> {
        self.lend(|| (self.reader.verify)(self, call, failed))
    }

    /// Reads it: what was listed to recognise it is not listed again.
    fn lend<R>(&self, read: impl FnOnce() -> R) -> R {
        Listing::lend(self.listing.clone().into_iter().collect(), read)
    }
}

/// Verification of a path; see [`Reader::verify`].
pub type Verify = fn(&Place, &Call<'_>, &mut dyn FnMut(Error)) -> Result<Verified, Error>;

/// Reader of the paths of one kind, or of several that are read in the same way.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Contents of a path.
    pub inspect: fn(&Place, &Call<'_>) -> Result<Inspected, Error>,
    /// Parts of a file, with their bytes: as much as can be read of a damaged one. A folder has
    /// none.
    pub parts: fn(&Place) -> Result<Option<IndexFile>, Error>,
    /// Verification of a path. Parts of a folder that can't be read are handed to the last
    /// argument.
    pub verify: Verify,
}

impl Reader {
    /// A reader of no path: of kinds that can't be inspected or verified yet.
    pub const fn refusing() -> Self {
        Reader {
            inspect: |place, _| refuse(place),
            parts: |place| refuse(place),
            verify: |place, _, _| refuse(place),
        }
    }
}

fn refuse<T>(place: &Place) -> Result<T, Error> {
    Err(Error::NotYet { path: place.path.clone(), kind: place.kind.name() })
}

/// The parts of a folder, which has none.
pub fn no_parts(_: &Place) -> Result<Option<IndexFile>, Error> {
    Ok(None)
}

/// The parts of a file by its system's own outline. `short_name` gives the short form of a
/// section's name.
pub(super) fn index_file(
    place: &Place,
    outline: fn(&[u8]) -> Result<Outline, DecodeError>,
    short_name: fn(&str) -> String,
) -> Result<IndexFile, Error> {
    let path = &place.path;
    let bytes = map(path).map_err(Error::io(path))?;
    let outline = outline(&bytes);
    let outline = outline.map_err(|source| Error::Damaged { path: path.clone(), source })?;
    Ok(IndexFile { kind: place.kind.word(), bytes, outline, short_name })
}
