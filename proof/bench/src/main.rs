//! The bench: our rows and the peers', side by side in one run.
//!
//! One subcommand a kind; `find` searches source trees beside ripgrep, glep and codesearch, `code`
//! makes and searches zoekt shards beside zoekt, `series` writes and reads indexes of Prometheus
//! blocks beside Prometheus; `before` runs rows of all three beside the programs of an earlier commit.
//! Callers: people (`cargo run --profile dist -p manicule-bench -- find --help`), proof/runs

mod allocations;
mod before;
mod code;
mod corpora;
mod files;
mod find;
mod findings;
mod machine;
mod measure;
mod programs;
mod series;
mod sys;
mod table;

use std::process::ExitCode;

const USAGE: &str = "usage: manicule-bench KIND [OPTIONS]

kinds:
  find    search in source trees, beside ripgrep, glep and codesearch
  code    zoekt shards made and searched, beside zoekt
  series  indexes of Prometheus blocks written and read, beside Prometheus
  before  rows of all three, beside the programs of an earlier commit

`manicule-bench KIND --help` lists the options of a kind.";

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let kind = words.next();
    let rest: Vec<_> = words.collect();
    let result = match kind.as_deref().and_then(|kind| kind.to_str()) {
        Some("find") => find::main(rest),
        Some("code") => code::main(rest),
        Some("series") => series::main(rest),
        Some("before") => before::main(rest),
        // The measured process of the sweep row: this program, started again.
        Some(find::sweep::CHILD) => find::sweep::child(rest),
        Some("--help" | "-h") => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("manicule-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}
