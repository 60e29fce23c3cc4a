//! Places of facts as partitions, rows and range tombstone markers.

use manicule_format_sstable::{Cell, Deletion, Header, RowHead, RowPart};

use super::super::table::SstableWriter;
use super::buffer::{Group, Part};
use super::fact::NewFact;
use crate::RowsError;
use crate::fact::FactKind;
use crate::merge::{compare_paths, later, marker};
use crate::slice::Direction;

/// The partition that is being written.
#[derive(Debug, Default)]
pub(super) struct Partitions {
    /// Its key; `None` before the first.
    key: Option<Vec<u8>>,
    /// The part that came last.
    part: Option<Part>,
    /// The range deletions that are open.
    open: Vec<Deletion>,
}

impl Partitions {
    /// Writes the facts of the next place.
    pub(super) fn put(
        &mut self,
        group: &Group<'_>,
        header: &Header,
        writer: &mut SstableWriter,
    ) -> Result<(), RowsError> {
        let put = self.put_place(group, header, writer);
        put.map_err(|error| of_partition(error, group.key, header))
    }

    fn put_place(
        &mut self,
        group: &Group<'_>,
        header: &Header,
        writer: &mut SstableWriter,
    ) -> Result<(), RowsError> {
        let Group { key, part, .. } = group;
        if self.key.as_deref() != Some(*key) {
            self.end(header, writer)?;
            let deletion = match part {
                Part::Head => group.facts[0].deletion(),
                Part::Static | Part::Rows => Deletion::LIVE,
            };
            writer.check_partition(key, deletion)?;
            writer.begin(key, deletion)?;
            self.key = Some(key.to_vec());
        } else if *part != Part::Rows && self.part >= Some(*part) {
            return Err(unwritable("facts are not sorted: one of the partition comes too late"));
        }
        self.part = Some(*part);
        match part {
            Part::Head if group.facts.len() > 1 => {
                Err(unwritable("the partition is deleted twice"))
            }
            Part::Head => Ok(()),
            Part::Rows if group.facts.iter().any(|fact| fact.kind.is_bound()) => {
                self.put_marker(group, writer)
            }
            Part::Static | Part::Rows => put_row(group, header, writer),
        }
    }

    /// Where range deletions begin and end.
    fn put_marker(
        &mut self,
        group: &Group<'_>,
        writer: &mut SstableWriter,
    ) -> Result<(), RowsError> {
        let current = |open: &[Deletion]| open.iter().copied().reduce(later);
        let closes = current(&self.open);
        for fact in &group.facts {
            let deletion = fact.deletion();
            match fact.kind {
                FactKind::RangeStart { .. } => self.open.push(deletion),
                _ => {
                    let at = self.open.iter().position(|open| *open == deletion);
                    let at = at.ok_or_else(|| {
                        unwritable("a range deletion ends that is not open: when it was written and deleted are those of its start")
                    })?;
                    self.open.swap_remove(at);
                }
            }
        }
        match marker(&group.prefix, closes, current(&self.open), Direction::Forward) {
            Some(found) => writer.marker(&found.prefix.as_prefix(), [found.closes, found.opens]),
            None => Ok(()),
        }
    }

    /// The partition ends.
    pub(super) fn end(
        &mut self,
        header: &Header,
        writer: &mut SstableWriter,
    ) -> Result<(), RowsError> {
        let Some(key) = self.key.take() else { return Ok(()) };
        writer.end().map_err(|error| of_partition(error, &key, header))?;
        self.part = None;
        Ok(())
    }
}

/// The facts of a row.
fn put_row(
    group: &Group<'_>,
    header: &Header,
    writer: &mut SstableWriter,
) -> Result<(), RowsError> {
    let is_static = group.part == Part::Static;
    let columns = header.columns(is_static);
    let components = group.prefix.components;
    let mut head = RowHead { is_static, components, ..RowHead::NO_STATICS };
    let mut parts: Vec<RowPart<'_>> = Vec::new();
    // The complex column that began last, and the cell before.
    let (mut complex, mut before): (Option<(usize, usize)>, Option<&NewFact<'_>>) = (None, None);
    for fact in &group.facts {
        let is_twice = match fact.kind {
            FactKind::Row => head.liveness.replace(fact.liveness()).is_some(),
            FactKind::RowDeletion => {
                !std::mem::replace(&mut head.deletion, fact.deletion()).is_live()
            }
            FactKind::ShadowableDeletion => {
                !std::mem::replace(&mut head.shadowable, fact.deletion()).is_live()
            }
            _ => false,
        };
        let is_twice = is_twice
            || before.is_some_and(|before| {
                let is_same =
                    (before.column, before.path.is_some()) == (fact.column, fact.path.is_some());
                is_same
                    && fact.column.is_some_and(|column| {
                        compare_paths(&columns[column].kind, before.path, fact.path).is_eq()
                    })
            });
        if is_twice {
            return Err(unwritable(
                "a row has the same fact twice: facts of several SSTables are written one by one, and merged",
            ));
        }
        before = Some(fact);
        let Some(column) = fact.column else { continue };
        if columns[column].kind.is_complex() && complex.is_none_or(|(other, _)| other != column) {
            complex = Some((column, parts.len()));
            parts.push(RowPart::Complex { column, deletion: Deletion::LIVE, cell_count: 0 });
        }
        let of_column = complex.filter(|(other, _)| *other == column);
        if let Some(RowPart::Complex { deletion, cell_count, .. }) =
            of_column.map(|(_, at)| &mut parts[at])
        {
            match fact.kind {
                FactKind::CollectionDeletion => *deletion = fact.deletion(),
                _ => *cell_count += 1,
            }
        }
        if fact.kind != FactKind::CollectionDeletion {
            parts.push(RowPart::Cell(cell(fact, column)));
        }
    }
    if is_static {
        writer.statics(&head, parts.iter().copied())
    } else {
        writer.row(&head, parts.iter().copied())
    }
}

fn cell<'f>(fact: &NewFact<'f>, column: usize) -> Cell<'f> {
    let NewFact { path, timestamp, ttl, local_time, value, .. } = *fact;
    let is_deleted = fact.kind == FactKind::CellDeletion;
    Cell { at: 0, column, path, timestamp, ttl, local_time, is_deleted, value }
}

fn unwritable(why: &str) -> RowsError {
    RowsError::Unwritable { why: why.to_owned() }
}

/// An error that names the partition.
fn of_partition(error: RowsError, key: &[u8], header: &Header) -> RowsError {
    match error {
        RowsError::Unwritable { why } => {
            let mut text = String::new();
            header.key.put_literal(Some(key), &mut text);
            RowsError::Unwritable { why: format!("partition {text}: {why}") }
        }
        other => other,
    }
}
