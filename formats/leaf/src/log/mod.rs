//! Logs: commits, each in one frame with the terms that it brings, so that terms and quads can't
//! disagree.
//!
//! ```text
//! | 16 head |
//! | for each commit: | u32 magic "MFRM" | u32 payload len | u64 commit | u64 synced | u32 CRC-32 of these 24 | payload | u32 CRC-32 of the payload | |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *log*

mod frame;
mod ids;
mod read;
#[cfg(test)]
mod tests;

pub use frame::{Commit, Frame, LOG_HEAD_LEN, log_version, put_frame, put_log_head};
pub use read::{LogEnd, LogReader};
