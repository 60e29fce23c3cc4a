//! Names of the files' parts, in findings and outlines and in the format's document.
//!
//! Bytes:   docs/formats/prometheus.md

pub(crate) const HEADER: &str = "header";
pub(crate) const SYMBOLS: &str = "symbols";
pub(crate) const SERIES: &str = "series";
pub(crate) const LABEL_INDICES: &str = "label indices";
pub(crate) const POSTINGS: &str = "postings";
pub(crate) const LABEL_INDEX_TABLE: &str = "label index table";
pub(crate) const POSTINGS_TABLE: &str = "postings offset table";
pub(crate) const TOC: &str = "table of contents";
pub(crate) const CHUNKS: &str = "chunks";
pub(crate) const SPARSE_HEADER: &str = "sparse header";
pub(crate) const TRAILER: &str = "trailer";
pub(crate) const TOMBSTONES: &str = "tombstones";

/// Short name of a part, for typing: its name without blanks, and shorter where it is long.
pub fn short_name(section: &str) -> String {
    match section {
        TOC => "toc".to_owned(),
        POSTINGS_TABLE => "table".to_owned(),
        other => other.replace(' ', "-"),
    }
}
