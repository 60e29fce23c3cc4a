//! The plainest graph store there can be, answers compared as SPARQL asks for, and the golden
//! questions: the judges of `engines/graph`.

mod archive;
mod change;
mod judge;
mod plain;
mod read;
mod same;
mod shop;
mod state;

pub use archive::Archive;
pub use change::{apply, change};
pub use judge::{Evaluation, JoinOrder, ask};
pub use plain::PlainGraph;
pub use read::{add, rdf_format, read_into};
pub use same::{Cells, Compare, compare_rows, compare_terms};
pub use shop::{Shop, ShopSyntax, shop_item};
pub use state::{state_hash, state_lines};
