//! `manicule graph query`: a question in SPARQL.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::graph::{
    DefaultGraphChoice, Error, Explain, Fits, QueryCall, QueryLimits, QueryThreads, RowFormat,
    RowsAs, Store, Syntax as Rdf, explain_words,
};
use termcolor::ColorChoice;

use super::explain::{Picture, as_text};
use super::shared::{AT, BASE, FILE, PREFIX, TIMEOUT, UNION, prefix, put_named};
use super::table::{Columns, table};
use super::text::{Late, Words, within};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, cores, exit, shared};
use crate::named::format_of;
use crate::picture::{Bars, color, colors_are_wanted, width};
use crate::print::{Form, Print, Reader};
use crate::receipt;

pub(super) static COMMAND: Command = Command {
    name: "query",
    operands: "STORE [QUERY]",
    summary: "run a SPARQL 1.2 query",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE [QUERY]",
            about: "\
Runs a SELECT, ASK, CONSTRUCT or DESCRIBE query on a consistent view of a store, while others may write to it. The query is one
argument, or is read from -f FILE.",
        }],
        notes: "\
Rows are printed as a table and triples of CONSTRUCT and DESCRIBE as ntriples, unless --format or the extension of the output file
selects another format. A query may begin with EXPLAIN, which is the same as --explain, or with EXPLAIN ANALYZE, which is
--analyze.",
        exit: "0 when there is a result, 1 when there is no row or triple or ASK gives false, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.words.store), Operand::Word(|o, word| o.words.take(word))]);

/// What an answer is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Rows(RowFormat),
    Triples(Rdf),
    Columns(Columns),
}

impl Format {
    /// What the name of an output says; and what it says of triples, where it says something of
    /// both.
    fn of_path(path: &Path) -> Option<(Format, Option<Rdf>)> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match &*ending {
            "csv" => (Format::Rows(RowFormat::Csv), None),
            "tsv" => (Format::Rows(RowFormat::Tsv), None),
            "srj" => (Format::Rows(RowFormat::Json), None),
            "srx" => (Format::Rows(RowFormat::Xml), None),
            "json" => (Format::Rows(RowFormat::Json), Some(Rdf::JsonLd)),
            "xml" => (Format::Rows(RowFormat::Xml), Some(Rdf::RdfXml)),
            "arrow" => (Format::Columns(Columns::Arrow), None),
            "parquet" => (Format::Columns(Columns::Parquet), None),
            "txt" => (Format::Rows(RowFormat::Table), Some(Rdf::NTriples)),
            other => (Format::Triples(Rdf::of_word(other)?), None),
        })
    }

    /// What the ending of a name says where it is given as a format; `json` and `xml` are formats
    /// of rows.
    fn of_ending(ending: &str) -> Option<Format> {
        Format::of_path(Path::new(&format!("a.{ending}"))).map(|(format, _)| format)
    }

    /// The answers that can be written so.
    fn fits(self) -> Fits {
        match self {
            Format::Rows(_) => Fits::Rows,
            Format::Triples(_) => Fits::Triples,
            Format::Columns(_) => Fits::Any,
        }
    }
}

static FLAGS: &[Flag<Options>] = &[
    FILE.does(set!(|o, value| o.words.file = Some(value.path()))),
    spec("format", "", "Format of the result.")
        .takes("FORMAT")
        .choices(&[
            ("table", "aligned columns"),
            ("json", "SPARQL 1.2 Query Results JSON"),
            ("xml", "SPARQL Query Results XML"),
            ("csv", "values, comma-separated"),
            ("tsv", "terms, tab-separated"),
            ("ntriples", "of triples: one per line"),
            ("nquads", "the same"),
            ("turtle", "of triples: Turtle"),
            ("trig", "the same"),
            ("rdfxml", "of triples: RDF/XML"),
            ("jsonld", "of triples: JSON-LD"),
            ("arrow", "typed columns: Arrow IPC, a file with -o, a stream without"),
            ("parquet", "typed columns: Parquet"),
        ])
        .does(set!(|o, value| o.format = Some(value.choice_or(
            &[
                Format::Rows(RowFormat::Table),
                Format::Rows(RowFormat::Json),
                Format::Rows(RowFormat::Xml),
                Format::Rows(RowFormat::Csv),
                Format::Rows(RowFormat::Tsv),
                Format::Triples(Rdf::NTriples),
                Format::Triples(Rdf::NQuads),
                Format::Triples(Rdf::Turtle),
                Format::Triples(Rdf::TriG),
                Format::Triples(Rdf::RdfXml),
                Format::Triples(Rdf::JsonLd),
                Format::Columns(Columns::Arrow),
                Format::Columns(Columns::Parquet),
            ],
            Format::of_ending
        )?))),
    spec("untyped", "", "Write columns of arrow and parquet as text, with values as in the data.")
        .sets(|o| &mut o.untyped),
    shared::OUTPUT_FILE.does(set!(|o, value| o.output = Some(value.path()))),
    AT.does(set!(|o, value| o.at = Some(value.string()?))),
    UNION.sets(|o| &mut o.union),
    BASE.does(set!(|o, value| o.base = Some(value.string()?))),
    PREFIX.does(|o, value| {
        o.prefixes.push(prefix(value.text()?)?);
        Ok(())
    }),
    shared::LIMIT
        .here("Print only the first NUM rows or triples of the answer.")
        .does(set!(|o, value| o.rows_taken = value.number()?)),
    spec("max-rows", "", "Fail if the answer has more rows or triples.")
        .takes("NUM")
        .does(set!(|o, value| o.rows_max = value.number()?)),
    TIMEOUT.does(set!(|o, value| o.timeout_ms = Some(value.duration_ms()?))),
    shared::MEMORY
        .here("Memory for the tables of a query, such as 512MiB. Default: 1G.")
        .more("A query that needs more is answered some rows at a time; its sorts, groups and DISTINCT go through a temporary file.")
        .does(set!(|o, value| o.memory_max = value.size()?)),
    shared::THREADS
        .more("Default: one per core. A join of few rows uses one thread.")
        .does(set!(|o, value| o.threads = value.threads()?)),
    spec("explain", "", "Show how the query would be evaluated, with estimates.")
        .more("The query is not run. With --json as one object.")
        .does(set!(|o| o.explain = o.explain.or(Some(Explain::Plan)))),
    spec("analyze", "", "Run the query, and show how it was evaluated.")
        .more("Shows rows, bytes and time of each operator in place of the result.")
        .does(set!(|o| o.explain = Some(Explain::Analyze))),
    shared::BARS
        .here("Draw bars beside the numbers of --analyze: the share of the time. Default: auto.")
        .does(set!(|o, value| o.bars = Bars::of(&value)?)),
    shared::COLOR.does(set!(|o, value| o.color = color(&value)?)),
    spec("receipt", "", "Print the cost of the call.")
        .more("On standard error, whatever the format.")
        .sets(|o| &mut o.receipt),
    spec("json", "", "The same as --format json.")
        .does(set!(|o| o.format = Some(Format::Rows(RowFormat::Json)))),
    shared::QUIET.sets(|o| &mut o.quiet),
];

struct Options {
    words: Words,
    format: Option<Format>,
    untyped: bool,
    output: Option<PathBuf>,
    at: Option<String>,
    union: bool,
    base: Option<String>,
    prefixes: Vec<(String, String)>,
    rows_taken: u64,
    rows_max: u64,
    timeout_ms: Option<i64>,
    memory_max: u64,
    threads: usize,
    explain: Option<Explain>,
    bars: Bars,
    color: ColorChoice,
    receipt: bool,
    quiet: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            words: Words::default(),
            format: None,
            untyped: false,
            output: None,
            at: None,
            union: false,
            base: None,
            prefixes: Vec::new(),
            rows_taken: u64::MAX,
            rows_max: u64::MAX,
            timeout_ms: None,
            memory_max: QueryLimits::NONE.memory_max,
            threads: cores(),
            explain: None,
            bars: Bars::Auto,
            color: ColorChoice::Auto,
            receipt: false,
            quiet: false,
        }
    }
}

#[derive(Debug)]
struct Call {
    store: PathBuf,
    at: Option<String>,
    call: QueryCall,
    output: Option<PathBuf>,
    timeout_ms: Option<i64>,
    explain: Option<Explain>,
    /// Of an explanation.
    bars: Bars,
    color: ColorChoice,
    receipt: bool,
    quiet: bool,
}

fn finish(mut options: Options) -> Result<Call> {
    let (triples, fits) = formats(&mut options)?;
    let rows = rows_as(&options)?;
    let (store, text) = options.words.finish("query")?;
    let (asked, text) = explain_words(&text);
    let explain = match (asked, options.explain) {
        (Some(Explain::Analyze), _) => Some(Explain::Analyze),
        (asked, option) => option.or(asked),
    };
    let text = text.into_owned();
    let default_graph =
        if options.union { DefaultGraphChoice::Union } else { DefaultGraphChoice::Own };
    let limits = QueryLimits {
        rows_taken: options.rows_taken,
        rows_max: options.rows_max,
        memory_max: options.memory_max,
        threads: QueryThreads::of(options.threads),
        ..QueryLimits::NONE
    };
    let call = QueryCall {
        text,
        base: options.base,
        default_graph,
        limits,
        rows,
        triples,
        prefixes: options.prefixes,
        fits,
    };
    let Options { at, output, timeout_ms, bars, color, receipt, quiet, .. } = options;
    Ok(Call { store, at, call, output, timeout_ms, explain, bars, color, receipt, quiet })
}

/// The syntax of triples, and the answers that may be written: what was asked for, else what the
/// name of the output says.
fn formats(options: &mut Options) -> Result<(Rdf, Fits)> {
    if let Some(format) = options.format {
        let triples = if let Format::Triples(syntax) = format { syntax } else { Rdf::NTriples };
        return Ok((triples, format.fits()));
    }
    let words = "FORMAT, as --help lists them";
    let Some((format, triples)) = format_of(options.output.as_deref(), words, Format::of_path)?
    else {
        return Ok((Rdf::NTriples, Fits::Any));
    };
    options.format = Some(format);
    Ok(match (triples, format) {
        (Some(syntax), _) => (syntax, Fits::Any),
        (None, Format::Triples(syntax)) => (syntax, Fits::Triples),
        (None, _) => (Rdf::NTriples, format.fits()),
    })
}

/// How rows are written.
fn rows_as(options: &Options) -> Result<RowsAs> {
    match options.format {
        None | Some(Format::Triples(_)) => Ok(RowsAs::Document(RowFormat::Table)),
        Some(Format::Rows(rows)) => Ok(RowsAs::Document(rows)),
        Some(Format::Columns(columns)) => {
            let is_seen = !options.quiet && options.explain.is_none();
            table(columns, options.untyped, options.output.as_deref(), is_seen)
        }
    }
}

fn answer(asked: &Call, out: &mut Print) -> Result<u8> {
    out.in_pages();
    if let Some(how) = asked.explain {
        let explained = within(asked.timeout_ms, Late::Left, |watch| {
            open(asked)?.explain(&asked.call, how, watch)
        })?;
        match asked.call.rows {
            RowsAs::Document(RowFormat::Json) => out.report("explanation", explained)?,
            _ => out.write_all(as_text(&explained, &picture(asked)).as_bytes())?,
        }
        return Ok(exit::DONE);
    }
    // A file that was begun has to be removed.
    let late = if asked.output.is_some() { Late::Awaited } else { Late::Left };
    let done = within(asked.timeout_ms, late, |watch| {
        let ask = |out: &mut dyn Write| open(asked)?.query(&asked.call, out, watch);
        match &asked.output {
            Some(path) => put_named(path, |file| {
                let mut file = BufWriter::new(file);
                let done = ask(&mut file)?;
                file.flush()?;
                Ok(done)
            }),
            None if asked.quiet => Ok(ask(&mut io::sink())?),
            None => Ok(ask(out)?),
        }
    })?;
    if asked.receipt {
        receipt::print(&done.work.fields(), Form::Text, out)?;
    }
    Ok(exit::if_any(done.is_found))
}

fn open(asked: &Call) -> Result<Store, Error> {
    Store::open_at(&asked.store, asked.at.as_deref())
}

fn picture(asked: &Call) -> Picture {
    let (has_bars, has_colors) = (asked.bars.are_wanted(), colors_are_wanted(asked.color));
    Picture { has_bars, has_colors, width: width() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_the_default() {
        let Call { store, call, .. } = JOB.parsed("s ASK{}").unwrap();
        assert_eq!((store, call.text.as_str()), (PathBuf::from("s"), "ASK{}"));
        let table = RowsAs::Document(RowFormat::Table);
        assert_eq!((call.rows, call.triples), (table.clone(), Rdf::NTriples));
        let call = JOB.parsed("s ASK{} --format turtle --prefix a=x:y --union").unwrap().call;
        assert_eq!((call.rows, call.triples), (table, Rdf::Turtle));
        assert_eq!(call.prefixes, [("a".to_owned(), "x:y".to_owned())]);
        assert_eq!(call.default_graph, DefaultGraphChoice::Union);
    }

    #[test]
    fn a_format_is_asked_for_or_named() {
        for (line, rows, triples, fits) in [
            ("s ASK{}", RowFormat::Table, Rdf::NTriples, Fits::Any),
            ("s ASK{} --format csv", RowFormat::Csv, Rdf::NTriples, Fits::Rows),
            ("s ASK{} --json -o x.csv", RowFormat::Json, Rdf::NTriples, Fits::Rows),
            ("s ASK{} -o x.CSV", RowFormat::Csv, Rdf::NTriples, Fits::Rows),
            ("s ASK{} -o x.ttl", RowFormat::Table, Rdf::Turtle, Fits::Triples),
            ("s ASK{} -o x.json", RowFormat::Json, Rdf::JsonLd, Fits::Any),
            ("s ASK{} -o x.srx", RowFormat::Xml, Rdf::NTriples, Fits::Rows),
            ("s ASK{} -o x.txt", RowFormat::Table, Rdf::NTriples, Fits::Any),
            ("s ASK{} -o x", RowFormat::Table, Rdf::NTriples, Fits::Any),
            ("s ASK{} --format nquads -o x.csv", RowFormat::Table, Rdf::NQuads, Fits::Triples),
            ("s ASK{} --format ttl", RowFormat::Table, Rdf::Turtle, Fits::Triples),
            ("s ASK{} --format nt", RowFormat::Table, Rdf::NTriples, Fits::Triples),
            ("s ASK{} --format srx", RowFormat::Xml, Rdf::NTriples, Fits::Rows),
            ("s ASK{} --format json", RowFormat::Json, Rdf::NTriples, Fits::Rows),
        ] {
            let call = JOB.parsed(line).unwrap().call;
            let want = (RowsAs::Document(rows), triples, fits);
            assert_eq!((call.rows, call.triples, call.fits), want, "{line}");
        }
    }

    #[test]
    fn a_query_is_explained_by_a_word_or_an_option() {
        for (line, want) in [
            ("s ASK{}", None),
            ("s ASK{} --explain", Some(Explain::Plan)),
            ("s ASK{} --analyze --explain", Some(Explain::Analyze)),
        ] {
            assert_eq!(JOB.parsed(line).unwrap().explain, want, "{line}");
        }
        for (text, want) in
            [("explain ASK{}", Explain::Plan), ("EXPLAIN ANALYZE ASK{}", Explain::Analyze)]
        {
            let words = Words { store: "s".into(), text: Some(text.into()), file: None };
            let call = finish(Options { words, ..Options::default() }).unwrap();
            assert_eq!((call.explain, call.call.text.trim()), (Some(want), "ASK{}"), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let limits = JOB.parsed("s ASK{} --memory 64MiB").unwrap().call.limits;
        assert_eq!((limits.memory_max, limits.quads_max), (64 << 20, u64::MAX));
        assert_eq!(limits.threads, QueryThreads::of(cores()));
        let limits = JOB.parsed("s ASK{} -j 3").unwrap().call.limits;
        assert_eq!(limits.threads, QueryThreads::of(3));
        for (line, want) in [
            ("", "missing STORE; usage: manicule graph query STORE [QUERY]"),
            ("s", "missing QUERY; usage: manicule graph query s 'QUERY', or -f FILE"),
            ("s a b", "one word too many: b; quote a QUERY that has blanks"),
            ("s a -f b", "the text comes from the command line or from -f FILE, not both"),
            ("s a --prefix b", "--prefix wants NAME=IRI, not \"b\""),
            (
                "s a -o x.xlsx",
                "x.xlsx: its name says no format; give --format FORMAT, as --help lists them",
            ),
            ("s INSERT{}", "this is an update: `manicule graph update s ...`"),
        ] {
            assert_eq!(format!("{:#}", JOB.parsed(line).unwrap_err()), want);
        }
    }
}
