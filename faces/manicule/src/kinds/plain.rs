//! Plain files: of no kind, and not read.

use super::kind::Kind;
use super::reader::{Place, Reader};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::inspect::Error;

impl Kind {
    /// A file of no other kind.
    pub const FILE: Kind = Kind::new("file", "a plain file", System::PLAIN);
}

/// No system.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::PLAIN,
    signs: &Plain,
    kinds: &[KindRow { kind: Kind::FILE, reader: FILE }],
    searched: None,
    tables: &[],
};

pub(super) struct Plain;

impl Signs for Plain {}

const FILE: Reader = Reader {
    inspect: |place, _| refuse(place),
    parts: |place| refuse(place),
    verify: |place, _, _| refuse(place),
};

fn refuse<T>(place: &Place) -> Result<T, Error> {
    Err(Error::NoIndexFile(place.path.clone()))
}
