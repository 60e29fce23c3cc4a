//! Trees: walked, each distinct one once, and what they hold in memory.

mod cached;
mod forest;
mod gap;
mod gather;
mod locate;
mod nodes;
mod paths;
mod texts;
mod walk;

pub(crate) use forest::{BlobNo, Forest, Part, TreeNo};
pub(crate) use gap::gap_in_words;
pub(crate) use gather::gather;
pub use locate::{Located, locate};
pub(crate) use nodes::read_nodes;
pub use paths::{Below, PathReader, Step, each_path};
pub(crate) use walk::{Next, VisitTrees, walk};
