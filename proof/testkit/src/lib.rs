//! Seeded generators for tests: the same seed gives the same numbers and the same trees, on every
//! machine. And answers of two programs, made comparable. And golden files and tables, read;
//! examples in documents; contents of folders; files, damaged; publishers, stopped at every step,
//! or killed by a timer; long calls, watched and stopped; opens, counted, or held; new names, in
//! order; folders brought into memory, slow stores, and what holds for every store; and what
//! Cassandra was asked about golden tables.

pub mod answers;
pub mod arrivals;
pub mod classes;
pub mod damage;
pub mod env;
pub mod example;
pub mod folders;
pub mod gate;
pub mod golden;
pub mod kill;
pub mod label_sets;
pub mod opens;
pub mod rng;
pub mod slices;
pub mod steps;
pub mod store_cases;
pub mod stores;
pub mod trees;
pub mod watched;

pub use arrivals::Arrivals;
pub use classes::{GoldenClass, golden_classes};
pub use damage::Damage;
pub use env::number;
pub use example::Examples;
pub use folders::{contents, copy_folder, names, restore, tree_folder};
pub use gate::Gate;
pub use golden::{
    GoldenChunk, check_sections, golden_chunks, golden_file, golden_folder, golden_repository,
    unpacked, whole_golden_set,
};
pub use kill::{Killer, Landmark};
pub use label_sets::{LabelSets, Shape};
pub use opens::{OpenCounts, Opens};
pub use rng::Rng;
pub use stores::{Rounds, SlowStore, fail_at_every_operation, in_memory, round_of_environment};
pub use trees::plant;
pub use watched::check_watched;
