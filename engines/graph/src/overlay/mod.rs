//! The overlay: commits that are not in leaves yet, as layers of sorted runs.
//!
//! | file | what |
//! |---|---|
//! | run.rs | rows of one order with what was done with them |
//! | layer.rs | the runs of all orders of some commits, and their terms |
//! | gathered.rs | some commits, read from a log, on their way to one layer |
//! | levels.rs | which layers are merged when |
//! | scan.rs | rows of an order out of all layers |

mod gathered;
mod layer;
mod levels;
mod run;
mod scan;

pub use gathered::Gathered;
pub use layer::{Changes, Layer};
pub use levels::push;
pub use run::{Change, Entry, Keep, Run};
pub use scan::Scan;
