//! Commits that follow each other, on their way to one layer. The rows of a commit mostly come
//! after those before in order too, and are put there; where they don't, another run begins, and at
//! the end all are merged at once.

use std::ops::RangeInclusive;

use super::layer::{Changes, Layer};
use super::run::{Entry, Keep, Run, merged};
use crate::dictionary::Piece;

/// What some commits did, by their order and by subject.
#[derive(Debug, Default)]
pub struct Gathered {
    default: Vec<Run<3>>,
    named: Vec<Run<4>>,
    graphs: Vec<Run<1>>,
}

impl Gathered {
    /// Adds the settled changes of the commit that comes next, each of which changes what there
    /// was.
    pub fn add(&mut self, changes: &Changes) {
        append(&mut self.default, &changes.default);
        append(&mut self.named, &changes.named);
        append(&mut self.graphs, &changes.graphs);
    }

    /// The layer of the commits, which added these terms.
    pub fn into_layer(self, commits: RangeInclusive<u64>, terms: Piece) -> Layer {
        Layer::of_runs(
            commits,
            in_one(self.default),
            in_one(self.named),
            in_one(self.graphs),
            terms,
        )
    }
}

fn append<const N: usize>(runs: &mut Vec<Run<N>>, entries: &[Entry<N>]) {
    let is_in_order = runs.last_mut().is_some_and(|run| run.extend(entries));
    if !is_in_order && !entries.is_empty() {
        runs.push(Run::new(entries));
    }
}

fn in_one<const N: usize>(mut runs: Vec<Run<N>>) -> Run<N> {
    match runs.pop() {
        Some(run) if runs.is_empty() => run.shrunk(),
        last => {
            runs.extend(last);
            merged(&runs.iter().collect::<Vec<_>>(), Keep::Net)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::Change::{Added, Removed};
    use super::*;

    #[test]
    fn runs_are_those_of_one_merge() {
        let commits = [
            vec![([1], Added), ([4], Added)],
            vec![([5], Removed), ([7], Added)],
            vec![],
            vec![([4], Removed), ([6], Added), ([7], Removed)],
            vec![([8], Added)],
            vec![([4], Added)],
        ];
        let ids = |(row, change): &([u64; 1], _)| (row.map(manicule_format_leaf::Id), *change);
        let (mut runs, mut all) = (Vec::new(), Vec::new());
        for commit in &commits {
            let entries: Vec<Entry<1>> = commit.iter().map(ids).collect();
            append(&mut runs, &entries);
            all.push(Run::new(&entries));
        }
        assert_eq!(runs.len(), 3, "those in order are one run");
        let want = merged(&all.iter().collect::<Vec<_>>(), Keep::Net);
        let got = in_one(runs);
        assert!(got.entries().eq(want.entries()));
        let rows: Vec<u64> = got.rows().iter().map(|row| row[0].0).collect();
        assert_eq!((rows, got.removed()), (vec![1, 4, 5, 6, 8], &[2][..]));
        assert_eq!(in_one(Vec::<Run<1>>::new()).row_count(), 0);
    }
}
