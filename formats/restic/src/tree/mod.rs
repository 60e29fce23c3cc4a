//! Trees: the folders of a snapshot, each a JSON text of nodes whose SHA-256 is the tree's id.
//!
//! ```text
//! {"nodes":[<node>,...]}\n
//! ```
//!
//! [`Nodes`] reads any text that restic accepts. A node in the form that restic writes is read by a
//! scanner that compares whole keys and checks each value as it passes it; any other node by the
//! parser of Go's JSON. Both have one verdict and the same values.
//!
//! Bytes:   docs/formats/restic.md, section Trees

mod cursor;
mod encode;
mod faults;
mod general;
mod listing;
mod node;
mod nodes;
mod scan;
#[cfg(test)]
mod tests;

pub use encode::{OwnedNode, encode_tree, put_node};
pub use faults::{NodeChecks, NodeFault};
pub use listing::{
    FoundObject, put_found_fields, put_found_path, put_human_len, put_listed_node, put_long_fields,
    put_long_target, put_ncdu_node,
};
pub use node::{ExtendedAttribute, Node, NodeKind};
pub use nodes::Nodes;
