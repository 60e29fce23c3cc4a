//! Files and folders of a snapshot, put into a local folder.

use std::path::PathBuf;

use manicule_blobs::find::Patterns;
pub use manicule_blobs::restore::{Fault, Overwrite, RestoreEvent, RestoreSums};
use manicule_blobs::restore::{
    RestoreError, RestoreOptions, Selection, restore_node, restore_tree,
};
use manicule_blobs::{Kept, Located, locate};
use manicule_core::watch::Watch;
use manicule_store::store::StoreError;

use super::error::Error;
use super::open::Repository;
use crate::place::local;

/// Arguments of a restoration.
#[derive(Clone, Debug)]
pub struct RestoreCall {
    /// The folder of the snapshot whose content is restored, or a file; nothing for all of it.
    pub below: Vec<u8>,
    /// Where to.
    pub target: PathBuf,
    /// Only what matches one of these.
    pub include: Vec<Vec<u8>>,
    /// Only what matches none of these.
    pub exclude: Vec<Vec<u8>>,
    /// Whether letters of either case match a pattern.
    pub ignores_case: bool,
    /// What happens to files that are there already.
    pub overwrite: Overwrite,
    /// Whether blobs of zeros become holes.
    pub is_sparse: bool,
    /// Whether nothing is written.
    pub is_dry: bool,
    /// Whether what the target has and the snapshot has not is removed, as far as it is chosen.
    pub is_deleting: bool,
    /// Whether each file that was written is read back.
    pub is_verifying: bool,
}

impl Repository {
    /// Restores what a call selects; nothing of the repository is written. `report` receives each
    /// path that could not be restored as it was, why, and whose fault it is: a file that lacks
    /// something is not put. And each that is removed.
    pub fn restore(
        &self,
        kept: &Kept,
        call: &RestoreCall,
        watch: &Watch<'_>,
        report: &mut dyn FnMut(RestoreEvent<'_>),
    ) -> Result<RestoreSums, Error> {
        local(&call.target)
            .map_err(|StoreError { file, source }| Error::Write { path: file, source })?;
        let options = options(call)?;
        let index = self.index(watch)?;
        let Some(root) = kept.snapshot.tree else {
            return Err(Error::Unreadable(format!("snapshot {} has no tree", kept.id)));
        };
        let (repository, target) = (&self.engine, &call.target);
        let located = locate(repository, &index, root, &call.below).map_err(Error::Unreadable)?;
        let restored = match (located.tree(), located) {
            (Some(tree), _) => {
                restore_tree(repository, &index, tree, target, &options, watch, report)
            }
            (None, Located::Node(_)) if call.is_deleting => {
                let path = String::from_utf8_lossy(&call.below).into_owned();
                return Err(Error::NoFolder(path));
            }
            (None, Located::Node(node)) => {
                restore_node(repository, &index, *node, target, &options, watch, report)
            }
            (None, Located::Absent(path)) => {
                let path = String::from_utf8_lossy(&path).into_owned();
                return Err(Error::NoPath { path, of: kept.id });
            }
            (None, Located::Root(tree)) => {
                return Err(Error::Unreadable(format!("tree {tree} is none")));
            }
        };
        let sums = restored.map_err(|error| match error {
            RestoreError::Repo(error) => Error::Repo(error),
            RestoreError::Target { path, source } => Error::Write { path, source },
        })?;
        index.check_cache()?;
        Ok(sums)
    }
}

fn options(call: &RestoreCall) -> Result<RestoreOptions, Error> {
    let parse = |words: &[Vec<u8>]| {
        let words = words.iter().map(Vec::as_slice);
        Patterns::parse(words, call.ignores_case).map_err(Error::Patterns)
    };
    let selection = match (call.include.is_empty(), call.exclude.is_empty()) {
        (true, true) => Selection::All,
        (false, _) => Selection::Only(parse(&call.include)?),
        (true, false) => Selection::Without(parse(&call.exclude)?),
    };
    let RestoreCall { overwrite, is_sparse, is_dry, is_deleting, is_verifying, .. } = *call;
    Ok(RestoreOptions { selection, overwrite, is_sparse, is_dry, is_deleting, is_verifying })
}
