//! The program behind `manicule serve`: one port, on which the systems' own clients read what lies
//! in their files.
//!
//! | file | what |
//! |---|---|
//! | program.rs | the command line |
//! | server.rs | what listens, and ends; connection.rs: one connection, tls.rs: certificates |
//! | served.rs | the places that are served, each a handle of the façade; look.rs: looking at them again |
//! | app.rs | what every request sees |
//! | calls.rs | calls of the façade on threads, bounded and cancelled; turn.rs: their permits, answer.rs: answers that are streamed |
//! | routes.rs | which protocol is where; each is a folder of its name; protocols.rs: their words |
//! | guard.rs | who may ask: `Host`, tokens, requests of other sites; token.rs |
//! | page/ | what a browser finds, and what it asks |
//! | refusal.rs | errors as statuses |
//! | log.rs, metrics.rs | what was asked |

mod answer;
mod app;
mod calls;
mod connection;
mod guard;
mod log;
mod look;
mod mcp;
mod metrics;
mod page;
mod program;
mod prometheus;
mod protocols;
mod refusal;
mod restic;
mod routes;
mod served;
mod server;
mod sparql;
mod tls;
mod token;
mod turn;
mod zoekt;

pub use program::main;
pub use served::{NamedPath, Writes};
pub use server::{Limits, Options, Running, start};
pub use tls::TlsFiles;
pub use token::Token;
