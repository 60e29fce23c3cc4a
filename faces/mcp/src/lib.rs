//! Tools for programs that search, by the Model Context Protocol: JSON-RPC 2.0 in revisions from
//! 2024-11-05, which begin with a handshake, to 2026-07-28, in which each request says all. Nothing
//! here writes but the cache of indexes of trees, as `find` does.
//!
//! | file | what |
//! |---|---|
//! | service.rs | the methods that any transport answers by; options.rs: what it is set to; revision.rs: revisions, envelopes |
//! | json_rpc.rs | messages, and errors by their codes |
//! | session/ | standard input and output: a message a line, calls side by side on threads |
//! | places.rs | which paths a call may read; roots.rs: the client's roots |
//! | tools/ | the tools: what each takes, does and returns |
//! | arguments.rs, schema.rs | arguments of calls, and the schemas by which they are declared |
//! | progress.rs | how far a call has come, as notifications |
//! | budget.rs, cursor.rs | answers that fit their budget; pages |
//! | install.rs | how clients are told to start the program |
//!
//! Bytes:   docs/design/0036-mcp.md

mod arguments;
mod budget;
mod cursor;
pub mod install;
pub mod json_rpc;
mod options;
mod places;
mod progress;
mod revision;
mod roots;
mod schema;
mod service;
pub mod session;
mod tools;

pub use options::Options;
pub use places::Places;
pub use progress::Progress;
pub use revision::{Envelope, Revision};
pub use roots::Roots;
pub use service::{Answered, Service};
