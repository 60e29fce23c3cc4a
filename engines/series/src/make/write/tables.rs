//! The header, the symbol table, the postings offset table and the table of contents.

use manicule_core::sorted::Strings;
use manicule_format_prometheus::{
    INDEX_HEADER, Section, list_place_len, put_list_place, put_string,
};

use super::error::WriteError;
use super::plan::{ALL_SERIES, next_items};
use super::source::Source;
use super::state::{Progress, State, list_len, section_len};

pub(super) fn step_header(out: &mut Vec<u8>) -> Progress {
    out.extend_from_slice(&INDEX_HEADER);
    Progress::Finished
}

pub(super) fn step_symbols(
    state: &mut State<impl Strings, impl Source>,
    out: &mut Vec<u8>,
    budget: usize,
) -> Result<Progress, WriteError> {
    let count = state.symbol_count();
    let mut section = match state.section.take() {
        Some(section) => section,
        None => {
            state.toc.symbols = state.at;
            let len = section_len("the symbol table", state.plan.symbols_len)?;
            let mut section = Section::begin(len, out);
            section.add(out, |out| out.extend_from_slice(&count.to_be_bytes()));
            section
        }
    };
    let symbols = &state.plan.symbols[state.item as usize..];
    let enough = out.len().saturating_add(budget);
    section.add(out, |out| {
        for &string in symbols {
            put_string(state.strings.get(string), out);
            state.item += 1;
            if out.len() >= enough {
                break;
            }
        }
    });
    if state.item < count {
        state.section = Some(section);
        return Ok(Progress::More);
    }
    section.end(out);
    Ok(Progress::Finished)
}

/// State of writing the postings offset table.
#[derive(Debug, Default)]
pub(super) struct PostingsTable {
    /// Length of the entries measured so far, with their count.
    len: u64,
    count: u32,
    /// File offset of the next list.
    list_at: u64,
}

impl PostingsTable {
    pub(super) fn step(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        let mut section = match state.section.take() {
            Some(section) => section,
            None => match self.measure(state, budget) {
                Some((len, count)) => self.begin(state, len, count, out)?,
                None => return Ok(Progress::More),
            },
        };
        let enough = out.len().saturating_add(budget);
        let (plan, strings, lens) = (&state.plan, &state.strings, &state.lens);
        let (mut item, mut list_at) = (state.item, self.list_at);
        section.add(out, |out| {
            while (item as usize) < lens.len() && out.len() < enough {
                let len = lens[item as usize];
                if len > 0 || item == ALL_SERIES {
                    let (name, value) = plan.pair(strings, item);
                    put_list_place(name, value, list_at, out);
                    list_at += list_len(len);
                }
                item += 1;
            }
        });
        (state.item, self.list_at) = (item, list_at);
        if (state.item as usize) < state.lens.len() {
            state.section = Some(section);
            return Ok(Progress::More);
        }
        section.end(out);
        Ok(Progress::Finished)
    }

    /// Adds up what the entries of some lists take: the table's length stands in front of it. When
    /// all are added, the length and the number of entries.
    fn measure(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        budget: usize,
    ) -> Option<(u64, u32)> {
        let mut at = state.item as usize;
        if at == 0 {
            *self = PostingsTable { len: 4, count: 0, list_at: state.first_list_at() };
        }
        let table = self;
        for list in next_items(&mut at, state.lens.len(), budget) {
            let len = state.lens[list];
            if len > 0 || list == ALL_SERIES as usize {
                let (name, value) = state.plan.pair(&state.strings, list as u32);
                table.len += list_place_len(name, value, table.list_at);
                table.list_at += list_len(len);
                table.count += 1;
            }
        }
        state.item = at as u32;
        (at == state.lens.len()).then_some((table.len, table.count))
    }

    fn begin(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        len: u64,
        count: u32,
        out: &mut Vec<u8>,
    ) -> Result<Section, WriteError> {
        state.toc.postings_table = state.at;
        if !state.options.label_indices {
            state.toc.label_indices_table = state.at;
        }
        (state.item, self.list_at) = (0, state.first_list_at());
        let mut section = Section::begin(section_len("the postings offset table", len)?, out);
        section.add(out, |out| out.extend_from_slice(&count.to_be_bytes()));
        Ok(section)
    }
}

pub(super) fn step_toc(
    state: &mut State<impl Strings, impl Source>,
    out: &mut Vec<u8>,
) -> Progress {
    out.extend_from_slice(&state.toc.encode());
    Progress::Finished
}
