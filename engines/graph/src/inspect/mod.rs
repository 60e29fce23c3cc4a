//! What a store is made of: leaves of each order, dictionary segments, commits that are not merged,
//! named snapshots, files.

mod files;
mod shape;

pub use files::FileTotal;
pub use shape::{OrderShape, OverlayShape, SegmentShape, StoreInspection, inspect, inspect_in};
