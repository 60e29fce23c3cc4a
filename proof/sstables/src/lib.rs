//! Cassandra as the judge of what we say of SSTables: random tables that it writes, its tools, its
//! reader.
//!
//! `proof/bench/peers/cassandra/build VERSION` installs one and prints its folder; [`CASSANDRA`]
//! takes the folders, separated by colons. 3.11.3, 3.11.10 and 3.11.17 write mc, md and me; 4.1.7
//! nb; 5.0.3 oa and da; 6.0-alpha2 pa and ea. Dumps of all that 3.11 writes are those of 3.11.17,
//! whose sstabledump has fewer faults than the older ones. Then
//!
//! ```text
//! MANICULE_CASSANDRA=A:B cargo test -p manicule-sstables -- --include-ignored --nocapture
//! ```
//!
//! compares random tables (`MANICULE_SEED` and `MANICULE_ROUNDS`: the first seed, the number of
//! tables a version), and prints the counts. With `MANICULE_TABLES=FOLDER` it also reads every
//! SSTable below a folder, as test/data/legacy-sstables of apache/cassandra or
//! test/resource/sstables of scylladb/scylladb, and compares it with the sstabledump of a Cassandra
//! that reads it.

mod cassandra;
mod metadata;
mod ours;
mod questions;
mod random;
mod same;
mod shown;
mod written;

pub use cassandra::{CASSANDRA, Cassandra, Tool};
pub use metadata::{check_metadata, check_statistics, now};
pub use ours::{dump, first_difference, keys, open};
pub use questions::{Question, ask_about};
pub use random::{FactsOf, OwnFact, RandomFacts, RandomTable, random_facts, random_table};
pub use same::{is_same_but_for_digits, is_same_but_for_versions};
pub use shown::answer;
pub use written::{Written, data_files, sibling};
