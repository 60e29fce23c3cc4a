//! Which layers are merged when: so that there are few, and each row is merged few times.

use std::sync::Arc;

use super::layer::Layer;
use super::run::Keep;

/// How many layers of a level there may be; and by how much the layers of the next one are larger.
///
/// Of 1, 2, 4, 8 and 16 more layers cost a look-up more binary searches, fewer cost a commit more
/// merging: at 8, a row is merged about twice on its way to 100,000 rows, and a look-up searches
/// some ten runs.
const LAYERS_OF_LEVEL_MAX: usize = 8;
/// Layers with fewer rows are of level 0.
const LEVEL_0_ROWS: usize = 256;

fn level(layer: &Layer) -> u32 {
    let rows = layer.row_count() + layer.terms().count() as usize;
    (rows / LEVEL_0_ROWS).checked_ilog(LAYERS_OF_LEVEL_MAX).map_or(0, |level| level + 1)
}

/// Adds the newest layer, and merges as many of those that end with it as their levels ask for.
/// Those that begin at or before the commit `frozen` stay as they are: they are being merged into
/// leaves.
pub fn push(layers: &mut Vec<Arc<Layer>>, newest: Arc<Layer>, keep: Keep, frozen: u64) {
    layers.push(newest);
    while let Some(newest) = layers.last() {
        let of_newest = level(newest);
        let is_small =
            |layer: &&Arc<Layer>| level(layer) <= of_newest && *layer.commits.start() > frozen;
        let count = layers.iter().rev().take_while(is_small).count();
        if count <= LAYERS_OF_LEVEL_MAX {
            return;
        }
        let first = layers.len() - count;
        let merged = Arc::new(Layer::merged(&layers[first..], keep));
        let is_larger = level(&merged) > of_newest;
        layers.truncate(first);
        layers.push(merged);
        if !is_larger {
            return;
        }
    }
}
