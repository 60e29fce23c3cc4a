//! A label store as a file: its strings, its series as numbers, and where it is in its life.
//!
//! Bytes:   docs/formats/labels.md

mod decode;
mod encode;
mod frame;
mod rows;

use std::borrow::Cow;

pub use decode::{decode, outline};
pub use encode::encode;
pub use frame::{MAGIC, VERSION};
pub use rows::{Row, Rows, put_row};

/// Strings by their numbers.
pub type Strings<'a> = Vec<&'a [u8]>;

/// Contents of a file. Counts and numbers are in bounds; whether strings and series are different
/// from each other, and names in order, is for who builds a store of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelFile<'a> {
    /// Dead series are hidden, and wait to be left out of a copy.
    pub is_fixed: bool,
    /// The largest boundary that was frozen.
    pub boundary: u32,
    /// A bit for each id that is alive, lowest first.
    pub alive: Vec<u64>,
    /// A bit for each id that is hidden.
    pub hidden: Vec<u64>,
    /// Parts, ids increasing; the last one is open.
    pub parts: Vec<Part<'a>>,
}

/// The ids of a part's series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ids {
    /// One after the other from here on.
    From(u32),
    /// Those whose bits are set.
    Kept(Vec<u64>),
}

/// A table of label sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The ids of its series.
    pub ids: Ids,
    /// Label names.
    pub names: Strings<'a>,
    /// The values of each name.
    pub values: Vec<Strings<'a>>,
    /// Sets of names, in their order.
    pub sets: Vec<Vec<u32>>,
    /// Number of series.
    pub row_count: u32,
    /// Of each the number of its set, then that of each value.
    pub rows: Cow<'a, [u8]>,
}
