//! The index writer against Prometheus's own files: byte for byte.

mod golden;
mod inputs;
mod memory;
mod refused;
mod sparse;
mod steps;
