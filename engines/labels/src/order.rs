//! Series in the order of their labels: sorted when asked, by the ranks of their pairs.
//!
//! New series are sorted alone and merged into those that were in order before, so that asking
//! after each of a few inserts costs a move of the ids (4 bytes a series) and a few comparisons.

use std::sync::OnceLock;

use crate::id::SeriesId;

/// Ids of all series that can be found, in the order of labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    pub(crate) ids: Vec<SeriesId>,
    /// All ids below are in.
    pub(crate) after: u32,
    /// Of each id its place in the order; made when many ids are to be sorted.
    pub(crate) places: OnceLock<Vec<u32>>,
}

/// From this share of all series on, ids are sorted by their places, whose making costs a pass over
/// all.
const PLACES_SHARE: usize = 32;

/// Maximum number of ids given for each series that is left: with more, places would take too much
/// memory.
const IDS_PER_SERIES_MAX: usize = 16;

impl Order {
    pub(crate) fn ids(&self) -> &[SeriesId] {
        &self.ids
    }

    /// Leaves out series that can't be found any more.
    pub(crate) fn retain(&mut self, is_visible: impl Fn(u32) -> bool) {
        self.ids.retain(|id| is_visible(id.0));
        self.places = OnceLock::new();
    }

    /// Of each id its place in the order; ids that are not in it have none of the order's places.
    pub(crate) fn places(&self) -> &[u32] {
        self.places.get_or_init(|| {
            let mut places = vec![u32::MAX; self.after as usize];
            for (place, &id) in self.ids.iter().enumerate() {
                places[id.0 as usize] = place as u32;
            }
            places
        })
    }

    /// Whether `count` ids are sorted by their places: these are made already, or cost less than
    /// comparing labels.
    pub(crate) fn sorts_by_places(&self, count: usize) -> bool {
        let is_dense = self.after as usize / IDS_PER_SERIES_MAX <= self.ids.len();
        self.places.get().is_some() || is_dense && count > self.ids.len() / PLACES_SHARE
    }

    pub(crate) fn memory_len(&self) -> usize {
        let places = self.places.get().map_or(0, Vec::capacity);
        (self.ids.capacity() + places) * size_of::<u32>()
    }
}
