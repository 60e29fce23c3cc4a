//! The part *postings*: the filled window written list by list, then the next window filled; and the legacy label
//! indices, which are lists too.
//!
//! Callers: write/writer, write/series

use manicule_core::postings::Scatter;
use manicule_core::sorted::Strings;
use manicule_format_prometheus::{
    LIST_ALIGN, LIST_FRAME_LEN, SERIES_ALIGN, Section, label_index_place_len,
    put_label_index_place, put_padding,
};
use manicule_store::prefer_large_pages;

use super::plan::{ALL_SERIES, Plan, next_items};
use super::writer::{IndexWriter, Progress, section_len};
use super::{Source, WriteError};

/// Minimum number of slots of a window, whatever the memory: it makes progress.
const WINDOW_LEN_MIN: u64 = 1 << 10;

/// Maximum number of slots of a window: they have numbers of 30 bits.
const WINDOW_LEN_MAX: u64 = 1 << 30;

/// A window has at least this part of the memory, whatever else the writer holds.
const WINDOW_SHARE_MIN: u64 = 4;

/// Number of slots of four bytes in a page of memory.
const PAGE_SLOTS: usize = 1 << 10;

/// How many slots are asked for in place of a byte of the budget: the system gives 64 bytes of memory in the time that
/// a byte of series takes.
const TOUCHED_PER_BYTE: usize = 16;

/// Length in bytes of a list of `series` series.
pub(super) fn list_len(series: u32) -> u64 {
    LIST_FRAME_LEN + 4 * u64::from(series)
}

/// State of writing the lists.
#[derive(Debug, Default)]
pub(super) struct PostingsState {
    pub(super) scatter: Scatter,
    /// Number of items of a window.
    window_len: u64,
    /// Number of items of all lists.
    total: u64,
    /// Start of the window among them.
    window_at: u64,
    /// Number of items of the window that are written.
    written: usize,
    /// Number of items left of the list being written.
    left: u32,
    /// A pass over the series is filling the window.
    filling: bool,
    /// Number of slots of the first window that have been asked for.
    touched: usize,
}

impl PostingsState {
    /// Whether the lists need more passes than the one that writes the series.
    pub(super) fn has_further_windows(&self) -> bool {
        self.window_at + self.window_len < self.total
    }

    /// Whether every list got as many items as were counted.
    pub(super) fn is_filled(&self, lens: &[u32]) -> bool {
        self.scatter.finish(lens).is_some()
    }

    fn begin_window(&mut self, at: u64, lens: &[u32]) {
        self.window_at = at;
        self.written = 0;
        self.scatter.begin(lens, at..self.total.min(at + self.window_len));
    }

    /// Asks the system for some memory of the window, which the lists of the first series would ask for all at once;
    /// whether it has been asked for all.
    pub(super) fn touch_window(&mut self, budget: usize) -> bool {
        let end = self.touched.saturating_add(budget.saturating_mul(TOUCHED_PER_BYTE));
        let slots = self.scatter.slots_mut();
        let end = end.min(slots.len());
        for slot in slots[self.touched..end].iter_mut().step_by(PAGE_SLOTS) {
            *slot = [0; 4];
        }
        self.touched = end;
        end == slots.len()
    }
}

/// A walk over the lists of a name: how many values it has is said in front of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NameWalk {
    /// Behind the lists that were looked at.
    end: u32,
    /// The last list of the name that has series. Lists without any may have symbols that are left out.
    used: u32,
    /// How many have.
    values: u32,
}

impl NameWalk {
    fn from(list: u32) -> Self {
        NameWalk { end: list, used: list, values: 0 }
    }

    /// Looks at more lists; whether at all of the name.
    fn go_on(&mut self, plan: &Plan, lens: &[u32], budget: usize) -> bool {
        let mut at = self.end as usize;
        for list in next_items(&mut at, lens.len(), budget) {
            if lens[list] > 0 {
                if self.values > 0 && plan.lists[list].0 != plan.lists[self.used as usize].0 {
                    return true;
                }
                (self.used, self.values) = (list as u32, self.values + 1);
            }
            self.end = list as u32 + 1;
        }
        at == lens.len()
    }
}

impl<T: Strings, S: Source> IndexWriter<T, S> {
    /// Lays out the first window, which the pass over the series fills.
    pub(super) fn begin_postings(&mut self) {
        let total = self.lens.iter().map(|&len| u64::from(len)).sum();
        // What the writer holds in any case may be more than all that was allowed: a window that is left nothing would
        // take hundreds of passes to save nothing.
        let least = self.options.memory / WINDOW_SHARE_MIN;
        let slots = |held: u64| {
            let bytes = self.options.memory.saturating_sub(held).max(least);
            (bytes / 4).clamp(WINDOW_LEN_MIN, WINDOW_LEN_MAX)
        };
        let held = self.memory();
        let mut window_len = slots(held);
        if window_len < total {
            // Further passes need the references of all series.
            window_len = slots(held + 4 * u64::from(self.series_count()));
        }
        let mut slots = vec![[0; 4]; total.min(window_len) as usize];
        prefer_large_pages(slots.as_flattened_mut());
        self.postings.scatter = Scatter::new(slots);
        self.postings.total = total;
        self.postings.window_len = window_len;
        self.postings.begin_window(0, &self.lens);
    }

    /// Memory held beside the window, in bytes.
    fn memory(&self) -> u64 {
        let plan = self.plan.memory() as u64;
        // Of each list how long it is, and where its next item goes.
        plan + 8 * self.lens.len() as u64
    }

    pub(super) fn step_postings(
        &mut self,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        if self.postings.filling {
            return self.fill_window(budget);
        }
        let enough = out.len().saturating_add(budget);
        if self.item == ALL_SERIES && self.section.is_none() {
            self.toc.postings = self.at;
            if !self.options.label_indices {
                self.toc.label_indices = self.at;
            }
            put_padding(self.at, LIST_ALIGN, out);
            // In the same step: the next one begins after the padding.
            self.section = Some(self.begin_list(self.lens[ALL_SERIES as usize], out)?);
        }
        while (self.item as usize) < self.lens.len() {
            if out.len() >= enough {
                return Ok(Progress::More);
            }
            let len = self.lens[self.item as usize];
            if len == 0 && self.item != ALL_SERIES {
                self.item += 1;
                continue;
            }
            let mut section = match self.section.take() {
                Some(section) => section,
                None => self.begin_list(len, out)?,
            };
            self.put_items(&mut section, enough - out.len().min(enough), out);
            if self.postings.left > 0 {
                self.section = Some(section);
                if self.postings.written == self.postings.scatter.slots().len() {
                    let next = self.postings.window_at + self.postings.window_len;
                    self.postings.begin_window(next, &self.lens);
                    (self.postings.filling, self.place) = (true, 0);
                    return Ok(Progress::More);
                }
                continue;
            }
            section.end(out);
            self.item += 1;
        }
        Ok(Progress::Finished)
    }

    fn begin_list(&mut self, len: u32, out: &mut Vec<u8>) -> Result<Section, WriteError> {
        self.postings.left = len;
        let bytes = section_len("a posting list", 4 + 4 * u64::from(len))?;
        let mut section = Section::begin(bytes, out);
        section.add(out, |out| out.extend_from_slice(&len.to_be_bytes()));
        Ok(section)
    }

    /// Appends items of the current list that are in the window, about as many bytes as `budget`.
    fn put_items(&mut self, section: &mut Section, budget: usize, out: &mut Vec<u8>) {
        let state = &mut self.postings;
        let rest = &state.scatter.slots()[state.written..];
        let count = rest.len().min(state.left as usize).min(budget.div_ceil(4));
        section.add(out, |out| out.extend_from_slice(rest[..count].as_flattened()));
        state.written += count;
        state.left -= count as u32;
    }

    /// Goes on with the pass that fills the window.
    fn fill_window(&mut self, budget: usize) -> Result<Progress, WriteError> {
        let mut left = budget;
        let (plan, scatter) = (&self.plan, &mut self.postings.scatter);
        while let Some(&reference) = self.series.refs.get(self.place as usize) {
            if left == 0 {
                return Ok(Progress::More);
            }
            let labels = self.source.labels(self.place)?.ok_or(WriteError::SourceChanged)?;
            let slot = reference.to_be_bytes();
            scatter.put(ALL_SERIES, slot);
            for &pair in labels {
                let list = plan.list_of.get(pair as usize).ok_or(WriteError::SourceChanged)?;
                scatter.put(*list, slot);
            }
            self.place += 1;
            left = left.saturating_sub(8 * labels.len() + 32);
        }
        self.postings.filling = false;
        match self.postings.is_filled(&self.lens) {
            true => Ok(Progress::More),
            false => Err(WriteError::SourceChanged),
        }
    }

    /// A label index: | 4 len | 4 names, 1 | 4 entries | entries × 4 symbol | 4 CRC |, one for each name in order.
    pub(super) fn step_label_indices(
        &mut self,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        if !self.options.label_indices {
            return Ok(Progress::Finished);
        }
        let (start, enough) = (out.len(), out.len().saturating_add(budget));
        if self.item == 0 {
            // prompp pads after the last series as before the next one.
            put_padding(self.at, SERIES_ALIGN, out);
            self.toc.label_indices = self.at + (out.len() - start) as u64;
            self.item = ALL_SERIES + 1;
            self.name_walk = NameWalk::from(self.item);
        }
        if self.section.is_none() {
            if self.name_walk.end as usize == self.lens.len() {
                return Ok(Progress::Finished);
            }
            if !self.name_walk.go_on(&self.plan, &self.lens, budget) {
                return Ok(Progress::More);
            }
            let NameWalk { used, values, .. } = self.name_walk;
            let len = section_len("a label index", 8 + 4 * u64::from(values))?;
            if values > 0 {
                self.label_indices.push((used, self.at + (out.len() - start) as u64));
                let mut section = Section::begin(len, out);
                section.add(out, |out| {
                    out.extend_from_slice(&1u32.to_be_bytes());
                    out.extend_from_slice(&values.to_be_bytes());
                });
                self.section = Some(section);
            }
        }
        let end = self.name_walk.end;
        if let Some(section) = &mut self.section {
            let (plan, lens, mut item) = (&self.plan, &self.lens, self.item);
            section.add(out, |out| {
                while item < end && out.len() < enough {
                    if lens[item as usize] > 0 {
                        out.extend_from_slice(&plan.lists[item as usize].1.0.to_be_bytes());
                    }
                    item += 1;
                }
            });
            self.item = item;
            if item < end {
                return Ok(Progress::More);
            }
        }
        if let Some(section) = self.section.take() {
            section.end(out);
        }
        (self.item, self.name_walk) = (end, NameWalk::from(end));
        Ok(Progress::More)
    }

    pub(super) fn step_label_indices_table(
        &mut self,
        out: &mut Vec<u8>,
    ) -> Result<Progress, WriteError> {
        if !self.options.label_indices {
            return Ok(Progress::Finished);
        }
        self.toc.label_indices_table = self.at;
        let (plan, strings) = (&self.plan, &self.strings);
        let places = self.label_indices.iter().map(|&(list, at)| (plan.pair(strings, list).0, at));
        let len: u64 = places.clone().map(|(name, at)| label_index_place_len(name, at)).sum();
        let mut section = Section::begin(section_len("the table of label indices", 4 + len)?, out);
        section.add(out, |out| {
            out.extend_from_slice(&(self.label_indices.len() as u32).to_be_bytes());
            for (name, at) in places {
                put_label_index_place(name, at, out);
            }
        });
        section.end(out);
        Ok(Progress::Finished)
    }
}
