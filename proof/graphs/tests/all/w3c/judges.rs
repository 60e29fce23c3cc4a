//! Tests of Oxigraph's own suite that judge any engine, as a table of the golden data lists them.
//!
//! `MANICULE_GOLDEN` is the folder of that table (`graph/judges.tsv`), and `MANICULE_JUDGES` a
//! checkout of Oxigraph's repository at the commit that the table names.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_graph::View;
use manicule_graph::sparql::{Answer, DefaultGraphChoice, QueryLimits, QueryOptions};
use manicule_graphs::{
    Archive, Cells, Compare, Evaluation, JoinOrder, PlainGraph, add, ask, compare_rows,
};
use manicule_testkit::Rng;
use oxrdf::{GraphName, Literal, NamedNode, Quad, Term};
use regex::Regex;

use crate::w3c::manifest::{BASE, Manifests};
use crate::w3c::place::{Place, Stored};
use crate::w3c::run::{Numbers, run};

/// What can be judged here of what the table calls usable.
const USABLE: [&str; 3] = ["yes", "with sep-0006", "extension"];
/// Rows that differ, and why.
const KNOWN: [(&str, &str); 2] = [
    (
        "sparql/order_terms.rq",
        "SPARQL leaves open how literals of different kinds are ordered; ours are by kind, then by value, so that the order is total",
    ),
    (
        "sparql/lateral/filter.rq",
        "an EXISTS inside a LATERAL doesn't see what the left side binds; neither is SPARQL 1.1",
    ),
];
/// Number of random graphs that the two queries of a pair are asked of.
const GRAPHS: u64 = 60;

fn row(
    fields: &[&str],
    archive: &Archive,
    manifests: &Manifests,
    place: &mut Place,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let paths = expanded(fields[1]);
    if fields[2] == "pair" {
        let [input, output] = &paths[..] else { panic!("a pair: {paths:?}") };
        wrong.extend(pair(archive.text(input), archive.text(output)).err());
    } else if fields[1].ends_with("order_by_rand.rq") {
        // The order is free, so that the manifest's answer is one of many.
        let count = rows(&PlainGraph::new(), archive.text(&paths[0]), Evaluation::Columns)
            .map(|rows| rows.len());
        wrong.extend((count != Ok(6)).then(|| format!("{count:?}")));
    } else {
        for path in &paths {
            let Some((entry, kind)) = manifests.of_action(&format!("{BASE}{path}")) else {
                wrong.push(format!("{path}: no manifest has it"));
                continue;
            };
            let done = run(archive, entry, &kind, Numbers::AsWritten, place);
            match (done, KNOWN.iter().find(|(known, _)| known == path)) {
                (Ok(()), None) | (Err(_), Some(_)) => {}
                (Err(why), None) => wrong.push(format!("{path}: {why}")),
                (Ok(()), Some((_, why))) => wrong.push(format!("{path} passes, though: {why}")),
            }
        }
    }
    wrong
}

#[test]
fn judges_of_oxigraphs_suite_agree() {
    let variables = ["MANICULE_GOLDEN", "MANICULE_JUDGES"].map(std::env::var_os);
    let [Some(golden), Some(judges)] = variables else {
        println!(
            "left out: Oxigraph's suite, where MANICULE_GOLDEN and MANICULE_JUDGES aren't set"
        );
        return;
    };
    let table = PathBuf::from(golden).join("graph/judges.tsv");
    let table = std::fs::read_to_string(table).expect("a table");
    let archive = Archive::folder(&PathBuf::from(judges).join("testsuite/oxigraph-tests"));
    let (manifests, mut place) = (Manifests::read(&archive), Place::Stored(Stored::new()));
    let (mut wrong, mut judged, mut others) = (Vec::new(), 0, 0);
    for line in table.lines().skip(1) {
        let mut fields: Vec<&str> = line.split('\t').collect();
        fields[1] = fields[1].trim_start_matches("testsuite/oxigraph-tests/");
        // Reading result documents is the library's work, and no store's.
        if !USABLE.contains(&fields[4]) || fields[1].starts_with("sparql-results/") {
            others += 1;
            continue;
        }
        judged += 1;
        wrong.extend(row(&fields, &archive, &manifests, &mut place));
    }
    println!("{judged} rows judged; {others} that no engine but Oxigraph's can be judged by");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged >= 48, "{judged} rows");
}

/// The paths that `a/{b,c}.rq` stands for.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (words, after) = rest.split_once('}').expect("it is closed");
    words.split(',').map(|word| format!("{before}{word}{after}")).collect()
}

fn rows(view: &impl View, text: &str, evaluation: Evaluation) -> Result<Vec<Cells>, String> {
    let options = QueryOptions {
        base: None,
        default_graph: DefaultGraphChoice::Own,
        dataset: None,
        limits: QueryLimits::NONE,
    };
    let watch = Watch::none();
    match ask(view, text, &options, evaluation, &watch).map_err(|error| error.to_string())? {
        Answer::Rows(rows) => rows
            .map(|row| row.map(|row| row.values().to_vec()).map_err(|error| error.to_string()))
            .collect(),
        Answer::Boolean(answer, _) => Ok(vec![vec![Some(Literal::from(answer).into())]]),
        Answer::Triples(_) => Err("triples".to_owned()),
    }
}

/// Whether two queries give the same bags of random graphs over their own words.
fn pair(input: &str, output: &str) -> Result<(), String> {
    let prefix = Regex::new(r"PREFIX\s+(\w*):\s*<([^>]*)>").expect("a pattern");
    let name = Regex::new(r"(?:^|\s|\()(\w*):(\w+)").expect("a pattern");
    let mut words = Vec::new();
    for found in prefix.captures_iter(input) {
        let names = name.captures_iter(input).filter(|name| name[1] == found[1]);
        words.extend(names.map(|name| format!("{}{}", &found[2], &name[2])));
    }
    words.push("http://www.w3.org/1999/02/22-rdf-syntax-ns#type".to_owned());
    words.sort_unstable();
    words.dedup();
    let node = |text: &str| NamedNode::new_unchecked(text);
    for seed in 0..GRAPHS {
        let (mut rng, mut graph) = (Rng::new(seed), PlainGraph::new());
        for _ in 0..30 + rng.below(60) {
            let subject = format!("http://example.com/s{}", rng.below(3));
            let object: Term = match rng.below(5) {
                0 => Literal::from(rng.below(6) as i64).into(),
                1 => Literal::new_typed_literal(
                    format!("0{}", rng.below(6)),
                    oxrdf::vocab::xsd::INTEGER,
                )
                .into(),
                2 => node(&subject).into(),
                _ => node(rng.choose::<String>(&words)).into(),
            };
            let predicate = node(rng.choose::<String>(&words));
            let quad = Quad::new(node(&subject), predicate, object, GraphName::DefaultGraph);
            add(&mut graph, &quad, &mut Default::default());
        }
        let want = rows(&graph, output, Evaluation::Rows(JoinOrder::ByCounts))?;
        for evaluation in [Evaluation::Rows(JoinOrder::ByCounts), Evaluation::Columns] {
            compare_rows(&want, &rows(&graph, input, evaluation)?, Compare::Bag, &[])
                .map_err(|why| format!("seed {seed}, {input}, {evaluation:?}: {why}"))?;
        }
    }
    Ok(())
}
