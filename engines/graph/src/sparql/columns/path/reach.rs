//! Nodes that edges lead to: edges between numbered nodes, and a bitmap of those that were met; of
//! a few edges sorted ones.

use std::collections::BTreeSet;

use super::super::stop::Outcome;
use super::super::table::numbering::Numbering;

/// Number of ids between two looks at the time: some milliseconds.
const IDS_PER_LOOK: usize = 1 << 15;

/// Edges, by the number of the node that they begin at.
pub(super) struct Edges {
    numbering: Numbering,
    ids: Vec<u64>,
    /// Where each node's edges begin; and at the end their count.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Edges {
    /// The edges from one id to another.
    pub(in crate::sparql) fn new(
        from: &[u64],
        to: &[u64],
        look: &mut dyn FnMut() -> Outcome<()>,
    ) -> Outcome<Edges> {
        let (mut numbering, mut ends, mut begins) = (Numbering::new(1), Vec::new(), Vec::new());
        for (ids, numbers) in [(to, &mut ends), (from, &mut begins)] {
            let mut part = Vec::new();
            for ids in ids.chunks(IDS_PER_LOOK) {
                look()?;
                numbering.number(&[ids], ids.len(), &mut part);
                numbers.extend_from_slice(&part);
            }
        }
        let ids = numbering.column(0);
        let mut starts = vec![0_u32; ids.len() + 1];
        begins.iter().for_each(|node| starts[*node as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![0; ends.len()]);
        for (at, (node, end)) in begins.iter().zip(&ends).enumerate() {
            if at % IDS_PER_LOOK == 0 {
                look()?;
            }
            let next = &mut next[*node as usize];
            sorted[*next as usize] = *end;
            *next += 1;
        }
        Ok(Edges { numbering, ids, starts, ends: sorted })
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.ends[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// A search over edges, again and again: what one leaves marked is cleared by the next.
pub(in crate::sparql) struct Search<'e> {
    edges: &'e Edges,
    marks: Vec<u64>,
    /// Nodes in the order in which they were met.
    met: Vec<u32>,
}

impl<'e> Search<'e> {
    pub(super) fn new(edges: &'e Edges) -> Self {
        Search { edges, marks: vec![0; edges.ids.len().div_ceil(64)], met: Vec::new() }
    }

    /// Appends the ids of all nodes that one edge or several lead to. Returns their number.
    pub(super) fn reach(&mut self, from: u64, out: &mut Vec<u64>) -> usize {
        for node in self.met.drain(..) {
            self.marks[node as usize / 64] = 0;
        }
        let Some(start) = self.edges.numbering.find(from) else { return 0 };
        self.meet(start);
        let mut next = 0;
        while let Some(node) = self.met.get(next) {
            self.meet(*node);
            next += 1;
        }
        out.extend(self.met.iter().map(|node| self.edges.ids[*node as usize]));
        self.met.len()
    }

    /// Meets the nodes that edges of one lead to.
    fn meet(&mut self, node: u32) {
        for end in self.edges.of(node) {
            let (word, bit) = (*end as usize / 64, 1_u64 << (end % 64));
            if self.marks[word] & bit == 0 {
                self.marks[word] |= bit;
                self.met.push(*end);
            }
        }
    }
}

/// Edges in the order of the nodes that they begin at, for who searches a few of them a few times:
/// nothing is numbered.
pub(super) struct SortedEdges {
    edges: Vec<(u64, u64)>,
}

impl SortedEdges {
    /// The edges from one id to another.
    pub(in crate::sparql) fn new(from: &[u64], to: &[u64]) -> SortedEdges {
        let mut edges: Vec<(u64, u64)> = from.iter().copied().zip(to.iter().copied()).collect();
        edges.sort_unstable();
        SortedEdges { edges }
    }

    /// Appends the ids of all nodes that one edge or several lead to. Returns their number.
    pub(super) fn reach(&self, from: u64, out: &mut Vec<u64>) -> usize {
        let (first, mut met, mut node, mut next) = (out.len(), BTreeSet::new(), from, out.len());
        loop {
            let start = self.edges.partition_point(|(begin, _)| *begin < node);
            let own = self.edges[start..].iter().take_while(|(begin, _)| *begin == node);
            out.extend(own.map(|(_, end)| *end).filter(|end| met.insert(*end)));
            let Some(id) = out.get(next) else { return out.len() - first };
            (node, next) = (*id, next + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_testkit::Rng;

    #[test]
    fn what_is_reached_is_what_repeated_steps_reach() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let (node_count, edge_count) = (1 + rng.below(200), rng.below(300));
            let mut ids = |_| (1 << 57) + rng.below(node_count) as u64;
            let from: Vec<u64> = (0..edge_count).map(&mut ids).collect();
            let to: Vec<u64> = (0..edge_count).map(&mut ids).collect();
            let edges = Edges::new(&from, &to, &mut || Ok(())).expect("nothing stops it");
            let mut search = Search::new(&edges);
            for start in (0..node_count as u64).map(|node| (1 << 57) + node) {
                let mut want = BTreeSet::new();
                let mut front = BTreeSet::from([start]);
                while !front.is_empty() {
                    let pairs = from.iter().zip(&to).filter(|(begin, _)| front.contains(begin));
                    front = pairs.map(|(_, end)| *end).filter(|end| !want.contains(end)).collect();
                    want.extend(front.iter().copied());
                }
                let mut got = vec![7];
                assert_eq!(search.reach(start, &mut got), want.len(), "seed {seed}");
                assert_eq!(got.split_off(1).into_iter().collect::<BTreeSet<_>>(), want);
                let mut got = vec![7];
                let sorted = SortedEdges::new(&from, &to);
                assert_eq!(sorted.reach(start, &mut got), want.len(), "seed {seed}");
                assert_eq!(got.split_off(1).into_iter().collect::<BTreeSet<_>>(), want);
            }
        }
    }
}
