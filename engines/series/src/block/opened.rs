//! What opening the blocks of a folder gives: those that are read, those that are not, and what has
//! said which there are.

use std::fmt;
use std::path::PathBuf;

use manicule_format_prometheus::Mark;

use super::error::BlockError;
use super::open::Block;

/// Blocks of a path, as far as they are asked.
#[derive(Debug, Default)]
pub struct Opened {
    /// By the first time that is in them.
    pub blocks: Vec<Block>,
    /// The time after the last of all blocks, those that were left closed too.
    pub end: Option<i64>,
    /// Blocks of a store that are not read, and why: of a local folder such are errors.
    pub left_out: Vec<LeftOut>,
    /// What has said which blocks there are.
    pub said_by: SaidBy,
}

/// What becomes of blocks that are marked for deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// They are left out.
    LeaveOut,
    /// They are read.
    Read,
}

/// A block that is not read, or all of a tenant.
#[derive(Debug)]
pub struct LeftOut {
    /// Its folder.
    pub path: PathBuf,
    /// The reason.
    pub why: Why,
}

/// Why a block is not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// It is marked for deletion.
    Marked(Mark),
    /// All blocks of its tenant are: since when, in seconds since 1970.
    TenantMarked {
        /// Time of the mark.
        time: i64,
    },
    /// Parts of it are missing, as of one that is being put or removed, or it is damaged.
    Failed(BlockError),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::Marked(mark) => {
                write!(f, "{path}: {}", mark.kind)?;
                let words = [&*mark.reason, &*mark.details];
                words.iter().filter(|words| !words.is_empty()).try_for_each(|w| write!(f, ", {w}"))
            }
            Why::TenantMarked { .. } => write!(f, "{path}: the tenant is marked for deletion"),
            // It names its file.
            Why::Failed(error) => error.fmt(f),
        }
    }
}

/// What has said which blocks there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaidBy {
    /// A listing.
    Listing {
        /// Why it was not Mimir's index, where there is one.
        index_error: Option<String>,
    },
    /// Mimir's index: blocks that were put or removed since are not known to it.
    Index {
        /// When it was written, in seconds since 1970.
        updated_at: i64,
    },
}

impl Default for SaidBy {
    fn default() -> Self {
        SaidBy::Listing { index_error: None }
    }
}
