//! Rows of all runs into the leaves of each order, counted as they pass.

use manicule_core::watch::Meter;
use manicule_format_leaf::leaf::LeafWriter;
use manicule_format_leaf::statistics::ScopeStatistics;
use manicule_format_leaf::{Id, Order};
use manicule_store::threads::in_order_ahead;

use super::sort::{Sorted, Sorter, Space, Step, merge_rows};
use super::terms::Ranked;
use crate::base::{Gatherer, LEAF_ROWS, NewLeaf};
use crate::error::GraphError;
use crate::store::Bulk;

/// The orders of the default graph. Rows that are in one of them are in the next after they were
/// sorted by its first column alone.
pub(super) const DEFAULT_STEPS: [Step; 3] = [
    Step { order: Order::Spo, columns: &[2, 1, 0] },
    Step { order: Order::Osp, columns: &[2] },
    Step { order: Order::Pos, columns: &[1] },
];

/// Those of the named graphs.
pub(super) const NAMED_STEPS: [Step; 4] = [
    Step { order: Order::Spog, columns: &[3, 2, 1, 0] },
    Step { order: Order::Ospg, columns: &[2] },
    Step { order: Order::Posg, columns: &[1] },
    Step { order: Order::Gspo, columns: &[0, 3] },
];

/// What becomes of rows.
pub(super) struct RowSink<'b, 'm> {
    pub(super) bulk: &'b mut Bulk,
    pub(super) ranked: &'b Ranked,
    pub(super) threads: usize,
    /// Of rows, each as often as there are orders.
    pub(super) meter: &'b Meter<'m>,
}

/// What was counted of rows.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) statistics: ScopeStatistics,
    /// Graphs and their rows, of named ones.
    pub(super) graphs: Vec<(Id, u64)>,
}

/// Puts rows as leaves of each order. `sorter` has them all, for the first of the orders.
pub(super) fn put_orders<const N: usize>(
    sink: &mut RowSink<'_, '_>,
    sorter: Sorter<'_, N>,
    steps: &[Step],
    space: Space<'_>,
) -> Result<Counted, GraphError> {
    let mut gatherer = Gatherer::new(sink.ranked.type_predicate);
    let mut graphs = Vec::new();
    let max = sink.ranked.max();
    let mut sorter = Some(sorter);
    let mut later = steps[1..].iter();
    while let Some(current) = sorter.take() {
        let order = current.order();
        let next = later.next();
        let mut is_first = true;
        let mut put = |sink: &mut RowSink<'_, '_>, rows: &[[u32; N]]| {
            put_leaves(sink, order, rows, is_first, |ranked| {
                count(&mut gatherer, &mut graphs, order, ranked, rows);
            })?;
            is_first = false;
            Ok::<(), GraphError>(())
        };
        match current.finish()? {
            Sorted::Memory(rows) => {
                put(sink, &rows)?;
                sorter = next.map(|step| Sorter::new(space, *step, max, rows));
            }
            Sorted::Taped(tapes) => {
                let mut after = next.map(|step| Sorter::new(space, *step, max, Vec::new()));
                let batch = LEAF_ROWS as usize * sink.threads.max(1);
                merge_rows(&tapes, order, space, batch, |rows| {
                    put(sink, rows)?;
                    after.as_mut().map_or(Ok(()), |after| after.push(rows))
                })?;
                sorter = after;
            }
        }
    }
    Ok(Counted { statistics: gatherer.finish(), graphs })
}

/// Puts rows of an order as leaves, packed by threads while this one counts and writes.
fn put_leaves<const N: usize>(
    sink: &mut RowSink<'_, '_>,
    order: Order,
    rows: &[[u32; N]],
    is_first: bool,
    count: impl FnOnce(&Ranked),
) -> Result<(), GraphError> {
    let RowSink { bulk, ranked, threads, meter } = sink;
    let chunks: Vec<&[[u32; N]]> = rows.chunks(LEAF_ROWS as usize).collect();
    let pack = |number: usize| packed(order, chunks[number], is_first && number == 0, ranked);
    in_order_ahead(*threads, chunks.len(), 1, pack, |leaves| {
        count(ranked);
        for leaf in leaves {
            bulk.put_leaf(order, &leaf)?;
            meter.step(leaf.row_count.into())?;
        }
        Ok(())
    })
}

/// A leaf of some rows. The first of an order begins at the very first row that there could be.
fn packed<const N: usize>(
    order: Order,
    rows: &[[u32; N]],
    is_first: bool,
    ranked: &Ranked,
) -> NewLeaf {
    let row_of = |row: &[u32; N]| {
        let mut ids = [Id::DEFAULT_GRAPH; 4];
        for (id, role) in ids.iter_mut().zip(order.columns()) {
            *id = ranked.id(row[*role as usize]);
        }
        ids
    };
    let mut writer = LeafWriter::new(order);
    rows.iter().for_each(|row| writer.push(row_of(row)));
    let separator = if is_first { [Id::MIN; 4] } else { row_of(&rows[0]) };
    let row_count = writer.row_count();
    NewLeaf { separator, row_count, bytes: writer.finish() }
}

fn count<const N: usize>(
    gatherer: &mut Gatherer,
    graphs: &mut Vec<(Id, u64)>,
    order: Order,
    ranked: &Ranked,
    rows: &[[u32; N]],
) {
    match order {
        Order::Spo | Order::Spog => {
            rows.iter().for_each(|row| gatherer.by_subject(ranked.id(row[0]), ranked.id(row[1])));
        }
        Order::Pos | Order::Posg => {
            rows.iter().for_each(|row| gatherer.by_predicate(ranked.id(row[1]), ranked.id(row[2])));
        }
        Order::Osp | Order::Ospg => {
            rows.iter().for_each(|row| gatherer.by_object(ranked.id(row[2])));
        }
        Order::Gspo => {
            for run in rows.chunk_by(|left, right| left[N - 1] == right[N - 1]) {
                let (graph, count) = (ranked.id(run[0][N - 1]), run.len() as u64);
                match graphs.last_mut() {
                    Some((last, rows)) if *last == graph => *rows += count,
                    _ => graphs.push((graph, count)),
                }
            }
        }
    }
}
