//! Rows of the same clustering as one, without what deletions hide.
//!
//! They are merged where they lie: what loses is never copied, and what is kept is copied by who
//! needs it longer.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Cell, Components, Deletion, Liveness, Row, RowHead, RowPart, RowShape,
};

use super::cells::{compare_paths, newer};
use super::columns::MergedColumn;
use super::part::{Part, SourcedCell};
use crate::emptied::emptied;

/// The lists of a merge, kept for the rows of the next place.
#[derive(Debug, Default)]
pub(crate) struct MergerMemory {
    parts: Vec<Part<'static>>,
    kept: Vec<Part<'static>>,
    cells: Vec<SourcedCell<'static>>,
}

/// Rows of one place, as they are gathered.
#[derive(Debug)]
pub(crate) struct Merger<'a> {
    head: RowHead<'a>,
    /// Parts of all rows.
    parts: Vec<Part<'a>>,
    kept: Vec<Part<'a>>,
    cells: Vec<SourcedCell<'a>>,
}

/// What is left of them.
#[derive(Debug)]
pub(crate) struct RowMerge<'a> {
    /// Its place, times and deletions.
    pub(crate) head: RowHead<'a>,
    /// Its parts, by the columns of all SSTables.
    pub(crate) parts: Vec<Part<'a>>,
    gathered: Vec<Part<'a>>,
    cells: Vec<SourcedCell<'a>>,
}

impl<'a> Merger<'a> {
    /// Of no row.
    pub(crate) fn new(memory: MergerMemory) -> Self {
        let MergerMemory { parts, kept, cells } = memory;
        let (parts, kept, cells) = (emptied(parts), emptied(kept), emptied(cells));
        Merger { head: RowHead { is_static: false, ..RowHead::NO_STATICS }, parts, kept, cells }
    }

    /// Adds a row of the SSTable `source`, whose columns have the numbers `numbers`.
    pub(crate) fn add(
        &mut self,
        row: &Row<'a>,
        shape: &RowShape,
        numbers: &[usize],
        source: usize,
    ) -> Result<(), DecodeError> {
        let head = &mut self.head;
        (head.is_static, head.components) = (row.is_static, row.components);
        head.deletion = later(head.deletion, row.deletion);
        head.shadowable = later(head.shadowable, row.shadowable);
        head.liveness = match (head.liveness, row.liveness) {
            (Some(left), Some(right)) => Some(newer_liveness(left, right)),
            (left, right) => left.or(right),
        };
        for part in row.cells(shape) {
            self.parts.push(match part? {
                RowPart::Cell(cell) => {
                    let cell = Cell { column: numbers[cell.column], ..cell };
                    Part::Cell(SourcedCell::new(cell, source))
                }
                RowPart::Complex { column, deletion, .. } => {
                    Part::Complex { column: numbers[column], deletion }
                }
            });
        }
        Ok(())
    }

    /// Gives the row its place, whose bytes may differ from those of other rows there.
    pub(crate) fn name(&mut self, components: Components<'a>) {
        self.head.components = components;
    }

    /// The rows as one under a deletion of their range or partition.
    pub(crate) fn finish(self, around: Deletion, columns: &[MergedColumn]) -> RowMerge<'a> {
        let Merger { mut head, mut parts, mut kept, mut cells } = self;
        let hides = hidden(&mut head, around);
        // Stable: parts of a column stay in the order of the SSTables.
        if !parts.is_sorted_by_key(Part::column) {
            parts.sort_by_key(Part::column);
        }
        let mut rest = parts.drain(..).peekable();
        while let Some(part) = rest.next() {
            let number = part.column();
            let kind = &columns[number].kind;
            let mut of_column = || rest.next_if(|other| other.column() == number);
            match part {
                Part::Cell(mut cell) => {
                    while let Some(Part::Cell(other)) = of_column() {
                        cell = newer(kind, cell, other);
                    }
                    if !hides.deletes(cell.timestamp()) {
                        kept.push(Part::Cell(cell));
                    }
                }
                Part::Complex { mut deletion, .. } => {
                    while let Some(part) = of_column() {
                        match part {
                            Part::Cell(cell) => cells.push(cell),
                            Part::Complex { deletion: other, .. } => {
                                deletion = later(deletion, other);
                            }
                        }
                    }
                    put_complex(&columns[number], number, deletion, hides, &mut cells, &mut kept);
                }
            }
        }
        drop(rest);
        RowMerge { head, parts: kept, gathered: parts, cells }
    }
}

/// Leaves of the times and deletions of a row what counts under a deletion around it; what hides
/// its cells.
fn hidden(head: &mut RowHead<'_>, around: Deletion) -> Deletion {
    let RowHead { liveness, deletion, shadowable, .. } = *head;
    let is_shadowed = liveness.is_some_and(|it| !shadowable.deletes(it.timestamp));
    let shadowable = if is_shadowed { Deletion::LIVE } else { shadowable };
    let outer = later(around, deletion);
    let hides = later(outer, shadowable);
    let own = |deletion: Deletion, outer: &Deletion| {
        if deletion.supersedes(outer) { deletion } else { Deletion::LIVE }
    };
    head.shadowable = own(shadowable, &outer);
    head.liveness = liveness.filter(|liveness| !hides.deletes(liveness.timestamp));
    head.deletion = own(deletion, &around);
    hides
}

/// Adds what is kept of a complex column; its cells are taken.
fn put_complex<'a>(
    column: &MergedColumn,
    number: usize,
    deletion: Deletion,
    hides: Deletion,
    cells: &mut Vec<SourcedCell<'a>>,
    kept: &mut Vec<Part<'a>>,
) {
    let has_deletion = deletion.supersedes(&hides);
    let hides = later(hides, deletion);
    let deletion = if has_deletion { deletion } else { Deletion::LIVE };
    let compare = |left: &SourcedCell<'_>, right: &SourcedCell<'_>| {
        compare_paths(&column.kind, left.path(), right.path())
    };
    // Stable: cells of one path stay in the order of the SSTables.
    if !cells.is_sorted_by(|left, right| compare(left, right).is_le()) {
        cells.sort_by(compare);
    }
    let at = kept.len();
    kept.push(Part::Complex { column: number, deletion });
    let mut cells = cells.drain(..).peekable();
    while let Some(mut cell) = cells.next() {
        while let Some(other) = cells.next_if(|other| compare(&cell, other).is_eq()) {
            cell = newer(&column.kind, cell, other);
        }
        if !hides.deletes(cell.timestamp()) {
            kept.push(Part::Cell(cell));
        }
    }
    if kept.len() == at + 1 && !has_deletion {
        kept.truncate(at);
    }
}

impl RowMerge<'_> {
    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.head.says_nothing() && self.parts.is_empty()
    }

    /// Adds its parts as a file has them.
    pub(crate) fn put_parts<'r>(&'r self, out: &mut Vec<RowPart<'r>>) {
        let mut complex = None;
        for part in &self.parts {
            match part {
                Part::Complex { column, deletion } => {
                    complex = Some(out.len());
                    let (column, deletion) = (*column, *deletion);
                    out.push(RowPart::Complex { column, deletion, cell_count: 0 });
                }
                Part::Cell(cell) => {
                    let cell = cell.as_cell();
                    let of_complex = complex.filter(|_| cell.path.is_some());
                    if let Some(RowPart::Complex { cell_count, .. }) =
                        of_complex.map(|at| &mut out[at])
                    {
                        *cell_count += 1;
                    }
                    out.push(RowPart::Cell(cell));
                }
            }
        }
    }

    /// The lists, for the next rows.
    pub(crate) fn into_memory(self) -> MergerMemory {
        let RowMerge { parts, gathered, cells, .. } = self;
        MergerMemory { parts: emptied(gathered), kept: emptied(parts), cells: emptied(cells) }
    }
}

/// The deletion that supersedes the other.
pub(crate) fn later(left: Deletion, right: Deletion) -> Deletion {
    if right.supersedes(&left) { right } else { left }
}

/// The higher timestamp; of equal ones the one that expires, later.
fn newer_liveness(left: Liveness, right: Liveness) -> Liveness {
    let rank = |liveness: &Liveness| {
        let expires = (liveness.ttl != 0).then_some(liveness.expires);
        (liveness.timestamp, expires)
    };
    if rank(&left) < rank(&right) { right } else { left }
}
