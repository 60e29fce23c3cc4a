//! A bucket, or what lies below a prefix of one.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error as ObjectError, GetOptions, GetRange, ObjectMeta};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use manicule_core::watch::Stopped;
use manicule_store::store::{Name, StoreError, Version};

use crate::address::{Address, AddressError};
use crate::chain::{Beside, after};
use crate::client::{Client, connect, io_error, replaced, status_of};
use crate::counts::{Counts, Tally};
use crate::options::{Limits, Options};
use crate::runtime::{Stop, wait};
use crate::wire::Connector;

/// How often an answer is asked for again that is not what was asked for.
const TRIES: u32 = 4;

/// A bucket, or what lies below a prefix of one. Clones share connections and counts.
#[derive(Clone)]
pub struct Bucket {
    shared: Arc<Shared>,
    stop: Option<Stop>,
}

/// What requests in flight hold.
pub(crate) struct Shared {
    pub(crate) address: Address,
    pub(crate) client: Client,
    pub(crate) limits: Limits,
    tally: Arc<Tally>,
    /// Where the bucket is, if it was asked for elsewhere.
    region: Arc<OnceLock<String>>,
    in_flight: Semaphore,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.shared.address.show(&Name::root())).finish()
    }
}

/// Opens what an address names. Nothing is asked yet: what is not there, or not allowed, is an
/// error of the first call.
///
/// # Errors
/// A text that is no address, and what is missing to ask: a profile, an account, credentials in a
/// form that is not read.
pub fn open(address: &str, options: &Options) -> Result<Bucket, StoreError> {
    let failed = |source| StoreError { file: PathBuf::from(address), source };
    let parsed = Address::parse(address).map_err(|error: AddressError| {
        failed(io::Error::new(io::ErrorKind::InvalidInput, error.what()))
    })?;
    let (tally, region) = (Arc::new(Tally::default()), Arc::new(OnceLock::new()));
    let connector = Connector { tally: tally.clone(), region: region.clone() };
    let client = connect(&parsed, options, connector).map_err(failed)?;
    let limits = options.limits;
    let in_flight = Semaphore::new(limits.requests_in_flight.max(1));
    let shared = Shared { address: parsed, client, limits, tally, region, in_flight };
    Ok(Bucket { shared: Arc::new(shared), stop: None })
}

impl Bucket {
    /// The same, whose calls end when `stop` says so: what is in flight is dropped, and the error
    /// is of the class *stopped*. It is asked every 20 ms while a call waits.
    #[must_use]
    pub fn stopped_by(&self, stop: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        Bucket { shared: self.shared.clone(), stop: Some(stop) }
    }

    /// What was asked so far, by all clones.
    pub fn counts(&self) -> Counts {
        self.shared.tally.counts()
    }

    /// The address.
    pub fn address(&self) -> &Address {
        &self.shared.address
    }

    /// Runs what `ask` makes of the bucket, and waits for it.
    pub(crate) fn run<T, F>(&self, ask: impl FnOnce(Arc<Shared>) -> F) -> io::Result<T>
    where
        T: Send + 'static,
        F: Future<Output = io::Result<T>> + Send + 'static,
    {
        let asked = after(self.counts().rounds, ask(self.shared.clone()));
        wait(self.stop.as_ref(), asked)?.map_err(|error| self.shared.explained(error))
    }

    /// The same, with the name that it is about in its error.
    pub(crate) fn run_for<T, F>(
        &self,
        name: &Name,
        ask: impl FnOnce(Arc<Shared>, String) -> F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = io::Result<T>> + Send + 'static,
    {
        let key = self.shared.address.key(name);
        self.failed(name, self.run(|shared| ask(shared, key)))
    }

    /// Runs what `ask` makes of each name, side by side, and waits for all.
    pub(crate) fn run_each<T, F>(
        &self,
        names: &[Name],
        ask: impl Fn(Arc<Shared>, String) -> F,
    ) -> Vec<Result<T, StoreError>>
    where
        T: Send + 'static,
        F: Future<Output = io::Result<T>> + Send + 'static,
    {
        let asked = names.iter().map(|name| self.shared.address.key(name));
        let asked: Vec<_> = asked.map(|key| ask(self.shared.clone(), key)).collect();
        let in_flight = self.shared.limits.requests_in_flight.max(1);
        let done = self.run(|_| async move {
            let (mut tasks, mut done) = (Beside::new(), Vec::new());
            done.resize_with(asked.len(), || None);
            for (index, asked) in asked.into_iter().enumerate() {
                let rounds = (index / in_flight) as u64;
                tasks.begin(rounds, async move { (index, asked.await) });
            }
            while let Some(next) = tasks.next().await {
                let (index, answer) = next?;
                done[index] = Some(answer);
            }
            Ok(done)
        });
        match done {
            Ok(done) => {
                let answers = names.iter().zip(done);
                let answer = |(name, answer): (&Name, Option<io::Result<T>>)| {
                    let answer = answer.expect("all have ended");
                    self.failed(name, answer.map_err(|error| self.shared.explained(error)))
                };
                answers.map(answer).collect()
            }
            Err(error) => names.iter().map(|name| self.failed(name, Err(again(&error)))).collect(),
        }
    }

    pub(crate) fn failed<T>(&self, name: &Name, done: io::Result<T>) -> Result<T, StoreError> {
        done.map_err(|source| StoreError { file: self.shown(name), source })
    }

    pub(crate) fn shown(&self, name: &Name) -> PathBuf {
        PathBuf::from(self.shared.address.show(name))
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
}

/// The error of a call that is one of each of its names.
fn again(error: &io::Error) -> io::Error {
    let is_stopped = error.get_ref().is_some_and(|inner| inner.is::<Stopped>());
    if is_stopped {
        io::Error::other(Stopped)
    } else {
        io::Error::new(error.kind(), error.to_string())
    }
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
    fn explained(&self, error: io::Error) -> io::Error {
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
    pub(crate) async fn permit(&self) -> tokio::sync::SemaphorePermit<'_> {
        self.in_flight.acquire().await.expect("never closed")
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
        let _permit = self.permit().await;
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
        let _permit = self.permit().await;
        let answer = self.client.objects.get_opts(path, options).await.map_err(unanswered)?;
        let seen = self.seen(key, &answer.meta).map_err(Unanswered::Final)?;
        let Range { start, end } = answer.range;
        let len = end.saturating_sub(start);
        if len > len_max {
            return Err(Unanswered::Final(manicule_store::store::too_long(len, len_max)));
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
