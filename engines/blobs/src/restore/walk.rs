//! The way through the trees: folders are made when something is put into them, and get their times
//! when they are left.

use std::io;

use manicule_format_restic::{Id, OwnedNode};
use manicule_store::{InsideFolder, is_one_name};

use super::failure::Failure;
use super::job::Restore;
use super::level::Level;
use super::meta::meta_of;
use super::options::{RestoreError, Selection};
use crate::find::{Patterns, State};
use crate::packs::bring_trees;
use crate::trees::read_nodes;

impl Restore<'_> {
    /// Opens a folder of the snapshot. What of it can't be read is a failure.
    pub(super) fn enter(&mut self, tree: Id, node: Option<OwnedNode>, path: Vec<u8>, state: State) {
        let (nodes, is_whole) = match read_nodes(&mut self.trees, tree) {
            Ok(nodes) => {
                let subtrees = nodes.iter().filter_map(|node| node.subtree);
                bring_trees(self.repository, self.index, subtrees);
                (nodes, true)
            }
            Err(why) => {
                let shown = if path.is_empty() { b"/".to_vec() } else { path.clone() };
                self.fail(&shown, Failure::of_data(why));
                (Vec::new(), false)
            }
        };
        self.levels.push(Level::of(nodes, node, path, state, is_whole));
    }

    /// Takes the next node of the last folder.
    pub(super) fn node(&mut self, node: OwnedNode) -> Result<(), RestoreError> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let path = [&level.path[..], b"/", &node.name].concat();
        if !level.names.insert(node.name.clone()) {
            let why = "its folder has this name twice; the first one is restored";
            self.fail(&path, Failure::of_tree(why));
            return Ok(());
        }
        let (state, is_folder) = (level.state, node.kind == "dir");
        // As in restic: who knows what such a tree means by what it lacks.
        self.is_deleting &= is_one_name(&node.name);
        let (state, is_chosen, is_entered) = self.choose(state, &node.name);
        // As in restic: sockets are made by who listens there.
        if node.kind == "socket" || !(is_chosen || is_folder && is_entered) {
            return Ok(());
        }
        if is_chosen {
            self.levels.iter_mut().for_each(|level| level.is_chosen = true);
        }
        if !is_folder {
            return self.leaf(&node, &path);
        }
        let Some(tree) = node.subtree else {
            self.fail(&path, Failure::of_tree("a folder without a tree"));
            return Ok(());
        };
        if is_chosen {
            self.sums.nodes += 1;
        }
        if is_entered {
            self.enter(tree, Some(node), path, state)
        } else {
            self.levels.push(Level::of(Vec::new(), Some(node), path, state, false))
        }
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        level.is_chosen = is_chosen;
        if is_chosen
            && !self.options.is_dry
            && let Err(error) = self.open_folders()
        {
            // What is in it has no place.
            let path = self.levels.pop().map(|level| level.path).unwrap_or_default();
            self.fail(&path, error.into());
            return Ok(());
        }
        if is_chosen {
            self.sums.restored += 1;
        }
        Ok(())
    }

    /// The state below a name, whether it is restored, and whether something in it may be.
    pub(super) fn choose(&self, state: State, name: &[u8]) -> (State, bool, bool) {
        match &self.options.selection {
            Selection::All => (state, true, true),
            Selection::Only(patterns) => {
                let after = patterns.after(state, name);
                (after, Patterns::is_match(after), patterns.may_match(after))
            }
            Selection::Without(patterns) => {
                let after = patterns.after(state, name);
                let is_chosen = !Patterns::is_match(after);
                (after, is_chosen, is_chosen)
            }
        }
    }

    /// The folder that the last level is put into.
    pub(super) fn folder(&self) -> Option<&InsideFolder> {
        self.levels.last()?.folder.as_ref().or(self.target.as_ref())
    }

    /// Makes the folders of all levels that have none yet.
    pub(super) fn open_folders(&mut self) -> io::Result<()> {
        let Some(target) = &self.target else { return Ok(()) };
        for at in 0..self.levels.len() {
            let (before, from) = self.levels.split_at_mut(at);
            let level = &mut from[0];
            let (None, Some(node)) = (&level.folder, &level.node) else { continue };
            let above = before.last().and_then(|level| level.folder.as_ref()).unwrap_or(target);
            level.folder = Some(above.folder(&node.name, 0o700)?);
        }
        Ok(())
    }

    /// Leaves the last folder: it gets what it has.
    pub(super) fn leave(&mut self) {
        self.delete_others();
        let Some(level) = self.levels.pop() else { return };
        let (Some(folder), Some(node)) = (level.folder, level.node) else { return };
        if !level.is_chosen {
            return;
        }
        let mut wrong = Vec::new();
        for attribute in &node.extended_attributes {
            if let Err(error) = folder.set_attribute(&attribute.name, &attribute.value) {
                wrong.push(format!("attribute {}: {error}", attribute.name));
            }
        }
        wrong.extend(folder.set_meta(&meta_of(&node)).err().map(|error| error.to_string()));
        wrong.into_iter().for_each(|why| self.fail(&level.path, Failure::of_target(why)));
    }

    /// The names of the last level's folder below the target.
    pub(super) fn names(&self) -> Vec<Vec<u8>> {
        let nodes = self.levels.iter().filter_map(|level| level.node.as_ref());
        nodes.map(|node| node.name.clone()).collect()
    }
}
