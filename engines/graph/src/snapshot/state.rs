//! All of a store at one moment: layers of commits, and the numbers that come next.
//!
//! Callers: snapshot, store

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use manicule_core::sorted::HashKeys;
use manicule_format_leaf::{Id, Order, Tag};

use crate::dictionary::{PerTag, place_of};
use crate::error::GraphError;
use crate::overlay::{Change, Changes, Entry, Layer, Scan};

/// A store at one moment. Nothing of it changes: a commit makes another one, which shares what is the same.
#[derive(Clone, Debug)]
pub struct State {
    /// Oldest first.
    pub layers: Vec<Arc<Layer>>,
    /// The last commit.
    pub commit: u64,
    /// The number that the next blank node gets.
    pub next_blank: u64,
    /// The number that the next term of each tag gets.
    pub next_terms: PerTag<u64>,
    /// Keys of tables of terms.
    pub keys: HashKeys,
}

impl State {
    /// An empty store.
    pub fn empty(keys: HashKeys) -> Self {
        let next_terms = Default::default();
        State { layers: Vec::new(), commit: 0, next_blank: 0, next_terms, keys }
    }

    /// The id of a term with a text.
    pub fn find_text(&self, tag: Tag, bytes: &[u8], hash: u64) -> Result<Option<Id>, GraphError> {
        let find = |layer: &Arc<Layer>| layer.terms().find(tag, bytes, hash);
        Ok(self.layers.iter().find_map(find))
    }

    /// The bytes of a term with a text; none if there is no such term.
    pub fn text(&self, id: Id) -> Result<Option<Cow<'_, [u8]>>, GraphError> {
        let Some(place) = place_of(id.tag()) else { return Ok(None) };
        // Each layer's numbers come after those of the layer before.
        let after =
            self.layers.partition_point(|layer| layer.terms().first()[place] <= id.payload());
        let layer = after.checked_sub(1).map(|at| &self.layers[at]);
        Ok(layer.and_then(|layer| layer.terms().get(id)).map(Cow::Borrowed))
    }

    /// The rows of an order that begin with a prefix.
    pub fn scan(&self, order: Order, prefix: &[Id]) -> Scan {
        Scan::new(&self.layers, order, prefix)
    }

    /// How many rows of an order begin with a prefix.
    pub fn count(&self, order: Order, prefix: &[Id]) -> Result<u64, GraphError> {
        let growth = |layer: &Arc<Layer>| layer.growth(order, layer.range(order, prefix));
        Ok(self.layers.iter().map(growth).sum::<i64>().max(0) as u64)
    }

    /// Whether a graph of this name exists.
    pub fn has_graph(&self, name: Id) -> Result<bool, GraphError> {
        let newest = self.layers.iter().rev().find_map(|layer| layer.graphs().find(&[name]));
        Ok(newest == Some(Change::Added))
    }

    /// The names of graphs, in order.
    pub fn graphs(&self) -> Result<Vec<Id>, GraphError> {
        let mut names = BTreeSet::new();
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
        let named_is = decided(named, layers().map(|layer| layer.named_quads()));
        let graphs_is = decided(graphs, layers().map(|layer| layer.graphs()));
        keep_effective(default, &default_is);
        keep_effective(named, &named_is);
        keep_effective(graphs, &graphs_is);
        Ok(())
    }
}

/// What the newest run that says anything of a row says, for each row.
fn decided<'a, const N: usize>(
    rows: &[Entry<N>],
    newest_first: impl Iterator<Item = &'a crate::overlay::Run<N>>,
) -> Vec<Option<Change>> {
    let mut decided = vec![None; rows.len()];
    newest_first.for_each(|run| run.decide(rows, &mut decided));
    decided
}

fn keep_effective<const N: usize>(entries: &mut Vec<Entry<N>>, is: &[Option<Change>]) {
    let mut is = is.iter();
    entries
        .retain(|(_, change)| is.next().copied().flatten().unwrap_or(Change::Removed) != *change);
}
