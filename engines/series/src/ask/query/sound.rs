//! Selections from an index whose posting lists may be damaged.

use std::borrow::Cow;

use manicule_core::bytes::DecodeError;
use manicule_core::postings::Found;

use super::{Check, Selection, Work, select};
use crate::ask::matcher::Matcher;
use crate::block::Block;
use crate::block::salvage::Salvage;

/// As [`select`]; with a salvage, where that meets damage, every series of the block is asked for
/// its labels. Such as can't be read are selected: whoever reads them names them.
pub(crate) fn select_sound<'b>(
    block: &'b Block,
    matchers: &[Matcher],
    work: &mut Work,
    salvage: Option<&Salvage>,
) -> Result<Selection<'b>, DecodeError> {
    let index = block.index();
    match select(index, matchers, work) {
        Err(error) if salvage.is_some() && !error.is_unread() => {}
        selected => return selected,
    }
    let mut check = Check::new(index, matchers.iter());
    let mut kept = Vec::new();
    for series in block.all_series(salvage)? {
        work.series_decoded += 1;
        let is_selected = match check.satisfies(index, series) {
            Err(error) if error.is_unread() => return Err(error),
            satisfies => satisfies.unwrap_or(true),
        };
        if is_selected {
            kept.push(series.0.to_be_bytes());
        }
    }
    Ok(Selection::from(Found::List(Cow::Owned(kept))))
}
