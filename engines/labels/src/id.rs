//! Ids of series, and why one is not given.

/// The number of a series in a store: from 0, in the order in which they came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeriesId(pub u32);

/// Error of a label set that is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refused {
    /// Labels come in the order of their names. Sort them.
    NamesFall {
        /// The label whose name is smaller than the one before, from 0; labels without a value
        /// don't count.
        place: usize,
    },
    /// A name stands in a set once.
    TwiceNamed {
        /// The label whose name is that of the one before, from 0; labels without a value don't
        /// count.
        place: usize,
    },
    /// A label's name is the empty string.
    EmptyName,
    /// No label has a value: the empty set is what dead series have.
    NoLabels,
    /// All numbers are given, or the open part is full: freeze it, or begin another store.
    Full,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::NamesFall { place } => write!(f, "label {place} comes behind a larger name"),
            Refused::TwiceNamed { place } => {
                write!(f, "label {place} has the name of the one before")
            }
            Refused::EmptyName => f.write_str("a label has no name"),
            Refused::NoLabels => f.write_str("a series has no labels"),
            Refused::Full => f.write_str("the label store is full"),
        }
    }
}

impl std::error::Error for Refused {}
