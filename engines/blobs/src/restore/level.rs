//! An open folder of the way through the trees.

use std::collections::HashSet;
use std::vec::IntoIter;

use manicule_format_restic::OwnedNode;
use manicule_store::InsideFolder;

use crate::find::State;

/// An open folder.
pub(super) struct Level {
    pub(super) nodes: IntoIter<OwnedNode>,
    /// The folder itself; `None` for the target.
    pub(super) node: Option<OwnedNode>,
    pub(super) path: Vec<u8>,
    pub(super) state: State,
    /// Where it is put, once something was.
    pub(super) folder: Option<InsideFolder>,
    /// Whether it or something in it was chosen.
    pub(super) is_chosen: bool,
    /// Names that were met.
    pub(super) names: HashSet<Vec<u8>>,
    /// Whether `nodes` were all that the folder has.
    pub(super) is_whole: bool,
}

impl Level {
    pub(super) fn of(
        nodes: Vec<OwnedNode>,
        node: Option<OwnedNode>,
        path: Vec<u8>,
        state: State,
        is_whole: bool,
    ) -> Self {
        let (nodes, names) = (nodes.into_iter(), HashSet::new());
        Level { nodes, node, path, state, folder: None, is_chosen: false, names, is_whole }
    }
}
