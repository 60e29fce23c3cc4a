//! Conditions on paths.

use manicule_format_restic::Node;

/// What a condition keeps of a path: to be handed back for what lies below it. Small: there are as
/// many as patterns can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub u128);

/// A condition on the paths of snapshots.
pub trait Look: Sync {
    /// What is kept of a match.
    type Kept: Send;

    /// The state in which a root tree is read.
    fn start(&self) -> State;

    /// Adds to `kept` what is a match in a node, in this order; `at` is the state of its folder. If
    /// the node is a folder, `None` passes over what it holds.
    fn node(&self, at: State, node: &Node<'_>, kept: &mut Vec<Self::Kept>) -> Option<State>;
}
