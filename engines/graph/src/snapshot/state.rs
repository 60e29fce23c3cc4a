//! All of a store at one moment: a generation, layers of commits, and the numbers that come next.

use std::sync::Arc;

use manicule_core::sorted::HashKeys;
use manicule_format_leaf::{Id, Order, Tag};

use crate::base::Seeker;
use crate::dictionary::{PerTag, place_of};
use crate::error::GraphError;
use crate::overlay::{Change, Changes, Entry, Layer, Run, Scan};

use super::generation::Generation;

/// A store at one moment. Nothing of it changes: a commit makes another one, which shares what is
/// the same.
#[derive(Clone, Debug)]
pub struct State {
    /// What lies in files.
    pub base: Arc<Generation>,
    /// Commits after it, oldest first.
    pub layers: Vec<Arc<Layer>>,
    /// The last commit.
    pub commit: u64,
    /// The number that the next blank node gets.
    pub next_blank: u64,
    /// The number that the next term of each tag gets.
    pub next_terms: PerTag<u64>,
    /// Number of the log's segment that was read last, and where its whole frames ended; none of a
    /// state that commits have made.
    pub log_place: Option<(u64, u64)>,
    /// Keys of tables of terms.
    pub keys: HashKeys,
    /// Whether a layer adds a quad that is there, or removes one that isn't, as a transaction may
    /// before it is committed: then layers don't say how many quads there are.
    pub has_idle: bool,
}

impl State {
    /// A generation, and no commit after it.
    pub fn of(base: Arc<Generation>, keys: HashKeys) -> Self {
        let (next_blank, next_terms) = base.next();
        let commit = base.manifest().commit;
        let (layers, log_place) = (Vec::new(), None);
        let has_idle = false;
        State { base, layers, commit, next_blank, next_terms, log_place, keys, has_idle }
    }

    /// The same on a newer generation, which holds the layers up to its commit.
    pub fn rebased(&self, base: &Arc<Generation>) -> Self {
        let commit = base.manifest().commit;
        let layers =
            self.layers.iter().filter(|layer| *layer.commits.start() > commit).cloned().collect();
        State { base: base.clone(), layers, log_place: None, ..self.clone() }
    }

    /// Memory that the layers hold, in bytes.
    pub fn memory(&self) -> usize {
        self.layers.iter().map(|layer| layer.memory()).sum()
    }

    /// Number of changed quads in all layers.
    pub fn changed(&self) -> usize {
        self.layers.iter().map(|layer| layer.row_count()).sum()
    }

    /// The id of a term with a text.
    pub fn find_text(&self, tag: Tag, bytes: &[u8], hash: u64) -> Result<Option<Id>, GraphError> {
        let find = |layer: &Arc<Layer>| layer.terms().find(tag, bytes, hash);
        self.layers
            .iter()
            .find_map(find)
            .map_or_else(|| self.base.find_text(tag, bytes), |id| Ok(Some(id)))
    }

    /// Whether a term is in memory, or has no text.
    pub fn is_in_layer(&self, id: Id) -> bool {
        let Some(place) = place_of(id.tag()) else { return true };
        let first = self.layers.first().map(|layer| layer.terms().first()[place]);
        first.is_some_and(|first| first <= id.payload())
    }

    /// The bytes of a term with a text; none if there is no such term. Those that lie in files are
    /// made in `buffer`.
    pub fn text<'t>(
        &'t self,
        id: Id,
        buffer: &'t mut Vec<u8>,
    ) -> Result<Option<&'t [u8]>, GraphError> {
        let Some(place) = place_of(id.tag()) else { return Ok(None) };
        // Each layer's numbers come after those of the layer before.
        let after =
            self.layers.partition_point(|layer| layer.terms().first()[place] <= id.payload());
        match after.checked_sub(1) {
            Some(at) => Ok(self.layers[at].terms().get(id)),
            None => Ok(self.base.read_text(id, buffer)?.then_some(&buffer[..])),
        }
    }

    /// The rows of an order that begin with a prefix.
    pub fn scan(&self, order: Order, prefix: &[Id]) -> Result<Scan, GraphError> {
        Scan::new(self.base.set(order), &self.layers, prefix)
    }

    /// How many rows of an order begin with a prefix.
    pub fn count(&self, order: Order, prefix: &[Id]) -> Result<u64, GraphError> {
        let growth = |layer: &Arc<Layer>| layer.growth(order, layer.range(order, prefix));
        let positions = self.base.set(order).range(prefix)?;
        let count = (positions.end - positions.start) as i64;
        Ok((count + self.layers.iter().map(growth).sum::<i64>()).max(0) as u64)
    }

    /// Whether a graph of this name exists.
    pub fn has_graph(&self, name: Id) -> Result<bool, GraphError> {
        let newest = self.layers.iter().rev().find_map(|layer| layer.graphs().find(&[name]));
        newest.map_or_else(|| self.base.has_graph(name), |change| Ok(change == Change::Added))
    }

    /// The names of graphs, in order.
    pub fn graphs(&self) -> Result<Vec<Id>, GraphError> {
        let mut names = self.base.graphs()?;
        for ([name], change) in self.layers.iter().flat_map(|layer| layer.graphs().entries()) {
            match change {
                Change::Added => names.insert(name),
                Change::Removed => names.remove(&name),
            };
        }
        Ok(names.into_iter().collect())
    }

    /// Drops of settled changes those that change nothing.
    pub fn drop_idle(&self, changes: &mut Changes) -> Result<(), GraphError> {
        let Changes { default, named, graphs } = changes;
        let layers = || self.layers.iter().rev();
        let default_is = decided(default, layers().map(|layer| layer.default_quads()));
        let mut rows = self.base_rows(Order::Spo);
        keep_effective(default, &default_is, |row| Ok(rows(row)? > 0))?;
        let named_is = decided(named, layers().map(|layer| layer.named_quads()));
        let mut rows = self.base_rows(Order::Spog);
        keep_effective(named, &named_is, |row| Ok(rows(row)? > 0))?;
        let graphs_is = decided(graphs, layers().map(|layer| layer.graphs()));
        keep_effective(graphs, &graphs_is, |[name]| self.base.has_graph(*name))
    }

    /// Counts rows of the base by prefixes that increase.
    pub fn base_rows(&self, order: Order) -> impl FnMut(&[Id]) -> Result<u64, GraphError> {
        let mut seeker = Seeker::new(self.base.set(order));
        // What is new is in no leaf: mostly the subject is.
        move |prefix| {
            if prefix.iter().all(|id| self.base.may_name(*id)) {
                seeker.count(prefix)
            } else {
                Ok(0)
            }
        }
    }
}

/// What the newest run that says anything of a row says, for each row.
fn decided<'a, const N: usize>(
    rows: &[Entry<N>],
    newest_first: impl Iterator<Item = &'a Run<N>>,
) -> Vec<Option<Change>> {
    let mut decided = vec![None; rows.len()];
    newest_first.for_each(|run| run.decide(rows, &mut decided));
    decided
}

/// Keeps entries that change something. Of rows that no run says anything of, `base_has` tells
/// whether they are there.
fn keep_effective<const N: usize>(
    entries: &mut Vec<Entry<N>>,
    decided: &[Option<Change>],
    mut base_has: impl FnMut(&[Id; N]) -> Result<bool, GraphError>,
) -> Result<(), GraphError> {
    let mut kept = Vec::with_capacity(entries.len());
    for ((row, change), decided) in entries.iter().zip(decided) {
        let is_there = decided.map_or_else(|| base_has(row), |is| Ok(is == Change::Added))?;
        if is_there != (*change == Change::Added) {
            kept.push((*row, *change));
        }
    }
    *entries = kept;
    Ok(())
}
