//! `manicule blobs` beside restic itself, where `MANICULE_RESTIC` names one: what both print, dump
//! and restore of golden repositories, and of one that restic makes for the test. What differs on
//! purpose is named, with why; a difference that is named and doesn't show is a failure too.

mod beside;
mod dumped;
mod readers;
mod restored;
mod tree;
mod zip;

pub(crate) use zip::entries as zip_entries;
