//! zoekt's JSON API over shards: the bodies of its requests, and the answers to them, byte by byte
//! as Go's encoder writes them.
//!
//! | file | what |
//! |---|---|
//! | request | the body of a search or a list, read as Go reads it |
//! | search | `POST /api/search` |
//! | list | `POST /api/list` |
//! | shown | documents with their matches |
//!
//! ```
//! use manicule::code::api::{SearchRequest, search};
//! use manicule::code::{IndexCall, Shards, index};
//! use manicule::watch::Watch;
//!
//! let folder = tempfile::tempdir()?;
//! let (sources, place) = (folder.path().join("src"), folder.path().join("shards"));
//! std::fs::create_dir(&sources)?;
//! std::fs::write(sources.join("a.txt"), "a lamp\n")?;
//! index(&IndexCall::new(sources, place.clone()), &Watch::none())?;
//! let mut shards = Shards::default();
//! shards.add(&place, &mut |error| eprintln!("{error}"))?;
//!
//! let request = SearchRequest::read(br#"{"Q": "lamp", "Opts": {"MaxDocDisplayCount": 10}}"#)?;
//! let (moment, mut out) = (shards.moment(), Vec::new());
//! search(&moment, &request, 1, &Watch::none(), &mut out)?;
//! let json: serde_json::Value = serde_json::from_slice(&out)?;
//! assert_eq!(json["Result"]["Files"][0]["FileName"], "a.txt");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod list;
mod request;
mod search;
mod shown;

use std::fmt;
use std::io;

use manicule_code::shards::ShardError;
use manicule_code::shards::find::Foreseen;
use manicule_core::ErrorClass;
use manicule_core::go::json::JsonWriter;

pub use list::list;
pub use request::{ListField, ListRequest, RequestError, SearchOptions, SearchRequest};
pub use search::search;

use super::opened::{Moment, OpenShards};

/// Reason why a request has no answer, or only a part of it was written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Shards can't be read, or the call was stopped.
    Shards(ShardError),
    /// The answer can't be written.
    Write(io::Error),
}

impl Error {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Shards(error) => error.class(),
            Error::Write(error) => ErrorClass::of_io(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Shards(error) => error.fmt(f),
            Error::Write(error) => error.fmt(f),
        }
    }
}

// The cause is part of the error's own words.
impl std::error::Error for Error {}

impl From<ShardError> for Error {
    fn from(error: ShardError) -> Self {
        Error::Shards(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Write(error)
    }
}

/// The body of an answer that is an error: `{"Error":..}` and a line feed.
pub fn error_json(sentence: &str) -> Vec<u8> {
    let mut out = JsonWriter::default();
    out.object(|out| out.text("Error", sentence));
    out.raw("\n");
    out.into_bytes()
}

/// Opens the shards of a moment, and counts those that are damaged, which zoekt calls crashes.
fn open_counting(moment: &Moment, foreseen: Foreseen) -> (OpenShards<'_>, u64) {
    let mut damaged = 0;
    let opened = moment.open_for(foreseen, &mut |_| damaged += 1);
    (opened, damaged)
}
