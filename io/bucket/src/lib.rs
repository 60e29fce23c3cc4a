//! Object stores as stores of files: Amazon S3 and what speaks its protocol, Google Cloud Storage,
//! Azure Blob Storage, and plain HTTP.
//!
//! This is the only async room below the faces: what it waits for runs in one small runtime of the
//! process, and its calls block. [Design 0029] says how versions, rounds and retries are meant.
//!
//! | file | what |
//! |---|---|
//! | address.rs | `s3://bucket/prefix` and its like |
//! | options.rs, profile.rs | what a call says, variables of the environment, files of AWS' tools |
//! | client/ | a client for each kind of object store, what failed in our words |
//! | wire.rs, counts.rs, chain.rs | every request, counted; rounds and prices |
//! | runtime.rs | the runtime, and waiting for it |
//! | bucket.rs, shared.rs | [`Bucket`], and what its requests share |
//! | read.rs, list.rs, file.rs, write.rs | the bucket as `Store` and `WriteStore` |
//! | plan.rs, ranges.rs | which ranges are one request; several of them side by side |
//!
//! [Design 0029]: https://github.com/manicule/manicule/blob/main/docs/design/0029-buckets.md

mod address;
mod ask;
mod bucket;
mod chain;
mod client;
mod counts;
mod file;
mod list;
mod options;
mod plan;
mod profile;
mod ranges;
mod read;
mod runtime;
mod shared;
mod waves;
mod wire;
mod write;

pub use address::{Address, AddressError, Scheme, is_address};
pub use bucket::{Bucket, open};
pub use counts::{Counts, Prices};
pub use options::{Identity, Limits, Options, Payer, Style, Variables, variables_of_process};
