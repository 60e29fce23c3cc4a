//! The labels of one series while they are changed, and those of all series when they no longer
//! change.

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::{Interner, Strings, sorted};
use manicule_format_prometheus::{SeriesRef, SeriesWalk};
use manicule_store::store::RangedFile;

use crate::make::merge::Label;

/// The labels of a series by name; a label that is set to nothing is not there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    list: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Labels {
    /// The value of a label, or nothing.
    pub fn get(&self, name: &[u8]) -> &[u8] {
        self.place(name).map_or(b"", |place| &self.list[place].1)
    }

    fn place(&self, name: &[u8]) -> Result<usize, usize> {
        self.list.binary_search_by(|label| label.0[..].cmp(name))
    }

    /// Gives a label a value; whether it had another one.
    pub fn set(&mut self, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> bool {
        let (name, value) = (name.into(), value.into());
        match (self.place(&name), value.is_empty()) {
            (Ok(place), true) => drop(self.list.remove(place)),
            (Ok(place), false) if self.list[place].1 == value => return false,
            (Ok(place), false) => self.list[place].1 = value,
            (Err(_), true) => return false,
            (Err(place), false) => self.list.insert(place, (name, value)),
        }
        true
    }

    /// Keeps the labels that `keep` says so of; whether one went.
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8]) -> bool) -> bool {
        let before = self.list.len();
        self.list.retain(|label| keep(&label.0));
        self.list.len() < before
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.list.iter().map(|(name, value)| (&name[..], &value[..]))
    }

    /// Whether no label is left.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl<N: Into<Vec<u8>>, V: Into<Vec<u8>>> FromIterator<(N, V)> for Labels {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(labels: T) -> Self {
        let mut set = Labels::default();
        for (name, value) in labels {
            set.set(name, value);
        }
        set
    }
}

/// Reads a series; `labels` become its own, as numbers of the block's symbols.
pub(crate) fn read(
    walk: &mut SeriesWalk<'_, RangedFile>,
    series: SeriesRef,
    labels: &mut Vec<Label>,
) -> Result<(), DecodeError> {
    walk.read(series)?;
    labels.clear();
    labels.extend(walk.symbols().iter().map(|(name, value)| (name.0, value.0)));
    Ok(())
}

/// The series that stay, with their labels.
#[derive(Debug, Default)]
pub(crate) struct Table {
    strings: Interner,
    /// The numbers of names and values, series after series.
    labels: Vec<Label>,
    rows: Vec<Row>,
}

/// A series of the source, and where its labels end.
#[derive(Clone, Copy, Debug)]
struct Row {
    series: SeriesRef,
    end: usize,
}

impl Table {
    pub(crate) fn intern(&mut self, string: &[u8]) -> u32 {
        self.strings.intern(string)
    }

    /// Adds a series with labels by the numbers of their strings, in the order of names.
    pub(crate) fn push(&mut self, series: SeriesRef, labels: impl IntoIterator<Item = Label>) {
        self.labels.extend(labels);
        self.rows.push(Row { series, end: self.labels.len() });
    }

    /// Number of series.
    pub(crate) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Puts the series into the order of their labels.
    pub(crate) fn into_sorted(mut self) -> SortedTable {
        // As Prometheus writes it into every index.
        self.strings.intern(b"");
        let order = sorted(&self.strings);
        let mut rank = vec![0; order.len()];
        for (place, &number) in order.iter().enumerate() {
            rank[number as usize] = place as u32;
        }
        for label in &mut self.labels {
            *label = (rank[label.0 as usize], rank[label.1 as usize]);
        }
        let mut places: Vec<u32> = (0..self.rows.len() as u32).collect();
        if !places.is_sorted_by_key(|place| self.labels(*place)) {
            places.sort_by(|left, right| self.labels(*left).cmp(self.labels(*right)));
        }
        SortedTable { table: self, order, places }
    }

    fn labels(&self, place: u32) -> &[Label] {
        let begin = place.checked_sub(1).map_or(0, |before| self.rows[before as usize].end);
        &self.labels[begin..self.rows[place as usize].end]
    }
}

/// Series in the order of their labels. Labels are numbers whose order is that of the strings.
#[derive(Debug)]
pub(crate) struct SortedTable {
    table: Table,
    /// The strings by rank.
    order: Vec<u32>,
    places: Vec<u32>,
}

/// Series of the source that have the same labels now.
#[derive(Debug)]
pub(crate) struct Group<'t> {
    table: &'t Table,
    pub(crate) labels: &'t [Label],
    places: &'t [u32],
}

impl<'t> Group<'t> {
    pub(crate) fn series(&self) -> impl Iterator<Item = SeriesRef> + 't {
        let table = self.table;
        self.places.iter().map(move |place| table.rows[*place as usize].series)
    }
}

impl SortedTable {
    pub(crate) fn strings(&self) -> Vec<&[u8]> {
        self.order.iter().map(|number| self.table.strings.get(*number)).collect()
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let table = &self.table;
        let groups = self.places.chunk_by(|l, r| table.labels(*l) == table.labels(*r));
        groups.map(|places| Group { table, labels: table.labels(places[0]), places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_is_set_to_nothing_is_not_there() {
        let mut labels: Labels = [("b", "1"), ("a", "2"), ("c", "")].into_iter().collect();
        assert_eq!(labels.get(b"c"), b"");
        labels.set("b", "");
        labels.set("d", "3");
        let list: Vec<_> = labels.iter().collect();
        assert_eq!(list, [(&b"a"[..], &b"2"[..]), (b"d", b"3")]);
    }

    #[test]
    fn series_that_became_equal_stand_together() {
        let mut table = Table::default();
        for (series, value) in [(1, "b"), (2, "a"), (3, "b")] {
            let label = (table.intern(b"x"), table.intern(value.as_bytes()));
            table.push(SeriesRef(series), [label]);
        }
        let sorted = table.into_sorted();
        assert_eq!(sorted.strings(), [&b""[..], b"a", b"b", b"x"]);
        let groups: Vec<Vec<u32>> =
            sorted.groups().map(|group| group.series().map(|series| series.0).collect()).collect();
        assert_eq!(groups, [vec![2], vec![1, 3]]);
    }
}
