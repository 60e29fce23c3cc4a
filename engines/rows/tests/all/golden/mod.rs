//! Golden tables of the real systems, read as their own readers do, in every version.
//!
//! Where `MANICULE_GOLDEN` names the folder of the full set, all of it is read; else what
//! proof/golden has.

mod compacted;
mod dumps;
mod extract;
mod forms;
mod load;
mod memory;
mod merged;
mod rebuild;
mod salvage;
mod scan;
mod slices;
mod steps;
mod support;
mod twin;
mod verify;
mod whole;
