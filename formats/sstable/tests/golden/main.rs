//! Real SSTables by Cassandra 3.11 to 6.0: every component is read, and is what the writers' own
//! tools say.
//!
//! Those in proof/golden/rows always; all of them where `MANICULE_GOLDEN` names the folder of the
//! full set.

mod checks;
mod components;
mod data;
mod dumps;
mod index;
mod murmur;
mod names;
mod plain;
mod statistics;
mod support;
mod texts;
mod tries;
mod values;
mod walked;
mod written;
