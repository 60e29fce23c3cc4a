//! The row of a system: all that the house asks of it.

use std::fmt;

use super::kind::Kind;
use super::reader::Reader;
use super::signs::Signs;
use super::system::System;
use crate::catalog::Table;
use crate::find::kinds::Searched;

/// Row of a system. What is in it is recognised, inspected, verified, searched and listed.
pub struct SystemRow {
    /// The system.
    pub system: System,
    /// How its files and folders are recognised.
    pub signs: &'static dyn Signs,
    /// Its kinds: all that its signs recognise.
    pub kinds: &'static [KindRow],
    /// Makes its part in a search; `None` where its files are searched as text, as any file.
    pub searched: Option<fn() -> Box<dyn Searched>>,
    /// What it lists. The name of each is the word of the system, a dot, and what a row is of.
    pub tables: &'static [&'static Table],
}

/// Row of a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// How its paths are read.
    pub reader: Reader,
}

impl fmt::Debug for SystemRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.system.word())
    }
}
