//! What a compaction leaves of a row: without what deletions hide, without tombstones that are old
//! enough, expired cells as tombstones.

use manicule_format_sstable::{Cell, Deletion, Liveness, RowPart};

use crate::merge::later;

/// By which times tombstones are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purge {
    /// The present, in seconds since 1970: what expires up to then has expired.
    pub now: i64,
    /// Tombstones made before it are dropped, in seconds since 1970; `None`: none is.
    pub before: Option<i64>,
}

impl Purge {
    /// Drops nothing for its age.
    pub(super) const NOTHING: Purge = Purge { now: i64::MIN, before: None };

    /// Whether what was deleted or expired at a time is dropped.
    fn drops(&self, local_time: i64) -> bool {
        self.before.is_some_and(|before| local_time < before)
    }

    /// A deletion, unless it is dropped.
    pub(super) fn deletion(&self, deletion: Deletion) -> Deletion {
        let is_dropped = !deletion.is_live() && self.drops(deletion.local_time);
        if is_dropped { Deletion::LIVE } else { deletion }
    }

    /// A deletion of a range, unless it is dropped.
    pub(super) fn range(&self, deletion: Option<Deletion>) -> Option<Deletion> {
        deletion.filter(|deletion| !self.drops(deletion.local_time))
    }

    /// The liveness of a row, unless it has expired and is dropped.
    pub(super) fn liveness(&self, liveness: Option<Liveness>) -> Option<Liveness> {
        let is_dead = |it: &Liveness| it.ttl != 0 && self.now >= it.expires;
        liveness.filter(|it| !is_dead(it) || !self.drops(it.expires))
    }

    /// A cell, unless it is dropped: one that has expired as a tombstone, made when it was written.
    fn cell<'a>(&self, cell: Cell<'a>) -> Option<Cell<'a>> {
        let is_expired = cell.is_expiring() && self.now >= cell.local_time;
        if !cell.is_deleted && !is_expired {
            return Some(cell);
        }
        if self.drops(cell.local_time) {
            return None;
        }
        if cell.is_deleted {
            return Some(cell);
        }
        let local_time = cell.local_time - i64::from(cell.ttl);
        let tombstone = Cell { is_deleted: true, ttl: 0, local_time, value: b"", ..cell };
        (!self.drops(local_time)).then_some(tombstone)
    }

    /// Leaves of the parts of a row what is not hidden by a deletion, and not dropped.
    pub(super) fn parts(&self, parts: &mut Vec<RowPart<'_>>, hides: Deletion) {
        let (mut len, mut column) = (0, None);
        // What hides cells of the present complex column.
        let mut around = hides;
        for at in 0..parts.len() {
            match parts[at] {
                RowPart::Complex { column: number, deletion, .. } => {
                    close(parts, &mut len, column.take());
                    let deletion =
                        if deletion.supersedes(&hides) { deletion } else { Deletion::LIVE };
                    around = later(hides, deletion);
                    let deletion = self.deletion(deletion);
                    parts[len] = RowPart::Complex { column: number, deletion, cell_count: 0 };
                    column = Some(len);
                    len += 1;
                }
                RowPart::Cell(cell) => {
                    if cell.path.is_none() {
                        close(parts, &mut len, column.take());
                        around = hides;
                    }
                    let kept = Some(cell).filter(|cell| !around.deletes(cell.timestamp));
                    if let Some(cell) = kept.and_then(|cell| self.cell(cell)) {
                        parts[len] = RowPart::Cell(cell);
                        len += 1;
                    }
                }
            }
        }
        close(parts, &mut len, column);
        parts.truncate(len);
    }
}

/// A complex column has ended whose head is at a place: it has as many cells as follow, and is left
/// out if it says nothing.
fn close(parts: &mut [RowPart<'_>], len: &mut usize, head: Option<usize>) {
    let Some(at) = head else { return };
    let count = (*len - at - 1) as u64;
    if let RowPart::Complex { deletion, cell_count, .. } = &mut parts[at] {
        *cell_count = count;
        if count == 0 && deletion.is_live() {
            *len = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_format_sstable::NO_LOCAL_TIME;

    const PURGE: Purge = Purge { now: 1_000, before: Some(500) };

    fn live(column: usize, timestamp: i64) -> Cell<'static> {
        let (ttl, local_time, is_deleted) = (0, NO_LOCAL_TIME, false);
        let (at, path, value) = (0, None, &b"v"[..]);
        Cell { at, column, path, timestamp, ttl, local_time, is_deleted, value }
    }

    fn dead(column: usize, local_time: i64) -> Cell<'static> {
        Cell { is_deleted: true, local_time, value: b"", ..live(column, 9) }
    }

    fn expiring(column: usize, ttl: i32, local_time: i64) -> Cell<'static> {
        Cell { ttl, local_time, ..live(column, 9) }
    }

    fn left(parts: &[RowPart<'static>], hides: Deletion) -> Vec<RowPart<'static>> {
        let mut parts = parts.to_vec();
        PURGE.parts(&mut parts, hides);
        parts
    }

    #[test]
    fn tombstones_that_are_old_enough_are_dropped() {
        let check = |cell: Cell<'static>, want: Option<Cell<'static>>| {
            let want: Vec<_> = want.map(RowPart::Cell).into_iter().collect();
            assert_eq!(left(&[RowPart::Cell(cell)], Deletion::LIVE), want);
        };
        check(live(0, 1), Some(live(0, 1)));
        check(dead(0, 499), None);
        check(dead(0, 500), Some(dead(0, 500)));
        check(expiring(0, 10, 1_001), Some(expiring(0, 10, 1_001)));
        check(expiring(0, 10, 1_000), Some(dead(0, 990)));
        check(expiring(0, 600, 1_000), None);
        check(expiring(0, 10, 499), None);
    }

    #[test]
    fn what_deletions_hide_is_left_out() {
        let hides = Deletion { marked_at: 5, local_time: 600 };
        let element = |timestamp| Cell { path: Some(b"e"), ..live(1, timestamp) };
        let complex = |marked_at: i64, cell_count| {
            let deletion = match marked_at {
                0 => Deletion::LIVE,
                marked_at => Deletion { marked_at, local_time: 600 },
            };
            RowPart::Complex { column: 1, deletion, cell_count }
        };
        let cell = RowPart::Cell;
        let got = left(
            &[
                cell(live(0, 5)),
                complex(7, 3),
                cell(element(6)),
                cell(element(8)),
                cell(element(9)),
            ],
            hides,
        );
        assert_eq!(got, [complex(7, 2), cell(element(8)), cell(element(9))]);
        assert_eq!(
            left(&[complex(4, 1), cell(element(5)), cell(live(2, 6))], hides),
            [cell(live(2, 6))]
        );
        assert_eq!(left(&[complex(7, 0)], hides), [complex(7, 0)]);
        assert_eq!(
            left(&[complex(0, 1), cell(element(6))], hides),
            [complex(0, 1), cell(element(6))]
        );
        // A simple column after a complex one is not hidden by its deletion.
        let parts = [complex(9, 0), cell(live(2, 6))];
        assert_eq!(left(&parts, hides), parts);
    }

    #[test]
    fn rows_that_have_expired_stay_until_they_are_dropped() {
        let row = |ttl, expires| Some(Liveness { timestamp: 1, ttl, expires });
        let kept = [row(0, NO_LOCAL_TIME), row(5, 1_001), row(5, 1_000), row(5, 500)];
        kept.into_iter().for_each(|row| assert_eq!(PURGE.liveness(row), row));
        assert_eq!(PURGE.liveness(row(5, 499)), None);
        let keeping = Purge { before: None, ..PURGE };
        assert_eq!(keeping.liveness(row(5, 1)), row(5, 1));
        assert_eq!(keeping.deletion(Deletion { marked_at: 1, local_time: 1 }).local_time, 1);
    }
}
