//! The test suites of the W3C: the syntaxes of RDF 1.1 and 1.2, SPARQL 1.0, 1.1 and 1.2, what the
//! working group has for EXISTS included.
//!
//! Every test of them passes, or is named in a table with the reason; one that is named and passes
//! is a failure too.

mod answers;
mod judges;
mod known;
mod manifest;
mod place;
mod run;

use std::collections::BTreeMap;

use manicule_graphs::Archive;
use manicule_testkit::golden_file;

use known::{BY_VALUE, KNOWN, LEFT_OUT};
use manifest::Manifests;
use place::{Place, Stored};
use run::Numbers;
use run::run;

/// A test that has to pass.
struct Required {
    suite: String,
    name: String,
    kind: String,
}

fn required() -> Vec<Required> {
    let table = String::from_utf8(golden_file("graph", "tests.tsv")).expect("text");
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    // Those of entailment are for who has a regime.
    let is_required = |fields: &Vec<&str>| {
        let is_of_12 =
            fields[0].starts_with("rdf/rdf12/") || fields[0].starts_with("sparql/sparql12/");
        fields[3] == "required" || is_of_12 && !fields[2].ends_with("EntailmentTest")
    };
    rows.filter(is_required)
        .map(|fields| Required {
            suite: fields[0].to_owned(),
            name: fields[1].to_owned(),
            kind: fields[2].to_owned(),
        })
        .collect()
}

#[test]
fn required_tests_pass_or_are_named_over_the_plain_store() {
    check_all(Place::Plain);
}

/// Documents are read by our own readers into it.
#[test]
fn required_tests_pass_or_are_named_over_the_store() {
    check_all(Place::Stored(Stored::new()));
}

fn check_all(mut place: Place) {
    let archive = Archive::golden(&["rdf-tests", "exists12"]);
    let manifests = Manifests::read(&archive);
    let (mut wrong, mut counts, mut left_out) = (Vec::new(), BTreeMap::new(), 0);
    for test in required() {
        if LEFT_OUT.contains(&test.kind.as_str()) {
            left_out += 1;
            continue;
        }
        let path = format!("{}/{}", test.suite, test.name);
        let Some(entry) = manifests.find(&test.suite, &test.name) else {
            wrong.push(format!("{path}: no manifest has it"));
            continue;
        };
        let exact = run(&archive, entry, &test.kind, Numbers::AsWritten, &mut place);
        let outcome = match (BY_VALUE.contains(&path.as_str()), exact) {
            (false, exact) => exact,
            (true, Ok(())) => Err("equal as it is written, not only by value".to_owned()),
            (true, Err(_)) => run(&archive, entry, &test.kind, Numbers::ByValue, &mut place),
        };
        let excuse = KNOWN.iter().find(|(known, _)| *known == path);
        match (outcome, excuse) {
            (Ok(()), None) => *counts.entry(test.kind).or_insert(0) += 1,
            (Err(_), Some(_)) => *counts.entry("known".to_owned()).or_insert(0) += 1,
            (Err(why), None) => wrong.push(format!("{path}: {why}")),
            (Ok(()), Some((_, why))) => wrong.push(format!("{path} passes, though: {why}")),
        }
    }
    println!("left out: {left_out} tests of HTTP servers, which there is none of yet");
    println!("passed: {counts:?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((counts.values().sum::<usize>(), left_out), (2611, 68));
    assert_eq!(counts.get("known").copied().unwrap_or(0), KNOWN.len());
}
