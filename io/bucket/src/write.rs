//! Buckets as stores that are written.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{
    Error as ObjectError, ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, UpdateVersion,
};

use manicule_store::store::{Name, Replace, StoreError, Version, WriteStore};

use crate::address::Scheme;
use crate::bucket::Bucket;
use crate::chain::Beside;
use crate::client::{io_error, replaced, with_context};
use crate::shared::{Shared, check_version, path_of};

/// Number of parts that every store takes.
const PARTS_MAX: usize = 10_000;

/// Parts that are sent side by side, each of which is copied.
const PARTS_IN_FLIGHT: usize = 4;

impl WriteStore for Bucket {
    /// Compares by `If-Match` and `If-None-Match`. A file that replaces whatever is there and is
    /// long is put in parts, and is there with the last request; one that compares is one request.
    fn put(&self, file: &Name, bytes: &[u8], replace: Replace) -> Result<Version, StoreError> {
        let is_in_parts = bytes.len() >= 2 * self.shared().limits.part_len
            && replace == Replace::Any
            && self.address().scheme != Scheme::Http;
        if is_in_parts {
            return self.put_in_parts(file, bytes);
        }
        let (len, bytes) = (bytes.len() as u64, Bytes::copy_from_slice(bytes));
        self.run_for(file, move |shared, key| async move {
            let mode = shared.mode(&key, replace).await?;
            let (path, options) = (path_of(&key)?, PutOptions::from(mode));
            let permit = shared.permit().await;
            let put = shared.client.objects.put_opts(&path, bytes.into(), options).await;
            drop(permit);
            let put = put.map_err(|error| io_error(&error))?;
            shared.put_version(&key, put, len).await
        })
    }

    fn remove(&self, file: &Name) -> Result<(), StoreError> {
        self.run_for(file, |shared, key| async move {
            let _permit = shared.permit().await;
            match shared.client.objects.delete(&path_of(&key)?).await {
                Ok(()) | Err(ObjectError::NotFound { .. }) => Ok(()),
                Err(error) => Err(io_error(&error)),
            }
        })
    }

    /// A put that is interrupted leaves nothing that has a name. Parts of a killed one lie in the
    /// bucket, and are paid for, until a rule of the bucket removes them.
    fn sweep(&self, _: &Name, _: &dyn Fn(&str) -> bool) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Bucket {
    fn put_in_parts(&self, file: &Name, bytes: &[u8]) -> Result<Version, StoreError> {
        let part_len = self.shared().limits.part_len.max(bytes.len().div_ceil(PARTS_MAX));
        let parts: Vec<_> = bytes.chunks(part_len).map(Bytes::copy_from_slice).collect();
        let len = bytes.len() as u64;
        self.run_for(file, move |shared, key| async move {
            let path = path_of(&key)?;
            let put = put_parts(&shared, &path, parts).await.map_err(|error| io_error(&error))?;
            shared.put_version(&key, put, len).await
        })
    }
}

/// Sends parts, and with the last request makes them an object. After an error they are removed.
async fn put_parts(
    shared: &Arc<Shared>,
    path: &Path,
    parts: Vec<Bytes>,
) -> object_store::Result<PutResult> {
    let objects: &dyn ObjectStore = &*shared.client.objects;
    let mut upload = objects.put_multipart_opts(path, PutMultipartOptions::default()).await?;
    let sent = async {
        let mut tasks = Beside::new();
        for part in parts {
            if tasks.len() == PARTS_IN_FLIGHT {
                joined(tasks.next().await)?;
            }
            let (shared, sent) = (shared.clone(), upload.put_part(PutPayload::from_bytes(part)));
            tasks.begin(0, async move {
                let _permit = shared.permit().await;
                sent.await
            });
        }
        while let Some(done) = tasks.next().await {
            joined(Some(done))?;
        }
        Ok(())
    };
    let done = match sent.await {
        Ok(()) => upload.complete().await,
        Err(error) => Err(error),
    };
    if done.is_err() {
        // The first error is the one that says what is wrong.
        let _ = upload.abort().await;
    }
    done
}

fn joined(done: Option<io::Result<object_store::Result<()>>>) -> object_store::Result<()> {
    let ended = |error: io::Error| ObjectError::NotSupported { source: Box::new(error) };
    done.map_or(Ok(()), |done| done.map_err(ended)?)
}

impl Shared {
    /// What an object may be put in place of, as its store is told. The version that is to be
    /// replaced is known by its ETag: a look says whether it is still there, and what that is.
    async fn mode(&self, key: &str, replace: Replace) -> io::Result<PutMode> {
        match replace {
            Replace::Any => Ok(PutMode::Overwrite),
            Replace::If(None) => Ok(PutMode::Create),
            Replace::If(Some(version)) => {
                let seen = match self.head(key).await {
                    Ok(seen) => seen,
                    Err(ObjectError::NotFound { .. }) => return Err(replaced()),
                    Err(error) => return Err(io_error(&error)),
                };
                check_version(&seen, &version)?;
                let (e_tag, version) = (seen.e_tag, seen.generation);
                Ok(PutMode::Update(UpdateVersion { e_tag, version }))
            }
        }
    }

    /// The version of an object that was put. Stores say it, web servers seldom.
    async fn put_version(&self, key: &str, put: PutResult, len: u64) -> io::Result<Version> {
        if let Some(e_tag) = put.e_tag {
            return Ok(self.version(key, e_tag.trim_matches('"'), len));
        }
        let seen = self.head(key).await;
        let seen = seen.map_err(|error| {
            with_context(io_error(&error), "it was put, and can't be looked at")
        })?;
        Ok(seen.version)
    }
}
