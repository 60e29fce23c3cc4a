//! Operations on a path of one kind: what it holds, and whether that is right.
//!
//! Callers: kinds

use std::fmt::Debug;

use manicule_core::bytes::{DecodeError, Outline};
use manicule_core::watch::Watch;
use manicule_store::Mapped;

use super::Place;
use crate::cache::Cache;
use crate::inspect::{Error, IndexFile, Inspected, Verified};

/// What a call brings along, whatever the kind.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The cache with the indexes of trees, if there is one.
    pub cache: Option<&'a Cache>,
    /// Number of threads.
    pub threads: usize,
    /// Hears how far the call is, and can end it.
    pub watch: &'a Watch<'a>,
}

/// Reader of the paths of one kind, or of several that are read in the same way.
pub(super) trait Reader: Debug + Sync {
    /// Contents of a path.
    fn inspect(&self, place: &Place, call: &Call<'_>) -> Result<Inspected, Error>;

    /// Parts of a file, with their bytes: as much as can be read of a damaged one. A folder has none.
    fn parts(&self, place: &Place) -> Result<Option<IndexFile>, Error> {
        let _ = place;
        Ok(None)
    }

    /// Verification of a path. What can't be read of a folder is handed to `failed`.
    fn verify(
        &self,
        place: &Place,
        call: &Call<'_>,
        failed: &mut dyn FnMut(Error),
    ) -> Result<Verified, Error>;
}

/// The parts of a file by its system's own outline. `short_name` says what hands type for a section.
pub(super) fn index_file(
    place: &Place,
    outline: fn(&[u8]) -> Result<Outline, DecodeError>,
    short_name: fn(&str) -> String,
) -> Result<IndexFile, Error> {
    let path = &place.path;
    let bytes = Mapped::open(path).map_err(Error::io(path))?;
    let outline = outline(&bytes);
    let outline = outline.map_err(|source| Error::Damaged { path: path.clone(), source })?;
    Ok(IndexFile { kind: place.kind.word(), bytes, outline, short_name })
}
