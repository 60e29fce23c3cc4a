//! Parts of a row, by the columns of several SSTables.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Cell, RowPart};

/// Adds the parts of a row, whose columns have the numbers `numbers`, in the order of the numbers.
pub(super) fn put_parts<'a>(
    parts: impl Iterator<Item = Result<RowPart<'a>, DecodeError>>,
    numbers: &[usize],
    out: &mut Vec<RowPart<'a>>,
) -> Result<(), DecodeError> {
    for part in parts {
        out.push(match part? {
            RowPart::Cell(cell) => RowPart::Cell(Cell { column: numbers[cell.column], ..cell }),
            RowPart::Complex { column, deletion, cell_count } => {
                RowPart::Complex { column: numbers[column], deletion, cell_count }
            }
        });
    }
    // Columns of an SSTable are in the order of all but where its writer had another; cells of a
    // column stay together.
    let column = |part: &RowPart<'_>| match part {
        RowPart::Cell(cell) => cell.column,
        RowPart::Complex { column, .. } => *column,
    };
    if !out.is_sorted_by_key(column) {
        out.sort_by_key(column);
    }
    Ok(())
}
