//! What is wrong with an index, whatever its format.
//!
//! Callers: tree, shards, faces/manicule

use std::fmt;

/// So many findings are told one by one; the rest is counted.
pub const FINDINGS_MAX: usize = 100;

/// Something that is wrong with an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file of the index.
    pub file: String,
    /// The section that it stands in, where one can be told.
    pub section: Option<String>,
    /// Its offset in the file, where there is one.
    pub offset: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Finding {
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

/// How a verification works.
pub struct VerifyOptions<'a> {
    /// How many threads read and decode.
    pub threads: usize,
    /// Told now and then how many bytes of how many are done.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}
