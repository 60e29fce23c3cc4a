//! Buckets as stores that are written.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use manicule_core::watch::Meter;
use object_store::{
    Error as ObjectError, MultipartUpload, ObjectStoreExt, PutMode, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, UpdateVersion,
};
use tokio::sync::Mutex;

use manicule_store::store::{Name, Replace, StoreError, Version, WriteStore};

use crate::address::Scheme;
use crate::bucket::Bucket;
use crate::chain::Beside;
use crate::client::{io_error, replaced, with_context};
use crate::shared::{Shared, check_version, path_of};
use crate::waves::Expected;

/// Number of parts that every store takes.
const PARTS_MAX: u64 = 10_000;

/// Parts that are held in memory and sent side by side. The next ones are read when these are sent.
const PARTS_IN_FLIGHT: usize = 8;

/// What gives the next parts, a number of them at most; none at the end.
type NextParts<'n> = dyn FnMut(usize) -> io::Result<Vec<Bytes>> + 'n;

/// An upload in parts.
type Upload = Arc<Mutex<Box<dyn MultipartUpload>>>;

impl WriteStore for Bucket {
    /// Compares by `If-Match` and `If-None-Match`. A file that replaces whatever is there and is
    /// long is put in parts, and is there with the last request; one that compares is one request.
    fn put(&self, file: &Name, bytes: &[u8], replace: Replace) -> Result<Version, StoreError> {
        let len = bytes.len() as u64;
        if replace == Replace::Any && self.is_in_parts(len) {
            let mut parts = bytes.chunks(self.part_len(len));
            return self.put_in_parts(file, len, &mut |count| {
                Ok(parts.by_ref().take(count).map(Bytes::copy_from_slice).collect())
            });
        }
        let bytes = Bytes::copy_from_slice(bytes);
        self.run_for(file, move |shared, key| async move {
            let mode = shared.mode(&key, replace).await?;
            let (path, options) = (path_of(&key)?, PutOptions::from(mode));
            let permit = shared.permit(Expected::of_len(len)).await;
            let put = shared.client.objects.put_opts(&path, bytes.into(), options).await;
            drop(permit);
            let put = put.map_err(|error| io_error(&error))?;
            shared.put_version(&key, put, len).await
        })
    }

    /// A long file is put in parts, of which eight are in memory. It compares by a look before the
    /// first of them: no condition goes with the last request.
    fn put_file(
        &self,
        file: &Name,
        source: &Path,
        replace: Replace,
        meter: &Meter<'_>,
    ) -> Result<Version, StoreError> {
        let unread = |error| StoreError { file: source.to_owned(), source: error };
        let mut from = File::open(source).map_err(unread)?;
        let len = from.metadata().map_err(unread)?.len();
        if !self.is_in_parts(len) {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).map_err(unread)?;
            let version = self.put(file, &bytes, replace)?;
            meter.add(len);
            return Ok(version);
        }
        self.compare(file, replace)?;
        let (part_len, mut before) = (self.part_len(len) as u64, 0);
        self.put_in_parts(file, len, &mut |count| {
            meter.step(std::mem::take(&mut before)).map_err(io::Error::other)?;
            let mut parts = Vec::new();
            while parts.len() < count {
                let mut part = Vec::new();
                (&mut from).take(part_len).read_to_end(&mut part)?;
                if part.is_empty() {
                    break;
                }
                before += part.len() as u64;
                parts.push(Bytes::from(part));
            }
            Ok(parts)
        })
    }

    fn remove(&self, file: &Name) -> Result<(), StoreError> {
        self.run_for(file, |shared, key| async move {
            let _permit = shared.permit(Expected::Short).await;
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
    fn is_in_parts(&self, len: u64) -> bool {
        len >= 2 * self.shared().limits.part_len as u64 && self.address().scheme != Scheme::Http
    }

    /// Length of the parts of a file.
    fn part_len(&self, len: u64) -> usize {
        let least = usize::try_from(len.div_ceil(PARTS_MAX)).expect("a part fits into memory");
        self.shared().limits.part_len.max(least)
    }

    /// Whether what is there may be replaced.
    fn compare(&self, file: &Name, replace: Replace) -> Result<(), StoreError> {
        self.run_for(file, move |shared, key| async move {
            if replace != Replace::If(None) {
                return shared.mode(&key, replace).await.map(drop);
            }
            match shared.head(&key).await {
                Ok(_) => Err(replaced()),
                Err(ObjectError::NotFound { .. }) => Ok(()),
                Err(error) => Err(io_error(&error)),
            }
        })
    }

    /// Sends parts, and with the last request makes them an object. After an error they are
    /// removed.
    fn put_in_parts(
        &self,
        file: &Name,
        len: u64,
        next: &mut NextParts<'_>,
    ) -> Result<Version, StoreError> {
        let begun = self.run_for(file, |shared, key| async move {
            let (path, options) = (path_of(&key)?, PutMultipartOptions::default());
            let begun = shared.client.objects.put_multipart_opts(&path, options).await;
            begun.map_err(|error| io_error(&error))
        });
        let upload: Upload = Arc::new(Mutex::new(begun?));
        let done = self.send_parts(file, &upload, next).and_then(|()| {
            let upload = Arc::clone(&upload);
            self.run_for(file, move |shared, key| async move {
                let put = upload.lock().await.complete().await;
                shared.put_version(&key, put.map_err(|error| io_error(&error))?, len).await
            })
        });
        if done.is_err() {
            // The first error is the one that says what is wrong; who was stopped removes them too.
            let _ = self.unstopped().run(|_| async move {
                upload.lock().await.abort().await.map_err(|error| io_error(&error))
            });
        }
        done
    }

    fn send_parts(
        &self,
        file: &Name,
        upload: &Upload,
        next: &mut NextParts<'_>,
    ) -> Result<(), StoreError> {
        loop {
            let parts = self.failed(file, next(PARTS_IN_FLIGHT))?;
            if parts.is_empty() {
                return Ok(());
            }
            let upload = Arc::clone(upload);
            self.run_for(file, move |shared, _| async move {
                let mut tasks = Beside::new();
                for part in parts {
                    let sent = upload.lock().await.put_part(PutPayload::from_bytes(part));
                    let shared = Arc::clone(&shared);
                    tasks.begin(0, async move {
                        let _permit = shared.permit(Expected::Long).await;
                        sent.await
                    });
                }
                while let Some(sent) = tasks.next().await {
                    sent?.map_err(|error| io_error(&error))?;
                }
                Ok(())
            })?;
        }
    }
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
