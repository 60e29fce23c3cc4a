//! State that all parts of the writing share: the inputs, the plan, and how far the file is.

use manicule_core::sorted::Strings;
use manicule_format_prometheus::{LIST_ALIGN, LIST_FRAME_LEN, SERIES_ALIGN, Section, Toc};

use super::error::WriteError;
use super::options::WriteOptions;
use super::plan::{ALL_SERIES, Plan};
use super::source::Source;

/// Lengths of 32 bits.
const SECTION_LEN_MAX: u64 = u32::MAX as u64;

/// References of 32 bits.
pub(super) const FILE_LEN_MAX: u64 = SERIES_ALIGN * u32::MAX as u64;

/// Inputs, plan and place in the file.
#[derive(Debug)]
pub(super) struct State<T, S> {
    pub(super) strings: T,
    pub(super) source: S,
    pub(super) options: WriteOptions,
    pub(super) plan: Plan,
    /// File offset of the next byte, at the beginning of a step.
    pub(super) at: u64,
    pub(super) toc: Toc,
    /// Number of series of each list.
    pub(super) lens: Vec<u32>,
    /// Index of the next series in the running pass.
    pub(super) place: u64,
    /// The next symbol or list of the part.
    pub(super) item: u32,
    pub(super) section: Option<Section>,
}

impl<T: Strings, S: Source> State<T, S> {
    /// Number of series; known once pairs are counted.
    pub(super) fn series_count(&self) -> u32 {
        self.lens[ALL_SERIES as usize]
    }

    /// Number of symbols; known once pairs are counted.
    pub(super) fn symbol_count(&self) -> u32 {
        self.plan.symbols.len() as u32
    }

    /// Lists of pairs that some series has, and that of all series.
    pub(super) fn used_lists(&self) -> impl Iterator<Item = u32> {
        let used = |&list: &u32| list == ALL_SERIES || self.lens[list as usize] > 0;
        (0..self.lens.len() as u32).filter(used)
    }

    /// Offset of the list of all series.
    pub(super) fn first_list_at(&self) -> u64 {
        self.toc.postings.next_multiple_of(LIST_ALIGN)
    }
}

/// Whether a part has more to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    More,
    Finished,
}

impl Progress {
    pub(super) fn of(is_finished: bool) -> Progress {
        if is_finished { Progress::Finished } else { Progress::More }
    }
}

/// Length in bytes of a list of `series` series.
pub(super) fn list_len(series: u32) -> u64 {
    LIST_FRAME_LEN + 4 * u64::from(series)
}

pub(super) fn too_long(what: &'static str, len: u64, len_max: u64) -> WriteError {
    WriteError::TooLong { what, len, len_max }
}

/// The length of a section, if its field can hold it.
pub(super) fn section_len(what: &'static str, len: u64) -> Result<u32, WriteError> {
    u32::try_from(len).map_err(|_| too_long(what, len, SECTION_LEN_MAX))
}
