//! The bench: our rows and the peers', side by side in one run.
//!
//! One subcommand a kind; `find` searches source trees beside ripgrep, glep and codesearch, `code`
//! makes and searches zoekt shards beside zoekt, `series` writes and reads indexes of Prometheus
//! blocks beside Prometheus; `blobs` loads and checks restic repositories beside restic and rustic;
//! `rows` reads SSTables beside Cassandra; `graph` loads, asks and writes a store of RDF beside
//! Oxigraph; `buckets` asks at addresses, beside restic, Thanos's tools and a copy of everything;
//! `tables` reads tables by the wheel and in SQL, beside dumps and DuckDB; `serve` asks the server,
//! beside those of Oxigraph, Prometheus and zoekt;
//! `before` runs rows of all of them beside the programs of an earlier commit; `weight` is about
//! the build itself; `figures` writes the page of all kept figures.

mod allocations;
mod before;
mod blobs;
mod buckets;
mod code;
mod corpora;
mod figures;
mod files;
mod find;
mod findings;
mod graph;
mod kind;
mod machine;
mod measure;
mod page;
mod programs;
mod rows;
mod series;
mod serve;
mod sys;
mod table;
mod tables;
mod weight;

use std::process::ExitCode;

use kind::Kind;

const KINDS: [&Kind; 12] = [
    &find::KIND,
    &code::KIND,
    &series::KIND,
    &blobs::KIND,
    &rows::KIND,
    &graph::KIND,
    &buckets::KIND,
    &tables::KIND,
    &serve::KIND,
    &before::KIND,
    &weight::KIND,
    &page::KIND,
];

fn main() -> ExitCode {
    if let Some(code) = weight::as_wrapper() {
        return match code {
            Ok(code) => ExitCode::from(code as u8),
            Err(error) => failed(&error),
        };
    }
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    let rest: Vec<_> = words.collect();
    let name = first.as_deref().and_then(|word| word.to_str()).unwrap_or("");
    let result = match KINDS.iter().find(|kind| kind.name == name) {
        Some(kind) => kind.main(rest),
        // The measured process of the sweep row: this program, started again.
        None if name == find::sweep::CHILD => find::sweep::child(rest),
        None if ["--help", "-h"].contains(&name) => {
            println!("{}", usage());
            return ExitCode::SUCCESS;
        }
        None => {
            eprintln!("{}", usage());
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("manicule-bench: {error:#}");
    ExitCode::from(2)
}

fn usage() -> String {
    let rows: String = KINDS.map(|kind| format!("  {:6}  {}\n", kind.name, kind.help)).concat();
    format!(
        "usage: manicule-bench KIND [OPTIONS]\n\nkinds:\n{rows}\n\
         `manicule-bench KIND --help` lists the options of a kind."
    )
}
