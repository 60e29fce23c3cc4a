//! `manicule series index`: the index of a block written again, with what other systems keep beside
//! it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::series::reindex::SymbolChoice;
use manicule::series::{ReindexCall, reindex};
use serde_json::json;

use super::input::only_block;
use super::memory;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "index",
    operands: "-o DIR BLOCK|INDEX",
    summary: "rewrite a block's index, with Thanos's and Mimir's header files",
    help: Help {
        calls: &[Usage {
            words: "-o DIR [OPTIONS] BLOCK|INDEX",
            about: "\
Rewrites the index of a block into DIR, from its series: byte for byte as Prometheus's writer does. An index of version 1 is
converted to version 2.",
        }],
        notes: "Files of the same names in DIR are replaced. Files appear only when complete.",
        exit: "0 when it is done, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .taking(&[Operand::Path(|o| &mut o.block)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_DIR.does(set!(|o, value| o.output = Some(value.path()))),
    spec("label-indices", "", "Write the label indices of older releases.")
        .more("Current readers ignore them.")
        .sets(|o| &mut o.job.options.label_indices),
    spec("index-header", "", "Also write Thanos's index-header.")
        .sets(|o| &mut o.job.options.index_header),
    spec("sparse-header", "", "Also write Mimir's sparse-index-header.")
        .sets(|o| &mut o.job.options.sparse_header),
    spec("used-symbols", "", "Drop unused symbols, such as those that merging leaves behind.")
        .does(set!(|o| o.job.options.symbols = SymbolChoice::Used)),
    memory::INDEX.flag.does(set!(|o, value| o.job.options.memory = value.memory()?)),
    shared::THREADS
        .more("With 2 or more, one thread encodes and another writes.")
        .does(set!(|o, value| o.job.options.threads = value.threads()?)),
    shared::JSON_ONE.sets(|o| &mut o.json),
];

struct Options {
    block: PathBuf,
    output: Option<PathBuf>,
    job: ReindexCall,
    json: bool,
}

impl Default for Options {
    fn default() -> Options {
        let job = ReindexCall::new(PathBuf::new(), PathBuf::new());
        Options { block: PathBuf::new(), output: None, job, json: false }
    }
}

struct Call {
    job: ReindexCall,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { block, output, mut job, json } = options;
    job.output = output.context("say with -o DIR where the index goes")?;
    job.block = only_block(block);
    Ok(Call { job, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let written = watched(Show::Progress, Signals::Noted, |watch| reindex(&call.job, watch))?;
    let path = call.job.output.join("index");
    if call.json {
        let path = json!({ "path": print::path(&path) });
        out.row("index", print::json_with(written, path))?;
    } else {
        let symbols = counted(written.symbols.into(), "symbol");
        let (path, series, len) = (path.display(), written.series, written.len);
        writeln!(out, "{path}: {series} series, {symbols}, {len} bytes")?;
    }
    Ok(exit::DONE)
}
