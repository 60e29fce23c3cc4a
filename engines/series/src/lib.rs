//! Prometheus blocks: built, written, merged, selected, verified.
//!
//! Callers: faces/manicule
