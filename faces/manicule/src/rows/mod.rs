//! SSTables of Cassandra and ScyllaDB: opened, searched, inspected, dumped, verified, their schema,
//! slices of their partitions, partitions and tombstones listed; rebuilt, salvaged, extracted from,
//! split, merged, written of rows. Each module holds a verb, its call, and its report.
//!
//! Nothing here writes into a table that is there, but [`mark`]: what is written is a new one.

#[cfg(feature = "tables")]
mod arrow;
mod columns;
mod dump;
mod error;
mod export;
mod facts;
mod find;
mod holders;
pub mod inspect;
mod load;
mod mark;
mod open;
mod overview;
mod partitions;
mod schema;
mod slice;
mod stats;
mod tombstones;
mod verify;
mod write;

pub use columns::{ColumnCounts, ColumnShare, Shares, column_shares};
pub use dump::{DumpCall, DumpLayout, Loss, LossKind, Selection, dump, dump_damaged};
pub use error::Error;
pub use export::{ExportCall, ExportFormat, LiveCounts, export};
pub use find::{FindCall, FindCounts, Found, FoundRow, find};
pub use holders::{Holders, holders};
pub use load::{InputFormat, RowTimes, WriteCall, write};
pub use mark::{MarkCall, Marked, Repaired, mark};
pub use open::{Open, OpenCall, open};
pub use overview::{Blocker, Expired, Overview, Overviews, expired, overviews};
pub use partitions::{
    PartitionOptions, PartitionReport, PartitionSize, RankedBy, Times, TombstoneCounts, partitions,
};
pub use schema::{Schema, SchemaCall, schema};
pub use slice::{Search, Slice, SliceCall, SliceItem, SliceWork, View, slice};
pub use stats::{Stats, stats};
pub use tombstones::{
    AGE_LIMITS_S, GC_GRACE_S, PartitionTombstones, TombstoneKind, TombstoneReport, Tombstones,
    TombstonesCall, tombstones,
};
pub use verify::{Depth, VerifyCall, verify};
pub use write::{
    Codec, Compress, ExtractCall, INDEX_BLOCK_LEN, MergeCall, Merged, Place, Purge, RebuildCall,
    SalvageCall, SplitCall, Taken, Version, Written, extract, merge, rebuild, salvage, split,
};

/// What the verbs' reports and errors are made of.
pub use manicule_rows::merge::{
    CellPath, MergedCell, MergedCells, MergedColumn, MergedColumns, MergedMarker, MergedRow,
};
pub use manicule_rows::schema::{Difference, Named};
pub use manicule_rows::slice::Direction;
pub use manicule_rows::table::{
    Below, Compression, Copies, LeftOut, Listed, Sstable, SstableStats, tables_below,
};
pub use manicule_rows::write::Loaded;
pub use manicule_rows::{
    BoundsText, Deletion, Histogram, KeyNames, Liveness, NO_LOCAL_TIME, PlainForm, PrefixBuf,
    RowsError, Token, Type, put_instant, put_instant_micros, put_json_string, quoted_name,
};
