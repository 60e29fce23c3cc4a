//! Selectors over indexes and blocks: against Prometheus's answers, and against the plain way.

mod blocks;
mod golden;
mod random;
mod version_1;
mod work;
