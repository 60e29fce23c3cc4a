//! The columns of a table as `SELECT *` has them, and its rows and facts in passes that can end
//! early.

use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_rows::export::{Fact, LiveOptions, LiveRow, columns, facts, live_rows, live_rows_of};
use manicule_rows::merge::MergedColumns;
use manicule_rows::scan::{Chosen, Meant, Taken};
use manicule_rows::schema::key_names;
use manicule_rows::slice::{Bounds, Direction, Seek, SliceOptions};
use manicule_rows::table::Sstable;
use manicule_rows::{Header, KeyNames, Partitioner, RowsError, Token};

use crate::failure::Failure;
use crate::rows::error::Error;
use crate::rows::export::Columns;
use crate::rows::keys::read_key;
use crate::rows::slice::{READ_BYTES_MAX, READ_COST};
use crate::rows::table::Table;

/// A table whose SSTables are open, and its columns.
#[derive(Debug)]
pub(crate) struct Shape {
    table: Table,
    pub(crate) sstables: Vec<Sstable>,
    names: KeyNames,
    merged: MergedColumns,
}

/// Which rows a pass hands out.
#[derive(Debug)]
pub(crate) struct RowPass {
    /// Those of these partitions; `None`: of all.
    pub(crate) keys: Option<Vec<Vec<u8>>>,
    /// Those of tokens from the first to the last.
    pub(crate) tokens: RangeInclusive<i64>,
    /// Those between these bounds; `None`: all.
    pub(crate) bounds: Option<Bounds>,
    /// Those that are live at this time, in seconds since 1970.
    pub(crate) now: i64,
}

/// Why a pass over rows has ended before its end.
enum Ended {
    Enough,
    Rows(RowsError),
    Failed(Failure),
}

impl From<RowsError> for Ended {
    fn from(error: RowsError) -> Self {
        Ended::Rows(error)
    }
}

fn done<T>(ended: Result<T, Ended>) -> Result<(), Failure> {
    match ended {
        Ok(_) | Err(Ended::Enough) => Ok(()),
        Err(Ended::Rows(error)) => Err(Error::Rows(error).into()),
        Err(Ended::Failed(failure)) => Err(failure),
    }
}

/// Takes a row; whether it wants more.
type TakeRow<'t> = &'t mut dyn FnMut(&LiveRow<'_>) -> Flow;
/// Takes a fact; whether it wants more.
type TakeFact<'t> = &'t mut dyn FnMut(&Fact<'_>) -> Flow;
type Flow = Result<ControlFlow<()>, Failure>;

fn taken(flow: Flow) -> Result<(), Ended> {
    match flow {
        Ok(ControlFlow::Continue(())) => Ok(()),
        Ok(ControlFlow::Break(())) => Err(Ended::Enough),
        Err(failure) => Err(Ended::Failed(failure)),
    }
}

impl Table {
    /// Opens all its SSTables, with the names of the key's columns from a CQL file; without one,
    /// from a `schema.cql` beside the SSTables, if it is there.
    pub(crate) fn into_shape(self, schema: Option<&Path>) -> Result<Shape, Error> {
        let (sstables, listing) = self.opened()?;
        let header = sstables[0].header();
        let (named, merged) = self.reading(|reading| {
            let named = key_names(&listing.listed, header, schema, &self.reads, reading)?;
            Ok::<_, RowsError>((named, columns(&sstables)?))
        })?;
        Ok(Shape { table: self, sstables, names: named.names, merged })
    }
}

impl Shape {
    /// Types and names of its columns.
    pub(crate) fn columns(&self) -> Columns<'_> {
        let Header { key, clustering, .. } = self.header();
        Columns::new(key, clustering, &self.names, &self.merged, None)
    }

    pub(crate) fn header(&self) -> &Header {
        self.sstables[0].header()
    }

    /// Whether its partitions have tokens, which say their order.
    pub(crate) fn has_tokens(&self) -> bool {
        self.sstables.iter().all(|sstable| sstable.partitioner() == Partitioner::Murmur3)
    }

    /// A partition key that CQL or sstabledump writes.
    pub(crate) fn read_key(&self, text: &str) -> Result<Vec<u8>, Error> {
        read_key(&self.sstables[0], text)
    }

    /// Hands out live rows in the order of tokens. Returns their number.
    ///
    /// Partitions of keys are found by the indexes, where these are in the order of tokens.
    pub(crate) fn each_row(
        &self,
        pass: &RowPass,
        watch: &Watch<'_>,
        take: TakeRow<'_>,
    ) -> Result<u64, Failure> {
        let mut count = 0;
        let mut take = |row: &LiveRow<'_>| {
            count += 1;
            taken(take(row))
        };
        let RowPass { keys, tokens, bounds, now } = pass;
        let (bounds, now) = (bounds.as_ref(), *now);
        done(self.table.reading(|reading| match keys {
            Some(keys) if self.has_tokens() => {
                let options = SliceOptions {
                    direction: Direction::Forward,
                    row_count_max: None,
                    seek: Seek::Index(READ_COST),
                    read_bytes_max: READ_BYTES_MAX,
                };
                for key in in_order(keys, tokens) {
                    watch.check().map_err(|stopped| Ended::Failed(stopped.into()))?;
                    let sstables = &self.sstables;
                    live_rows_of(sstables, key, bounds, &options, now, reading, &mut take)?;
                }
                Ok(())
            }
            keys => {
                let chosen = chosen(keys.as_deref(), tokens);
                let options = LiveOptions { chosen: &chosen, bounds, now };
                live_rows(&self.sstables, &options, reading, watch, take).map(drop)
            }
        }))?;
        Ok(count)
    }

    /// Hands out the facts of SSTables by their places. Returns their number.
    pub(crate) fn each_fact(
        &self,
        places: &[usize],
        keys: Option<&[Vec<u8>]>,
        tokens: &RangeInclusive<i64>,
        watch: &Watch<'_>,
        take: TakeFact<'_>,
    ) -> Result<u64, Failure> {
        let chosen = match keys {
            Some(keys) if self.has_tokens() => {
                chosen(Some(&in_order(keys, tokens).cloned().collect::<Vec<_>>()), tokens)
            }
            keys => chosen(keys, tokens),
        };
        let sstables: Vec<Sstable> =
            places.iter().map(|place| self.sstables[*place].clone()).collect();
        let mut count = 0;
        done(self.table.reading(|reading| {
            facts(&sstables, &chosen, reading, watch, |fact| {
                count += 1;
                taken(take(fact))
            })
        }))?;
        Ok(count)
    }
}

/// Keys of tokens, each once, in the order of their partitions.
fn in_order<'k>(
    keys: &'k [Vec<u8>],
    tokens: &RangeInclusive<i64>,
) -> impl Iterator<Item = &'k Vec<u8>> {
    let with_token = keys.iter().map(|key| (Token::of(key), key));
    let mut all: Vec<_> = with_token.filter(|(token, _)| tokens.contains(&token.0)).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|(_, key)| key)
}

fn chosen(keys: Option<&[Vec<u8>]>, tokens: &RangeInclusive<i64>) -> Chosen {
    match keys {
        Some(keys) => Chosen { meant: Meant::Keys(keys.to_vec()), taken: Taken::These },
        None if *tokens == (i64::MIN..=i64::MAX) => Chosen::ALL,
        None => Chosen { meant: Meant::Tokens(vec![tokens.clone()]), taken: Taken::These },
    }
}
