//! Transactions: changes that become visible at once, when they are durable, or not at all.

use std::sync::Arc;

use manicule_format_leaf::{Id, Tag};

use super::merge::merge_if_due;
use super::shared::Shared;
use crate::dictionary::{Memo, Piece};
use crate::error::GraphError;
use crate::overlay::{Change, Changes, Keep, Layer, push};
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::snapshot::{Key, Snapshot, State, key_of};
use crate::term::TermRef;

/// Changes of a store by one writer. They are seen through [`Transaction::view`] alone, until
/// [`Transaction::commit`]; dropped, they are forgotten.
///
/// There is one at a time: a thread that has one and begins another waits for ever.
#[derive(Debug)]
pub struct Transaction {
    shared: Arc<Shared>,
    /// What it began with.
    before: Arc<State>,
    /// Its own changes up to the last view of it.
    own: Vec<Arc<Layer>>,
    /// Its changes since.
    changes: Changes,
    terms: Piece,
    /// Terms of the store that were found before.
    found: Memo,
    next_blank: u64,
}

/// Result of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Committed {
    /// Number of the commit; none if nothing was changed.
    pub commit: Option<u64>,
    /// Number of quads that are there and weren't before.
    pub added: u64,
    /// Number of quads that were there and aren't any more.
    pub removed: u64,
}

/// A commit that is in the log, and durable and visible after [`Appended::wait`], or with the next
/// commit that somebody waits for.
#[derive(Debug)]
#[must_use = "it is durable when it was waited for"]
pub struct Appended {
    shared: Arc<Shared>,
    committed: Committed,
}

impl Appended {
    /// Waits until it is durable and visible: one sync is for all commits that were appended by
    /// then.
    pub fn wait(self) -> Result<Committed, GraphError> {
        if let Some(commit) = self.committed.commit {
            self.shared.wait_until_durable(commit)?;
            merge_if_due(&self.shared);
        }
        Ok(self.committed)
    }
}

impl Transaction {
    pub(super) fn new(shared: Arc<Shared>, before: Arc<State>) -> Self {
        let terms = Piece::new(before.keys, before.next_terms);
        let (own, changes, next_blank) = (Vec::new(), Changes::default(), before.next_blank);
        Transaction { shared, before, own, changes, terms, found: Memo::default(), next_blank }
    }

    /// The id of a term, which is new if the store doesn't have it. A blank node is one that
    /// [`Transaction::new_blank`] has given, here or earlier.
    pub fn intern(&mut self, term: TermRef<'_>) -> Result<Id, GraphError> {
        match key_of(term) {
            Key::Blank(number) => {
                assert!(number < self.next_blank, "a blank node of the store");
                Ok(Id::new(Tag::BLANK, number))
            }
            Key::Inlined(id) => Ok(id),
            Key::Text(tag, bytes) => {
                let hash = self.before.keys.hash(&bytes);
                // Terms come again and again, new ones too: files are asked last.
                let known = self.terms.find(tag, &bytes, hash);
                if let Some(id) = known.or_else(|| self.found.find(tag, &bytes, hash)) {
                    return Ok(id);
                }
                match self.find_text(tag, &bytes, hash)? {
                    Some(id) => {
                        self.found.add(id, &bytes, hash);
                        Ok(id)
                    }
                    None => Ok(self.terms.find_or_add(tag, &bytes, hash)),
                }
            }
        }
    }

    /// The id of a term, if the store or this transaction has it.
    pub fn find(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError> {
        match key_of(term) {
            Key::Blank(number) => {
                Ok((number < self.next_blank).then(|| Id::new(Tag::BLANK, number)))
            }
            Key::Inlined(id) => Ok(Some(id)),
            Key::Text(tag, bytes) => {
                let hash = self.before.keys.hash(&bytes);
                let found = self.find_text(tag, &bytes, hash)?;
                Ok(found.or_else(|| self.terms.find(tag, &bytes, hash)))
            }
        }
    }

    fn find_text(&self, tag: Tag, bytes: &[u8], hash: u64) -> Result<Option<Id>, GraphError> {
        let own = self.own.iter().find_map(|layer| layer.terms().find(tag, bytes, hash));
        own.map_or_else(|| self.before.find_text(tag, bytes, hash), |id| Ok(Some(id)))
    }

    /// A blank node that nobody has.
    pub fn new_blank(&mut self) -> Id {
        self.next_blank += 1;
        Id::new(Tag::BLANK, self.next_blank - 1)
    }

    /// Adds a quad of ids that this transaction, or a view of the store before it, has given. Its
    /// graph exists from then on.
    pub fn insert(&mut self, quad: Quad) {
        self.changes.push(quad, Change::Added);
    }

    /// Removes a quad. Its graph stays, be it empty.
    pub fn remove(&mut self, quad: Quad) {
        self.changes.push(quad, Change::Removed);
    }

    /// Makes a graph, be it empty. Nothing happens if it is there.
    pub fn create_graph(&mut self, name: Id) {
        self.changes.graphs.push(([name], Change::Added));
    }

    /// Removes the quads of graphs.
    pub fn clear(&mut self, graph: GraphChoice) -> Result<(), GraphError> {
        let pattern = Pattern { subject: None, predicate: None, object: None, graph };
        for quad in self.view().scan(&pattern) {
            self.remove(quad?);
        }
        Ok(())
    }

    /// Removes a graph and its quads.
    pub fn drop_graph(&mut self, name: Id) -> Result<(), GraphError> {
        self.clear(GraphChoice::Named(name))?;
        self.changes.graphs.push(([name], Change::Removed));
        Ok(())
    }

    /// The store with all changes so far. What is changed afterwards it doesn't show.
    pub fn view(&mut self) -> Snapshot {
        self.settle();
        let mut state = State::clone(&self.before);
        state.layers.extend(self.own.iter().cloned());
        state.has_idle = !self.own.is_empty();
        self.number(&mut state);
        Snapshot::new(Arc::new(state))
    }

    /// Makes a layer of the latest changes.
    fn settle(&mut self) {
        if self.changes.is_empty() && self.terms.count() == 0 {
            return;
        }
        let mut changes = std::mem::take(&mut self.changes);
        changes.settle();
        let next = Piece::new(self.before.keys, self.terms.next());
        let terms = std::mem::replace(&mut self.terms, next);
        let commit = self.before.commit + 1;
        let layer = Arc::new(Layer::new(commit..=commit, &changes, terms));
        push(&mut self.own, layer, Keep::Newest, self.before.commit);
    }

    fn number(&self, state: &mut State) {
        (state.next_blank, state.next_terms) = (self.next_blank, self.terms.next());
    }

    /// Makes all changes durable and visible, and waits for that. Changes that change nothing are
    /// no commit.
    pub fn commit(self) -> Result<Committed, GraphError> {
        self.append()?.wait()
    }

    /// Appends all changes to the log, as a commit that the next transaction sees. The right to
    /// write is given back.
    pub fn append(mut self) -> Result<Appended, GraphError> {
        let (changes, terms) = self.net()?;
        let (added, removed) = changes.quad_counts();
        let shared = self.shared.clone();
        if changes.is_empty() {
            return Ok(Appended { shared, committed: Committed { commit: None, added, removed } });
        }
        // Asked for first: a merge can't begin while this transaction has the right to write, but
        // one may end.
        let frozen = self.shared.frozen();
        let mut state = self.shared.group().on_newest(&self.before);
        state.commit += 1;
        self.number(&mut state);
        let commit = state.commit;
        self.shared.append(commit, self.next_blank, &terms, &changes)?;
        let layer = Arc::new(Layer::new(commit..=commit, &changes, terms));
        push(&mut state.layers, layer, Keep::Net, frozen);
        self.shared.group().appended(state);
        // The next transaction may begin while this one waits for the disk: it is dropped here.
        Ok(Appended { shared, committed: Committed { commit: Some(commit), added, removed } })
    }

    /// All changes that change something, and all new terms.
    fn net(&mut self) -> Result<(Changes, Piece), GraphError> {
        let mut changes = if self.own.is_empty() {
            let mut changes = std::mem::take(&mut self.changes);
            changes.settle();
            changes
        } else {
            self.settle();
            let all = Layer::merged(&self.own, Keep::Newest);
            Changes {
                default: all.default_quads().entries().collect(),
                named: all.named_quads().entries().collect(),
                graphs: all.graphs().entries().collect(),
            }
        };
        self.before.drop_idle(&mut changes)?;
        let next = Piece::new(self.before.keys, self.terms.next());
        let last = std::mem::replace(&mut self.terms, next);
        let Some((first, rest)) = self.own.split_first() else { return Ok((changes, last)) };
        let mut terms = first.terms().clone();
        rest.iter().for_each(|layer| terms.append(layer.terms()));
        terms.append(&last);
        Ok((changes, terms))
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.shared.group().end_writing();
    }
}
