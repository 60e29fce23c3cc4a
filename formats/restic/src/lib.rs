//! restic repositories: every byte of their files.
//!
//! Bytes:   docs/formats/restic.md
//! Callers: engines/blobs
