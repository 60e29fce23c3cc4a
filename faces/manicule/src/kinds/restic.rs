//! restic repositories.
//!
//! Callers: kinds

use super::reader::{Reader, no_parts};
use super::{Call, Place};
use crate::blobs;
use crate::inspect::{Error, Inspected};

/// Of a repository: more of it with its password.
pub(super) const REPOSITORY: Reader = Reader {
    inspect: |place, call| {
        let password = password(place, call)?;
        blobs::inspect::inspect(&place.path, password, call.threads, call.watch)
            .map(|inspection| Inspected::Repository(Box::new(inspection)))
            .map_err(Error::Repository)
    },
    parts: no_parts,
    ..Reader::refusing()
};

fn password(place: &Place, call: &Call<'_>) -> Result<Option<Vec<u8>>, Error> {
    (call.password)().map_err(|why| Error::Password { path: place.path.clone(), why })
}
