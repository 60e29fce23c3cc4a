//! A sorted run: what some commits added and removed, in one order, at most one entry a quad.

use std::cmp::Ordering;
use std::ops::Range;

use manicule_format_leaf::Id;

/// What a commit did with a quad or a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is there from then on.
    Added,
    /// It isn't.
    Removed,
}

/// A row and what was done with it.
pub type Entry<const N: usize> = ([Id; N], Change);

/// Rows of `N` columns in order, each with its change.
#[derive(Clone, Debug, Default)]
pub struct Run<const N: usize> {
    rows: Vec<[Id; N]>,
    /// Places of those that were removed, which are few.
    removed: Vec<u32>,
}

impl<const N: usize> Run<N> {
    /// A run of entries.
    ///
    /// Panics if the rows don't increase strictly.
    pub fn new(entries: &[Entry<N>]) -> Self {
        let mut run = Run::default();
        run.extend(entries);
        run
    }

    /// Adds entries, if they come after all that are here.
    ///
    /// Panics if their rows don't increase strictly.
    pub fn extend(&mut self, entries: &[Entry<N>]) -> bool {
        let Some((first, _)) = entries.first() else { return true };
        if self.rows.last().is_some_and(|last| last >= first) {
            return false;
        }
        assert!(entries.is_sorted_by(|a, b| a.0 < b.0), "rows of a run increase strictly");
        let count = self.rows.len();
        assert!(u32::try_from(count + entries.len()).is_ok(), "a run has fewer than 2^32 rows");
        let is_removed = |(_, entry): &(usize, &Entry<N>)| entry.1 == Change::Removed;
        let removed = entries.iter().enumerate().filter(is_removed);
        self.removed.extend(removed.map(|(at, _)| (count + at) as u32));
        self.rows.extend(entries.iter().map(|(row, _)| *row));
        true
    }

    /// The run in no more memory than it needs.
    pub fn shrunk(mut self) -> Self {
        self.rows.shrink_to_fit();
        self.removed.shrink_to_fit();
        self
    }

    /// The rows.
    pub fn rows(&self) -> &[[Id; N]] {
        &self.rows
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Places of the rows that begin with `prefix`.
    pub fn range(&self, prefix: &[Id]) -> Range<usize> {
        let start = self.rows.partition_point(|row| row[..prefix.len()] < *prefix);
        let rest = &self.rows[start..];
        // Mostly few rows have a prefix: their end is looked for near their start.
        let mut step = 1;
        while rest.get(step).is_some_and(|row| row[..prefix.len()] <= *prefix) {
            step *= 2;
        }
        let near = &rest[..rest.len().min(step)];
        start..start + near.partition_point(|row| row[..prefix.len()] <= *prefix)
    }

    /// The first place in [`Run::removed`] that isn't below a place of a row.
    pub fn removed_from(&self, at: usize) -> usize {
        self.removed.partition_point(|removed| (*removed as usize) < at)
    }

    /// Places of removed rows.
    pub fn removed(&self) -> &[u32] {
        &self.removed
    }

    /// What was done with a row.
    pub fn change(&self, at: usize) -> Change {
        match self.removed.binary_search(&(at as u32)) {
            Ok(_) => Change::Removed,
            Err(_) => Change::Added,
        }
    }

    /// What was done with a row, if anything.
    pub fn find(&self, row: &[Id; N]) -> Option<Change> {
        self.rows.binary_search(row).ok().map(|at| self.change(at))
    }

    /// By how much the number of rows grew at these places.
    pub fn growth(&self, places: Range<usize>) -> i64 {
        let removed = self.removed_from(places.end) - self.removed_from(places.start);
        places.len() as i64 - 2 * removed as i64
    }

    /// The entries.
    pub fn entries(&self) -> impl Iterator<Item = Entry<N>> {
        let mut removed = self.removed.iter().copied().peekable();
        self.rows.iter().enumerate().map(move |(at, row)| {
            let is_removed = removed.next_if_eq(&(at as u32)).is_some();
            (*row, if is_removed { Change::Removed } else { Change::Added })
        })
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.rows.capacity() * size_of::<[Id; N]>() + self.removed.capacity() * size_of::<u32>()
    }

    /// Decides of sorted rows which aren't decided yet, by what this run did with them.
    pub fn decide(&self, rows: &[Entry<N>], decided: &mut [Option<Change>]) {
        let mut at = 0;
        for ((row, _), decided) in rows.iter().zip(decided).filter(|(_, decided)| decided.is_none())
        {
            at = self.seek(at, row);
            if self.rows.get(at) == Some(row) {
                *decided = Some(self.change(at));
            }
        }
    }

    /// The first place from `at` on whose row isn't less: near ones are found in few steps.
    fn seek(&self, at: usize, row: &[Id; N]) -> usize {
        let rest = &self.rows[at..];
        let mut step = 1;
        while rest.get(step).is_some_and(|other| other.cmp(row) == Ordering::Less) {
            step *= 2;
        }
        let near = &rest[..rest.len().min(step + 1)];
        at + near.partition_point(|other| other < row)
    }
}

/// Which entries a merge of runs keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// The newest of each row: for runs that may add what is there.
    Newest,
    /// The newest of each row, unless it undoes the oldest: for runs of which each one changes what
    /// it says.
    Net,
}

/// One run of several, oldest first.
pub(super) fn merged<const N: usize>(runs: &[&Run<N>], keep: Keep) -> Run<N> {
    let mut entries = Vec::with_capacity(runs.iter().map(|run| run.row_count()).sum());
    runs.iter().for_each(|run| entries.extend(run.entries()));
    settle(&mut entries, keep);
    Run::new(&entries)
}

/// Sorts entries, the oldest of each row first, and keeps at most one of each row.
pub(super) fn settle<const N: usize>(entries: &mut Vec<Entry<N>>, keep: Keep) {
    // A stable sort, which finds and merges what is in order already.
    entries.sort_by_key(|entry| entry.0);
    let (mut kept, mut at) = (0, 0);
    while at < entries.len() {
        let row = entries[at].0;
        let count = entries[at..].iter().take_while(|entry| entry.0 == row).count();
        let (oldest, newest) = (entries[at].1, entries[at + count - 1].1);
        if keep == Keep::Newest || oldest == newest {
            entries[kept] = (row, newest);
            kept += 1;
        }
        at += count;
    }
    entries.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use Change::{Added, Removed};

    fn run(entries: &[(u64, Change)]) -> Run<1> {
        Run::new(&entries.iter().map(|(id, change)| ([Id(*id)], *change)).collect::<Vec<_>>())
    }

    fn check(runs: &[&Run<1>], keep: Keep, want: &[(u64, Change)]) {
        let got: Vec<_> =
            merged(runs, keep).entries().map(|(row, change)| (row[0].0, change)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn the_newest_entry_wins_and_what_is_undone_goes() {
        let (old, new) = (
            run(&[(1, Added), (2, Removed), (4, Added)]),
            run(&[(1, Removed), (3, Removed), (4, Added)]),
        );
        check(&[&old, &new], Keep::Newest, &[(1, Removed), (2, Removed), (3, Removed), (4, Added)]);
        check(&[&old, &new], Keep::Net, &[(2, Removed), (3, Removed), (4, Added)]);
        check(
            &[&old, &new, &old],
            Keep::Net,
            &[(1, Added), (2, Removed), (3, Removed), (4, Added)],
        );
    }

    #[test]
    fn ranges_are_those_of_a_walk() {
        let rows: Vec<Entry<2>> = (0..200)
            .map(|n| ([Id(n / 7), Id(n)], if n % 5 == 0 { Removed } else { Added }))
            .collect();
        let run = Run::new(&rows);
        for id in 0..31 {
            let want: Vec<usize> = (0..200).filter(|at| rows[*at].0[0] == Id(id)).collect();
            let got = run.range(&[Id(id)]);
            assert_eq!(got.clone().collect::<Vec<_>>(), want);
            let growth: i64 = want.iter().map(|at| if rows[*at].1 == Added { 1 } else { -1 }).sum();
            assert_eq!(run.growth(got), growth);
        }
        assert_eq!(run.range(&[]), 0..200);
        assert_eq!(run.find(&[Id(1), Id(10)]), Some(Removed));
        assert_eq!(run.find(&[Id(1), Id(14)]), None);
        let asked: Vec<Entry<2>> = (0..60).map(|n| ([Id(n / 2), Id(n * 4)], Added)).collect();
        let mut decided = vec![None; asked.len()];
        run.decide(&asked, &mut decided);
        assert!(asked.iter().zip(&decided).all(|(asked, decided)| run.find(&asked.0) == *decided));
    }
}
