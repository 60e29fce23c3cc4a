//! Bulk loads, judged by their plain twin: the same documents loaded through a transaction.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_leaf::statistics::PredicateStatistics;
use manicule_graph::bulk::{BulkOptions, load_bulk};
use manicule_graph::export::{ExportOptions, ExportedGraphs, LineOrder, export, put_term};
use manicule_graph::load::{Input, LoadOptions, NamedGraphs, OnFault, Place, Syntax, load_into};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, Id, Pattern, Snapshot, Store, Tag, View, read_store};
use manicule_store::SharedFiles;
use manicule_testkit::Rng;
use manicule_testkit::steps::{Publisher, Seen, StepFiles, at_every_step};

use crate::common::{on_disk, options, unnamed_files};

/// The store as sorted lines of N-Quads.
fn lines(snapshot: &Snapshot) -> String {
    let (graphs, order) = (ExportedGraphs::All, LineOrder::Sorted);
    let options = ExportOptions { syntax: Syntax::NQuads, graphs, order, prefixes: &[] };
    let mut out = Vec::new();
    export(snapshot, &options, &mut out, &Watch::none()).expect("an export");
    String::from_utf8(out).expect("UTF-8")
}

/// What a load has come to: numbers and faults, or the error's words.
type Outcome = Result<(u64, u64, Vec<String>, u64), String>;

fn shown(faults: &[(PathBuf, manicule_graph::load::Fault)]) -> Vec<String> {
    faults.iter().map(|(file, fault)| format!("{}:{fault}", file.display())).collect()
}

fn plain(store: &Store, inputs: &[Input], options: &LoadOptions<'_>) -> Outcome {
    let mut transaction = store.begin().expect("a transaction");
    let report = load_into(&mut transaction, inputs, options, NamedGraphs::Filled, &Watch::none())
        .map_err(|error| error.to_string())?;
    let added = transaction.commit().expect("a commit").added;
    Ok((report.statements, report.fault_count, shown(&report.faults), added))
}

fn bulk(store: &Store, inputs: &[Input], options: &LoadOptions<'_>, space: BulkOptions) -> Outcome {
    let bulk = store.begin_bulk().expect("it can be written").expect("it is empty");
    let loaded = load_bulk(bulk, inputs, options, space, &Watch::none())
        .map_err(|error| error.to_string())?;
    let report = loaded.report;
    Ok((report.statements, report.fault_count, shown(&report.faults), loaded.added))
}

fn iri(rng: &mut Rng) -> String {
    let hosts = ["http://a/", "http://a/longer/path/of/an/iri/", "x:", "http://www.b.example/#"];
    format!("<{}{}>", rng.pick(&hosts), rng.below(60))
}

fn object(rng: &mut Rng) -> String {
    let xsd = "http://www.w3.org/2001/XMLSchema#";
    match rng.below(12) {
        0 => format!("_:b{}", rng.below(30)),
        1 => format!("\"{}\"", "x".repeat(rng.below(40))),
        2 => format!("\"{}\"@{}", rng.below(5), rng.pick(&["en", "EN", "de-AT"])),
        3 => format!("\"{}\"^^<{xsd}integer>", rng.below(40)),
        4 => format!("\"0{}\"^^<{xsd}integer>", rng.below(40)),
        5 => format!("\"{}.50\"^^<{xsd}decimal>", rng.below(40)),
        6 => format!("\"2020-01-{:02}\"^^<{xsd}date>", 1 + rng.below(28)),
        7 => format!("\"{}\"^^<x:type{}>", rng.below(9), rng.below(3)),
        8 => format!("\"{}\"@{}", rng.below(5), rng.pick(&["ar--rtl", "AR--rtl", "ar--ltr"])),
        9 => {
            let nodes = [format!("_:b{}", rng.below(30)), iri(rng)];
            format!(
                "<<( {} <x:p{}> {} )>>",
                rng.choose::<String>(&nodes),
                rng.below(3),
                object(rng)
            )
        }
        _ => iri(rng),
    }
}

fn statement(rng: &mut Rng, has_graphs: bool) -> String {
    let bad = ["<no iri> <x:p> <x:o> .", "<x:s> <x:p> \"a\"@e?n .", "nothing", "<x:s> <x:p> <x:o>"];
    if rng.one_in(60) {
        return rng.pick(&bad).to_owned();
    }
    let subject = if rng.one_in(5) { format!("_:b{}", rng.below(30)) } else { iri(rng) };
    let rdf_type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
    let predicate =
        if rng.one_in(4) { rdf_type.to_owned() } else { format!("<x:p{}>", rng.below(6)) };
    let graph = match rng.below(6) {
        0 if has_graphs => format!(" _:g{}", rng.below(2)),
        1 | 2 if has_graphs => format!(" <x:g{}>", rng.below(4)),
        _ => String::new(),
    };
    format!("{subject} {predicate} {}{graph} .", object(rng))
}

/// A document of a syntax that is read as a whole; now and then with a fault in the middle.
fn document(rng: &mut Rng, syntax: Syntax, count: usize) -> String {
    let own = |iri: &str| iri[1..iri.len() - 1].to_owned();
    let part = |rng: &mut Rng| match syntax {
        Syntax::Turtle => {
            let (one, other) = (object(rng), object(rng));
            format!("{} <x:p1> {one}, [ <x:p2> {other} ] .\n", iri(rng))
        }
        Syntax::TriG => {
            let name = rng.pick(&["GRAPH <x:g1> ", "<x:g2> ", "_:g1 ", "[] ", ""]);
            format!("{name}{{ {} <x:p1> {} . _:b1 <x:p2> {} }}\n", iri(rng), object(rng), iri(rng))
        }
        Syntax::RdfXml => {
            let (about, to, text) = (own(&iri(rng)), own(&iri(rng)), rng.below(30));
            let element = rng.pick(&["x:one", "x:two"]);
            format!(
                "<rdf:Description rdf:about=\"{about}\"><{element} xml:lang=\"en\">{text}</{element}>\
                 <x:to rdf:resource=\"{to}\"/><x:node rdf:nodeID=\"b{text}\"/></rdf:Description>\n"
            )
        }
        _ => {
            let (id, to, number) = (own(&iri(rng)), own(&iri(rng)), rng.below(30));
            let graph = if rng.one_in(3) {
                format!(",\"@graph\":[{{\"@id\":\"_:b{number}\",\"x:p2\":{number}}}]")
            } else {
                String::new()
            };
            let value = format!("{{\"@value\":\"{number}\",\"@language\":\"de\"}}");
            format!("{{\"@id\":\"{id}\",\"x:p1\":[{value},{{\"@id\":\"{to}\"}}]{graph}}}")
        }
    };
    let fault = if rng.one_in(6) { count / 2 } else { usize::MAX };
    let parts =
        (0..count).map(|at| if at == fault { "< no part of any \"".to_owned() } else { part(rng) });
    match syntax {
        Syntax::RdfXml => {
            let head = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:x=\"x:\">";
            format!("{head}{}</rdf:RDF>", parts.collect::<String>())
        }
        Syntax::JsonLd => format!("[{}]", parts.collect::<Vec<_>>().join(",\n")),
        _ => parts.collect(),
    }
}

/// Documents of all syntaxes, some of them faulty.
fn documents(rng: &mut Rng, folder: &Path) -> Vec<Input> {
    let count = rng.below(5);
    let make = |number: usize| {
        let lines = [Syntax::NTriples, Syntax::NQuads];
        let whole = [Syntax::Turtle, Syntax::TriG, Syntax::RdfXml, Syntax::JsonLd];
        let syntax = if rng.one_in(2) { rng.pick(&lines) } else { rng.pick(&whole) };
        let count = rng.pick(&[0, 3, 100, 1500]);
        let text = if lines.contains(&syntax) {
            let line = |_| statement(rng, syntax == Syntax::NQuads) + "\n";
            (0..count).map(line).collect()
        } else {
            document(rng, syntax, count)
        };
        let path = folder.join(format!("{number}.txt"));
        let packed = if rng.one_in(3) {
            zstd::encode_all(text.as_bytes(), 1).expect("memory")
        } else {
            text.into_bytes()
        };
        fs::write(&path, packed).expect("a file");
        Input { place: Place::File(path), syntax, base: Some("http://base/".to_owned()) }
    };
    let mut inputs: Vec<Input> = (0..count).map(make).collect();
    if rng.one_in(20) {
        let place = Place::File(folder.join("none"));
        inputs.push(Input { place, syntax: Syntax::NTriples, base: None });
    }
    inputs
}

/// Statistics with terms in place of ids, sorted.
fn statistics(snapshot: &Snapshot) -> Vec<String> {
    let Some(statistics) = snapshot.state().base.statistics() else { return Vec::new() };
    let term = |id| {
        let mut text = Vec::new();
        snapshot.read_term(id, |term| put_term(term, &mut text)).expect("a term");
        String::from_utf8(text).expect("UTF-8")
    };
    let pairs = |pairs: &[(Id, u64)]| {
        let mut shown: Vec<_> = pairs.iter().map(|(id, rows)| (term(*id), *rows)).collect();
        shown.sort();
        shown
    };
    let mut shown = vec![format!("{:?}", pairs(&statistics.graphs))];
    for scope in [&statistics.default, &statistics.named] {
        shown.push(format!("{} {} {}", scope.row_count, scope.subject_count, scope.object_count));
        shown.push(format!("{:?}", pairs(&scope.classes)));
        for row in &scope.predicates {
            // Numbers of terms are others; values are the same.
            let tags = row.tags.iter().map(|tag| {
                if tag.tag >= Tag::FIRST_INLINE {
                    (tag.tag, tag.row_count, tag.payload_min, tag.payload_max)
                } else {
                    (tag.tag, tag.row_count, 0, 0)
                }
            });
            let (tags, iri) = (tags.collect::<Vec<_>>(), term(row.predicate));
            let row = PredicateStatistics { predicate: Id::MIN, tags: Vec::new(), ..row.clone() };
            shown.push(format!("{iri} {row:?} {tags:?}"));
        }
    }
    shown.sort();
    shown
}

/// Every term of a store is found by what it is.
fn check_terms(snapshot: &Snapshot, what: &str) {
    for graph in [GraphChoice::Default, GraphChoice::AnyNamed] {
        let all = Pattern { subject: None, predicate: None, object: None, graph };
        for quad in snapshot.scan(&all) {
            let quad = quad.expect("a quad");
            for id in [quad.subject, quad.predicate, quad.object] {
                let find = |term: TermRef<'_>| snapshot.find_term(term).expect("a look-up");
                let found = snapshot.read_term(id, find).expect("a term");
                assert_eq!(found, Some(id), "{what}");
            }
        }
    }
}

#[test]
fn a_bulk_load_gives_what_a_transaction_gives() {
    let (mut stopped, mut full) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let inputs = documents(&mut rng, folder.path());
        let space = BulkOptions {
            memory: rng.pick(&[1, 10_000, 100_000, 1 << 30]),
            threads: 1 + rng.below(3),
        };
        let graph = rng.one_in(3).then_some("x:g1");
        let on_fault = if rng.one_in(3) { OnFault::Stop } else { OnFault::LeaveOut };
        let options = LoadOptions { graph, on_fault };
        let what = format!("seed {seed}, {space:?}, {options:?}");
        let [one, other] = ["plain", "bulk"]
            .map(|name| Store::create(&folder.path().join(name), &on_disk()).expect("a store"));
        let want = plain(&one, &inputs, &options);
        let got = bulk(&other, &inputs, &options, space);
        assert_eq!(got, want, "{what}");
        let snapshot = other.snapshot();
        assert_eq!(lines(&snapshot), lines(&one.snapshot()), "{what}");
        assert_eq!(snapshot.graphs().count(), one.snapshot().graphs().count(), "{what}");
        check_terms(&snapshot, &what);
        one.merge().expect("a merge");
        assert_eq!(statistics(&snapshot), statistics(&one.snapshot()), "{what}");
        match &want {
            Err(_) => stopped += 1,
            Ok((.., added)) => full += u64::from(*added > 1000),
        }
        // It is a store like any other afterwards, with the same numbers to come.
        assert_eq!(plain(&other, &inputs, &options), plain(&one, &inputs, &options), "{what}");
        assert_eq!(lines(&other.snapshot()), lines(&one.snapshot()), "{what}");
    }
    assert!(stopped > 2 && full > 5, "{stopped} and {full}");
}

#[test]
fn random_documents_without_a_fault_are_read_to_their_end() {
    for syntax in [Syntax::Turtle, Syntax::TriG, Syntax::RdfXml, Syntax::JsonLd] {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = (0..20).filter_map(|seed| {
            let text = document(&mut Rng::new(seed), syntax, 100);
            (!text.contains("no part")).then_some(text)
        });
        let mut read = 0;
        for text in whole {
            let path = folder.path().join("one");
            fs::write(&path, text).expect("a file");
            let base = Some("http://base/".to_owned());
            let inputs = [Input { place: Place::File(path), syntax, base }];
            let options = LoadOptions { graph: None, on_fault: OnFault::Stop };
            let name = folder.path().join(format!("store{read}"));
            let store = Store::create(&name, &on_disk()).expect("a store");
            let (statements, ..) = plain(&store, &inputs, &options).expect("no fault");
            assert!(statements >= 200, "{syntax:?}: {statements}");
            read += 1;
        }
        assert!(read > 8, "{syntax:?}: {read}");
    }
}

/// A bulk load whose runs go to tapes.
struct OneLoad {
    folder: tempfile::TempDir,
    document: tempfile::NamedTempFile,
    lines: String,
}

fn loaded(store: &Store, document: &Path) -> Result<(), String> {
    let bulk = store.begin_bulk().map_err(|error| error.to_string())?.ok_or("it isn't empty")?;
    let place = Place::File(document.to_owned());
    let inputs = [Input { place, syntax: Syntax::NQuads, base: None }];
    let options = LoadOptions { graph: None, on_fault: OnFault::Stop };
    let space = BulkOptions { memory: 1, threads: 1 };
    let loaded = load_bulk(bulk, &inputs, &options, space, &Watch::none());
    loaded.map(|_| ()).map_err(|error| error.to_string())
}

impl Publisher for OneLoad {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        fs::remove_dir_all(self.root()).expect("ours");
        Store::create(self.root(), &on_disk()).expect("a store");
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let store = Store::open(self.root(), &options(files.clone()));
        let store = store.map_err(|error| error.to_string())?;
        if store.snapshot().commit() > 0 { Ok(()) } else { loaded(&store, self.document.path()) }
    }

    fn seen(&self) -> Result<Seen, String> {
        let snapshot = read_store(self.root(), 1).map_err(|error| error.to_string())?;
        match lines(&snapshot) {
            none if none.is_empty() => Ok(Seen::Old),
            all if all == self.lines => Ok(Seen::New),
            some => Err(format!("{} lines", some.lines().count())),
        }
    }

    fn litter(&self) -> Vec<String> {
        unnamed_files(self.root())
    }
}

#[test]
fn a_bulk_load_whose_disk_is_full_leaves_nothing_of_it() {
    let document = tempfile::NamedTempFile::new().expect("a file");
    let text: String = (0..3000).map(|n| format!("<x:s{n}> <x:p> \"{n}\" <x:g> .\n")).collect();
    fs::write(document.path(), text).expect("a file");
    let mut failed = 0;
    for step in 2.. {
        let folder = tempfile::tempdir().expect("a folder");
        Store::create(folder.path(), &on_disk()).expect("a store");
        let full = options(StepFiles::full_at(folder.path(), step));
        // Opening takes a few steps.
        let Ok(store) = Store::open(folder.path(), &full) else { continue };
        let loaded = loaded(&store, document.path());
        drop(store);
        if loaded.is_ok() {
            break;
        }
        failed += 1;
        let is_old = lines(&read_store(folder.path(), 1).expect("a store")).is_empty();
        assert!(!is_old || unnamed_files(folder.path()).is_empty(), "step {step}: {loaded:?}");
    }
    assert!(failed > 20, "{failed}");
}

#[test]
fn a_bulk_load_that_is_stopped_at_any_step_leaves_all_or_nothing() {
    let mut rng = Rng::new(5);
    let text: String =
        (0..500).map(|n| format!("<x:s> <x:p{n}> {} .\n", object(&mut rng))).collect();
    let document = tempfile::NamedTempFile::new().expect("a file");
    fs::write(document.path(), format!("{text}<x:s> <x:p> <x:o> <x:g> .\n")).expect("a file");
    let folder = tempfile::tempdir().expect("a folder");
    let whole = Store::create(folder.path(), &on_disk()).expect("a store");
    loaded(&whole, document.path()).expect("a load");
    let lines = lines(&whole.snapshot());
    let tally =
        at_every_step(&OneLoad { folder: tempfile::tempdir().expect("a folder"), document, lines });
    let shown = tally.shown().join(" ");
    assert!(shown.contains("load.aside") && tally.old > tally.new, "{tally:?}");
}
