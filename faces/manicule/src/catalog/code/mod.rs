//! Tables of zoekt shards.

mod columns;
mod documents;
mod lines;
mod opened;
mod repositories;
mod searched;
mod symbols;

pub(crate) use documents::DOCUMENTS;
pub(crate) use lines::LINES;
pub(crate) use repositories::REPOSITORIES;
pub(crate) use symbols::SYMBOLS;
