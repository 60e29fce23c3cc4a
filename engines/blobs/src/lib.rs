//! restic repositories: what is read, in which order, and what is concluded from it.
//!
//! Callers: faces/manicule
