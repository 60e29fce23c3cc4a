//! An object store in the tests' process: what S3 answers, over objects in memory or files, on a
//! free port.
//!
//! Signatures are checked. Requests are counted, and can be made slow or to fail. It knows what a
//! reader and a careful writer ask: pages of listings, ranges, conditions, parts. Of Google's
//! protocol it knows the same, with generations, and of Azure's all but parts.
//!
//! | file | what |
//! |---|---|
//! | request.rs, answer.rs | HTTP/1.1, as much as clients of object stores speak |
//! | sign.rs | signatures, version 4 |
//! | objects.rs | objects by key |
//! | operations.rs, list.rs, parts.rs | what a request does |
//! | faults.rs | what goes wrong, and when |
//! | line.rs | how fast bytes pass, and what has passed |
//! | server.rs | [`Server`] |

mod answer;
mod faults;
mod line;
mod list;
mod objects;
mod operations;
mod parts;
mod request;
mod server;
mod sign;

pub use faults::{Fault, When};
pub use line::Traffic;
pub use server::{Asked, Server, Setup};
