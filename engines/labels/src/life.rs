//! Freezing, copying what lives, and putting the copy in place.

use std::sync::Arc;

use manicule_core::sorted::Strings;

use crate::bits::{Bits, Ranked};
use crate::id::SeriesId;
use crate::part::{Ids, Part};
use crate::store::LabelStore;
use crate::table::{Memo, Table};

/// A boundary that no id has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreezeError {
    /// The boundary asked for.
    pub boundary: SeriesId,
    /// The largest one that is possible.
    pub boundary_max: SeriesId,
}

impl std::fmt::Display for FreezeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (asked, most) = (self.boundary.0, self.boundary_max.0);
        write!(f, "the store can be frozen up to id {most}, not {asked}")
    }
}

impl std::error::Error for FreezeError {}

/// A snapshot of another store, or of a store that has been frozen again since. Copy it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaleSnapshot;

impl std::fmt::Display for StaleSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the snapshot was not made of what the store has frozen now")
    }
}

impl std::error::Error for StaleSnapshot {}

/// Snapshot to be copied: parts that don't change any more, and what is left out of them.
#[derive(Clone, Debug)]
pub struct Frozen {
    parts: Vec<Arc<Part>>,
    hidden: Bits,
}

/// The living series of frozen parts in a part of their own, ids as they were.
#[derive(Debug)]
pub struct Snapshot {
    part: Part,
    of: Frozen,
}

impl Snapshot {
    /// Number of live series.
    pub fn len(&self) -> u32 {
        self.part.table.len()
    }

    /// Whether no series lives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl LabelStore {
    /// Hides the series with ids below `boundary` that are not alive: they are found no more, and
    /// in no list.
    ///
    /// What is in the store is closed, inserts go into a new part. May be called again before
    /// [`LabelStore::finish`].
    /// Each call until then adds a part in which label sets are looked for.
    pub fn freeze(&mut self, boundary: SeriesId) -> Result<Frozen, FreezeError> {
        let boundary_max = self.next_id();
        if boundary > boundary_max {
            return Err(FreezeError { boundary, boundary_max });
        }
        self.close();
        let is_dead = |id: &u32| *id < boundary.0 && !self.alive.get(*id) && !self.hidden.get(*id);
        let ids =
            |part: &Part| (0..part.table.len()).map(|place| part.id(place)).collect::<Vec<_>>();
        let dead: Vec<u32> = self.parts().flat_map(ids).filter(is_dead).collect();
        dead.iter().for_each(|&id| self.hidden.set(id));
        self.hidden_count += dead.len() as u32;
        if !dead.is_empty() {
            let hidden = &self.hidden;
            self.order.retain(|id| !hidden.get(id));
            self.pairs.forget();
        }
        self.boundary = self.boundary.max(boundary.0);
        self.is_fixed = true;
        Ok(self.frozen().expect("the store is fixed"))
    }

    /// Snapshot to be copied; `None` unless the store is fixed.
    pub fn frozen(&self) -> Option<Frozen> {
        let frozen = || Frozen { parts: self.older.clone(), hidden: self.hidden.clone() };
        self.is_fixed.then(frozen)
    }

    /// The largest boundary that was frozen; ids from there on have never been hidden.
    pub fn boundary(&self) -> SeriesId {
        SeriesId(self.boundary)
    }

    /// Closes the open part, if there is anything in it.
    fn close(&mut self) {
        if self.open.table.len() == 0 {
            return;
        }
        let next = self.next_id().0;
        let mut part = std::mem::replace(&mut self.open, Part::new(next));
        part.table.shrink();
        part.sort_strings();
        self.older.push(Arc::new(part));
        self.memos.push(Memo::default());
        self.pairs.forget();
    }

    /// Puts a snapshot in the place of what it was made from.
    pub fn finish(&mut self, snapshot: Snapshot) -> Result<(), StaleSnapshot> {
        let of = &snapshot.of;
        let is_same = self.older.len() == of.parts.len()
            && self.older.iter().zip(&of.parts).all(|(part, of)| Arc::ptr_eq(part, of));
        if !self.is_fixed || !is_same || self.hidden != of.hidden {
            return Err(StaleSnapshot);
        }
        self.older = vec![Arc::new(snapshot.part)];
        self.memos = vec![Memo::default(); self.older.len() + 1];
        self.hidden = Bits::default();
        self.hidden_count = 0;
        self.is_fixed = false;
        self.pairs.forget();
        Ok(())
    }
}

impl Frozen {
    /// Copies the living series. Strings are looked up once for each that lives, not for each
    /// label.
    pub fn copy(&self) -> Snapshot {
        let mut table = Table::default();
        let mut kept = Bits::default();
        for part in &self.parts {
            copy_part(part, &self.hidden, &mut table, &mut kept);
        }
        table.shrink();
        let mut part = Part::of(table, Ids::Kept(Ranked::new(kept)));
        part.sort_strings();
        Snapshot { part, of: self.clone() }
    }
}

/// No number yet.
const NONE: u32 = u32::MAX;

/// Numbers of a part, and what they became in the copy.
struct Renumbered {
    names: Vec<u32>,
    values: Vec<Vec<u32>>,
    sets: Vec<u32>,
}

fn copy_part(part: &Part, hidden: &Bits, table: &mut Table, kept: &mut Bits) {
    let source = &part.table;
    let names = source.names().count();
    let mut new = Renumbered {
        names: vec![NONE; names as usize],
        values: (0..names).map(|name| vec![NONE; source.values(name).count() as usize]).collect(),
        sets: vec![NONE; source.sets().count() as usize],
    };
    let (mut labels, mut row, mut set_bytes) = (Vec::new(), Vec::new(), Vec::new());
    for place in 0..source.len() {
        let id = part.id(place);
        if hidden.get(id) {
            continue;
        }
        labels.clear();
        let stood = source.row(place);
        let set = stood.set();
        labels.extend(stood.map(|(name, value)| new.label(source, name, value, table)));
        let new_set = &mut new.sets[set as usize];
        if *new_set == NONE {
            set_bytes.clear();
            labels.iter().for_each(|label| set_bytes.extend_from_slice(&label.0.to_le_bytes()));
            *new_set = table.set(&set_bytes);
        }
        let copied = table.insert_new(*new_set, &labels, &mut row);
        debug_assert!(copied.is_some(), "a label set is found in one part only");
        kept.set(id);
    }
}

impl Renumbered {
    /// The numbers of a label in the copy, into which its strings go when they are met first.
    #[inline]
    fn label(&mut self, source: &Table, name: u32, value: u32, table: &mut Table) -> (u32, u32) {
        let new_name = &mut self.names[name as usize];
        if *new_name == NONE {
            *new_name = table.name(source.names().get(name));
        }
        let new_value = &mut self.values[name as usize][value as usize];
        if *new_value == NONE {
            *new_value = table.value(*new_name, source.values(name).get(value));
        }
        (*new_name, *new_value)
    }
}
