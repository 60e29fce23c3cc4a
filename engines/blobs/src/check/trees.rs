//! Trees below all snapshots, each once: readable, decodable, their nodes sound, their blobs in the
//! index.
//!
//! A tree is first only judged. The words are made in a second pass over its text, which the few
//! with a fault need.

use std::collections::HashSet;

use manicule_core::idmap::IdBytes;
use manicule_core::watch::Stopped;
use manicule_format_restic::{BlobKind, Id, Node, NodeChecks, NodeFault, Nodes};

use super::call::Call;
use super::finding::{Finding, FindingKind};
use crate::index::Index;
use crate::packs::ReadError;
use crate::snapshots::Kept;
use crate::trees::{BlobNo, Forest, Next, Part, TreeNo, VisitTrees, walk};

/// What the walk has met.
#[derive(Debug)]
pub(super) struct CheckedTrees {
    pub(super) forest: Forest,
    /// The root of each snapshot, in their order; `None` for one that the index lacks.
    pub(super) roots: Vec<Option<TreeNo>>,
    /// Trees that can't be read from any place.
    pub(super) unreadable: Vec<TreeNo>,
    /// Trees that name a blob or a tree which the index lacks.
    pub(super) lacking: HashSet<TreeNo>,
    /// Trees whose text is none, from some place on.
    pub(super) undecodable: HashSet<TreeNo>,
    pub(super) findings: Vec<Finding>,
}

impl CheckedTrees {
    /// Whether every tree that a snapshot needs was read to its end.
    pub(super) fn is_whole(&self) -> bool {
        self.findings.iter().all(|finding| {
            let kind = finding.kind;
            !matches!(
                kind,
                FindingKind::TreeMissing
                    | FindingKind::TreeUnreadable
                    | FindingKind::TreeUndecodable
            )
        })
    }
}

/// Walks all trees below the snapshots.
pub(super) fn check_trees(call: &Call<'_>, snapshots: &[Kept]) -> Result<CheckedTrees, Stopped> {
    let &Call { repository, index, threads, watch } = call;
    let mut findings = Vec::new();
    let roots: Vec<_> = snapshots.iter().map(|kept| root(index, kept, &mut findings)).collect();
    let known: Vec<TreeNo> = roots.iter().flatten().copied().collect();
    let visitors = (0..threads.max(1)).map(|_| CheckTrees::new(index)).collect();
    let (mut parts, mut unreadable) = (Vec::new(), Vec::new());
    let (mut lacking, mut undecodable) = (HashSet::new(), HashSet::new());
    for visitor in walk(repository, index, &known, visitors, watch)? {
        parts.push(visitor.part);
        unreadable.extend(visitor.unreadable);
        lacking.extend(visitor.lacking);
        undecodable.extend(visitor.undecodable);
        findings.extend(visitor.findings);
    }
    let forest = Forest::new(parts, index.of(BlobKind::Tree).numbers_end());
    // Several snapshots and trees may name one that is missing.
    findings.sort_by_key(|finding| finding.id);
    findings.dedup_by(|one, other| {
        one.kind == FindingKind::TreeMissing && (one.kind, one.id) == (other.kind, other.id)
    });
    Ok(CheckedTrees { forest, roots, unreadable, lacking, undecodable, findings })
}

fn root(index: &Index, kept: &Kept, findings: &mut Vec<Finding>) -> Option<TreeNo> {
    let Some(tree) = kept.snapshot.tree else {
        findings.push(Finding::new(FindingKind::SnapshotWithoutTree, kept.id, "it has no tree"));
        return None;
    };
    let number = index.of(BlobKind::Tree).number(&tree);
    if number.is_none() {
        findings.push(missing(tree));
    }
    number.map(TreeNo)
}

fn missing(tree: Id) -> Finding {
    Finding::new(FindingKind::TreeMissing, tree, "not found in the index")
}

struct CheckTrees<'i> {
    index: &'i Index,
    part: Part,
    unreadable: Vec<TreeNo>,
    lacking: Vec<TreeNo>,
    undecodable: Vec<TreeNo>,
    findings: Vec<Finding>,
    /// Data blobs of the tree at hand.
    ids: Vec<IdBytes>,
    /// Faults of the node at hand.
    faults: Vec<NodeFault>,
}

impl VisitTrees for CheckTrees<'_> {
    fn tree(&mut self, tree: TreeNo, text: Result<&[u8], ReadError>, next: &mut Next<'_>) {
        match text {
            Err(error) => {
                let id = self.id(tree);
                self.findings.push(Finding::new(FindingKind::TreeUnreadable, id, error));
                self.unreadable.push(tree);
            }
            Ok(text) => {
                if !self.is_sound(tree, text, next) {
                    self.explain(tree, text);
                }
            }
        }
        self.part.end(tree);
    }
}

impl<'i> CheckTrees<'i> {
    fn new(index: &'i Index) -> Self {
        CheckTrees {
            index,
            part: Part::default(),
            unreadable: Vec::new(),
            lacking: Vec::new(),
            undecodable: Vec::new(),
            findings: Vec::new(),
            ids: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn id(&self, tree: TreeNo) -> Id {
        self.index.of(BlobKind::Tree).entry(tree.0).0
    }

    /// Takes what a tree names, as far as it can be read; whether nothing is wrong with it.
    fn is_sound(&mut self, tree: TreeNo, text: &[u8], next: &mut Next<'_>) -> bool {
        self.ids.clear();
        self.faults.clear();
        let mut has_all = true;
        let is_whole = self.take_nodes(text, next, &mut has_all).is_ok();
        let lacks_tree = !has_all;
        let CheckTrees { index, part, ids, .. } = self;
        index.of(BlobKind::Data).find_each(ids, |_, number| match number {
            Some(number) => part.blob(BlobNo(number)),
            None => has_all = false,
        });
        let null = [0; 32];
        let lacks =
            |id: &IdBytes| *id != null && index.of(BlobKind::Data).number(&Id(*id)).is_none();
        let is_lacking = !has_all && (lacks_tree || ids.iter().any(lacks));
        self.lacking.extend(is_lacking.then_some(tree));
        self.undecodable.extend((!is_whole).then_some(tree));
        is_whole && has_all && self.faults.is_empty()
    }

    fn take_nodes(
        &mut self,
        text: &[u8],
        next: &mut Next<'_>,
        has_all: &mut bool,
    ) -> Result<(), ()> {
        let mut nodes = Nodes::open(text).map_err(drop)?;
        let mut checks = NodeChecks::new();
        while let Some(node) = nodes.next_node().map_err(drop)? {
            checks.check(node, &mut self.faults);
            self.ids.extend(node.blobs().iter().map(|id| id.0));
            if let Some(id) = node.child() {
                match next.tree(&id) {
                    Some(subtree) => self.part.subtree(subtree),
                    None => {
                        *has_all = false;
                        self.findings.push(missing(id));
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts into words what is wrong with a tree.
    fn explain(&mut self, tree: TreeNo, text: &[u8]) {
        let id = self.id(tree);
        let undecodable = |error| Finding::new(FindingKind::TreeUndecodable, id, error);
        let mut nodes = match Nodes::open(text) {
            Ok(nodes) => nodes,
            Err(error) => return self.findings.push(undecodable(error)),
        };
        let mut checks = NodeChecks::new();
        loop {
            match nodes.next_node() {
                Ok(None) => break,
                Err(error) => return self.findings.push(undecodable(error)),
                Ok(Some(node)) => self.explain_node(id, node, &mut checks),
            }
        }
    }

    fn explain_node(&mut self, tree: Id, node: &Node<'_>, checks: &mut NodeChecks) {
        self.faults.clear();
        checks.check(node, &mut self.faults);
        for fault in &self.faults {
            let kind = if fault.is_found_by_restic() {
                FindingKind::NodeFault
            } else {
                FindingKind::NodeOdd
            };
            self.findings.push(Finding::new(kind, tree, fault.describe(node)).at(node.at));
        }
        let null = Id([0; 32]);
        for blob in node.blobs().iter().filter(|blob| **blob != null) {
            if !self.index.has(BlobKind::Data, blob) {
                let name = manicule_core::go::quote(node.name());
                let what = format!("file {name} blob {blob} not found in index");
                let finding = Finding::new(FindingKind::BlobMissing, tree, what);
                self.findings.push(finding.of_blob(*blob).at(node.at));
            }
        }
    }
}
