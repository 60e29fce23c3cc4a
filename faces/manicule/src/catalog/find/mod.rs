//! Tables of a search through everything, and of the files that it looks into.

mod arguments;
mod files;
mod hits;
mod types;

pub(crate) use files::FILES;
pub(crate) use hits::FIND;
