//! zoekt shards: a positional trigram index of source code, with the contents themselves.
//!
//! Bytes:   docs/formats/zoekt.md

mod checksum;
mod corpus;
mod deltas;
mod encode;
mod error;
mod items;
mod keys;
mod layout;
mod metadata;
mod outline;
mod roaring;
mod runes;
mod shard;
mod source;
mod symbols;
mod verify;
mod words;

pub use checksum::{checksum, name_checksum};
pub use corpus::{Corpus, Ngrams};
pub use encode::{
    Layout, Placed, RUNES_A_SAMPLE, RuneSamples, TooLong, ids_bitmap, newlines, short_deltas,
    sized_deltas,
};
pub use error::Error;
pub use items::{Items, Positions};
pub use layout::{
    Extent, FILE_ORDER, SECTION_COUNT, SHARD_LEN_MAX, Section, Shape, Toc, ends_as_shard,
};
pub use metadata::{
    Branch, COMPOUND_VERSION, FEATURE_VERSION, FORMAT_VERSION, IndexMetadata, Nothing, Repository,
    Text, ZERO_TIME,
};
pub use outline::outline;
pub use runes::{
    RUNE_ERROR, as_valid_utf8, ascii_len, decode_rune, first_rune, ngram, ngram_runes, rune_count,
    runes,
};
pub use shard::{Shard, ShardHead};
pub use source::Foreseen;
pub use symbols::SymbolInfo;
pub use verify::{ShardCounts, Spread, VerifyOptions, verify, verify_sidecar};
pub use words::{Category, Skip};
