//! Tables of zoekt shards.

mod columns;
mod documents;
mod lines;
mod opened;
mod repositories;
mod searched;
mod symbols;

pub(super) use documents::DOCUMENTS;
pub(super) use lines::LINES;
pub(super) use repositories::REPOSITORIES;
pub(super) use symbols::SYMBOLS;
