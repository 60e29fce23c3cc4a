//! Findings of a verification: in the bytes of one file, and across files, reported with their names.
//!
//! Callers: formats/zoekt, formats/prometheus, engines

use std::fmt::{self, Display};

use crate::bytes::DecodeError;

/// Maximum number of findings listed individually; the rest is counted.
pub const FINDINGS_MAX: usize = 100;

/// Something that is wrong with the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Its offset in the file.
    pub at: u64,
    /// The section that it is about.
    pub section: &'static str,
    /// The thing that was checked.
    pub what: String,
    /// The value that the format asks for.
    pub want: String,
    /// The value found.
    pub got: String,
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { at, section, what, want, got } = self;
        write!(f, "section {section}, offset {at}: {what}: wanted {want}, got {got}")
    }
}

/// The first findings of a file, by their offsets, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The findings, up to a limit.
    pub list: Vec<Finding>,
    /// Number of findings in all, listed or not.
    pub count: u64,
    max: usize,
}

impl Findings {
    /// No findings yet; `max` of them will be listed individually.
    pub fn new(max: usize) -> Self {
        Findings { list: Vec::new(), count: 0, max }
    }

    /// An empty list with the same limit, for a part of the work.
    pub fn part(&self) -> Self {
        Findings::new(self.max)
    }

    /// Adds a finding. The text is made only for findings that are listed.
    pub fn add(
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

    /// Adds an error of a decoder: it names its place.
    pub fn add_error(&mut self, section: &'static str, error: &DecodeError) {
        let (want, got) = error.want_and_got();
        self.add(section, error.at(), error.what(), want, got);
    }

    /// Adds those of a part. Whatever the order of the parts, the result is the same.
    pub fn merge(&mut self, part: Findings) {
        self.count += part.count;
        self.list.extend(part.list);
        self.list.sort();
        self.list.truncate(self.max);
    }
}

/// A defect of an index, reported to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFinding {
    /// The file of the index.
    pub file: String,
    /// The section that it is in, where that is known.
    pub section: Option<String>,
    /// Its offset in the file, where there is one.
    pub offset: Option<u64>,
    /// Description of the defect.
    pub what: String,
}

impl FileFinding {
    /// A finding in the bytes of a file.
    pub fn of(file: &str, finding: Finding) -> Self {
        let Finding { at, section, what, want, got } = finding;
        FileFinding {
            file: file.to_owned(),
            section: Some(section.to_owned()),
            offset: Some(at),
            what: format!("{what}: wanted {want}, got {got}"),
        }
    }
}

impl Display for FileFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(section) = &self.section {
            write!(f, ", section {section}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ", offset {offset}")?;
        }
        write!(f, ": {}", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_same_whole_in_any_order() {
        let part = |ats: [u64; 3]| {
            let mut part = Findings::new(2);
            ats.into_iter().for_each(|at| part.add("a", at, "sum", 1, at));
            part
        };
        let (mut left, mut right) = (Findings::new(2), Findings::new(2));
        left.merge(part([5, 6, 7]));
        left.merge(part([1, 8, 9]));
        right.merge(part([1, 8, 9]));
        right.merge(part([5, 6, 7]));
        assert_eq!(left, right);
        assert_eq!((left.count, left.list.len(), left.list[0].at), (6, 2, 1));
    }
}
