//! The writer as a sequence of bounded steps: each appends some bytes of the file, the caller brings them away.
//!
//! Callers: write/file; callers with a sink of their own

use manicule_core::sorted::Strings;
use manicule_format_prometheus::{
    INDEX_HEADER, LIST_ALIGN, SERIES_ALIGN, Section, SparseHeader, Toc, list_place_len,
    put_list_place, put_string, string_len,
};

use super::plan::{ALL_SERIES, Plan, Settling, Sorting, next_items};
use super::postings::{NameWalk, PostingsState};
use super::series::SeriesState;
use super::{Source, WriteError};

/// Options of the index writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Memory limit of the writer beside the given strings and series, in bytes. Postings that exceed it are
    /// filled in windows.
    pub memory: u64,
    /// Which of the given strings become symbols.
    pub symbols: SymbolChoice,
    /// Whether the legacy sections of label indices are written, which Prometheus 2 had and readers ignore.
    pub label_indices: bool,
}

/// Which of the given strings become symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolChoice {
    /// All of them, as Prometheus's merge does.
    All,
    /// Those of labels that a series has, and the empty string if it was given.
    Used,
}

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

/// Lengths of 32 bits.
pub(super) const SECTION_LEN_MAX: u64 = u32::MAX as u64;

/// References of 32 bits.
pub(super) const FILE_LEN_MAX: u64 = SERIES_ALIGN * u32::MAX as u64;

/// An index being written.
///
/// [`IndexWriter::step`] appends the next bytes of the file to a buffer, about as many as its budget, until the part is
/// [`Part::Done`]. Nothing in it waits: callers with a sink of their own may drive it at their own pace.
#[derive(Debug)]
pub struct IndexWriter<T, S> {
    pub(super) strings: T,
    pub(super) source: S,
    pub(super) options: WriteOptions,
    pub(super) plan: Plan,
    part: Part,
    /// File offset of the next byte, at the beginning of a step.
    pub(super) at: u64,
    pub(super) toc: Toc,
    sorting: Sorting,
    counting: Counting,
    settling: Settling,
    /// Number of times each pair has been met, while pairs are counted.
    counts: Vec<u32>,
    /// Number of series of each list.
    pub(super) lens: Vec<u32>,
    /// Index of the next series in the running pass.
    pub(super) place: u64,
    /// The next symbol or list of the part.
    pub(super) item: u32,
    pub(super) section: Option<Section>,
    pub(super) series: SeriesState,
    pub(super) postings: PostingsState,
    table: TableState,
    pub(super) name_walk: NameWalk,
    /// Offset of each label index, with the list whose name it has.
    pub(super) label_indices: Vec<(u32, u64)>,
}

/// State of writing the postings offset table.
#[derive(Debug, Default)]
struct TableState {
    /// Length of the entries measured so far, with their count.
    len: u64,
    count: u32,
    /// File offset of the next list.
    list_at: u64,
}

/// Whether a part has more to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    More,
    Finished,
}

impl Progress {
    fn of(is_finished: bool) -> Progress {
        if is_finished { Progress::Finished } else { Progress::More }
    }
}

/// Subject of [`Part::Count`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counting {
    /// A pass over the series.
    Series,
    /// The counts of pairs become lengths of lists.
    Lists,
    /// Which symbols are written.
    Symbols,
    /// Memory for the first window of postings.
    Window,
}

impl<T: Strings, S: Source> IndexWriter<T, S> {
    /// A writer of series whose labels are `pairs`: each the numbers of a name and a value among `strings`.
    ///
    /// Strings and pairs may come in any order and several times. The empty string should be among them: Prometheus
    /// writes it as its first symbol.
    pub fn new(strings: T, pairs: Vec<(u32, u32)>, source: S, options: WriteOptions) -> Self {
        let toc = Toc {
            symbols: 0,
            series: 0,
            label_indices: 0,
            label_indices_table: 0,
            postings: 0,
            postings_table: 0,
        };
        IndexWriter {
            strings,
            source,
            plan: Plan::new(pairs.len()),
            part: Part::Sort,
            at: 0,
            toc,
            counts: vec![0; pairs.len()],
            sorting: Sorting::new(pairs),
            counting: Counting::Series,
            settling: Settling::new(options.symbols),
            options,
            lens: Vec::new(),
            place: 0,
            item: 0,
            section: None,
            series: SeriesState::default(),
            postings: PostingsState::default(),
            table: TableState::default(),
            name_walk: NameWalk::default(),
            label_indices: Vec::new(),
        }
    }

    /// The part that the next step belongs to.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Length of the file so far, in bytes.
    pub fn len(&self) -> u64 {
        self.at
    }

    /// Whether nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.at == 0
    }

    /// Offsets of the parts that have been begun.
    pub fn toc(&self) -> &Toc {
        &self.toc
    }

    /// Number of series; known after [`Part::Count`].
    pub fn series_count(&self) -> u32 {
        self.lens[ALL_SERIES as usize]
    }

    /// Number of symbols; known after [`Part::Count`].
    pub fn symbol_count(&self) -> u32 {
        self.plan.symbols.len() as u32
    }

    /// Number of posting lists, that of all series included; known after [`Part::Count`].
    pub fn list_count(&self) -> u32 {
        self.used_lists().count() as u32
    }

    /// The source, once all is written.
    pub fn into_source(self) -> S {
        self.source
    }

    /// Mimir's sparse header of this index, once all is written.
    pub fn sparse_header(&self) -> SparseHeader {
        let mut header = SparseHeader::default();
        // A table's first entry comes after its length and its count.
        let mut place = 8;
        for &string in &self.plan.symbols {
            header.symbol(place);
            place += string_len(self.strings.get(string));
        }
        let mut place = 8;
        let mut list_at = self.first_list_at();
        for list in self.used_lists() {
            let (name, value) = self.plan.pair(&self.strings, list);
            header.value(name, value, place, list_at);
            place += list_place_len(name, value, list_at);
            list_at += super::postings::list_len(self.lens[list as usize]);
        }
        header
    }

    /// Does some work for the current part and appends to `out` what came of it, and says which part it was.
    ///
    /// Stops soon after `budget` bytes, or as much work as they would have been; a call may append nothing. After an
    /// error nothing more can be written.
    pub fn step(&mut self, out: &mut Vec<u8>, budget: usize) -> Result<Part, WriteError> {
        let (part, start) = (self.part, out.len());
        let progress = match part {
            Part::Sort => {
                let is_sorted = self.sorting.step(&mut self.plan, &self.strings, budget)?;
                if is_sorted {
                    self.sorting = Sorting::new(Vec::new());
                }
                Progress::of(is_sorted)
            }
            Part::Count => self.step_count(budget)?,
            Part::Header => self.step_header(out),
            Part::Symbols => self.step_symbols(out, budget)?,
            Part::Series => self.step_series(out, budget)?,
            Part::LabelIndices => self.step_label_indices(out, budget)?,
            Part::Postings => self.step_postings(out, budget)?,
            Part::LabelIndicesTable => self.step_label_indices_table(out)?,
            Part::PostingsTable => self.step_postings_table(out, budget)?,
            Part::Toc => self.step_toc(out),
            Part::Done => Progress::More,
        };
        self.at += (out.len() - start) as u64;
        if self.at > FILE_LEN_MAX {
            return Err(too_long("the file", self.at, FILE_LEN_MAX));
        }
        if progress == Progress::Finished {
            self.part = next(part);
            (self.item, self.place) = (0, 0);
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

    /// Lists of pairs that some series has, and that of all series.
    pub(super) fn used_lists(&self) -> impl Iterator<Item = u32> {
        let used = |&list: &u32| list == ALL_SERIES || self.lens[list as usize] > 0;
        (0..self.lens.len() as u32).filter(used)
    }

    fn step_count(&mut self, budget: usize) -> Result<Progress, WriteError> {
        let is_over = match self.counting {
            Counting::Series => self.count_series(budget)?,
            Counting::Lists => self.count_lists(budget),
            Counting::Symbols => {
                self.settling.step(&mut self.plan, &self.lens, &self.strings, budget)
            }
            Counting::Window => self.postings.touch_window(budget),
        };
        if !is_over {
            return Ok(Progress::More);
        }
        self.counting = match self.counting {
            Counting::Series => {
                self.lens = vec![0; self.plan.lists.len()];
                self.lens[ALL_SERIES as usize] = self.place as u32;
                Counting::Lists
            }
            Counting::Lists => {
                self.counts = Vec::new();
                Counting::Symbols
            }
            Counting::Symbols => {
                self.settling = Settling::new(self.options.symbols);
                self.begin_postings();
                Counting::Window
            }
            Counting::Window => return Ok(Progress::Finished),
        };
        Ok(Progress::More)
    }

    /// Counts the pairs of some series; whether of all.
    fn count_series(&mut self, budget: usize) -> Result<bool, WriteError> {
        if self.place == 0
            && let Some(series) = self.source.count(&mut self.counts)
        {
            section_len("a posting list", 4 + 4 * series)?;
            self.place = series;
            return Ok(true);
        }
        let mut left = budget;
        while let Some(labels) = self.source.labels(self.place)? {
            for &pair in labels {
                let Some(count) = self.counts.get_mut(pair as usize) else {
                    let pairs = self.counts.len() as u32;
                    return Err(WriteError::UnknownPair { place: self.place, pair, pairs });
                };
                *count = count.saturating_add(1);
            }
            self.place += 1;
            section_len("a posting list", 4 + 4 * self.place)?;
            // What a label and a series may come to in the file.
            left = left.saturating_sub(8 * labels.len() + 32);
            if left == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Gives the counts of some pairs to their lists; whether of all.
    fn count_lists(&mut self, budget: usize) -> bool {
        let series_count = self.lens[ALL_SERIES as usize];
        let mut at = self.item as usize;
        for pair in next_items(&mut at, self.counts.len(), budget) {
            let len = &mut self.lens[self.plan.list_of[pair] as usize];
            // A series has a pair once, or is refused when it is written.
            *len = len.saturating_add(self.counts[pair]).min(series_count);
        }
        self.item = at as u32;
        at == self.counts.len()
    }

    fn step_header(&mut self, out: &mut Vec<u8>) -> Progress {
        out.extend_from_slice(&INDEX_HEADER);
        Progress::Finished
    }

    fn step_symbols(&mut self, out: &mut Vec<u8>, budget: usize) -> Result<Progress, WriteError> {
        let count = self.symbol_count();
        let mut section = match self.section.take() {
            Some(section) => section,
            None => {
                self.toc.symbols = self.at;
                let len = section_len("the symbol table", self.plan.symbols_len)?;
                let mut section = Section::begin(len, out);
                section.add(out, |out| out.extend_from_slice(&count.to_be_bytes()));
                section
            }
        };
        let symbols = &self.plan.symbols[self.item as usize..];
        let enough = out.len().saturating_add(budget);
        section.add(out, |out| {
            for &string in symbols {
                put_string(self.strings.get(string), out);
                self.item += 1;
                if out.len() >= enough {
                    break;
                }
            }
        });
        if self.item < count {
            self.section = Some(section);
            return Ok(Progress::More);
        }
        section.end(out);
        Ok(Progress::Finished)
    }

    fn step_postings_table(
        &mut self,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        let mut section = match self.section.take() {
            Some(section) => section,
            None => match self.measure_postings_table(budget) {
                Some((len, count)) => self.begin_postings_table(len, count, out)?,
                None => return Ok(Progress::More),
            },
        };
        let enough = out.len().saturating_add(budget);
        let (plan, strings, lens) = (&self.plan, &self.strings, &self.lens);
        let (mut item, mut list_at) = (self.item, self.table.list_at);
        section.add(out, |out| {
            while (item as usize) < lens.len() && out.len() < enough {
                let len = lens[item as usize];
                if len > 0 || item == ALL_SERIES {
                    let (name, value) = plan.pair(strings, item);
                    put_list_place(name, value, list_at, out);
                    list_at += super::postings::list_len(len);
                }
                item += 1;
            }
        });
        (self.item, self.table.list_at) = (item, list_at);
        if (self.item as usize) < self.lens.len() {
            self.section = Some(section);
            return Ok(Progress::More);
        }
        section.end(out);
        Ok(Progress::Finished)
    }

    /// Adds up what the entries of some lists take: the table's length stands in front of it. When all are added, the
    /// length and the number of entries.
    fn measure_postings_table(&mut self, budget: usize) -> Option<(u64, u32)> {
        let mut at = self.item as usize;
        if at == 0 {
            self.table = TableState { len: 4, count: 0, list_at: self.first_list_at() };
        }
        let table = &mut self.table;
        for list in next_items(&mut at, self.lens.len(), budget) {
            let len = self.lens[list];
            if len > 0 || list == ALL_SERIES as usize {
                let (name, value) = self.plan.pair(&self.strings, list as u32);
                table.len += list_place_len(name, value, table.list_at);
                table.list_at += super::postings::list_len(len);
                table.count += 1;
            }
        }
        self.item = at as u32;
        (at == self.lens.len()).then_some((table.len, table.count))
    }

    fn begin_postings_table(
        &mut self,
        len: u64,
        count: u32,
        out: &mut Vec<u8>,
    ) -> Result<Section, WriteError> {
        self.toc.postings_table = self.at;
        if !self.options.label_indices {
            self.toc.label_indices_table = self.at;
        }
        (self.item, self.table.list_at) = (0, self.first_list_at());
        let mut section = Section::begin(section_len("the postings offset table", len)?, out);
        section.add(out, |out| out.extend_from_slice(&count.to_be_bytes()));
        Ok(section)
    }

    /// Offset of the list of all series.
    fn first_list_at(&self) -> u64 {
        self.toc.postings.next_multiple_of(LIST_ALIGN)
    }

    fn step_toc(&mut self, out: &mut Vec<u8>) -> Progress {
        out.extend_from_slice(&self.toc.encode());
        Progress::Finished
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

pub(super) fn too_long(what: &'static str, len: u64, len_max: u64) -> WriteError {
    WriteError::TooLong { what, len, len_max }
}

/// The length of a section, if its field can hold it.
pub(super) fn section_len(what: &'static str, len: u64) -> Result<u32, WriteError> {
    u32::try_from(len).map_err(|_| too_long(what, len, SECTION_LEN_MAX))
}
