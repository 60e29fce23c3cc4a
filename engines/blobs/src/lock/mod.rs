//! Locks of a repository: one is taken before anything is written, so that nobody else writes or
//! deletes meanwhile.
//!
//! restic's protocol: whoever wants the repository for itself puts a lock file, waits, and looks
//! whether others have put one too; then both give way. A lock is refreshed while it is held: put
//! again with the new time, the old file removed. One that was not refreshed for 30 minutes, or
//! whose process on this machine is gone, is stale. To restic itself a stale lock is in the way
//! until `restic unlock` removes it; here it is removed as `restic unlock` would, once our own is
//! taken. Removed and not ignored: restic looks for its own lock before it goes on after a long
//! pause, and stops if it is gone.
//!
//! Bytes:   docs/formats/restic.md, "Locks"

mod error;
mod held;
mod look;
mod take;
mod world;

pub use error::{LockError, Locked};
pub use held::Exclusive;
pub use world::{Holder, Surroundings, Writable};
