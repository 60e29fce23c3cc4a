//! What the index keeps of a blob beside its id.

use manicule_format_restic::Place;

/// Number of a pack among those that index files name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackNo(pub u32);

/// What the index keeps of a blob beside its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Stored {
    pub(crate) pack: PackNo,
    pub(crate) place: Place,
}
