//! Local files: folders of immutable files that are put, mapped, leased and swept; and what there
//! is to know of the entries of anybody's folders, cheaply.
//!
//! This room never learns what the bytes mean.

mod cache_dir;
pub mod context;
mod conversation;
mod entry;
mod files;
mod host;
mod id;
mod inside;
mod inside_remove;
pub mod log;
mod map;
mod memory;
mod names;
pub mod pages;
pub mod planned;
mod process;
pub mod publish;
mod random;
mod range;
mod rights;
pub mod rounds;
mod spill;
pub mod store;
mod system;
pub mod threads;
mod writers;

pub use cache_dir::{CacheDir, Lease};
pub use conversation::{Conversation, NoAnswer, Said};
pub use entry::{
    Entry, EntryKind, Handle, Listed, list_folder, look, look_at, look_through, open_file,
    open_file_through, open_folder,
};
pub use files::{Disk, Files, OutFile, SharedFiles, Unsynced, open_plain};
pub use host::{
    Reserve, keep_handles, leave_terminal, reserve_handles, run_in_background, stand_back,
};
pub use id::FileId;
pub use inside::{
    InsideFile, InsideFolder, InsideMeta, InsideNode, InsideState, is_one_name, set_file_attribute,
    set_file_meta,
};
pub use map::Mapped;
pub use memory::{give_back_large_blocks, prefer_large_pages, zeroed};
pub use names::{NamedEntry, list_names};
pub use process::{User, hostname, is_running, user};
pub use random::random;
pub use range::read_range;
pub use rights::Rights;
pub use spill::Spill;
pub use system::{KeepsTimes, keeps_times, written_out_after};
pub use writers::{Writers, writers};
