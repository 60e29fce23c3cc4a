//! Whole restic repositories for tests and measurements: generated from a seed, or made by restic
//! itself from generated files. The same options give the same blobs, packs, trees and snapshots on
//! every machine.

mod bench_index;
mod damage;
mod doubled;
mod fleet;
mod go_random;
mod growing_tree;
mod index_only;
mod made_by_restic;
mod packer;
mod patient;
mod restic;
mod tagged;
mod writer;

pub use bench_index::draw_index;
pub use damage::{DAMAGES, Damage, Victims, damage};
pub use doubled::{DOUBLED_NAMES, write_doubled};
pub use fleet::{FleetOptions, write_fleet};
pub use go_random::GoRandom;
pub use index_only::{IndexOnlyOptions, write_index_only};
pub use made_by_restic::{MadeOptions, make_with_restic};
/// What files are named by, and locks made of.
pub use manicule_format_restic::{FileKind, Id, Lock, Time};
pub use patient::{PackList, Patient, lines};
pub use restic::{BackupOptions, RESTIC, Restic, Said};
pub use writer::Written;

/// Password of every repository that is made here. Its key costs a millisecond to open.
pub const PASSWORD: &str = "manicule-golden";
