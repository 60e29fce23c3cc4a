//! What the steps of a verification share: its verdict and its counts.

use std::path::Path;

use manicule_core::findings::{FileFinding, Report, Verdict};
use manicule_core::watch::Watch;
use manicule_store::store::Fetched;

use crate::error::GraphError;

manicule_core::counts! {
    /// What was verified.
    pub struct StoreCounts {
        /// Manifests: the current one and those of named snapshots.
        manifests,
        /// Leaves, dictionary segments and statistics.
        files,
        /// Their bytes.
        len,
        /// Quads of the generations, each once.
        quads,
        /// Rows of all orders.
        rows,
        /// Terms of the dictionary.
        terms,
        /// Commits after the generation.
        commits,
        /// Quads that those change.
        changes,
    }
}

/// What the steps share.
pub(super) struct Checked<'c> {
    pub(super) files: &'c Fetched,
    /// Its folder, as messages have it.
    pub(super) folder: &'c Path,
    /// Keys of hashes: nobody can make two sets of rows that seem the same.
    pub(super) random: u64,
    pub(super) verdict: Verdict,
    pub(super) counts: StoreCounts,
    pub(super) watch: &'c Watch<'c>,
}

impl Checked<'_> {
    /// Notes what is wrong with a file as a whole.
    pub(super) fn find(&mut self, file: &str, what: String) {
        self.verdict.findings.push(FileFinding::whole(file, what));
    }

    /// Takes what was found in the bytes of a file.
    pub(super) fn take(&mut self, file: &str, report: Report) {
        self.verdict.take(file, report);
    }

    /// The value, or a finding of what is damaged.
    pub(super) fn taken<T>(
        &mut self,
        result: Result<T, GraphError>,
    ) -> Result<Option<T>, GraphError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(GraphError::Damaged { file, source }) => {
                let name = self.name_of(&file);
                let mut report = Report::default();
                report.error("bytes", &source);
                self.take(&name, report);
                Ok(None)
            }
            Err(GraphError::Log(lost)) => {
                let whole = FileFinding::whole(self.name_of(&lost.file), lost.story());
                self.verdict.findings.push(FileFinding { offset: lost.at, ..whole });
                Ok(None)
            }
            Err(GraphError::Term { id, source }) => {
                self.find("dict", format!("term {id:?}: {source}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Name of a file in the store.
    pub(super) fn name_of(&self, file: &Path) -> String {
        file.strip_prefix(self.folder).unwrap_or(file).display().to_string()
    }
}
