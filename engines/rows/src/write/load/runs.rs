//! Sorted runs of rows that didn't fit into memory: SSTables in a folder of their own, which goes
//! with the load.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_store::pages::Reading;
use manicule_store::publish::{Draft, Drafts};

use super::super::beside::Described;
use super::super::data::Compress;
use super::super::draft::{RUNS, RUNS_NAME, Target};
use super::super::merge::merge_as;
use super::super::purge::Purge;
use super::super::written::Written;
use crate::RowsError;
use crate::table::{Sstable, TableOptions, list_all};

/// Number of runs that are merged at once: each has a window and open files.
const FAN_IN: usize = 64;

/// The runs.
pub(super) struct Runs<'l, 'w> {
    /// Where the SSTable is to be that they become.
    target: &'l Target,
    table: &'l TableOptions,
    watch: &'l Watch<'w>,
    draft: Option<Draft>,
    /// Folders of the runs, and how often what is in each was merged.
    runs: Vec<(PathBuf, u32)>,
    /// Number of folders that were named.
    named_count: u64,
    /// Number of runs that rows were sorted into.
    count: u64,
}

impl<'l, 'w> Runs<'l, 'w> {
    pub(super) fn new(target: &'l Target, table: &'l TableOptions, watch: &'l Watch<'w>) -> Self {
        Runs { target, table, watch, draft: None, runs: Vec::new(), named_count: 0, count: 0 }
    }

    /// Number of runs that rows were sorted into.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Where the next run is written.
    pub(super) fn next(&mut self) -> Result<Target, RowsError> {
        self.count += 1;
        self.folder(0)
    }

    /// Counts a run that is not written.
    pub(super) fn pass(&mut self) {
        self.count += 1;
    }

    /// Names a folder for a run of rows that were merged so often.
    fn folder(&mut self, level: u32) -> Result<Target, RowsError> {
        let Target { files, folder, .. } = self.target;
        if self.draft.is_none() {
            let failed = |source| RowsError::Io { file: folder.clone(), source };
            let drafts = Drafts::open(files, folder, RUNS).map_err(failed)?;
            let name = format!("{RUNS_NAME}{}", std::process::id());
            self.draft = Some(drafts.draft(&name).map_err(failed)?);
        }
        let base = self.draft.as_ref().map_or(folder.as_path(), Draft::path);
        let path = base.join(self.named_count.to_string());
        self.named_count += 1;
        self.runs.push((path.clone(), level));
        Ok(Target { files: files.clone(), folder: path, generation: None, is_dry: false })
    }

    /// Merges runs of which there are too many.
    pub(super) fn settle(
        &mut self,
        described: &Described,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        while let Some(&(_, level)) = self.runs.last()
            && self.runs.iter().rev().take_while(|(_, other)| *other == level).count() >= FAN_IN
        {
            let merged = self.runs.split_off(self.runs.len() - FAN_IN);
            let target = self.folder(level + 1)?;
            self.merge_some(&merged, described.clone(), None, &target, reading)?;
            for (folder, _) in merged {
                let removed = self.target.files.remove_folder(&folder);
                removed.map_err(|source| RowsError::Io { file: folder, source })?;
            }
        }
        Ok(())
    }

    /// Merges all runs into the SSTable.
    pub(super) fn merge(
        &self,
        described: Described,
        compress: Option<Compress>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Written>, RowsError> {
        self.merge_some(&self.runs, described, compress, self.target, reading)
    }

    fn merge_some(
        &self,
        runs: &[(PathBuf, u32)],
        described: Described,
        compress: Option<Compress>,
        target: &Target,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Written>, RowsError> {
        let mut sstables = Vec::new();
        for (folder, _) in runs {
            for listed in &list_all(folder)? {
                sstables.push(Sstable::open(listed, self.table, reading)?);
            }
        }
        merge_as(&sstables, described, compress, Purge::NOTHING, target, reading, self.watch)
    }
}
