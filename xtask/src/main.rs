//! Makes data of the repository from where it comes from.
//!
//! `cargo run -p xtask -- linguist` writes the tables that languages are told by, see
//! engines/code/src/shards/classify/tables/README.md. It wants Go and its module proxy.
//! `cargo run -p xtask -- ctags` writes the arguments that ctags is run with, see
//! engines/code/src/shards/symbols/README.md. With `--check` each compares instead.

mod ctags;
mod go;
mod linguist;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["linguist"] => linguist::write(),
        ["linguist", "--check"] => linguist::check(),
        ["ctags"] => ctags::write(),
        ["ctags", "--check"] => ctags::check(),
        _ => bail!("usage: cargo run -p xtask -- linguist|ctags [--check]"),
    }
}
