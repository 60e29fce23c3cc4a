//! Local files: folders of immutable files that are put, mapped, leased and swept; and what there is to know of the
//! entries of anybody's folders, cheaply.
//!
//! This room never learns what the bytes mean.
//!
//! Callers: engines/code, faces/manicule

mod entry;
mod host;
mod map;
mod room;
mod shelf;

pub use entry::{
    Entry, EntryKind, Handle, KeepsTimes, Listed, keeps_times, list_folder, look, look_at,
    look_through, open_file, open_folder,
};
pub use host::{Reserve, reserve_handles, run_in_background, spread};
pub use map::Mapped;
pub use room::{prefer_large_pages, room};
pub use shelf::{Lease, Shelf};
