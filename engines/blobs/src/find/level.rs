//! Levels: what a search has found in a tree, read in one state.

use std::collections::HashMap;
use std::ops::Range;

use super::look::State;
use crate::trees::TreeNo;

/// Number of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct LevelNo(pub(super) u32);

impl LevelNo {
    /// Of a node that is no folder, or one that is passed over.
    pub(super) const NONE: LevelNo = LevelNo(u32::MAX);
}

/// A tree below a node, and the state in which it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subtree {
    pub(super) tree: TreeNo,
    pub(super) state: State,
}

/// A node that is a match, or a folder that may hold one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Where its name ends in the names of its part; it begins where the one before ends.
    name_end: usize,
    /// Where what is kept of it ends.
    kept_end: usize,
    below: LevelNo,
}

/// What a thread has found in the trees of a wave.
#[derive(Debug)]
pub(super) struct Part<K> {
    names: Vec<u8>,
    pub(super) kept: Vec<K>,
    items: Vec<Item>,
    /// Levels, each with the end of its items.
    levels: Vec<(LevelNo, usize)>,
    /// Folders whose levels have no number yet: the item, and what is below it.
    folders: Vec<(usize, Subtree)>,
}

impl<K> Part<K> {
    pub(super) fn new() -> Self {
        let (names, kept, items) = (Vec::new(), Vec::new(), Vec::new());
        Part { names, kept, items, levels: Vec::new(), folders: Vec::new() }
    }

    /// Adds a node, what is kept of which was appended before.
    pub(super) fn node(&mut self, name: &[u8], below: Option<Subtree>) {
        if let Some(subtree) = below {
            self.folders.push((self.items.len(), subtree));
        }
        self.names.extend_from_slice(name);
        let (name_end, kept_end) = (self.names.len(), self.kept.len());
        self.items.push(Item { name_end, kept_end, below: LevelNo::NONE });
    }

    /// Ends a level.
    pub(super) fn end(&mut self, level: LevelNo) {
        self.levels.push((level, self.items.len()));
    }
}

/// All levels of a search.
#[derive(Debug)]
pub(super) struct Forest<K> {
    parts: Vec<Part<K>>,
    /// The part and the items of each level.
    places: Vec<(u32, Range<usize>)>,
    trees: Vec<TreeNo>,
    numbers: HashMap<(TreeNo, State), LevelNo>,
    /// Whether a level, or one below it, has a match.
    leads: Vec<bool>,
}

/// A node of a level.
pub(super) struct Entry<'f, K> {
    pub(super) name: &'f [u8],
    pub(super) kept: &'f [K],
    pub(super) below: LevelNo,
}

impl<K> Forest<K> {
    pub(super) fn new() -> Self {
        let (parts, places, trees) = (Vec::new(), Vec::new(), Vec::new());
        Forest { parts, places, trees, numbers: HashMap::new(), leads: Vec::new() }
    }

    /// The level of a tree in a state, if there is one.
    pub(super) fn find(&self, tree: TreeNo, state: State) -> Option<LevelNo> {
        self.numbers.get(&(tree, state)).copied()
    }

    /// The number of a tree's level in a state, and whether it is new.
    ///
    /// # Panics
    /// If there are 2^32 - 1 levels.
    pub(super) fn number(&mut self, tree: TreeNo, state: State) -> (LevelNo, bool) {
        let next = u32::try_from(self.trees.len()).expect("fewer than 2^32 levels");
        let number = *self.numbers.entry((tree, state)).or_insert(LevelNo(next));
        let is_new = number.0 == next;
        if is_new {
            assert!(number != LevelNo::NONE, "fewer than 2^32 - 1 levels");
            self.trees.push(tree);
            self.places.push((0, 0..0));
        }
        (number, is_new)
    }

    /// The tree of a level.
    pub(super) fn tree(&self, level: LevelNo) -> TreeNo {
        self.trees[level.0 as usize]
    }

    /// Adds what a thread has found; `met` receives each level that was not known.
    pub(super) fn add(&mut self, mut part: Part<K>, mut met: impl FnMut(TreeNo, State, LevelNo)) {
        for (item, Subtree { tree, state }) in std::mem::take(&mut part.folders) {
            let (level, is_new) = self.number(tree, state);
            part.items[item].below = level;
            if is_new {
                met(tree, state, level);
            }
        }
        let mut start = 0;
        for (level, end) in std::mem::take(&mut part.levels) {
            self.places[level.0 as usize] = (self.parts.len() as u32, start..end);
            start = end;
        }
        self.parts.push(part);
    }

    /// The nodes of a level in the order of its tree.
    pub(super) fn entries(&self, level: LevelNo) -> impl Iterator<Item = Entry<'_, K>> {
        let (_, items) = &self.places[level.0 as usize];
        items.clone().map(move |item| self.entry(level, item))
    }

    /// The numbers of a level's nodes.
    pub(super) fn items(&self, level: LevelNo) -> Range<usize> {
        self.places[level.0 as usize].1.clone()
    }

    /// A node of a level.
    pub(super) fn entry(&self, level: LevelNo, item: usize) -> Entry<'_, K> {
        let part = &self.parts[self.places[level.0 as usize].0 as usize];
        let before = item.checked_sub(1).map(|before| part.items[before]);
        let (name_start, kept_start) =
            before.map_or((0, 0), |before| (before.name_end, before.kept_end));
        let item = part.items[item];
        let (name, kept) =
            (&part.names[name_start..item.name_end], &part.kept[kept_start..item.kept_end]);
        Entry { name, kept, below: item.below }
    }

    /// Whether a level, or one below it, has a match.
    pub(super) fn leads(&self, level: LevelNo) -> bool {
        self.leads[level.0 as usize]
    }

    /// Finds out which levels lead to a match: from those that have one upwards.
    pub(super) fn finish(mut self) -> Self {
        let levels = (0..self.trees.len() as u32).map(LevelNo);
        let mut starts = vec![0_usize; self.trees.len() + 1];
        let below = |level| self.entries(level).map(|entry| entry.below);
        let folders = |level| below(level).filter(|below| *below != LevelNo::NONE);
        levels.clone().flat_map(folders).for_each(|below| starts[below.0 as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut above = vec![LevelNo::NONE; *starts.last().unwrap_or(&0)];
        let mut next = starts.clone();
        for level in levels.clone() {
            for below in folders(level) {
                above[next[below.0 as usize]] = level;
                next[below.0 as usize] += 1;
            }
        }
        let has_match = |level: &LevelNo| self.entries(*level).any(|entry| !entry.kept.is_empty());
        let mut waiting: Vec<LevelNo> = levels.filter(has_match).collect();
        let mut leads = vec![false; self.trees.len()];
        while let Some(level) = waiting.pop() {
            if !std::mem::replace(&mut leads[level.0 as usize], true) {
                let at = level.0 as usize;
                waiting.extend(&above[starts[at]..starts[at + 1]]);
            }
        }
        self.leads = leads;
        self
    }
}
