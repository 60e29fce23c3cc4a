//! Layers merged into leaves and dictionary segments: a new generation, made while commits go on.

use std::sync::Arc;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_leaf::{Order, Tag};

use manicule_store::store::Fetched;

use super::counted::statistics_of;
use super::options::Merges;
use super::pins::{path_of, pin, unpin};
use super::publish::{NewGeneration, Place, is_current, sweep_others};
use super::shared::Shared;
use crate::base::merge_leaves;
use crate::dictionary::{Piece, Segment, TEXT_TAGS, merged_segment};
use crate::error::GraphError;
use crate::overlay::{Keep, Layer};
use crate::snapshot::State;
use crate::snapshot::generation::Generation;

/// A segment is merged with those before it that are less than this many times as large: so there
/// are few, and a term is written few times.
const SEGMENT_RATIO: u64 = 4;

/// Merges all that is committed now. Returns whether there was anything.
pub(super) fn merge(shared: &Shared, watch: &Watch<'_>) -> Result<bool, GraphError> {
    let _one_at_a_time = shared.merging()?;
    let Some(head) = freeze(shared)? else { return Ok(false) };
    let merged = write(shared.place(), &head, watch);
    let rebased = |state: &State, generation: &Arc<Generation>| state.rebased(generation);
    let adopted = merged.and_then(|new| adopt(shared, new, &head, rebased));
    shared.set_frozen(0);
    if adopted.is_err() {
        sweep_unpublished(shared);
    }
    adopted.map(|()| true)
}

/// Removes the files of a generation that could not be published, by who has the right to make one.
pub(super) fn sweep_unpublished(shared: &Shared) {
    let visible = shared.group().visible();
    let kept = visible.base.manifest();
    // Where it names the new one already, and may after a power cut name the old one, the next to
    // open the store looks.
    if is_current(shared.folder(), kept.generation) {
        // The error before it is the one that matters; what is left is swept by the next merge.
        drop(sweep_others(shared.files(), shared.folder(), kept));
    }
}

/// Publishes a generation, makes the states what they are on it, and removes what it replaces.
pub(super) fn adopt(
    shared: &Shared,
    mut new: NewGeneration,
    before: &State,
    with: impl Fn(&State, &Arc<Generation>) -> State,
) -> Result<(), GraphError> {
    let manifest = new.put_manifest()?.clone();
    // Mapped before anybody else can see it: what fails now changes nothing.
    let files = Fetched::local(shared.folder());
    let generation = Arc::new(Generation::open(&files, manifest, Some(&before.base))?);
    new.make_current().inspect_err(|error| shared.group().stop(error.to_string()))?;
    shared.group().replace(|state| with(state, &generation));
    shared.remove_log_before(generation.manifest().log)?;
    sweep_others(shared.files(), shared.folder(), generation.manifest())
}

/// Keeps all that is committed now under a name.
pub(super) fn name_snapshot(shared: &Shared, name: &str) -> Result<(), GraphError> {
    path_of(shared.folder(), name)?;
    merge(shared, &Watch::none())?;
    let _no_merge_meanwhile = shared.merging()?;
    pin(shared.files(), shared.folder(), name, shared.group().visible().base.manifest())
}

/// Forgets a name, and removes the files that nothing else names. Whether there was one.
pub(super) fn drop_snapshot(shared: &Shared, name: &str) -> Result<bool, GraphError> {
    let _no_merge_meanwhile = shared.merging()?;
    let was_there = unpin(shared.files(), shared.folder(), name)?;
    sweep_others(shared.files(), shared.folder(), shared.group().visible().base.manifest())?;
    Ok(was_there)
}

/// Merges in a thread of its own, if there is enough and none is at it.
pub(super) fn merge_if_due(shared: &Arc<Shared>) {
    if shared.merges() != Merges::Elsewhere && is_due(&shared.group().visible()) {
        shared.work(merge_unless_merging);
    }
}

/// Merges what may not wait any longer.
pub(super) fn merge_if_over(shared: &Shared) -> Result<(), GraphError> {
    if is_over(&shared.group().visible()) {
        return merge_unless_merging(shared, &Watch::none());
    }
    Ok(())
}

/// Merges, unless another process is at it: its merge has most of what this one's would have.
fn merge_unless_merging(shared: &Shared, watch: &Watch<'_>) -> Result<(), GraphError> {
    match merge(shared, watch) {
        Err(GraphError::Merging { .. }) => Ok(()),
        merged => merged.map(|_| ()),
    }
}

/// The state that is merged: all of it is durable, its layers stay as they are, and commits after
/// it go to a new segment of the log.
fn freeze(shared: &Shared) -> Result<Option<Arc<State>>, GraphError> {
    let head = shared.begin_writing()?;
    let frozen = || {
        if head.layers.is_empty() {
            return Ok(None);
        }
        shared.wait_until_durable(head.commit)?;
        shared.roll_log(head.commit + 1)?;
        shared.set_frozen(head.commit);
        Ok(Some(head.clone()))
    };
    let frozen = frozen();
    shared.group().end_writing();
    frozen
}

/// Writes the generation of a state.
pub(super) fn write(
    place: Place<'_>,
    head: &State,
    watch: &Watch<'_>,
) -> Result<NewGeneration, GraphError> {
    let row_count = Order::ALL.iter().map(|order| head.base.set(*order).row_count()).sum();
    let meter = watch.phase(Phase::Merging, Unit::Rows, row_count);
    let all = Layer::merged(&head.layers, Keep::Net);
    let mut new = NewGeneration::after(place.files, place.folder, head.base.manifest());
    for order in Order::ALL {
        watch.check()?;
        // Without changes all leaves are kept.
        let set = head.base.set(order);
        let parts = merge_leaves(set, all.entries(order), place.leaves, &meter)?;
        new.put_parts(order, &parts)?;
    }
    put_terms(&mut new, head.base.segments(), all.terms(), &watch.silent())?;
    new.put_statistics(&statistics_of(head, &all, watch)?)?;
    let graphs = head.graphs()?;
    let mut empty = Vec::new();
    for name in graphs {
        if head.count(Order::Gspo, &[name])? == 0 {
            empty.push(name);
        }
    }
    let manifest = new.manifest();
    (manifest.graphs, manifest.commit, manifest.log) = (empty, head.commit, head.commit + 1);
    manifest.next_numbers.set(Tag::BLANK, head.next_blank);
    for (tag, next) in TEXT_TAGS.into_iter().zip(head.next_terms) {
        manifest.next_numbers.set(tag, next);
    }
    meter.end();
    Ok(new)
}

/// Adds the segments, and new terms as another one, with which the last few of them are merged.
fn put_terms(
    new: &mut NewGeneration,
    segments: &[Arc<Segment>],
    terms: &Piece,
    meter: &Meter<'_>,
) -> Result<(), GraphError> {
    let (mut kept, mut count) = (segments.len(), terms.count());
    while count > 0
        && let Some(last) = kept.checked_sub(1)
    {
        let of_last = segments[last].count();
        if of_last >= count * SEGMENT_RATIO {
            break;
        }
        (kept, count) = (last, count + of_last);
    }
    segments[..kept].iter().for_each(|segment| new.keep_dictionary(segment.row()));
    if count == 0 {
        return Ok(());
    }
    let merged: Vec<&Segment> = segments[kept..].iter().map(|segment| &**segment).collect();
    new.put_dictionary(&merged_segment(&merged, terms, meter)?)
}

/// Whether a state has enough changes for a merge: a share of the base and enough to be worth a
/// generation, or much memory.
fn is_due(state: &State) -> bool {
    /// A merge rewrites the leaves that it touches, of 128 k rows each: fewer changes than this
    /// would rewrite a leaf for a row or two.
    const CHANGES_MIN: u64 = 64 << 10;
    /// The base's rows for each change from which on a merge pays.
    const SHARE: u64 = 20;
    /// Bytes of the overlay from which on a merge pays, however few rows they are.
    const MEMORY_DUE: usize = 256 << 20;
    let due = (base_quads(state) / SHARE).max(CHANGES_MIN);
    state.changed() as u64 >= due || state.memory() >= MEMORY_DUE
}

fn base_quads(state: &State) -> u64 {
    let quads = |order| state.base.set(order).row_count();
    quads(Order::Spo) + quads(Order::Spog)
}

/// Whether the changes of a state are enough to slow down opening it, which each process does
/// again.
pub(super) fn is_due_beside(state: &State) -> bool {
    /// To read a change of the log takes half a microsecond, to open a store of a million quads
    /// some milliseconds.
    const CHANGES_MIN: u64 = 4096;
    /// The base's rows for each change from which on a merge pays.
    const SHARE: u64 = 256;
    state.changed() as u64 >= (base_quads(state) / SHARE).max(CHANGES_MIN)
}

/// Whether a state holds more than may wait for a merge.
fn is_over(state: &State) -> bool {
    /// Of the overlay: rows in all orders, and new terms.
    const MEMORY_MAX: usize = 1 << 30;
    state.memory() >= MEMORY_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quad::{GraphChoice, Pattern, Quad};
    use crate::term::TermRef;
    use crate::{Id, LeafSizes, Merges, Store, StoreOptions, WhenLost};
    use manicule_store::Disk;

    fn insert(store: &Store, name: &str) {
        let mut transaction = store.begin().expect("a transaction");
        let id = transaction.intern(TermRef::Iri(name)).expect("an id");
        let quad = Quad { subject: id, predicate: id, object: id, graph: Id::DEFAULT_GRAPH };
        transaction.insert(quad);
        transaction.commit().expect("a commit");
    }

    #[test]
    fn a_merge_that_is_stopped_changes_nothing_and_is_done_by_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StoreOptions {
            files: Disk::shared(),
            random: 1,
            leaves: LeafSizes::STANDARD,
            lost: WhenLost::Refuse,
            merges: Merges::Here,
        };
        let store = Store::create(folder.path(), &options).expect("a store");
        let all =
            Pattern { subject: None, predicate: None, object: None, graph: GraphChoice::Default };
        for (round, name) in ["http://a/", "http://b/"].into_iter().enumerate() {
            insert(&store, name);
            let watch = Watch::none();
            watch.cancel();
            let generation = store.snapshot().state().base.manifest().generation;
            let stopped = merge(&store.handle.shared, &watch);
            assert!(matches!(stopped, Err(GraphError::Stopped(_))), "round {round}");
            assert_eq!(store.snapshot().state().base.manifest().generation, generation);
            insert(&store, "http://c/");
            assert!(store.merge().expect("a merge"));
            let quads = store.snapshot().scan(&all).map(|quad| quad.expect("a quad"));
            assert_eq!(quads.count(), round + 2);
        }
    }
}
