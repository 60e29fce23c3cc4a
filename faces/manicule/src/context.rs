//! What calls share: memory, a cache of pages, threads.
//!
//! A program that makes one call needs none. A server makes one [`Context`] and does each request
//! within it: calls together stay within its memory and its threads, and what one has read from a
//! table is in the cache for the next. A call that finds no room is an error of the class *busy*.
//!
//! ```
//! use manicule::ErrorClass;
//! use manicule::context::{Context, ContextOptions};
//! use manicule::series::{BuildCall, build};
//! use manicule::watch::Watch;
//!
//! let context = Context::new(ContextOptions { memory: 1 << 20, ..ContextOptions::NONE });
//! let folder = tempfile::tempdir()?;
//! let call = BuildCall::new(Vec::new(), folder.path().to_owned());
//! let error = context.enter(|| build(&call, &Watch::none())).unwrap_err();
//! assert_eq!(error.class(), ErrorClass::TooMuch);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use manicule_store::context::{
    Addresses, Budget, Context, ContextOptions, Cost, Held, OverBudget, Permits,
};
pub use manicule_store::give_back_large_blocks;
