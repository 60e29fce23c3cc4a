//! All tests of this crate from outside, in one program: it is linked once.

mod cases;
mod faults;
mod golden;
mod identities;
mod names;
mod reads;
mod versions;
mod writes;

use std::io;
use std::time::Duration;

use manicule_bucket::{Bucket, Limits, Options, open, variables_of_process};
use manicule_buckets::{Server, Setup};
use manicule_store::EntryKind;
use manicule_store::pages::{ByteSource, SystemCache};
use manicule_store::store::{Access, Name, Store, StoreError, WriteStore};

const ACCESS: Access = Access::Positioned(SystemCache::Used);

/// What a test waits for: little.
const LIMITS: Limits = Limits {
    requests_in_flight: 8,
    part_len: 100_000,
    retries: 4,
    first_wait: Duration::from_millis(1),
    patience: Duration::from_secs(5),
    silence: Duration::from_secs(5),
};

fn name(text: &str) -> Name {
    if text.is_empty() { Name::root() } else { Name::new(text).expect("a name") }
}

/// Options of whoever may ask a server.
fn options(server: &Server) -> Options {
    Options { limits: LIMITS, ..Options::of_variables(server.variables()) }
}

/// A server, and its bucket below a prefix.
fn bucket(prefix: &str) -> (Server, Bucket) {
    let server = Server::start(Setup::Signed);
    let bucket = open(&server.address(prefix), &options(&server)).expect("an address");
    (server, bucket)
}

/// A bucket of another server, if `MANICULE_BUCKET` names its address, below a prefix of the case's
/// own.
fn elsewhere(case: &str) -> Option<Bucket> {
    let address = std::env::var("MANICULE_BUCKET").ok()?;
    let options = Options { limits: LIMITS, ..Options::of_variables(variables_of_process()) };
    Some(open(&format!("{address}/{case}"), &options).expect("an address"))
}

/// Removes what lies in a folder.
fn clear(bucket: &Bucket, folder: &Name) {
    for entry in bucket.list(folder).expect("a listing") {
        let below = entry.file_in(folder);
        match entry.kind {
            EntryKind::Folder => clear(bucket, &below),
            _ => bucket.remove(&below).expect("removed"),
        }
    }
}

fn opened(store: &dyn Store, file: &str) -> Result<Box<dyn ByteSource>, StoreError> {
    store.open(&name(file), ACCESS)
}

fn whole(store: &dyn Store, file: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = b"what was there".to_vec();
    store.read(&name(file), 1 << 30, &mut bytes).map(|()| bytes)
}

fn kind<T>(done: Result<T, StoreError>) -> io::ErrorKind {
    match done {
        Ok(_) => panic!("no error"),
        Err(error) => error.source.kind(),
    }
}
