//! A table: the SSTables in a folder that are finished, and their files.

mod ahead;
mod backup;
mod below;
mod bring;
mod buffer;
mod chunks;
mod data;
mod ends;
mod file;
mod filter;
mod folder;
mod footer;
mod found;
mod indexes;
mod listed;
mod managed;
mod met;
mod overview;
mod places;
mod ranges;
mod resident;
mod sstable;
mod stats;
mod summary;
mod sums;
mod table_place;
mod whole;
mod window;
mod windows;

pub use below::{Below, Copies, tables_below, tables_below_in};
pub use bring::{Ahead, bring_for_lookup};
pub use ends::FirstLast;
pub use file::TableOptions;
pub use folder::{
    LeftOut, list, list_all, list_all_at, list_all_in, list_at, list_in, list_standing_at,
};
pub use listed::{Listed, SNAPSHOT_SCHEMA};
pub use manicule_store::store::Access;
pub use overview::{Blocker, Expired, Overview, expired, overviews};
pub use sstable::{Sstable, read_header, read_headers};
pub use stats::{Compression, SstableStats, all_stats, stats};
pub use table_place::TablePlace;
pub use whole::{NO_SSTABLE, list_some, list_some_at};

pub(crate) use ahead::together;
pub(crate) use data::DataFile;
pub(crate) use ends::shown;
pub(crate) use file::OpenFile;
pub(crate) use footer::{trie_ends, trie_footer};
pub(crate) use indexes::bring_indexes;
pub(crate) use listed::SchemaBeside;
pub(crate) use met::Met;
pub(crate) use resident::Resident;
pub(crate) use sstable::{IndexFiles, read_component};
pub(crate) use summary::SummaryFile;
pub(crate) use window::Window;
pub(crate) use windows::{WINDOW_LEN, window_step, windows};
