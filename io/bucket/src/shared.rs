//! What the requests of a bucket share: reads of objects, and what is known of them.

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use manicule_store::store::{Name, Version, too_long};
use object_store::path::Path;
use object_store::{Error as ObjectError, GetOptions, GetRange, ObjectMeta};
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::address::Address;
use crate::client::{Client, io_error, replaced, status_of};
use crate::counts::Tally;
use crate::options::Limits;
use crate::waves::Expected;

/// How often an answer is asked for again that is not what was asked for.
const TRIES: u32 = 4;

/// What requests in flight hold.
pub(crate) struct Shared {
    pub(crate) address: Address,
    pub(crate) client: Client,
    pub(crate) limits: Limits,
    pub(crate) tally: Arc<Tally>,
    /// Where the bucket is, if it was asked for elsewhere.
    pub(crate) region: Arc<OnceLock<String>>,
    /// Permits of requests.
    pub(crate) in_flight: Semaphore,
}

/// What is known of an object.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) version: Version,
    /// Its ETag, if one may be asked for by it.
    pub(crate) e_tag: Option<String>,
    /// Number of its generation: of Google alone.
    pub(crate) generation: Option<String>,
}

/// Bytes of an object, and what is known of it since.
pub(crate) struct Got {
    pub(crate) bytes: Bytes,
    pub(crate) seen: Seen,
}

/// An answer without what was asked for.
pub(crate) enum Unanswered {
    /// The range begins at the end of the object or after it.
    PastTheEnd,
    /// Another try may give another answer.
    Other(io::Error),
    /// No other try does.
    Final(io::Error),
}

impl From<Unanswered> for io::Error {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::PastTheEnd => io::ErrorKind::UnexpectedEof.into(),
            Unanswered::Other(error) | Unanswered::Final(error) => error,
        }
    }
}

/// The path of a key, which is taken as it is.
pub(crate) fn path_of(key: &str) -> io::Result<Path> {
    Path::parse(key).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))
}

impl Shared {
    /// An error of a bucket that was asked for in another region says in which it is. Looks have no
    /// body that says what is wrong.
    pub(crate) fn explained(&self, error: io::Error) -> io::Error {
        use io::ErrorKind::{InvalidInput, Other, PermissionDenied};
        match (error.kind(), self.region.get()) {
            (InvalidInput | Other | PermissionDenied, Some(region))
                if self.client.region.as_ref().is_some_and(|asked| asked != region) =>
            {
                let what = format!("the region is not the bucket's, which is {region} ({error})");
                io::Error::new(InvalidInput, what)
            }
            _ => error,
        }
    }

    /// Waits until another request may go out.
    pub(crate) async fn permit(&self, expected: Expected) -> SemaphorePermit<'_> {
        self.in_flight.acquire_many(expected.permits()).await.expect("never closed")
    }

    /// What an answer says of an object. Its version is by its ETag, which an object of other bytes
    /// doesn't have, else by its time; within its name, since Azure's ETags are times too.
    pub(crate) fn seen(&self, key: &str, meta: &ObjectMeta) -> io::Result<Seen> {
        let mark = match &meta.e_tag {
            Some(e_tag) => e_tag.trim_matches('"').to_owned(),
            None => match meta.last_modified.timestamp_millis() {
                0 => return Err(unversioned()),
                time => time.to_string(),
            },
        };
        let version = self.version(key, &mark, meta.size);
        let e_tag = meta.e_tag.clone().filter(|e_tag| !e_tag.starts_with("W/"));
        Ok(Seen { version, e_tag, generation: meta.version.clone() })
    }

    /// The version of an object by the mark that its store gave its bytes.
    pub(crate) fn version(&self, key: &str, mark: &str, len: u64) -> Version {
        let place = self.address.show(&Name::root());
        let mut hash = Sha256::new();
        for part in [&place, key, mark] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        Version::in_bucket(hash[..24].try_into().expect("24 bytes"), len)
    }

    pub(crate) async fn head(&self, key: &str) -> Result<Seen, ObjectError> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        let _permit = self.permit(Expected::Short).await;
        let answer = self.client.objects.get_opts(&Path::parse(key)?, options).await?;
        let unseen = |error: io::Error| ObjectError::NotSupported { source: Box::new(error) };
        self.seen(key, &answer.meta).map_err(unseen)
    }

    /// Reads a range of an object, or all of it, in the version with an ETag. An answer that is not
    /// what was asked for is asked for again.
    pub(crate) async fn get(
        &self,
        key: &str,
        range: Option<GetRange>,
        e_tag: Option<String>,
        len_max: u64,
    ) -> Result<Got, Unanswered> {
        let path = path_of(key).map_err(Unanswered::Final)?;
        let mut tries = 0;
        loop {
            let (range, if_match) = (range.clone(), e_tag.clone());
            let options = GetOptions { range, if_match, ..GetOptions::default() };
            match self.get_once(key, &path, options, len_max).await {
                Ok(got) => return Ok(got),
                Err(unanswered) => {
                    if !self.tries_again(&mut tries, &unanswered).await {
                        return Err(unanswered);
                    }
                }
            }
        }
    }

    /// Whether another try may give an answer, after a wait if so.
    pub(crate) async fn tries_again(&self, tries: &mut u32, unanswered: &Unanswered) -> bool {
        *tries += 1;
        let does = matches!(unanswered, Unanswered::Other(_)) && *tries < TRIES;
        if does {
            tokio::time::sleep(self.limits.first_wait * (1 << *tries)).await;
        }
        does
    }

    async fn get_once(
        &self,
        key: &str,
        path: &Path,
        options: GetOptions,
        len_max: u64,
    ) -> Result<Got, Unanswered> {
        // More than `len_max` is refused before it is read.
        let _permit = self.permit(Expected::of_len(len_max)).await;
        let answer = self.client.objects.get_opts(path, options).await.map_err(unanswered)?;
        let seen = self.seen(key, &answer.meta).map_err(Unanswered::Final)?;
        let Range { start, end } = answer.range;
        let len = end.saturating_sub(start);
        if len > len_max {
            return Err(Unanswered::Final(too_long(len, len_max)));
        }
        let bytes = answer.bytes().await.map_err(unanswered)?;
        if bytes.len() as u64 != len {
            let what =
                format!("{len} bytes were announced at offset {start}, {} came", bytes.len());
            return Err(Unanswered::Other(io::Error::new(io::ErrorKind::UnexpectedEof, what)));
        }
        Ok(Got { bytes, seen })
    }
}

/// Answers with a status were asked for again already, where that helps.
pub(crate) fn unanswered(error: ObjectError) -> Unanswered {
    let status = status_of(&error);
    let (is_final, io) = (!matches!(error, ObjectError::Generic { .. }), io_error(&error));
    match (status, io.kind()) {
        (Some(416), _) => Unanswered::PastTheEnd,
        (None, io::ErrorKind::Other | io::ErrorKind::ConnectionReset) if !is_final => {
            Unanswered::Other(io)
        }
        _ => Unanswered::Final(io),
    }
}

fn unversioned() -> io::Error {
    let what = "the server gives neither an ETag nor a time: pieces of two versions could not be \
                distinguished";
    io::Error::new(io::ErrorKind::Unsupported, what)
}

/// An error where bytes are of another version than was asked for: of a server that ignores it.
pub(crate) fn check_version(got: &Seen, want: &Version) -> io::Result<()> {
    if got.version == *want { Ok(()) } else { Err(replaced()) }
}
