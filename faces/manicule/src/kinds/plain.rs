//! Plain files: of no kind, and not read.
//!
//! Callers: kinds

use super::reader::Reader;
use super::system::Signs;
use super::{Call, Place};
use crate::inspect::{Error, IndexFile, Inspected, Verified};

/// No system.
#[derive(Debug)]
pub(super) struct Plain;

impl Signs for Plain {}

impl Plain {
    fn refuse<T>(place: &Place) -> Result<T, Error> {
        Err(Error::NoIndexFile(place.path.clone()))
    }
}

impl Reader for Plain {
    fn inspect(&self, place: &Place, _: &Call<'_>) -> Result<Inspected, Error> {
        Plain::refuse(place)
    }

    fn parts(&self, place: &Place) -> Result<Option<IndexFile>, Error> {
        Plain::refuse(place)
    }

    fn verify(
        &self,
        place: &Place,
        _: &Call<'_>,
        _: &mut dyn FnMut(Error),
    ) -> Result<Verified, Error> {
        Plain::refuse(place)
    }
}
