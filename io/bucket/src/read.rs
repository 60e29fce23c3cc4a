//! Buckets as stores that are read.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use object_store::{Error as ObjectError, GetRange};

use manicule_store::EntryKind;
use manicule_store::pages::ByteSource;
use manicule_store::store::{
    Access, Answer, Ask, Listed, Look, Name, Store, StoreError, Version, WriteStore,
};

use crate::address::Scheme;
use crate::bucket::Bucket;
use crate::chain::Beside;
use crate::client::io_error;
use crate::file::{BucketFile, past_the_end};
use crate::plan::requests;
use crate::ranges::read_ranges;
use crate::shared::{Seen, Shared, Unanswered};

impl Store for Bucket {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        self.run_for(folder, |shared, key| async move { shared.list(&key).await })
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        self.run_for(name, |shared, key| async move { look(shared, key).await })
    }

    fn open(&self, file: &Name, _: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        let key = self.shared().address.key(file);
        let Seen { version, e_tag, .. } = self.run_for(file, |shared, key| async move {
            shared.head(&key).await.map_err(|error| io_error(&error))
        })?;
        let e_tag = OnceLock::from(e_tag);
        Ok(Box::new(BucketFile { bucket: self.clone(), key, version, e_tag }))
    }

    /// Asks nothing: reads say whether it is that version.
    fn open_seen(
        &self,
        file: &Name,
        version: Version,
        _: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        let (key, e_tag) = (self.shared().address.key(file), OnceLock::new());
        Ok(Box::new(BucketFile { bucket: self.clone(), key, version, e_tag }))
    }

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        self.ask_each(asked)
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        let wanted = out.len();
        let pieces = self.run_for(file, move |shared, key| async move {
            let error = match read_pieces(&shared, &key, at, wanted).await {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => error,
                pieces => return pieces,
            };
            // Looked at for its length, which is part of the error's words.
            let seen = shared.head(&key).await.map_err(|error| io_error(&error))?;
            let len = seen.version.len();
            let is_within = at.checked_add(wanted as u64).is_some_and(|end| end <= len);
            Err(if is_within { error } else { past_the_end(at, wanted, len) })
        })?;
        let mut rest = out;
        for piece in pieces {
            let (now, after) = rest.split_at_mut(piece.len());
            now.copy_from_slice(&piece);
            rest = after;
        }
        Ok(())
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let bytes = self.run_for(file, move |shared, key| async move {
            Ok(shared.get(&key, None, None, len_max).await?.bytes)
        })?;
        out.clear();
        out.extend_from_slice(&bytes);
        Ok(())
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let bytes = self.run_for(file, move |shared, key| async move {
            match shared.get(&key, Some(GetRange::Offset(at)), None, u64::MAX).await {
                // Where there is nothing yet.
                Err(Unanswered::PastTheEnd) => Ok(Bytes::new()),
                got => Ok(got?.bytes),
            }
        })?;
        out.clear();
        out.extend_from_slice(&bytes);
        Ok(())
    }

    fn show(&self, name: &Name) -> PathBuf {
        self.shown(name)
    }

    /// Web servers are only read.
    fn writer(&self) -> Option<&dyn WriteStore> {
        (self.address().scheme != Scheme::Http).then_some(self)
    }
}

/// What a name leads to: the object of that name, else a folder if anything lies in it. Both are
/// asked for at once, as a round is dearer than a request, where a listing is one request.
async fn look(shared: Arc<Shared>, key: String) -> io::Result<Look> {
    let mut beside = Beside::new();
    if shared.client.has_pages() && !key.is_empty() {
        let (shared, key) = (shared.clone(), key.clone());
        beside.begin(0, async move { shared.is_folder(&key).await });
    }
    let seen = match key.as_str() {
        "" => Err(ObjectError::NotFound { path: String::new(), source: "a bucket".into() }),
        key => shared.head(key).await,
    };
    let error = match seen {
        Ok(Seen { version, .. }) => {
            return Ok(Look { kind: EntryKind::File, len: version.len(), version });
        }
        Err(error @ ObjectError::NotFound { .. }) => io_error(&error),
        Err(error) => return Err(io_error(&error)),
    };
    let is_folder = match beside.next().await {
        Some(done) => done?,
        None => shared.is_folder(&key).await,
    };
    match is_folder {
        // An empty bucket is a folder; an empty folder is none.
        Ok(is_folder) if is_folder || key.is_empty() => {
            let version = shared.version(&key, "folder", 0);
            Ok(Look { kind: EntryKind::Folder, len: 0, version })
        }
        // A web server that lists nothing has said that nothing is there.
        Err(failed) if shared.client.has_pages() || key.is_empty() => Err(failed),
        _ => Err(error),
    }
}

/// The bytes of a range, in order. What is long is asked for in pieces, of one version.
async fn read_pieces(
    shared: &Arc<Shared>,
    key: &str,
    at: u64,
    wanted: usize,
) -> io::Result<Vec<Bytes>> {
    let end = at.checked_add(wanted as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
    let ranges = requests(std::slice::from_ref(&(at..end)), shared.limits.requests_in_flight);
    if ranges.is_empty() {
        // Nothing is wanted, of what has to be there.
        shared.head(key).await.map_err(|error| io_error(&error))?;
    }
    Ok(read_ranges(shared.clone(), key, ranges, None, None).await?.bytes)
}
