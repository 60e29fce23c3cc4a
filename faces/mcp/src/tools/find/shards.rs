//! Scores of documents in zoekt shards, by zoekt's own ranking.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use manicule::code::search::{RankOptions, Scoring, Unit};
use manicule::code::shards::find::Document;
use manicule::code::{SearchCall, Shards, document_path};
use manicule::find::{Boundary, Case, Patterns};
use manicule::kinds::{System, places};
use manicule::watch::Watch;

use super::collect::Collected;

/// Scores what was found in shards. Where zoekt can't read the pattern, or a shard, documents keep
/// the score that all files have.
pub(super) fn score(
    paths: &[PathBuf],
    patterns: &Patterns,
    watch: &Watch<'_>,
    collected: &mut Collected<'_>,
) {
    let word = System::ZOEKT.word();
    if !collected.files.iter().any(|file| file.kind == word) {
        return;
    }
    let Some(scores) = scores(paths, patterns, watch) else { return };
    for file in collected.files.iter_mut().filter(|file| file.kind == word) {
        file.own.of_zoekt = scores.get(&file.path).copied();
    }
}

/// Scores by paths, as a search of one repository and as one of several shows them.
fn scores(
    paths: &[PathBuf],
    patterns: &Patterns,
    watch: &Watch<'_>,
) -> Option<HashMap<String, f64>> {
    let call = SearchCall::new(&query(patterns)?).ok()?;
    let mut shards = Shards::default();
    for path in paths.iter().filter(|path| has_shards(path)) {
        // The search has said what is damaged.
        let _ = shards.add(path, &mut |_| {});
    }
    let moment = shards.moment();
    let opened = moment.open(&mut |_| {});
    let options = RankOptions { scoring: Scoring::Place, unit: Unit::Lines };
    let ranking = opened.rank(&call, &options, watch).ok()?;
    let (mut scores, mut buffer) = (HashMap::new(), Vec::new());
    for file in &ranking.files {
        let document: Document<'_> = file.document(&opened).ok()?;
        for with_repository in [false, true] {
            let path = document_path(&document, with_repository, &mut buffer);
            scores.insert(String::from_utf8_lossy(path).into_owned(), file.score);
        }
    }
    Some(scores)
}

fn has_shards(path: &Path) -> bool {
    let is_shards = |place: &manicule::kinds::Place| place.kind.system() == System::ZOEKT;
    places(path, None).is_ok_and(|places| places.iter().any(is_shards))
}

/// The same in zoekt's language: a regular expression in quotes.
fn query(patterns: &Patterns) -> Option<String> {
    let [text] = &patterns.texts[..] else { return None };
    let mut pattern = if patterns.fixed { escaped(text) } else { text.clone() };
    if patterns.boundary == Some(Boundary::Word) {
        pattern = format!(r"\b(?:{pattern})\b");
    }
    let case = match patterns.case {
        Case::Sensitive => "yes",
        Case::Insensitive => "no",
        Case::Smart => "auto",
    };
    let quoted = pattern.replace('\\', r"\\").replace('"', "\\\"");
    Some(format!("case:{case} content:\"{quoted}\""))
}

/// A text as a regular expression.
fn escaped(text: &str) -> String {
    let is_special = |char: char| r"\.+*?()|[]{}^$#&-~".contains(char);
    let escape = |char| if is_special(char) { vec!['\\', char] } else { vec![char] };
    text.chars().flat_map(escape).collect()
}
