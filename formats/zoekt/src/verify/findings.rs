//! What is wrong with a shard: so many findings one by one, and the count of all.

use std::fmt::{self, Display};

/// Something that is wrong with a shard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Its offset in the file.
    pub at: u64,
    /// The section that it is about.
    pub section: &'static str,
    /// What was looked at.
    pub what: String,
    /// What the format asks for.
    pub want: String,
    /// What is there.
    pub got: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { at, section, what, want, got } = self;
        write!(f, "section {section}, offset {at}: {what}: wanted {want}, got {got}")
    }
}

/// The first findings of a shard, by their offsets, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The findings, up to a limit.
    pub list: Vec<Finding>,
    /// How many there are in all.
    pub count: u64,
    max: usize,
}

impl Findings {
    pub(super) fn new(max: usize) -> Self {
        Findings { list: Vec::new(), count: 0, max }
    }

    /// An empty list with the same limit, for a part of the work.
    pub(super) fn part(&self) -> Self {
        Findings::new(self.max)
    }

    /// Adds a finding. Words are made only while there is room for them.
    pub(super) fn add(
        &mut self,
        section: &'static str,
        at: u64,
        what: impl Display,
        want: impl Display,
        got: impl Display,
    ) {
        self.count += 1;
        if self.list.len() < self.max {
            let (what, want, got) = (what.to_string(), want.to_string(), got.to_string());
            self.list.push(Finding { at, section, what, want, got });
        }
    }

    /// Adds those of a part. Whatever the order of the parts, the result is the same.
    pub(super) fn merge(&mut self, part: Findings) {
        self.count += part.count;
        self.list.extend(part.list);
        self.list.sort();
        self.list.truncate(self.max);
    }
}
