//! The least of several heads, again and again: a heap of the numbers of sequences.

/// Numbers of sequences that aren't at their end; the one with the least head first.
#[derive(Debug, Default)]
pub(super) struct Heads(Vec<usize>);

impl Heads {
    /// A heap of the numbers of sequences that have a head.
    pub(super) fn new(
        sequences: impl Iterator<Item = usize>,
        is_less: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let mut heads = Heads(sequences.collect());
        for at in (0..heads.0.len() / 2).rev() {
            heads.sink(at, &is_less);
        }
        heads
    }

    /// The sequence with the least head.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        self.0.first().copied()
    }

    /// The head of the first sequence is another one now; or `is_done`, and there is none.
    #[inline]
    pub(super) fn advanced(&mut self, is_done: bool, is_less: impl Fn(usize, usize) -> bool) {
        if is_done {
            self.0.swap_remove(0);
        }
        self.sink(0, &is_less);
    }

    fn sink(&mut self, mut at: usize, is_less: &impl Fn(usize, usize) -> bool) {
        let heap = &mut self.0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let Some(mut least) = (left < heap.len()).then_some(left) else { return };
            if right < heap.len() && is_less(heap[right], heap[left]) {
                least = right;
            }
            if !is_less(heap[least], heap[at]) {
                return;
            }
            heap.swap(at, least);
            at = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Rng;

    use super::*;

    #[test]
    fn sequences_are_merged() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let sequences: Vec<Vec<usize>> = (0..rng.below(9))
                .map(|_| {
                    let mut one: Vec<usize> = (0..rng.below(20)).map(|_| rng.below(50)).collect();
                    one.sort_unstable();
                    one
                })
                .collect();
            let mut rests: Vec<&[usize]> = sequences.iter().map(|one| &one[..]).collect();
            let less = |rests: &[&[usize]], a: usize, b: usize| rests[a][0] < rests[b][0];
            let started = (0..rests.len()).filter(|at| !rests[*at].is_empty());
            let mut heads = Heads::new(started, |a, b| less(&rests, a, b));
            let mut merged = Vec::new();
            while let Some(first) = heads.first() {
                merged.push(rests[first][0]);
                rests[first] = &rests[first][1..];
                heads.advanced(rests[first].is_empty(), |a, b| less(&rests, a, b));
            }
            let mut plain = sequences.concat();
            plain.sort_unstable();
            assert_eq!(merged, plain, "seed {seed}");
        }
    }
}
