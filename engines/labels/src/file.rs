//! A store as a file, and back.
//!
//! Tables that find strings and series, and lists of who has what, are not in the file: making them
//! again from the rows costs no more than reading them would.
//!
//! Bytes:   docs/formats/labels.md

use std::borrow::Cow;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::Strings;
use manicule_format_labels::{self as labels, LabelFile};

use crate::bits::{Bits, Ranked};
use crate::id::{Refused, SeriesId};
use crate::part::{Ids, Part};
use crate::store::LabelStore;
use crate::table::Table;

/// Error of a file that is not a label store.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes contradict the format.
    Corrupt(DecodeError),
    /// A name, a value or a set of names is empty, stands twice in a part or is of no series, or
    /// the names of a set are not in order.
    Strings {
        /// Number of the part, from 0.
        part: usize,
    },
    /// A label set stands twice, or does not fit.
    Series {
        /// Number of the part, from 0.
        part: usize,
        /// Number of the series in it, from 0.
        place: u32,
    },
    /// A part's ids are not above those of the part before, or not as many as its series.
    Ids {
        /// Number of the part, from 0.
        part: usize,
    },
    /// A mark of an id that can't have it.
    Mark {
        /// The id.
        id: u32,
    },
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Corrupt(error) => write!(f, "the label store is damaged: {error}"),
            LoadError::Strings { part } => {
                write!(
                    f,
                    "strings of part {part} are empty, twice there, of no series or out of order"
                )
            }
            LoadError::Series { part, place } => {
                write!(f, "series {place} of part {part} is there already, or has no room")
            }
            LoadError::Ids { part } => write!(f, "part {part} has ids that it can't have"),
            LoadError::Mark { id } => write!(f, "id {id} has a mark that it can't have"),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Corrupt(error) => Some(error),
            _ => None,
        }
    }
}

impl LabelStore {
    /// Appends the store as a file, in whatever state it is.
    pub fn save(&self, out: &mut Vec<u8>) {
        let file = LabelFile {
            is_fixed: self.is_fixed,
            boundary: self.boundary,
            alive: self.alive.words().to_vec(),
            hidden: self.hidden.words().to_vec(),
            parts: self.parts().map(part_of).collect(),
        };
        labels::encode(&file, out);
    }

    /// The store of a file. Everything is checked: what this gives is a store like any other.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        let file = labels::decode(bytes).map_err(LoadError::Corrupt)?;
        let mut parts: Vec<Part> = Vec::with_capacity(file.parts.len());
        for (number, part) in file.parts.iter().enumerate() {
            let first = parts.last().map_or(0, Part::end);
            parts.push(load_part(number, part, first)?);
        }
        let open = parts.pop().expect("a file has an open part");
        let older = parts.into_iter().map(closed).collect();
        let mut store = LabelStore::of(older, open);
        store.is_fixed = file.is_fixed;
        store.boundary = file.boundary;
        store.alive = Bits::from_words(file.alive);
        store.hidden = Bits::from_words(file.hidden);
        store.hidden_count = store.hidden.iter().count() as u32;
        store.check_marks()?;
        store.check_parts()?;
        Ok(store)
    }

    fn check_marks(&self) -> Result<(), LoadError> {
        let next = self.next_id().0;
        if self.alive.end() > next.into() || self.boundary > next {
            let id = self.alive.end().min(u32::MAX.into()) as u32;
            return Err(LoadError::Mark { id: id.max(self.boundary) });
        }
        let may_be_hidden = |id: u32| {
            let part = self.part_of(id);
            let is_there = part < self.older.len() && self.part(part).place(id).is_some();
            self.is_fixed && id < self.boundary && is_there
        };
        match self.hidden.iter().find(|&id| !may_be_hidden(id)) {
            Some(id) => Err(LoadError::Mark { id }),
            None => Ok(()),
        }
    }

    /// No label set is found in two parts.
    fn check_parts(&mut self) -> Result<(), LoadError> {
        for part in 1..=self.older.len() {
            for place in 0..self.part(part).table.len() {
                let id = self.part(part).id(place);
                let labels: Vec<(Vec<u8>, Vec<u8>)> = self
                    .labels(SeriesId(id))
                    .map(|(name, value)| (name.to_vec(), value.to_vec()))
                    .collect();
                let labels: Vec<_> = labels.iter().map(|label| (&*label.0, &*label.1)).collect();
                if self.is_visible(id) && self.find(&labels) != Some(SeriesId(id)) {
                    return Err(LoadError::Series { part, place });
                }
            }
        }
        Ok(())
    }
}

fn closed(mut part: Part) -> Arc<Part> {
    part.table.shrink();
    part.sort_strings();
    Arc::new(part)
}

fn part_of(part: &Part) -> labels::Part<'_> {
    let table = &part.table;
    let strings = |strings| all(strings).collect();
    let set =
        |set: &[u8]| set.as_chunks::<4>().0.iter().map(|name| u32::from_le_bytes(*name)).collect();
    labels::Part {
        ids: match &part.ids {
            Ids::From(first) => labels::Ids::From(*first),
            Ids::Kept(kept) => labels::Ids::Kept(kept.bits().words().to_vec()),
        },
        names: all(table.names()).collect(),
        values: (0..table.names().count()).map(|name| strings(table.values(name))).collect(),
        sets: all(table.sets()).map(set).collect(),
        row_count: table.len(),
        rows: Cow::Borrowed(table.rows()),
    }
}

fn all(strings: &impl Strings) -> impl Iterator<Item = &[u8]> {
    (0..strings.count()).map(|number| strings.get(number))
}

/// A part whose ids are not below `first`.
fn load_part(number: usize, part: &labels::Part<'_>, first: u32) -> Result<Part, LoadError> {
    let ids = match &part.ids {
        labels::Ids::From(from) if *from >= first && from.checked_add(part.row_count).is_some() => {
            Ids::From(*from)
        }
        labels::Ids::Kept(words) => {
            let kept = Ranked::new(Bits::from_words(words.clone()));
            let is_above = kept.len() == 0 || kept.id(0) >= first;
            let is_end = kept.bits().end() <= u32::MAX.into();
            if kept.len() != part.row_count as usize || !is_above || !is_end {
                return Err(LoadError::Ids { part: number });
            }
            Ids::Kept(kept)
        }
        labels::Ids::From(_) => return Err(LoadError::Ids { part: number }),
    };
    let mut table = load_strings(part).ok_or(LoadError::Strings { part: number })?;
    load_rows(part, &mut table).map_err(|place| LoadError::Series { part: number, place })?;
    if !table.is_all_used() {
        return Err(LoadError::Strings { part: number });
    }
    Ok(Part::of(table, ids))
}

/// A table with the strings of a part under the same numbers; `None` if they can't be those of a
/// table.
fn load_strings(part: &labels::Part<'_>) -> Option<Table> {
    let mut table = Table::default();
    for (number, (name, values)) in part.names.iter().zip(&part.values).enumerate() {
        if name.is_empty() || table.name(name) as usize != number {
            return None;
        }
        for (place, value) in values.iter().enumerate() {
            if value.is_empty() || table.value(number as u32, value) as usize != place {
                return None;
            }
        }
    }
    for (number, set) in part.sets.iter().enumerate() {
        let names = set.iter().map(|&name| part.names[name as usize]);
        let bytes: Vec<u8> = set.iter().flat_map(|name| name.to_le_bytes()).collect();
        let is_rising = names.is_sorted_by(|left, right| left < right);
        if set.is_empty() || !is_rising || table.set(&bytes) as usize != number {
            return None;
        }
    }
    Some(table)
}

/// Puts the series into the table, or gives the place of the first that can't be.
fn load_rows(part: &labels::Part<'_>, table: &mut Table) -> Result<(), u32> {
    let (mut rows, mut row, mut bytes) =
        (labels::Rows::new(part, 0), labels::Row::default(), Vec::new());
    for place in 0..part.row_count {
        let is_read = rows.read(&mut row).is_ok();
        let has_room = |refused: Result<(), Refused>| refused.is_ok();
        if !is_read || !has_room(table.ask_for_room(row.labels.len())) {
            return Err(place);
        }
        if table.insert_new(row.set, &row.labels, &mut bytes).is_none() {
            return Err(place);
        }
    }
    Ok(())
}
