//! The index of a block: symbols, series, posting lists, and the table that says where each list
//! is.
//!
//! Versions 2 and 3 are the same bytes but for the number; 1 names series and symbols by their
//! offsets.
//!
//! Bytes:   docs/formats/prometheus.md

mod ahead;
mod bring;
mod encode;
mod layout;
mod pairs;
mod postings;
mod read;
mod series;
mod symbols;
mod walk;

pub use bring::index_ends;
pub use encode::{
    INDEX_HEADER, LIST_ALIGN, LIST_FRAME_LEN, LabelBytes, Section, SeriesEncoder, SeriesSums,
    label_index_place_len, list_place_len, put_label_index_place, put_list_place, put_padding,
    put_string, string_len,
};
pub use layout::{INDEX_MAGIC, SERIES_ALIGN, TOC_LEN, Toc, Version};
pub use pairs::{Pair, PairIndex};
pub use postings::PostingList;
pub use read::Index;
pub use series::{Chunks, LabelSymbols, Series};
pub use symbols::SymbolIndex;
pub(crate) use symbols::string;
pub use walk::SeriesWalk;
