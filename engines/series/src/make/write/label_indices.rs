//! The legacy label indices, which Prometheus 2 had, and their table.

use manicule_core::sorted::Strings;
use manicule_format_prometheus::{
    SERIES_ALIGN, Section, label_index_place_len, put_label_index_place, put_padding,
};

use super::error::WriteError;
use super::plan::{ALL_SERIES, Plan, next_items};
use super::source::Source;
use super::state::{Progress, State, section_len};

/// State of writing the label indices.
#[derive(Debug, Default)]
pub(super) struct LabelIndices {
    walk: NameWalk,
    /// Offset of each label index, with the list whose name it has.
    offsets: Vec<(u32, u64)>,
}

/// A walk over the lists of a name: how many values it has is said in front of them.
#[derive(Clone, Copy, Debug, Default)]
struct NameWalk {
    /// Behind the lists that were looked at.
    end: u32,
    /// The last list of the name that has series. Lists without any may have symbols that are left
    /// out.
    used: u32,
    /// Number of lists that have series.
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

impl LabelIndices {
    /// A label index: | 4 len | 4 names, 1 | 4 entries | entries × 4 symbol | 4 CRC |, one for each name in order.
    pub(super) fn step(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        if !state.options.label_indices {
            return Ok(Progress::Finished);
        }
        let (start, enough) = (out.len(), out.len().saturating_add(budget));
        if state.item == 0 {
            // prompp pads after the last series as before the next one.
            put_padding(state.at, SERIES_ALIGN, out);
            state.toc.label_indices = state.at + (out.len() - start) as u64;
            state.item = ALL_SERIES + 1;
            self.walk = NameWalk::from(state.item);
        }
        if state.section.is_none() {
            if self.walk.end as usize == state.lens.len() {
                return Ok(Progress::Finished);
            }
            if !self.walk.go_on(&state.plan, &state.lens, budget) {
                return Ok(Progress::More);
            }
            let NameWalk { used, values, .. } = self.walk;
            let len = section_len("a label index", 8 + 4 * u64::from(values))?;
            if values > 0 {
                self.offsets.push((used, state.at + (out.len() - start) as u64));
                let mut section = Section::begin(len, out);
                section.add(out, |out| {
                    out.extend_from_slice(&1u32.to_be_bytes());
                    out.extend_from_slice(&values.to_be_bytes());
                });
                state.section = Some(section);
            }
        }
        let end = self.walk.end;
        if let Some(section) = &mut state.section {
            let (plan, lens, mut item) = (&state.plan, &state.lens, state.item);
            section.add(out, |out| {
                while item < end && out.len() < enough {
                    if lens[item as usize] > 0 {
                        out.extend_from_slice(&plan.lists[item as usize].1.0.to_be_bytes());
                    }
                    item += 1;
                }
            });
            state.item = item;
            if item < end {
                return Ok(Progress::More);
            }
        }
        if let Some(section) = state.section.take() {
            section.end(out);
        }
        (state.item, self.walk) = (end, NameWalk::from(end));
        Ok(Progress::More)
    }

    pub(super) fn step_table(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        out: &mut Vec<u8>,
    ) -> Result<Progress, WriteError> {
        if !state.options.label_indices {
            return Ok(Progress::Finished);
        }
        state.toc.label_indices_table = state.at;
        let (plan, strings) = (&state.plan, &state.strings);
        let places = self.offsets.iter().map(|&(list, at)| (plan.pair(strings, list).0, at));
        let len: u64 = places.clone().map(|(name, at)| label_index_place_len(name, at)).sum();
        let mut section = Section::begin(section_len("the table of label indices", 4 + len)?, out);
        section.add(out, |out| {
            out.extend_from_slice(&(self.offsets.len() as u32).to_be_bytes());
            for (name, at) in places {
                put_label_index_place(name, at, out);
            }
        });
        section.end(out);
        Ok(Progress::Finished)
    }
}
