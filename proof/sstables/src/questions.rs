//! Slices that are asked of our reader and of Cassandra's, drawn from the rows that there are.

use std::fmt::Write;

use manicule_core::blocks::ReadCost;
use manicule_core::hex;
use manicule_format_sstable::{Type, Value};
use manicule_rows::RowsError;
use manicule_rows::slice::{Bounds, Direction, Edge, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::Sstable;
use manicule_testkit::Rng;

use crate::ours::{keys, read_with};

/// Times at which questions ask what is live: some TTLs have run out, all have.
const NOWS: [i64; 2] = [1_700_000_300, 2_147_000_000];

/// A bound: the first values of a clustering, and whether it takes in what has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    values: Vec<Vec<u8>>,
    is_inclusive: bool,
}

/// A slice that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub(crate) key: Vec<u8>,
    from: Option<Bound>,
    to: Option<Bound>,
    pub(crate) direction: Direction,
    /// Number of rows; 0: all.
    pub(crate) limit: u64,
    /// When it is asked what is live.
    pub(crate) now: i64,
}

impl Question {
    /// All of a partition.
    pub fn whole(key: &[u8], direction: Direction, now: i64) -> Self {
        Question { key: key.to_vec(), from: None, to: None, direction, limit: 0, now }
    }

    /// Its line in a script of `Ask`.
    pub fn line(&self) -> String {
        let bound = |bound: &Option<Bound>| match bound {
            None => "-".to_owned(),
            Some(Bound { values, is_inclusive }) => {
                let open = if *is_inclusive { "[" } else { "(" };
                values.iter().fold(open.to_owned(), |text, value| text + &hex::encode(value) + ",")
            }
        };
        let way = if self.direction == Direction::Forward { "forward" } else { "reverse" };
        let mut line = String::new();
        let (from, to) = (bound(&self.from), bound(&self.to));
        let Question { key, limit, now, .. } = self;
        let _ = writeln!(line, "{}\t{from}\t{to}\t{way}\t{limit}\t{now}", hex::encode(key));
        line
    }

    /// Its bounds; `None` if the slice is empty by its order.
    pub(crate) fn bounds(&self, types: &[Type]) -> Option<Bounds> {
        let values = |bound: &Option<Bound>| -> Vec<Option<Vec<u8>>> {
            let values = bound.iter().flat_map(|bound| &bound.values);
            values.map(|value| Some(value.clone())).collect()
        };
        let (from, to) = (values(&self.from), values(&self.to));
        let from: Vec<_> = from.iter().map(Option::as_deref).collect();
        let to: Vec<_> = to.iter().map(Option::as_deref).collect();
        Bounds::new(types, edge(&self.from, &from), edge(&self.to, &to)).ok()
    }
}

fn edge<'v>(bound: &Option<Bound>, values: &'v [Value<'v>]) -> Edge<'v> {
    match bound {
        None => Edge::Open,
        Some(bound) if bound.is_inclusive => Edge::Inclusive(values),
        Some(_) => Edge::Exclusive(values),
    }
}

/// Draws `count` questions about some SSTables of a table.
///
/// # Errors
/// If they can't be read.
pub fn ask_about(
    sstables: &[Sstable],
    rng: &mut Rng,
    count: usize,
) -> Result<Vec<Question>, RowsError> {
    let mut partitions = Vec::new();
    for sstable in sstables {
        for key in keys(sstable)? {
            let rows = clusterings(sstable, &key)?;
            partitions.push((key, rows));
        }
    }
    if partitions.is_empty() {
        return Ok(Vec::new());
    }
    Ok((0..count).map(|_| draw(rng, &partitions)).collect())
}

/// A partition's key, and the clustering of each of its rows.
type Partition = (Vec<u8>, Vec<Vec<Vec<u8>>>);

fn draw(rng: &mut Rng, partitions: &[Partition]) -> Question {
    let (key, rows) = rng.choose(partitions);
    let (mut first, mut last) = (pick(rng, rows), pick(rng, rows));
    // Mostly in order, so that few slices are empty; the order is the file's.
    if first.as_ref().map(|(at, _)| *at) > last.as_ref().map(|(at, _)| *at) && !rng.one_in(20) {
        std::mem::swap(&mut first, &mut last);
    }
    let mut key = key.clone();
    if rng.one_in(20) && !key.is_empty() {
        let at = key.len() - 1;
        key[at] ^= 1;
    }
    Question {
        key,
        from: first.map(|(_, bound)| bound),
        to: last.map(|(_, bound)| bound),
        direction: rng.pick(&[Direction::Forward, Direction::Reverse]),
        limit: rng.pick(&[0, 0, 0, 1, 3, 20]),
        now: rng.pick(&NOWS),
    }
}

/// A bound at a row, and which row it is; `None` for an open end.
fn pick(rng: &mut Rng, rows: &[Vec<Vec<u8>>]) -> Option<(usize, Bound)> {
    let width = rows.first().map_or(0, Vec::len);
    if width == 0 || rng.one_in(5) {
        return None;
    }
    let at = rng.below(rows.len());
    let values = rows[at][..1 + rng.below(width)].to_vec();
    Some((at, Bound { values, is_inclusive: rng.one_in(2) }))
}

fn clusterings(sstable: &Sstable, key: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, RowsError> {
    let options = SliceOptions {
        direction: Direction::Forward,
        row_count_max: None,
        seek: Seek::Index(ReadCost { whole_bytes_max: 0, ways: 2 }),
        read_bytes_max: 1 << 20,
    };
    let types = &sstable.header().clustering;
    let mut rows = Vec::new();
    read_with(|reading| -> Result<(), RowsError> {
        let Some(mut slice) = open_slice(sstable, key, Bounds::all(), &options, reading)? else {
            return Ok(());
        };
        while let Some(item) = slice.next(reading)? {
            if let Item::Row(row) = item {
                let values = row.prefix();
                let values = values.values(types).map(|value| value.unwrap_or_default().to_vec());
                rows.push(values.collect());
            }
        }
        Ok(())
    })?;
    Ok(rows)
}
