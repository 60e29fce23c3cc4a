//! Everything that makes blocks and indexes: from text, from label sets, from other blocks.

pub mod ingest;
pub mod merge;
pub(crate) mod owner;
pub(crate) mod publish;
pub(crate) mod reindex;
pub mod rewrite;
pub(crate) mod segments;
pub mod split;
pub mod write;
