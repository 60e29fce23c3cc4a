//! `manicule graph export`: what a store holds, as a document of RDF.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::graph::{Checked, Error, ExportCall, ExportFrom, LineOrder, Store, Syntax as Rdf};
use manicule::watch::Watch;

use super::shared::{AT, MEANT, PREFIX, SYNTAXES, prefix, put_named};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::named::format_of;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "export",
    operands: "STORE",
    summary: "export a store as an RDF document",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE",
            about: "\
Writes all quads of a store as it is now, or the triples of one graph. N-Triples and N-Quads are canonical: with --sorted two
stores with the same terms give the same bytes, except for blank node labels.",
        }],
        notes: "\
A syntax without graphs (ntriples, turtle, rdfxml) can export a store without named graphs completely, and of any other one graph.",
        exit: "0 when everything was written, 2 when something failed, such as a graph that doesn't exist.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.store)]);

static FLAGS: &[Flag<Options>] = &[
    spec("format", "", "Output syntax.")
        .takes("SYNTAX")
        .choices(&SYNTAXES)
        .more("Default: by the extension of the output file, else nquads.")
        .does(set!(|o, value| o.syntax = Some(value.choice_or(&MEANT, Rdf::of_word)?))),
    AT.does(set!(|o, value| o.at = Some(value.string()?))),
    spec("graph", "g", "Export only the triples of this graph.")
        .takes("IRI")
        .does(set!(|o, value| o.from = ExportFrom::Named(value.string()?))),
    spec("default-graph", "", "Export only the triples of the default graph.")
        .does(set!(|o| o.from = ExportFrom::Default)),
    spec("sorted", "", "Sort lines by their bytes; all are held in memory.")
        .does(set!(|o| o.order = LineOrder::Sorted)),
    PREFIX.does(|o, value| {
        o.prefixes.push(prefix(value.text()?)?);
        Ok(())
    }),
    shared::OUTPUT_FILE.does(set!(|o, value| o.output = Some(value.path()))),
];

struct Options {
    store: PathBuf,
    at: Option<String>,
    syntax: Option<Rdf>,
    from: ExportFrom,
    order: LineOrder,
    prefixes: Vec<(String, String)>,
    output: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        let (from, order, prefixes) = (ExportFrom::All, LineOrder::Stored, Vec::new());
        Options {
            store: PathBuf::new(),
            at: None,
            syntax: None,
            from,
            order,
            prefixes,
            output: None,
        }
    }
}

#[derive(Debug)]
struct Call {
    store: PathBuf,
    at: Option<String>,
    call: ExportCall,
    output: Option<PathBuf>,
}

fn finish(options: Options) -> Result<Call> {
    let Options { store, at, syntax, from, order, prefixes, output } = options;
    let syntax = match syntax {
        Some(syntax) => syntax,
        None => {
            let words = "ntriples, nquads, turtle, trig, rdfxml or jsonld";
            format_of(output.as_deref(), words, Rdf::of_path)?.unwrap_or(Rdf::NQuads)
        }
    };
    let checked = Checked::Files;
    Ok(Call { store, at, call: ExportCall { syntax, from, order, prefixes, checked }, output })
}

fn answer(asked: &Call, out: &mut Print) -> Result<u8> {
    let Call { store, at, call, output } = asked;
    let export = |out: &mut dyn Write, watch: &Watch<'_>| -> Result<u64, Error> {
        Store::open_at(store, at.as_deref())?.export(call, out, watch)
    };
    match output {
        Some(path) => watched(Show::Progress, Signals::Noted, |watch| {
            put_named(path, |file| Ok(export(file, watch)?))
        })?,
        None => {
            out.in_pages();
            watched(Show::Nothing, Signals::Noted, |watch| export(out, watch))?
        }
    };
    Ok(exit::DONE)
}
