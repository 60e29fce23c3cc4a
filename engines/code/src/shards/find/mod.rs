//! zoekt shards: documents, their names and a positional trigram index, searched where they lie.
//!
//! A face opens [`ShardFiles`], says in a [`Request`] what it wants, and lends a [`Visit`] per
//! thread; [`visit`] hands it each document that may hold a match, with the places where one may
//! be, and counts what that took in a [`Receipt`]. [`query`] reads zoekt's queries and answers
//! them, [`rank`] does so with scores.

mod admit;
mod bring;
mod census;
mod files;
mod hits;
mod places;
pub mod query;
pub mod rank;
mod receipt;
mod repositories;
mod run;
mod rune_sets;
mod select;

pub use manicule_format_zoekt::{Foreseen, IndexMetadata};

pub use admit::Admit;
pub use census::{Census, census, not_indexed, repository_count};
pub use files::{OpenShard, ShardFiles, SubRepository, Symbol};
pub use receipt::{NotIndexed, Receipt};
pub use repositories::{BranchLines, RepositoryEntry, RepositoryShare, list, repository_shares};
pub use run::{Document, Order, Request, Skipped, Visit, Visitors, visit};
