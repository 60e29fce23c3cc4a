//! A leaf of the base: its bytes, wherever they lie, opened once.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::Id;
use manicule_format_leaf::leaf::{BlockChecks, Leaf, LeafShape};
use manicule_format_leaf::manifest::LeafRow;
use manicule_store::Mapped;

use crate::error::GraphError;

/// The bytes of a leaf.
#[derive(Debug)]
pub enum LeafBytes {
    /// Those of a file.
    Mapped(Mapped),
    /// Those that a writer has just made.
    Owned(Vec<u8>),
}

impl Deref for LeafBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            LeafBytes::Mapped(bytes) => bytes,
            LeafBytes::Owned(bytes) => bytes,
        }
    }
}

/// A leaf that a manifest names. The sum of each block is checked when the block is first read.
#[derive(Debug)]
pub struct BaseLeaf {
    row: LeafRow,
    path: PathBuf,
    bytes: Arc<LeafBytes>,
    shape: LeafShape,
    checks: BlockChecks,
}

impl BaseLeaf {
    /// Opens the bytes of a leaf. `path` is for errors.
    pub fn open(row: LeafRow, path: PathBuf, bytes: LeafBytes) -> Result<Self, GraphError> {
        let opened = Leaf::open(&bytes).and_then(|leaf| {
            let corrupt = |what, want: u64, got: u64| {
                if want == got {
                    Ok(())
                } else {
                    Err(DecodeError::Corrupt { what, at: 0, want, got })
                }
            };
            corrupt("length that the manifest has", row.file.len, bytes.len() as u64)?;
            corrupt("order that the manifest has", row.order as u64, leaf.order() as u64)?;
            corrupt("rows that the manifest has", row.row_count, leaf.row_count().into())?;
            let is_in = leaf.first().is_none_or(|first| row.separator <= first);
            corrupt("first row that isn't below the separator", 1, is_in.into())?;
            Ok((leaf.shape(), BlockChecks::new(leaf.block_count())))
        });
        match opened {
            Ok((shape, checks)) => Ok(BaseLeaf { row, path, bytes: bytes.into(), shape, checks }),
            Err(source) => Err(GraphError::Damaged { file: path, source }),
        }
    }

    /// The same file, with an interval that begins elsewhere.
    pub fn with_separator(&self, separator: [Id; 4]) -> BaseLeaf {
        BaseLeaf {
            row: LeafRow { separator, ..self.row },
            path: self.path.clone(),
            bytes: self.bytes.clone(),
            shape: self.shape,
            checks: BlockChecks::new(self.shape.block_count()),
        }
    }

    /// Its row in the manifest.
    pub fn row(&self) -> &LeafRow {
        &self.row
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of its file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The leaf.
    pub fn leaf(&self) -> Leaf<'_> {
        Leaf::bind(self.shape, &self.bytes).with_checks(&self.checks)
    }

    /// Adds the file to an error of its bytes.
    pub(super) fn damaged(&self, source: DecodeError) -> GraphError {
        GraphError::Damaged { file: self.path.clone(), source }
    }
}
