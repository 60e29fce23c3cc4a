//! One store of files: a local folder or memory, and whatever else can list names, read ranges and
//! put whole files.
//!
//! | file | what |
//! |---|---|
//! | name.rs | relative names |
//! | version.rs | identity of a file's contents |
//! | read.rs | [`Store`]: list, look, open, read |
//! | listed.rs | what listings show |
//! | ask.rs | questions of several kinds, asked at once |
//! | beginnings.rs | which of them list many folders |
//! | write.rs | [`WriteStore`]: put whole, from memory or a local file; remove |
//! | local.rs, local_write.rs | a folder of this machine |
//! | below.rs | a folder of another store |
//! | seen.rs | a store whose own folder was listed a moment ago |
//! | fetched.rs | files of another store, brought whole into a local folder and mapped |
//! | ahead.rs | files of another store, of which ranges are brought before they are read |
//! | aliased.rs | files of another store under other names, as a manifest has them |
//! | ranged.rs | a file of another store, of which ranges are brought as they are wanted |
//! | small.rs | small files of another store that are read all at once, kept together |
//! | kept.rs | the local folder of what was brought |
//! | memory.rs | memory, for tests: its operations are counted, and fail when they are told to |

mod ahead;
mod aliased;
mod ask;
mod beginnings;
mod below;
mod error;
mod fetched;
mod kept;
mod listed;
mod local;
mod local_write;
mod memory;
mod name;
mod ranged;
mod read;
mod seen;
mod small;
#[cfg(test)]
mod tests;
mod version;
mod write;

pub use ahead::{Ahead, side_by_side};
pub use aliased::{Aliased, Original};
pub use ask::{Answer, Ask, Wanted};
pub use beginnings::listings;
pub use below::Below;
pub use error::StoreError;
pub use fetched::{Fetched, FetchedFolder};
pub use kept::FetchLimits;
pub use listed::Listed;
pub use local::LocalStore;
pub use local_write::{LocalWriter, Modes};
pub use memory::{Failing, MemoryStore, StoreCounts};
pub use name::Name;
pub use ranged::{Failures, RangedFile};
pub use read::{Access, Look, Store, WholeFile, read_text, too_long, writer_of};
pub use seen::Seen;
pub use version::Version;
pub use write::{Replace, WriteStore};
