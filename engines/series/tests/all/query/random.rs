//! Random selectors against the plain way: read every series, keep those whose labels match.

use std::collections::BTreeSet;

use manicule_format_prometheus::{Index, PairIndex, SeriesRef};
use manicule_series::query::{Work, label_names, label_values, select};
use manicule_series::{MatchOp, Matcher};
use manicule_testkit::{Rng, golden_folder};

use crate::query::golden::{IndexOf, labels, only_block};

/// A series with its labels.
type Row<'i> = (SeriesRef, Vec<(&'i [u8], &'i [u8])>);

/// Every series of an index, by reading all of them.
fn plain_series<'i>(index: &'i IndexOf<'_>) -> Vec<Row<'i>> {
    let all = index.all_postings().unwrap();
    all.iter().map(|series| (series, labels(index, series))).collect()
}

fn plain_matches(matcher: &Matcher, labels: &[(&[u8], &[u8])]) -> bool {
    let value = labels.iter().find(|label| label.0 == matcher.name());
    matcher.matches(value.map_or(b"", |label| label.1))
}

/// A matcher that may select something: names and values come from the index, mostly.
fn random_matcher(rng: &mut Rng, index: &IndexOf<'_>) -> Matcher {
    let names: Vec<&[u8]> = index.names().map(|(name, _)| name).collect();
    let name: &[u8] = if rng.one_in(12) { b"nope" } else { rng.pick(&names) };
    let pairs = index.pairs_of(if rng.one_in(8) { rng.pick(&names) } else { name });
    let mut value = || {
        if pairs.is_empty() || rng.one_in(10) {
            String::new()
        } else {
            let pair = pairs.start + rng.below(pairs.len()) as u32;
            String::from_utf8_lossy(index.value(PairIndex(pair))).into_owned()
        }
    };
    let (one, other) = (value(), value());
    let quoted = |value: &str| expression_of(value);
    let half: String = one.chars().take(one.chars().count() / 2).collect();
    let expression = match rng.below(11) {
        0 => ".*".to_owned(),
        1 => ".+".to_owned(),
        2 => String::new(),
        3 => format!("{}|{}", quoted(&one), quoted(&other)),
        4 => format!("{}|", quoted(&one)),
        5 => format!("{}.*", quoted(&half)),
        6 => format!(".*{}", quoted(&half)),
        7 => format!("(?i){}.+", quoted(&half)),
        8 => format!("{}.?.?|[a-m].*", quoted(&half)),
        9 => format!(".*{}.*", quoted(&half)),
        _ => "[^0-9]+".to_owned(),
    };
    match rng.below(6) {
        0 | 1 => Matcher::new(name, MatchOp::Equal, one),
        2 => Matcher::new(name, MatchOp::NotEqual, one),
        3 | 4 => Matcher::new(name, MatchOp::Regex, expression),
        _ => Matcher::new(name, MatchOp::NotRegex, expression),
    }
    .unwrap()
}

/// A text as an expression of itself.
fn expression_of(text: &str) -> String {
    let special = |c: char| c.is_ascii_punctuation() && c != '_';
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Asks an index random questions, and compares with reading everything.
fn ask_random(name: &str, index: &IndexOf<'_>, rounds: usize) {
    let all = plain_series(index);
    for seed in 0..rounds as u64 {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.below(4);
        let matchers: Vec<Matcher> = (0..count).map(|_| random_matcher(&mut rng, index)).collect();
        let about = format!("{name}, seed {seed}: {matchers:?}");
        let matching: Vec<_> = all
            .iter()
            .filter(|series| matchers.iter().all(|matcher| plain_matches(matcher, &series.1)))
            .collect();
        let mut work = Work::default();
        let found: Vec<SeriesRef> = select(index, &matchers, &mut work).unwrap().into_refs();
        assert_eq!(found, matching.iter().map(|series| series.0).collect::<Vec<_>>(), "{about}");
        let names: BTreeSet<&[u8]> =
            matching.iter().flat_map(|series| series.1.iter().map(|label| label.0)).collect();
        let found = label_names(index, &matchers, &mut work).unwrap();
        assert_eq!(found, names.into_iter().collect::<Vec<_>>(), "names, {about}");
        let label = random_matcher(&mut rng, index).name().to_owned();
        let values: BTreeSet<&[u8]> = matching
            .iter()
            .flat_map(|series| series.1.iter().filter(|has| has.0 == label).map(|has| has.1))
            .collect();
        let found = label_values(index, &label, &matchers, &mut work).unwrap();
        assert_eq!(found, values.into_iter().collect::<Vec<_>>(), "values, {about}");
    }
}

#[test]
fn random_selectors_agree_with_reading_everything() {
    let golden = golden_folder("series", "golden");
    for (name, rounds) in [
        ("index/1000/index", 1500),
        ("blocks/names", 1500),
        ("blocks/mixed", 500),
        ("blocks/api/01M7YV9DA539J3RD3VS93JZGWY/index", 500),
        ("blocks/k5k", 300),
    ] {
        let path = golden.path().join(name);
        let path = if name.ends_with("index") { path } else { only_block(&path) };
        let bytes = std::fs::read(path).unwrap();
        ask_random(name, &Index::open(&bytes[..]).unwrap(), rounds);
    }
}
