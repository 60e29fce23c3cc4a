//! Rows of commands over tables, stores and repositories, each kind's input made once by the
//! earlier program: both can read it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule_graphs::{Shop, ShopSyntax, shop_item};
use manicule_repositories::PASSWORD;

use super::Bench;
use super::rows::{Fresh, Rows, by_turns, folders, same};
use crate::figures;
use crate::findings::Findings;
use crate::measure::{self, Task};

/// Number of partitions of the table, and of rows in each.
const PARTITIONS: u32 = 2000;
const ROWS: u32 = 100;
/// Times at which the tables that are merged were written.
const TIMESTAMPS: [&str; 4] = ["1", "2", "3", "4"];
const SCHEMA: &str = "CREATE TABLE ks.t (p int, c int, v text, PRIMARY KEY (p, c));";
/// Number of products of the shop: a million triples.
const PRODUCTS: u32 = 10_000;
/// Data blobs and snapshots of the repository.
const BLOBS: &str = "200000";
const SNAPSHOTS: &str = "200";

/// A command of a row. `OUT` among its words stands for an output of its own.
struct Command {
    name: &'static str,
    words: Vec<OsString>,
    /// The folder that `OUT` is a copy of before each turn; otherwise it isn't there.
    begins_as: Option<PathBuf>,
    /// Whether what is printed has to be the same.
    is_compared: bool,
}

const OUT: &str = "OUT";

fn command<'a>(name: &'static str, words: impl IntoIterator<Item = &'a str>) -> Command {
    let words = words.into_iter().map(OsString::from).collect();
    Command { name, words, begins_as: None, is_compared: true }
}

impl Command {
    fn over(mut self, path: &Path) -> Command {
        self.words.push(path.into());
        self
    }

    fn then(mut self, words: &[&str]) -> Command {
        self.words.extend(words.iter().map(OsString::from));
        self
    }

    /// Prints times or names of new files.
    fn not_compared(self) -> Command {
        Command { is_compared: false, ..self }
    }

    fn task(&self, program: &Path, scratch: &Path, out: &Path) -> Task {
        let words = self
            .words
            .iter()
            .map(|word| if word == OUT { out.as_os_str().to_owned() } else { word.clone() });
        Task::new(self.name, program, scratch).args(words).env("RESTIC_PASSWORD", PASSWORD)
    }
}

fn measure(
    bench: &Bench<'_>,
    group: &str,
    commands: &[Command],
    findings: &mut Findings,
) -> Result<()> {
    let mut rows = Rows::new(group.to_owned(), bench, findings);
    let outputs = folders(bench, "out");
    for command in commands {
        let fresh = outputs.clone().map(|path| Fresh { path, copy_of: command.begins_as.clone() });
        let task =
            |side: usize| command.task(&bench.sides[side].manicule, bench.scratch, &outputs[side]);
        let both = by_turns(bench, [task(0), task(1)], Some(fresh), bench.turn_count)?;
        let same = if command.is_compared { same(&both) } else { None };
        rows.add(command.name, both, same);
    }
    rows.end();
    Ok(())
}

/// Runs the earlier program to its end.
fn done(bench: &Bench<'_>, command: &Command) -> Result<()> {
    let task = command.task(&bench.sides[0].manicule, bench.scratch, Path::new(""));
    measure::run(&task, &bench.scratch.join("answer")).with_context(|| command.name)?;
    Ok(())
}

/// Rows of `rows`.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let inside = |name: &str| bench.scratch.join(name);
    let (csv, schema, one, several) =
        (inside("rows.csv"), inside("t.cql"), inside("one"), inside("several"));
    fs::write(&schema, SCHEMA)?;
    let mut out = BufWriter::new(File::create(&csv)?);
    writeln!(out, "p,c,v")?;
    for (p, c) in (0..PARTITIONS).flat_map(|p| (0..ROWS).map(move |c| (p, c))) {
        writeln!(out, "{p},{c},{}", value(p, c))?;
    }
    out.flush()?;
    let write = |timestamp: &str| {
        let words = ["rows", "write", "--as", "nb", "--now", "1", "--timestamp", timestamp];
        command("write", words).then(&["--schema"]).over(&schema).over(&csv).then(&["-o"])
    };
    done(bench, &write("1").over(&one))?;
    for timestamp in TIMESTAMPS {
        done(bench, &write(timestamp).over(&several))?;
    }
    let over =
        |name, words: &[&str]| command(name, ["rows"].into_iter().chain(words.iter().copied()));
    let export = over("export --format csv", &["export", "--format", "csv"]);
    let commands = [
        write("1").then(&[OUT]).not_compared(),
        over("dump", &["dump"]).over(&one),
        over("slice of one row", &["slice"])
            .over(&one)
            .then(&["1234", "--from", "50", "--limit", "1"]),
        over("slice of a partition in four tables", &["slice"]).over(&several).then(&["1234"]),
        over("partitions", &["partitions"]).over(&one),
        over("tombstones", &["tombstones"]).over(&one),
        over("stats", &["stats"]).over(&one),
        over("verify", &["verify"]).over(&one),
        export.then(&["--schema"]).over(&schema).over(&one),
        over("merge of four", &["merge"]).over(&several).then(&["-o", OUT]).not_compared(),
        over("rebuild", &["rebuild"]).over(&one).then(&["-o", OUT]).not_compared(),
        command("find", ["find", "quick 777"]).over(&one),
    ];
    measure(bench, "rows, 200,000 rows of 100 bytes", &commands, findings)
}

/// A text of some 100 bytes.
fn value(p: u32, c: u32) -> String {
    let mut text = String::new();
    for at in 0..10 {
        write!(text, "quick {} ", (p * 7 + c * 31 + at * 13) % 1000).expect("a string takes all");
    }
    text
}

/// Rows of `graph`.
pub(super) fn graph(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let inside = |name: &str| bench.scratch.join(name);
    let (shop, store, change) = (inside("shop.nt"), inside("store"), inside("change.ru"));
    let maker = Shop::new();
    let mut out = BufWriter::new(File::create(&shop)?);
    maker.write(PRODUCTS, ShopSyntax::Triples, &mut out)?;
    out.flush()?;
    fs::write(&change, format!("INSERT DATA {{\n{}}}", maker.products(PRODUCTS..PRODUCTS + 100)))?;
    done(bench, &command("load", ["graph", "load", "-q"]).over(&store).over(&shop))?;
    let query = |name, text: &str| command(name, ["graph", "query"]).over(&store).then(&[text]);
    let product = shop_item("Product", 4711);
    let update = command("update of 2,100 triples", ["graph", "update", "-q", "-f"]);
    let update = update.over(&change).then(&[OUT]).not_compared();
    let commands = [
        command("load", ["graph", "load", "-q", OUT]).over(&shop).not_compared(),
        query("ASK", &format!("ASK {{ <{product}> ?p ?o }}")),
        query("all of a product", &format!("SELECT ?p ?o {{ <{product}> ?p ?o }}")),
        query(
            "count by predicate",
            "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p ORDER BY ?n ?p",
        ),
        query(
            "a join and its sum",
            "PREFIX v: <http://bsbm.example.org/v/> SELECT (COUNT(*) AS ?n) (AVG(?price) AS ?a) \
             { ?offer v:product ?p ; v:price ?price . ?p v:producer ?who }",
        ),
        query(
            "texts that contain",
            "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(CONTAINS(STR(?o), \"qu\")) }",
        ),
        Command { begins_as: Some(store.clone()), ..update },
        command("export", ["graph", "export"]).over(&store),
        command("stats", ["graph", "stats"]).over(&store),
        command("verify", ["verify"]).over(&store).not_compared(),
        command("find", ["find", "Product4711"]).over(&store),
    ];
    measure(bench, "graph, a million triples", &commands, findings)
}

/// Rows of `blobs`.
pub(super) fn blobs(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let repository = bench.scratch.join("repository");
    let words = ["generate", "--shape", "fleet", "--data", BLOBS, "--snapshots", SNAPSHOTS, "-o"];
    let words: Vec<OsString> =
        words.iter().map(OsString::from).chain([repository.clone().into()]).collect();
    figures::of_ours("blobs", &words)?;
    let over = |name, words: &[&str]| {
        command(name, ["blobs"].into_iter().chain(words.iter().copied()))
            .then(&["-r"])
            .over(&repository)
    };
    let commands = [
        over("list blobs", &["list", "blobs"]),
        over("list snapshots", &["list", "snapshots"]),
        over("find", &["find", "*7*"]),
        over("check", &["check"]).not_compared(),
        over("check --read-data", &["check", "--read-data"]).not_compared(),
        over("usage", &["usage"]),
        over("cost", &["cost"]),
    ];
    measure(bench, "blobs, 200,000 blobs in 200 snapshots", &commands, findings)
}
