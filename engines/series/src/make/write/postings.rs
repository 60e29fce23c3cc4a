//! The part *postings*: the filled window written list by list, then the next window filled.

use manicule_core::postings::Scatter;
use manicule_core::sorted::Strings;
use manicule_format_prometheus::{LIST_ALIGN, Section, put_padding};
use manicule_store::prefer_large_pages;

use super::error::WriteError;
use super::plan::ALL_SERIES;
use super::source::Source;
use super::state::{Progress, State, section_len};

/// Minimum number of slots of a window, whatever the memory: it makes progress.
const WINDOW_LEN_MIN: u64 = 1 << 10;

/// Maximum number of slots of a window: they have numbers of 30 bits.
const WINDOW_LEN_MAX: u64 = 1 << 30;

/// A window has at least this part of the memory, whatever else the writer holds.
const WINDOW_SHARE_MIN: u64 = 4;

/// Number of slots of four bytes in a page of memory.
const PAGE_SLOTS: usize = 1 << 10;

/// Number of slots that are asked for in place of a byte of the budget: the system gives 64 bytes
/// of memory in the time that a byte of series takes.
const TOUCHED_PER_BYTE: usize = 16;

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

    /// Asks the system for some memory of the window, which the lists of the first series would ask
    /// for all at once; whether it has been asked for all.
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

impl PostingsState {
    /// Lays out the first window, which the pass over the series fills.
    pub(super) fn begin(&mut self, state: &mut State<impl Strings, impl Source>) {
        let total = state.lens.iter().map(|&len| u64::from(len)).sum();
        // What the writer holds in any case may be more than all that was allowed: a window that is
        // left nothing would take hundreds of passes to save nothing.
        let least = state.options.memory / WINDOW_SHARE_MIN;
        let slots = |held: u64| {
            let bytes = state.options.memory.saturating_sub(held).max(least);
            (bytes / 4).clamp(WINDOW_LEN_MIN, WINDOW_LEN_MAX)
        };
        let held = Self::memory(state);
        let mut window_len = slots(held);
        if window_len < total {
            // Further passes need the references of all series.
            window_len = slots(held + 4 * u64::from(state.series_count()));
        }
        let mut slots = vec![[0; 4]; total.min(window_len) as usize];
        prefer_large_pages(slots.as_flattened_mut());
        self.scatter = Scatter::new(slots);
        self.total = total;
        self.window_len = window_len;
        self.begin_window(0, &state.lens);
    }

    /// Memory held beside the window, in bytes.
    fn memory(state: &State<impl Strings, impl Source>) -> u64 {
        let plan = state.plan.memory() as u64;
        // Of each list how long it is, and where its next item goes.
        plan + 8 * state.lens.len() as u64
    }

    pub(super) fn step(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        refs: &[u32],
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        if self.filling {
            return self.fill_window(state, refs, budget);
        }
        let enough = out.len().saturating_add(budget);
        if state.item == ALL_SERIES && state.section.is_none() {
            state.toc.postings = state.at;
            if !state.options.label_indices {
                state.toc.label_indices = state.at;
            }
            put_padding(state.at, LIST_ALIGN, out);
            // In the same step: the next one begins after the padding.
            state.section = Some(self.begin_list(state.lens[ALL_SERIES as usize], out)?);
        }
        while (state.item as usize) < state.lens.len() {
            if out.len() >= enough {
                return Ok(Progress::More);
            }
            let len = state.lens[state.item as usize];
            if len == 0 && state.item != ALL_SERIES {
                state.item += 1;
                continue;
            }
            let mut section = match state.section.take() {
                Some(section) => section,
                None => self.begin_list(len, out)?,
            };
            self.put_items(&mut section, enough - out.len().min(enough), out);
            if self.left > 0 {
                state.section = Some(section);
                if self.written == self.scatter.slots().len() {
                    let next = self.window_at + self.window_len;
                    self.begin_window(next, &state.lens);
                    (self.filling, state.place) = (true, 0);
                    return Ok(Progress::More);
                }
                continue;
            }
            section.end(out);
            state.item += 1;
        }
        Ok(Progress::Finished)
    }

    fn begin_list(&mut self, len: u32, out: &mut Vec<u8>) -> Result<Section, WriteError> {
        self.left = len;
        let bytes = section_len("a posting list", 4 + 4 * u64::from(len))?;
        let mut section = Section::begin(bytes, out);
        section.add(out, |out| out.extend_from_slice(&len.to_be_bytes()));
        Ok(section)
    }

    /// Appends items of the current list that are in the window, about as many bytes as `budget`.
    fn put_items(&mut self, section: &mut Section, budget: usize, out: &mut Vec<u8>) {
        let state = self;
        let rest = &state.scatter.slots()[state.written..];
        let count = rest.len().min(state.left as usize).min(budget.div_ceil(4));
        section.add(out, |out| out.extend_from_slice(rest[..count].as_flattened()));
        state.written += count;
        state.left -= count as u32;
    }

    /// Goes on with the pass that fills the window.
    fn fill_window(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        refs: &[u32],
        budget: usize,
    ) -> Result<Progress, WriteError> {
        let mut left = budget;
        let (plan, scatter) = (&state.plan, &mut self.scatter);
        while let Some(&reference) = refs.get(state.place as usize) {
            if left == 0 {
                return Ok(Progress::More);
            }
            let labels = state.source.labels(state.place)?.ok_or(WriteError::SourceChanged)?;
            let slot = reference.to_be_bytes();
            scatter.put(ALL_SERIES, slot);
            for &pair in labels {
                let list = plan.list_of.get(pair as usize).ok_or(WriteError::SourceChanged)?;
                scatter.put(*list, slot);
            }
            state.place += 1;
            left = left.saturating_sub(8 * labels.len() + 32);
        }
        self.filling = false;
        if self.is_filled(&state.lens) {
            Ok(Progress::More)
        } else {
            Err(WriteError::SourceChanged)
        }
    }
}
