//! Findings of a verification: in the bytes of one file, and across files, with their names, as a
//! verdict.

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

/// The first findings, and how many there are: those in the bytes of a file by their offsets, those
/// of [`FileFinding`]s as they come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings<F = Finding> {
    /// The findings, up to a limit.
    pub list: Vec<F>,
    /// Number of findings in all, listed or not.
    pub count: u64,
    max: usize,
}

impl<F> Default for Findings<F> {
    /// No findings yet; [`FINDINGS_MAX`] of them will be listed individually.
    fn default() -> Self {
        Findings::new(FINDINGS_MAX)
    }
}

impl<F> Findings<F> {
    /// No findings yet; `max` of them will be listed individually.
    pub fn new(max: usize) -> Self {
        Findings { list: Vec::new(), count: 0, max }
    }

    /// An empty list with the same limit, for a part of the work.
    pub fn part(&self) -> Self {
        Findings::new(self.max)
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: F) {
        self.count += 1;
        if self.list.len() < self.max {
            self.list.push(finding);
        }
    }

    /// Adds those of a part after the others.
    pub fn append(&mut self, part: Findings<F>) {
        self.count += part.count;
        let room = self.max - self.list.len();
        self.list.extend(part.list.into_iter().take(room));
    }
}

impl Findings {
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

    /// The findings with the name of their file.
    fn of_file(self, file: &str) -> Findings<FileFinding> {
        let Findings { list, count, max } = self;
        let list = list.into_iter().map(|finding| FileFinding::of(file, finding)).collect();
        Findings { list, count, max }
    }
}

/// Findings, and warnings: what is legal and yet not what writers do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<F = Finding> {
    /// Contradictions of the format.
    pub findings: Findings<F>,
    /// Warnings: every reader takes them.
    pub warnings: Findings<F>,
}

impl<F> Default for Report<F> {
    fn default() -> Self {
        Report::new(FINDINGS_MAX)
    }
}

impl<F> Report<F> {
    /// No findings yet; `max` of them, and as many warnings, will be listed individually.
    pub fn new(max: usize) -> Self {
        Report { findings: Findings::new(max), warnings: Findings::new(max) }
    }

    /// An empty report with the same limits, for a part of the work.
    pub fn part(&self) -> Self {
        Report { findings: self.findings.part(), warnings: self.warnings.part() }
    }

    /// Whether nothing is wrong, odd or not.
    pub fn is_ok(&self) -> bool {
        self.findings.count == 0
    }

    /// Adds those of a part after the others.
    pub fn append(&mut self, part: Report<F>) {
        self.findings.append(part.findings);
        self.warnings.append(part.warnings);
    }
}

impl From<Findings> for Report {
    fn from(findings: Findings) -> Self {
        Report { warnings: findings.part(), findings }
    }
}

impl Report {
    /// Adds those of a part. Whatever the order of the parts, the result is the same.
    pub fn merge(&mut self, part: Report) {
        self.findings.merge(part.findings);
        self.warnings.merge(part.warnings);
    }

    /// Notes what is wrong.
    pub fn find(
        &mut self,
        section: &'static str,
        at: u64,
        what: impl Display,
        want: impl Display,
        got: impl Display,
    ) {
        self.findings.add(section, at, what, want, got);
    }

    /// Notes what is odd.
    pub fn warn(
        &mut self,
        section: &'static str,
        at: u64,
        what: impl Display,
        want: impl Display,
        got: impl Display,
    ) {
        self.warnings.add(section, at, what, want, got);
    }

    /// Notes what a decoder says.
    pub fn error(&mut self, section: &'static str, error: &DecodeError) {
        self.findings.add_error(section, error);
    }

    /// The value, or a note of why there is none.
    pub fn ok<T>(&mut self, section: &'static str, result: Result<T, DecodeError>) -> Option<T> {
        result.map_err(|error| self.error(section, &error)).ok()
    }
}

/// Verdict over the files of an index: findings and warnings with the names of their files.
pub type Verdict = Report<FileFinding>;

impl Verdict {
    /// Takes what was found in the bytes of a file.
    pub fn take(&mut self, file: &str, report: Report) {
        self.findings.append(report.findings.of_file(file));
        self.warnings.append(report.warnings.of_file(file));
    }
}

/// Result of a verification: the verdict, and the counts of what was verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified<C> {
    /// Findings and warnings.
    pub verdict: Verdict,
    /// Amount that was verified, in the counts of its kind.
    pub counts: C,
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
    /// A finding about a file as a whole.
    pub fn whole(file: impl Into<String>, what: String) -> Self {
        FileFinding { file: file.into(), section: None, offset: None, what }
    }

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
