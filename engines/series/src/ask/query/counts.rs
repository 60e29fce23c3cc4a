//! Counts of series by value of a label, or by label.

use std::cmp::Reverse;
use std::collections::HashMap;

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::PairIndex;

use super::{Blocks, Work};
use crate::ask::selector::Selector;
use crate::block::{Block, BlockError};

impl<'b> Blocks<'b> {
    /// The values of a label with the number of their series, or without a name the labels with
    /// that of theirs; most first, then by their bytes. What is listed is what
    /// [`Blocks::label_values`] and [`Blocks::label_names`] list; series are counted as
    /// [`Blocks::series`] gives them: one that several blocks have once, and none of which
    /// everything is deleted.
    pub fn label_counts(
        &self,
        name: Option<&[u8]>,
        selectors: &[Selector],
        work: &mut Work,
    ) -> Result<Vec<(&'b [u8], u64)>, BlockError> {
        let mut counts = match self.of_lists(selectors) {
            Some(block) => {
                work.ask(block.index());
                by_lists(block, name, work).map_err(block.in_index())?
            }
            None => self.by_series(name, selectors, work)?,
        };
        counts.sort_by_key(|(text, count)| (Reverse(*count), *text));
        Ok(counts)
    }

    /// The block whose lists give the count by their lengths: one alone, all of its series, and
    /// none deleted.
    fn of_lists(&self, selectors: &[Selector]) -> Option<&'b Block> {
        let mut blocks = self.iter();
        let block = blocks.next().filter(|_| selectors.is_empty() && !self.has_times())?;
        (blocks.next().is_none() && block.tombstones().is_empty()).then_some(block)
    }

    fn by_series(
        &self,
        name: Option<&[u8]>,
        selectors: &[Selector],
        work: &mut Work,
    ) -> Result<Vec<(&'b [u8], u64)>, BlockError> {
        let listed = match name {
            Some(name) => self.label_values(name, selectors, work)?,
            None => self.label_names(selectors, work)?,
        };
        let mut counts: HashMap<&[u8], u64> = listed.into_iter().map(|text| (text, 0)).collect();
        let everything = [Selector::everything()];
        let selectors = if selectors.is_empty() { &everything[..] } else { selectors };
        let mut series = self.series(selectors, work)?;
        while let Some(row) = series.next()? {
            for (own, value) in &row.labels {
                let text = match name {
                    Some(name) if *own != name => continue,
                    Some(_) => value,
                    None => own,
                };
                if let Some(count) = counts.get_mut(text) {
                    *count += 1;
                }
            }
        }
        work.series_decoded += series.decoded_count();
        Ok(counts.into_iter().collect())
    }
}

fn by_lists<'b>(
    block: &'b Block,
    name: Option<&[u8]>,
    work: &mut Work,
) -> Result<Vec<(&'b [u8], u64)>, DecodeError> {
    let index = block.index();
    let mut len = |pair: u32| {
        let list = index.postings(PairIndex(pair))?;
        Ok::<u64, DecodeError>(work.read(list).len() as u64)
    };
    match name {
        Some(name) => {
            let pairs = index.pairs_of(name);
            index.bring_lists(&pairs.clone().map(PairIndex).collect::<Vec<_>>())?;
            pairs.map(|pair| Ok((index.value(PairIndex(pair)), len(pair)?))).collect()
        }
        None => {
            let names = index.names();
            names
                .map(|(name, pairs)| Ok((name, pairs.map(&mut len).sum::<Result<_, _>>()?)))
                .collect()
        }
    }
}
