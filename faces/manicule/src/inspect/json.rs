//! What every kind has, as JSON: parts of files, findings, verdicts.

use std::path::Path;

use crate::json::{Counts, Entry, report};

use super::{FileFinding, Row, Verified};

report!(of: Row { name, offset: of.bytes.start, len: of.bytes.end - of.bytes.start, value });

/// A part of a file with the kind of the file.
#[derive(Clone, Copy, Debug)]
pub struct Section<'s> {
    /// One word for the kind.
    pub of: &'static str,
    /// The part.
    pub row: &'s Row,
}

report!(of: Section<'_> { of; of.row });

report!(of: FileFinding { file, section, offset, what });

/// A finding with the path that it is of, if several paths are verified.
#[derive(Clone, Copy, Debug)]
pub struct PathFinding<'f> {
    /// The path.
    pub path: Option<&'f Path>,
    /// The finding.
    pub finding: &'f FileFinding,
}

report!(of: PathFinding<'_> {
    ; of.finding, Entry("path", of.path.map(Path::to_string_lossy)),
});

report!(of: Verified {
    ok: of.verdict.findings.count == 0, findings: of.verdict.findings.count; Counts(&of.counts),
});

/// The result of a verification with the path that it is of.
#[derive(Clone, Copy, Debug)]
pub struct PathVerified<'v> {
    /// The path.
    pub path: &'v Path,
    /// The result.
    pub verified: &'v Verified,
}

report!(of: PathVerified<'_> { path: of.path.to_string_lossy(); of.verified });
