//! The writer as a sequence of bounded steps: each appends some bytes of the file, the caller
//! brings them away.

use manicule_core::sorted::Strings;
use manicule_format_prometheus::{SparseHeader, Toc, list_place_len, string_len};

use super::count::Counts;
use super::error::WriteError;
use super::label_indices::LabelIndices;
use super::options::WriteOptions;
use super::plan::{Plan, Sorting};
use super::postings::PostingsState;
use super::series::SeriesState;
use super::source::Source;
use super::state::{FILE_LEN_MAX, Progress, State, list_len, too_long};
use super::tables::{PostingsTable, step_header, step_symbols, step_toc};

/// The parts of the writing, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Strings and label pairs are sorted; no bytes come.
    Sort,
    /// Label pairs are counted; no bytes come.
    Count,
    /// The header.
    Header,
    /// The symbol table.
    Symbols,
    /// The series.
    Series,
    /// The legacy label indices. Without them no bytes come.
    LabelIndices,
    /// The posting lists.
    Postings,
    /// The legacy table of label indices. Without it no bytes come.
    LabelIndicesTable,
    /// The postings offset table.
    PostingsTable,
    /// The table of contents.
    Toc,
    /// All is written.
    Done,
}

/// An index being written.
///
/// [`IndexWriter::step`] appends the next bytes of the file to a buffer, about as many as its
/// budget, until the part is [`Part::Done`]. Nothing in it waits: callers with a sink of their own
/// may drive it at their own pace.
#[derive(Debug)]
pub struct IndexWriter<T, S> {
    pub(super) state: State<T, S>,
    part: Part,
    sorting: Sorting,
    counts: Counts,
    series: SeriesState,
    postings: PostingsState,
    postings_table: PostingsTable,
    label_indices: LabelIndices,
}

impl<T: Strings, S: Source> IndexWriter<T, S> {
    /// A writer of series whose labels are `pairs`: each the numbers of a name and a value among
    /// `strings`.
    ///
    /// Strings and pairs may come in any order and several times. The empty string should be among
    /// them: Prometheus writes it as its first symbol.
    pub fn new(strings: T, pairs: Vec<(u32, u32)>, source: S, options: WriteOptions) -> Self {
        let toc = Toc {
            symbols: 0,
            series: 0,
            label_indices: 0,
            label_indices_table: 0,
            postings: 0,
            postings_table: 0,
        };
        let pair_count = pairs.len();
        let state = State {
            strings,
            source,
            options,
            plan: Plan::new(pair_count),
            at: 0,
            toc,
            lens: Vec::new(),
            place: 0,
            item: 0,
            section: None,
        };
        IndexWriter {
            state,
            part: Part::Sort,
            sorting: Sorting::new(pairs),
            counts: Counts::new(pair_count, options.symbols),
            series: SeriesState::default(),
            postings: PostingsState::default(),
            postings_table: PostingsTable::default(),
            label_indices: LabelIndices::default(),
        }
    }

    /// The part that the next step belongs to.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Length of the file so far, in bytes.
    pub fn len(&self) -> u64 {
        self.state.at
    }

    /// Whether nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.state.at == 0
    }

    /// Offsets of the parts that have been begun.
    pub fn toc(&self) -> &Toc {
        &self.state.toc
    }

    /// Number of series; known after [`Part::Count`].
    pub fn series_count(&self) -> u32 {
        self.state.series_count()
    }

    /// Number of symbols; known after [`Part::Count`].
    pub fn symbol_count(&self) -> u32 {
        self.state.symbol_count()
    }

    /// Number of posting lists, that of all series included; known after [`Part::Count`].
    pub fn list_count(&self) -> u32 {
        self.state.used_lists().count() as u32
    }

    /// The source, once all is written.
    pub fn into_source(self) -> S {
        self.state.source
    }

    /// Mimir's sparse header of this index, once all is written.
    pub fn sparse_header(&self) -> SparseHeader {
        let mut header = SparseHeader::default();
        // A table's first entry comes after its length and its count.
        let mut place = 8;
        for &string in &self.state.plan.symbols {
            header.symbol(place);
            place += string_len(self.state.strings.get(string));
        }
        let mut place = 8;
        let mut list_at = self.state.first_list_at();
        for list in self.state.used_lists() {
            let (name, value) = self.state.plan.pair(&self.state.strings, list);
            header.value(name, value, place, list_at);
            place += list_place_len(name, value, list_at);
            list_at += list_len(self.state.lens[list as usize]);
        }
        header
    }

    /// Does some work for the current part and appends to `out` what came of it, and says which
    /// part it was.
    ///
    /// Stops soon after `budget` bytes, or as much work as they would have been; a call may append
    /// nothing. After an error nothing more can be written.
    pub fn step(&mut self, out: &mut Vec<u8>, budget: usize) -> Result<Part, WriteError> {
        let (part, start) = (self.part, out.len());
        let state = &mut self.state;
        let progress = match part {
            Part::Sort => {
                let is_sorted = self.sorting.step(&mut state.plan, &state.strings, budget)?;
                if is_sorted {
                    self.sorting = Sorting::new(Vec::new());
                }
                Progress::of(is_sorted)
            }
            Part::Count => self.counts.step(state, &mut self.postings, budget)?,
            Part::Header => step_header(out),
            Part::Symbols => step_symbols(state, out, budget)?,
            Part::Series => self.series.step(state, &mut self.postings, out, budget)?,
            Part::LabelIndices => self.label_indices.step(state, out, budget)?,
            Part::Postings => self.postings.step(state, &self.series.refs, out, budget)?,
            Part::LabelIndicesTable => self.label_indices.step_table(state, out)?,
            Part::PostingsTable => self.postings_table.step(state, out, budget)?,
            Part::Toc => step_toc(state, out),
            Part::Done => Progress::More,
        };
        state.at += (out.len() - start) as u64;
        if state.at > FILE_LEN_MAX {
            return Err(too_long("the file", state.at, FILE_LEN_MAX));
        }
        if progress == Progress::Finished {
            self.part = next(part);
            (state.item, state.place) = (0, 0);
        }
        Ok(part)
    }

    /// Steps until the current part is finished.
    pub fn finish_part(&mut self, out: &mut Vec<u8>) -> Result<Part, WriteError> {
        let part = self.part;
        while self.part == part && part != Part::Done {
            self.step(out, usize::MAX)?;
        }
        Ok(part)
    }
}

fn next(part: Part) -> Part {
    match part {
        Part::Sort => Part::Count,
        Part::Count => Part::Header,
        Part::Header => Part::Symbols,
        Part::Symbols => Part::Series,
        Part::Series => Part::LabelIndices,
        Part::LabelIndices => Part::Postings,
        Part::Postings => Part::LabelIndicesTable,
        Part::LabelIndicesTable => Part::PostingsTable,
        Part::PostingsTable => Part::Toc,
        Part::Toc | Part::Done => Part::Done,
    }
}
