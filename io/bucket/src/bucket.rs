//! A bucket, or what lies below a prefix of one.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use manicule_core::watch::Stopped;
use manicule_store::rounds;
use manicule_store::store::{Name, StoreError};
use tokio::sync::Semaphore;

use crate::address::{Address, AddressError};
use crate::chain::{Chain, after};
use crate::client::connect;
use crate::counts::{Counts, Tally};
use crate::options::Options;
use crate::runtime::{Stop, wait};
use crate::shared::Shared;
use crate::waves::permit_count;
use crate::wire::Connector;

/// A bucket, or what lies below a prefix of one. Clones share connections and counts.
#[derive(Clone)]
pub struct Bucket {
    shared: Arc<Shared>,
    stop: Option<Stop>,
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
    let in_flight = Semaphore::new(permit_count(&limits));
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

    /// The same, whose calls nothing stops.
    pub(crate) fn unstopped(&self) -> Self {
        Bucket { shared: self.shared.clone(), stop: None }
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
        let asked = ask(self.shared.clone());
        let counted = async { (asked.await, Chain::current().rounds()) };
        let (answer, ended) = wait(self.stop.as_ref(), after(rounds::ended(), counted))?;
        rounds::reach(ended);
        answer.map_err(|error| self.shared.explained(error))
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
pub(crate) fn again(error: &io::Error) -> io::Error {
    let is_stopped = error.get_ref().is_some_and(|inner| inner.is::<Stopped>());
    if is_stopped {
        io::Error::other(Stopped)
    } else {
        io::Error::new(error.kind(), error.to_string())
    }
}
