//! The trees that are searched.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::corpora::{self, Tree};

/// A tree to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corpus {
    /// Kubernetes with its staging modules: ripgrep searches 21,662 files of it.
    K8sFull,
    /// Linux 6.1 as Debian packs it: 78,560 files of it.
    Linux,
}

impl Corpus {
    fn tree(self) -> Tree {
        match self {
            Corpus::K8sFull => Tree::K8sFull,
            Corpus::Linux => Tree::Linux,
        }
    }

    /// Its folder and its name in the tables.
    pub(super) fn name(self) -> &'static str {
        self.tree().name()
    }
}

/// The tree below `folder`, fetched if it doesn't exist.
pub(super) fn get(corpus: Corpus, folder: &Path) -> Result<PathBuf> {
    corpora::get(corpus.tree(), folder)
}
