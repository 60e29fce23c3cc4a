//! Statistics of a generation against those of its rows. Counts are exact; the most rows of a
//! subject or an object, and bounds of payloads, may be too wide.

use std::collections::BTreeMap;

use manicule_format_leaf::Id;
use manicule_format_leaf::statistics::{PredicateStatistics, ScopeStatistics, Statistics};

use super::checked::Checked;
use crate::snapshot::generation::{Generation, statistics_path};

/// Notes what the statistics of a generation, if it has some, say that isn't so.
pub(super) fn check_statistics(
    checked: &mut Checked<'_>,
    generation: &Generation,
    counted: &Statistics,
) {
    let (Some(row), Some(kept)) = (generation.manifest().statistics, generation.statistics())
    else {
        return;
    };
    let file = checked.name_of(&statistics_path(checked.folder, row.number));
    let mut wrong = Wrong(Vec::new());
    wrong.scope("default graph", &counted.default, &kept.default);
    wrong.scope("named graphs", &counted.named, &kept.named);
    wrong.pairs("quads of graph", &counted.graphs, &kept.graphs);
    wrong.0.into_iter().for_each(|what| checked.find(&file, what));
}

/// What is wrong.
struct Wrong(Vec<String>);

/// A count of a predicate's statistics.
type CountOf = fn(&PredicateStatistics) -> u64;

impl Wrong {
    fn exact(&mut self, what: &str, want: u64, got: u64) {
        if want != got {
            self.0.push(format!("{what}: wanted {want}, got {got}"));
        }
    }

    fn at_least(&mut self, what: &str, want: u64, got: u64) {
        if got < want {
            self.0.push(format!("{what}: wanted at least {want}, got {got}"));
        }
    }

    fn pairs(&mut self, what: &str, counted: &[(Id, u64)], kept: &[(Id, u64)]) {
        let [want, got] =
            [counted, kept].map(|pairs| pairs.iter().copied().collect::<BTreeMap<_, _>>());
        for (id, want, got) in both(&want, &got) {
            let [want, got] = [want, got].map(|count| count.copied().unwrap_or(0));
            self.exact(&format!("{what} {id:?}"), want, got);
        }
    }

    fn scope(&mut self, name: &str, counted: &ScopeStatistics, kept: &ScopeStatistics) {
        self.exact(&format!("quads of the {name}"), counted.row_count, kept.row_count);
        self.exact(&format!("subjects of the {name}"), counted.subject_count, kept.subject_count);
        self.exact(&format!("objects of the {name}"), counted.object_count, kept.object_count);
        self.pairs(&format!("{name}, quads of class"), &counted.classes, &kept.classes);
        let [want, got] = [counted, kept].map(|scope| {
            scope.predicates.iter().map(|row| (row.predicate, row)).collect::<BTreeMap<_, _>>()
        });
        for (id, want, got) in both(&want, &got) {
            let name = format!("{name}, predicate {id:?}");
            match (want, got) {
                (Some(want), Some(got)) => self.predicate(&name, want, got),
                (want, _) => {
                    self.exact(&name, u64::from(want.is_some()), u64::from(want.is_none()))
                }
            }
        }
    }

    fn predicate(&mut self, name: &str, counted: &PredicateStatistics, kept: &PredicateStatistics) {
        let counts: [(&str, CountOf); 3] = [
            ("quads", |row| row.row_count),
            ("subjects", |row| row.subject_count),
            ("objects", |row| row.object_count),
        ];
        for (what, of) in counts {
            self.exact(&format!("{name}, {what}"), of(counted), of(kept));
        }
        let (most, kept_most) = (counted.subject_rows_max, kept.subject_rows_max);
        self.at_least(&format!("{name}, most of a subject"), most, kept_most);
        let (most, kept_most) = (counted.object_rows_max, kept.object_rows_max);
        self.at_least(&format!("{name}, most of an object"), most, kept_most);
        let [want, got] = [counted, kept]
            .map(|row| row.tags.iter().map(|tag| (tag.tag, tag)).collect::<BTreeMap<_, _>>());
        for (tag, want, got) in both(&want, &got) {
            let name = format!("{name}, objects of tag {}", tag.0);
            let [rows, kept_rows] = [want, got].map(|tag| tag.map_or(0, |tag| tag.row_count));
            self.exact(&name, rows, kept_rows);
            if let (Some(want), Some(got)) = (want, got) {
                self.at_least(&format!("{name}, greatest"), want.payload_max, got.payload_max);
                // The other way round: no payload is below the least.
                self.at_least(
                    &format!("{name}, above the least"),
                    got.payload_min,
                    want.payload_min,
                );
            }
        }
    }
}

/// The keys of two tables, in order, each with what they have.
fn both<'t, K: Ord + Copy, T>(
    one: &'t BTreeMap<K, T>,
    other: &'t BTreeMap<K, T>,
) -> impl Iterator<Item = (K, Option<&'t T>, Option<&'t T>)> {
    let mut keys: Vec<K> = one.keys().chain(other.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| (key, one.get(&key), other.get(&key)))
}
