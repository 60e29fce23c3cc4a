//! The distinct paths of all snapshots, each once, with the snapshots that have it.
//!
//! A folder is walked once for all snapshots in which it leads to a match: its levels, one for each
//! of its trees, are merged by names.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::vec::IntoIter;

use super::finds::Finds;
use super::level::LevelNo;

/// Some of the snapshots of a search, by their places among those that were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    words: Vec<u64>,
}

impl Members {
    fn one(member: usize, count: usize) -> Self {
        let mut words = vec![0; count.div_ceil(64)];
        words[member / 64] = 1 << (member % 64);
        Members { words }
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The first and the last of them.
    pub fn ends(&self) -> Option<(usize, usize)> {
        let first = self.words.iter().position(|word| *word != 0)?;
        let last = self.words.iter().rposition(|word| *word != 0)?;
        let low = self.words[first].trailing_zeros() as usize;
        let high = 63 - self.words[last].leading_zeros() as usize;
        Some((first * 64 + low, last * 64 + high))
    }

    fn add(&mut self, other: &Members) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }
}

/// A folder's tree in some snapshots.
type Group = (LevelNo, Rc<Members>);

/// A name in a folder of some snapshots.
struct Row<'f, K> {
    name: &'f [u8],
    /// What was kept of a node of that name, and the snapshots in which it is a match.
    kept: Option<(&'f K, Rc<Members>)>,
    below: Vec<Group>,
}

impl<K> Finds<K> {
    /// Hands out each distinct path that is a match in some snapshot, with what was kept of it in
    /// one of them; a folder before what it holds, names in the order of their bytes.
    ///
    /// Memory: the rows of the open folders.
    pub fn each_distinct<B>(
        &self,
        mut take: impl FnMut(&[u8], &K, &Members) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut path = Vec::new();
        let mut folders: Vec<(IntoIter<Row<'_, K>>, usize)> = vec![(self.rows(self.roots()), 0)];
        while let Some((rows, path_len)) = folders.last_mut() {
            let Some(row) = rows.next() else {
                folders.pop();
                continue;
            };
            path.truncate(*path_len);
            path.push(b'/');
            path.extend_from_slice(row.name);
            if let Some((kept, members)) = &row.kept {
                take(&path, kept, members)?;
            }
            if !row.below.is_empty() {
                folders.push((self.rows(row.below), path.len()));
            }
        }
        ControlFlow::Continue(())
    }

    fn roots(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for (member, root) in self.roots.iter().enumerate() {
            if let Some(root) = root.filter(|root| self.forest.leads(*root)) {
                join(&mut groups, root, &Rc::new(Members::one(member, self.roots.len())));
            }
        }
        groups
    }

    /// The names of a folder, those of all its levels together.
    fn rows(&self, groups: Vec<Group>) -> IntoIter<Row<'_, K>> {
        let mut entries = Vec::new();
        for (level, members) in &groups {
            entries.extend(self.forest.entries(*level).map(|entry| (entry, members)));
        }
        entries.sort_by(|(one, _), (other, _)| one.name.cmp(other.name));
        let mut rows: Vec<Row<'_, K>> = Vec::new();
        for (entry, members) in entries {
            if rows.last().is_none_or(|row| row.name != entry.name) {
                rows.push(Row { name: entry.name, kept: None, below: Vec::new() });
            }
            let Some(row) = rows.last_mut() else { break };
            if let Some(kept) = entry.kept.first() {
                match &mut row.kept {
                    Some((_, all)) => Rc::make_mut(all).add(members),
                    none => *none = Some((kept, Rc::clone(members))),
                }
            }
            if entry.below != LevelNo::NONE && self.forest.leads(entry.below) {
                join(&mut row.below, entry.below, members);
            }
        }
        rows.into_iter()
    }
}

/// Adds a level in some snapshots.
fn join(groups: &mut Vec<Group>, level: LevelNo, members: &Rc<Members>) {
    // From the end: snapshots after each other mostly have the same tree.
    match groups.iter_mut().rev().find(|(known, _)| *known == level) {
        Some((_, all)) => Rc::make_mut(all).add(members),
        None => groups.push((level, Rc::clone(members))),
    }
}
