//! The label store: label sets in memory, each with a number that it keeps.
//!
//! A store goes through its states again and again:
//!
//! ```text
//! Normal --freeze(b)--> Fixed --finish(snapshot)--> Shrunk --freeze(b)--> Fixed ...
//!                         | ^
//!                         +-+ freeze(b) again
//! ```
//!
//! *Normal*: one part holds everything. [`LabelStore::freeze`] closes it, hides the series below
//! the boundary that nobody touched in this generation, and opens a part for what comes: *Fixed*.
//! [`Frozen::copy`] copies what is left of the closed parts into a [`Snapshot`] with tables of its
//! own, on another thread if the caller likes. [`LabelStore::finish`] puts it in their place:
//! *Shrunk*. Ids of living series never change. Dead ones have no labels any more, and a dead
//! series that returns is a new one.
//!
//! A reader that must not see any of this holds a clone: closed parts are shared, only the open one
//! is copied.
//!
//! ```
//! use manicule_labels::LabelStore;
//!
//! let mut store = LabelStore::new();
//! let id = store.find_or_insert(&[(b"__name__", b"up"), (b"job", b"api")])?;
//! assert_eq!(store.find(&[(b"__name__", b"up"), (b"job", b"api")]), Some(id));
//! assert!(store.view().with_value(b"job", b"api").eq([id]));
//! # Ok::<(), manicule_labels::Refused>(())
//! ```

mod bits;
mod file;
mod find;
mod id;
mod input;
mod life;
mod lists;
mod order;
mod pairs;
mod part;
mod settle;
mod store;
mod table;
mod view;

pub use file::LoadError;
pub use find::Labels;
pub use id::{Refused, SeriesId};
pub use input::{Selected, StoreInput, StoreSeries, StoreStrings};
pub use life::{FreezeError, Frozen, Snapshot, StaleSnapshot};
pub use store::{LabelStore, State};
pub use table::Label;
pub use view::View;
