//! Sorted rows into leaves of a size: what a bulk load and a compaction write.

use manicule_format_leaf::leaf::LeafWriter;
use manicule_format_leaf::{Id, Order};

use super::part::NewLeaf;

/// Cuts rows into leaves: each as soon as it is full, the last when the rows end.
#[derive(Debug)]
pub struct LeafCutter {
    order: Order,
    leaf_rows: u32,
    writer: LeafWriter,
    separator: [Id; 4],
}

impl LeafCutter {
    /// Leaves of `leaf_rows` rows each, at least one.
    pub fn new(order: Order, leaf_rows: u32) -> Self {
        assert!(leaf_rows > 0, "rows of a leaf");
        LeafCutter { order, leaf_rows, writer: LeafWriter::new(order), separator: [Id::MIN; 4] }
    }

    /// Adds a row after all others: the leaf that it doesn't fit into any more.
    ///
    /// Panics if it doesn't come after the last one.
    pub fn push(&mut self, row: [Id; 4]) -> Option<NewLeaf> {
        let full = (self.writer.row_count() == self.leaf_rows).then(|| self.cut(row));
        self.writer.push(row);
        full
    }

    fn cut(&mut self, separator: [Id; 4]) -> NewLeaf {
        let writer = std::mem::replace(&mut self.writer, LeafWriter::new(self.order));
        let separator = std::mem::replace(&mut self.separator, separator);
        let row_count = writer.row_count();
        NewLeaf { separator, row_count, bytes: writer.finish() }
    }

    /// The last leaf; `None` if there was no row.
    pub fn finish(mut self) -> Option<NewLeaf> {
        (!self.writer.is_empty()).then(|| self.cut([Id::MAX; 4]))
    }
}
