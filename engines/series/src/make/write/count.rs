//! The part *count*: the number of series of each pair, so that the place of every list is known.

use manicule_core::sorted::Strings;

use super::error::WriteError;
use super::options::SymbolChoice;
use super::plan::{ALL_SERIES, Settling, next_items};
use super::postings::PostingsState;
use super::source::Source;
use super::state::{Progress, State, section_len};

/// State of counting.
#[derive(Debug)]
pub(super) struct Counts {
    stage: Counting,
    symbols: SymbolChoice,
    settling: Settling,
    /// Number of times each pair has been met, while pairs are counted.
    counts: Vec<u32>,
}

/// Stage of counting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counting {
    /// A pass over the series.
    Series,
    /// The counts of pairs become lengths of lists.
    Lists,
    /// The choice of the symbols that are written.
    Symbols,
    /// Memory for the first window of postings.
    Window,
}

impl Counts {
    pub(super) fn new(pair_count: usize, symbols: SymbolChoice) -> Self {
        let settling = Settling::new(symbols);
        Counts { stage: Counting::Series, symbols, settling, counts: vec![0; pair_count] }
    }

    pub(super) fn step(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        postings: &mut PostingsState,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        let is_over = match self.stage {
            Counting::Series => self.count_series(state, budget)?,
            Counting::Lists => self.count_lists(state, budget),
            Counting::Symbols => {
                self.settling.step(&mut state.plan, &state.lens, &state.strings, budget)
            }
            Counting::Window => postings.touch_window(budget),
        };
        if !is_over {
            return Ok(Progress::More);
        }
        self.stage = match self.stage {
            Counting::Series => {
                state.lens = vec![0; state.plan.lists.len()];
                state.lens[ALL_SERIES as usize] = state.place as u32;
                Counting::Lists
            }
            Counting::Lists => {
                self.counts = Vec::new();
                Counting::Symbols
            }
            Counting::Symbols => {
                self.settling = Settling::new(self.symbols);
                postings.begin(state);
                Counting::Window
            }
            Counting::Window => return Ok(Progress::Finished),
        };
        Ok(Progress::More)
    }

    /// Counts the pairs of some series; whether of all.
    fn count_series(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        budget: usize,
    ) -> Result<bool, WriteError> {
        if state.place == 0
            && let Some(series) = state.source.count(&mut self.counts)
        {
            section_len("a posting list", 4 + 4 * series)?;
            state.place = series;
            return Ok(true);
        }
        let mut left = budget;
        while let Some(labels) = state.source.labels(state.place)? {
            for &pair in labels {
                let Some(count) = self.counts.get_mut(pair as usize) else {
                    let pairs = self.counts.len() as u32;
                    return Err(WriteError::UnknownPair { place: state.place, pair, pairs });
                };
                *count = count.saturating_add(1);
            }
            state.place += 1;
            section_len("a posting list", 4 + 4 * state.place)?;
            // What a label and a series may come to in the file.
            left = left.saturating_sub(8 * labels.len() + 32);
            if left == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Gives the counts of some pairs to their lists; whether of all.
    fn count_lists(&mut self, state: &mut State<impl Strings, impl Source>, budget: usize) -> bool {
        let series_count = state.lens[ALL_SERIES as usize];
        let mut at = state.item as usize;
        for pair in next_items(&mut at, self.counts.len(), budget) {
            let len = &mut state.lens[state.plan.list_of[pair] as usize];
            // A series has a pair once, or is refused when it is written.
            *len = len.saturating_add(self.counts[pair]).min(series_count);
        }
        state.item = at as u32;
        at == self.counts.len()
    }
}
