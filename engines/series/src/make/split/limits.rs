//! How long an index is, how long it may become, and into how many parts it is cut so that each
//! stays below that.
//!
//! Bytes:   docs/formats/prometheus.md

use std::collections::BTreeMap;

use manicule_format_prometheus::{
    LIST_FRAME_LEN, PairIndex, TOC_LEN, Toc, list_place_len, string_len,
};

use super::PARTS_MAX;
use crate::block::Block;
use crate::make::merge::MergeError;
use crate::make::rewrite::part::in_index;
use crate::make::write::{WriteError, Written};

/// Maximum lengths of an index and its sections, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexMax {
    /// The file. The format allows 64 GiB.
    pub file: u64,
    /// The symbol table, a posting list, the postings offset table: each has a length of 32 bits.
    pub section: u64,
}

impl IndexMax {
    /// Prometheus's compactor makes one block of three neighbours, whose index is as long as theirs
    /// together where no series is in two of them. A quarter of what the format allows leaves space
    /// for that step, and a quarter more for numbers of symbols and series, which take more bytes
    /// in a larger index.
    pub const QUARTER: IndexMax = IndexMax { file: 16 << 30, section: 1 << 30 };
}

/// Lengths of an index and its sections, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexLens {
    /// The file.
    pub file: u64,
    /// The symbol table.
    pub symbols: u64,
    /// The longest posting list, which is that of all series.
    pub list: u64,
    /// The postings offset table.
    pub table: u64,
}

impl IndexLens {
    /// Of the index of a block; reads the list of all series.
    pub fn of(block: &Block) -> Result<Self, MergeError> {
        let index = block.index();
        let series = index.all_postings().map_err(in_index(block))?.len();
        Ok(IndexLens::new(index.bytes().len() as u64, index.toc(), series as u64))
    }

    /// Of an index that was written.
    pub(super) fn written(written: &Written) -> Self {
        IndexLens::new(written.len, &written.toc, written.series.into())
    }

    fn new(file: u64, toc: &Toc, series: u64) -> Self {
        let symbols = toc.series.saturating_sub(toc.symbols);
        let table = (file - TOC_LEN as u64).saturating_sub(toc.postings_table);
        IndexLens { file, symbols, list: LIST_FRAME_LEN + 4 * series, table }
    }

    /// Whether nothing is longer than it may be.
    pub fn check(&self, max: &IndexMax) -> Result<(), WriteError> {
        for (what, len, len_max) in [
            ("the file", self.file, max.file),
            ("the symbol table", self.symbols, max.section),
            ("a posting list", self.list, max.section),
            ("the postings offset table", self.table, max.section),
        ] {
            if len > len_max {
                return Err(WriteError::TooLong { what, len, len_max });
            }
        }
        Ok(())
    }
}

/// The smallest number of parts whose indexes are expected to stay below a limit.
///
/// Nothing is written for it: a hash gives each part its share of the series, of which the longest
/// has a few more, and a label pair is in the parts that its series are in. 100,000 series of a
/// cluster, cut below a tenth (1,022,791 bytes), take 17 parts of 958,554 to 999,033. An error says
/// what is too long in the smallest parts there are.
pub fn parts_below(block: &Block, max: &IndexMax) -> Result<u32, MergeError> {
    let shares = Shares::of(block)?;
    let most = u64::from(PARTS_MAX).min(shares.series.max(1)) as u32;
    shares.expected(most, 0.0).check(max)?;
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low + (high - low) / 2;
        match shares.expected(middle, DEVIATIONS).check(max) {
            Ok(()) => high = middle,
            Err(_) => low = middle + 1,
        }
    }
    Ok(low)
}

/// Number of deviations that the longest part may lie above the mean: one part in thirty thousand
/// has more. Such a part is found when it is written.
const DEVIATIONS: f64 = 4.0;

/// Size in bytes of the label pairs with a given number of series.
#[derive(Clone, Copy, Debug, Default)]
struct PairLens {
    symbols: u64,
    table: u64,
    lists: u64,
}

/// Parts of an index, by how they are divided.
#[derive(Debug)]
struct Shares {
    whole: IndexLens,
    series: u64,
    /// Bytes that each series takes in one part only: itself, and its place in lists.
    divided: u64,
    /// By the number of series that have a pair.
    pairs: BTreeMap<u64, PairLens>,
}

impl Shares {
    fn of(block: &Block) -> Result<Self, MergeError> {
        let index = block.index();
        let whole = IndexLens::of(block)?;
        let toc = index.toc();
        let mut divided = toc.label_indices.saturating_sub(toc.series) + whole.list;
        let mut pairs: BTreeMap<u64, PairLens> = BTreeMap::new();
        for (name, of_name) in index.names().filter(|name| !name.0.is_empty()) {
            let mut with_name = 0;
            for pair in of_name.map(PairIndex) {
                let list = index.postings(pair).map_err(in_index(block))?.len() as u64;
                let lens = pairs.entry(list).or_default();
                lens.symbols += string_len(index.value(pair));
                lens.table += list_place_len(name, index.value(pair), toc.postings);
                lens.lists += LIST_FRAME_LEN;
                divided += 4 * list;
                with_name += list;
            }
            pairs.entry(with_name).or_default().symbols += string_len(name);
        }
        Ok(Shares { series: (whole.list - LIST_FRAME_LEN) / 4, whole, divided, pairs })
    }

    /// The lengths of one of `parts` parts, with `deviations` deviations more series than the mean.
    fn expected(&self, parts: u32, deviations: f64) -> IndexLens {
        let (parts, series) = (f64::from(parts), self.series.max(1) as f64);
        let most = 1.0 + deviations * ((parts - 1.0) / series).sqrt();
        // Which part of all series it has.
        let share = (most / parts).min(1.0);
        let (mut all, mut there) = ([0.0; 3], [0.0; 3]);
        for (series, lens) in self.pairs.range(1..) {
            // That it has none of the series of a pair.
            let none = (*series as f64 * (-share).ln_1p()).exp();
            for (place, len) in [lens.symbols, lens.table, lens.lists].into_iter().enumerate() {
                all[place] += len as f64;
                there[place] += len as f64 * (1.0 - none);
            }
        }
        // Strings that several names share, and such as nothing uses, are counted as the whole has
        // them.
        let of_whole = |place: usize, whole: u64| match all[place] {
            0.0 => whole,
            sum => (whole as f64 * there[place] / sum).ceil() as u64,
        };
        let symbols = of_whole(0, self.whole.symbols);
        let table = of_whole(1, self.whole.table);
        let divided = (self.divided as f64 * share).ceil() as u64;
        let list = LIST_FRAME_LEN + (4.0 * series * share).ceil() as u64;
        let file = symbols + table + there[2].ceil() as u64 + divided + TOC_LEN as u64;
        IndexLens { file, symbols, list, table }
    }
}
