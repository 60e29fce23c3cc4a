//! `manicule code search`: zoekt's query language over shards.
//!
//! Answers come in the order of shards and documents, whatever the number of threads, so a limit cuts the same answers
//! off each time.
//!
//! Callers: code

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::cache::now_ns;
use manicule::code::shards::ShardError;
use manicule::code::shards::find::query::{Answer, Hear, Query, search};
use manicule::code::shards::find::{
    Admit, Order, Receipt, Request, ShardFiles, Skipped, census, repository_count,
};
use manicule::code::tree::{Flow, Look};
use manicule::kinds::recognise;
use manicule::watch::Watch;
use serde_json::{Value, json};
use termcolor::ColorChoice;

use super::json::{begin, json_line, matched, text};
use super::lines::each_line;
use super::show::{Style, colors_are_wanted};
use crate::below::below;
use crate::find::document_path;
use crate::messages::{Messages, say};
use crate::print::{Print, Reader, command};

pub(super) const HELP: &str = "\
manicule code search [FLAGS] QUERY [PATH...]
    Answers a query in zoekt's language from shards, ours or zoekt's. PATH is a shard or a folder of
    shards; without one, the current folder.

    foo bar              documents that hold both, in content or name
    foo or bar, -foo, (a b)
    \"a b\"                blanks stay; still a regex
    content:foo c:foo    in the content only           file:foo f:foo   in the name only
    lang:go              of this language              repo:foo r:foo   of such a repository
    case:yes|no|auto     whether letters are compared as they are; auto: if the word has a capital
    Words are regexes in Go's dialect. ^ and $ stand at lines.
    sym: branch: type: archived: fork: public: meta.FIELD: come later.

    -l, --files-with-matches   names only
    -c, --count                names, and how many lines match
        --json                 JSON Lines, as ripgrep's, with repository, language and branches
    -A, --after-context N      N lines after each that matches as well
    -B, --before-context N     N lines before it
    -C, --context N            N lines before and after it
        --heading              names above their lines, as on a terminal
        --no-heading           each name in front of its lines, as into a pipe
        --color WHEN           colors, and when
                               auto: on a terminal (the default)
                               never: nowhere
                               always: everywhere
                               ansi: everywhere, as escape sequences
        --limit N              at most N lines, or names: the first in the order of shards and documents
        --deadline TIME        stop after this time: 500ms, 5s, 1m
    -j, --threads N            how many threads work
        --receipt              what the call has cost, and how many documents are not indexed

    A line is printed as NAME:NUMBER:LINE; where the shards hold several repositories, the name begins
    with the repository's. Of documents that match by name only, the name is printed. Documents that
    were too large, too small or binary when they were indexed hold a line NOT-INDEXED: REASON.
    Exit code: 0 when something was found, 1 when nothing was, 2 when something failed or the time was up.
";

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Needed, |out| answer(words, out))
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Lines,
    Names,
    Counts,
    Json,
}

struct Options {
    query: String,
    paths: Vec<PathBuf>,
    form: Form,
    limit: u64,
    deadline: Option<Duration>,
    threads: usize,
    receipt: bool,
    color: ColorChoice,
    /// `None`: on a terminal.
    heading: Option<bool>,
    before: usize,
    after: usize,
}

impl Options {
    fn style(&self) -> Style {
        if self.form == Form::Json {
            return Style::PLAIN;
        }
        let is_terminal = io::stdout().is_terminal();
        let color = match self.color {
            ColorChoice::Auto if !is_terminal => ColorChoice::Never,
            color => color,
        };
        Style {
            color: colors_are_wanted(color),
            heading: self.form == Form::Lines && self.heading.unwrap_or(is_terminal),
            before: self.before,
            after: self.after,
        }
    }
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(options) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let query = Query::parse(&options.query)?;
    let messages = Messages::new(true, true);
    let mut failed = |error: ShardError| messages.failure(&error);
    let mut files = Vec::with_capacity(options.paths.len());
    for path in &options.paths {
        match open(path, &mut failed) {
            Ok(opened) => files.push(opened),
            Err(error) => messages.failure(&format_args!("{error:#}")),
        }
    }
    let shards: Vec<_> = files.iter().flat_map(|files| files.shards(&mut failed)).collect();
    let watch = match options.deadline {
        None => Watch::none(),
        Some(time) => Watch::none().until(now_ns().saturating_add(time.as_nanos() as u64), now_ns),
    };
    let style = options.style();
    out.in_pages();
    let printer = Mutex::new(Printer::new(options.limit, style.between(options.form), out));
    let with_repository = repository_count(shards.iter()) > 1;
    let admit = Admit::all();
    let request = Request {
        look: &Look::Contents,
        admit: &admit,
        order: Order::Any,
        skipped: Skipped::Kept,
        threads: options.threads,
        watch: &watch,
    };
    let receipt = search(&shards, &query, &request, &|| {
        Box::new(Hearer {
            form: options.form,
            style,
            with_repository,
            printer: &printer,
            watch: &watch,
            piece: Piece::default(),
            path: Vec::new(),
        })
    });
    let mut printer = printer.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut receipt = receipt?;
    printer.finish()?;
    if options.receipt || options.form == Form::Json {
        receipt.not_indexed = census(&shards, &admit)?.not_indexed;
    }
    let cut_by = match (printer.is_cut, watch.deadline_passed()) {
        (_, true) => Some("deadline"),
        (true, false) => Some("limit"),
        (false, false) => None,
    };
    tell(&options, &mut printer, &receipt, cut_by)?;
    Ok(match (cut_by, printer.documents) {
        (Some("deadline"), _) => 2,
        _ if messages.failed() => 2,
        (_, 0) => 1,
        _ => 0,
    })
}

fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    let mut query = None;
    let mut options = Options {
        query: String::new(),
        paths: Vec::new(),
        form: Form::Lines,
        limit: u64::MAX,
        deadline: None,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        receipt: false,
        color: ColorChoice::Auto,
        heading: None,
        before: 0,
        after: 0,
    };
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('l') | Long("files-with-matches") => options.form = Form::Names,
            Short('c') | Long("count") => options.form = Form::Counts,
            Long("json") => options.form = Form::Json,
            Long("limit") => options.limit = number(&mut parser, "--limit")?,
            Long("deadline") => options.deadline = Some(time(&parser.value()?.string()?)?),
            Short('j') | Long("threads") => {
                // More threads than that help nobody.
                options.threads = number(&mut parser, "--threads")?.clamp(1, 1024) as usize;
            }
            Long("receipt") => options.receipt = true,
            Short('A') | Long("after-context") => options.after = context(&mut parser, "-A")?,
            Short('B') | Long("before-context") => options.before = context(&mut parser, "-B")?,
            Short('C') | Long("context") => {
                options.before = context(&mut parser, "-C")?;
                options.after = options.before;
            }
            Long("heading") => options.heading = Some(true),
            Long("no-heading") => options.heading = Some(false),
            Long("color") => options.color = color(&parser.value()?.to_string_lossy())?,
            Value(word) if query.is_none() => {
                query = Some(word.into_string().ok().context("the query is not valid UTF-8")?);
            }
            Value(word) => options.paths.push(word.into()),
            Short(letter) => bail!(refusal(&format!("-{letter}"))),
            Long(name) => bail!(refusal(&format!("--{name}"))),
        }
    }
    options.query = query.context("a query is wanted: manicule code search QUERY [PATH...]")?;
    if options.form == Form::Json && (options.before > 0 || options.after > 0) {
        bail!("--json has the lines that match alone: leave out -A, -B and -C");
    }
    if options.paths.is_empty() {
        options.paths.push(PathBuf::from("."));
    }
    Ok(Some(options))
}

fn number(parser: &mut lexopt::Parser, name: &str) -> Result<u64> {
    let text = parser.value().ok().with_context(|| format!("{name} wants a number"))?;
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.with_context(|| format!("{name} {:?} is no number", text.to_string_lossy()))
}

fn context(parser: &mut lexopt::Parser, name: &str) -> Result<usize> {
    // No text has more lines.
    Ok(usize::try_from(number(parser, name)?).unwrap_or(usize::MAX / 2).min(usize::MAX / 2))
}

fn color(when: &str) -> Result<ColorChoice> {
    Ok(match when {
        "never" => ColorChoice::Never,
        "auto" => ColorChoice::Auto,
        "always" => ColorChoice::Always,
        "ansi" => ColorChoice::AlwaysAnsi,
        _ => bail!("--color takes never, auto, always or ansi, not {when:?}"),
    })
}

/// Flags that fingers are used to from ripgrep, and what to write here.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["-n", "--line-number"], "lines have their numbers already: leave it out"),
    (
        &["-i", "--ignore-case"],
        "words without a capital match any case already, and case:no in the query is for those with one",
    ),
    (&["-s", "--case-sensitive"], "write case:yes in the query"),
    (&["-S", "--smart-case"], "it is so already: leave it out"),
    (&["-F", "--fixed-strings"], "write a backslash before each of .*+?()[]{}|^$ in the query"),
    (&["-o", "--only-matching"], "--json tells the places of all matches"),
    (&["-w", "--word-regexp"], "write \\bWORD\\b in the query"),
    (
        &["-v", "--invert-match"],
        "-WORD in the query leaves out the documents that hold it, `manicule find -v` lines",
    ),
    (&["-e", "--regexp"], "the query is one argument: write a b for both words, a or b for any"),
    (&["-g", "--glob"], "write file:REGEX in the query"),
    (&["-t", "--type"], "write lang:NAME in the query"),
    (
        &["-m", "--max-count"],
        "--limit N is for all documents together, `manicule find -m` for each",
    ),
    (&["-q", "--quiet"], "-l --limit 1 stops at the first"),
];

/// Why there is no such option.
fn refusal(flag: &str) -> String {
    match ELSEWHERE.iter().find(|(flags, _)| flags.contains(&flag)) {
        Some((_, instead)) => format!("there is no option {flag} here: {instead}"),
        None => format!(
            "there is no option {flag}; `manicule code search --help` lists them, and a query that begins with - goes \
             after --"
        ),
    }
}

/// A time with its unit.
fn time(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit_ms = match &text[digits.len()..] {
        "ms" => 1.0,
        "s" | "" => 1e3,
        "m" | "min" => 60e3,
        _ => bail!("{text:?} is no time: a number, and ms, s or m behind it"),
    };
    let number: f64 = digits.parse().with_context(|| format!("{text:?} is no time"))?;
    Duration::try_from_secs_f64(number * unit_ms / 1e3)
        .with_context(|| format!("{text:?} is no time"))
}

/// Opens what was given as shards: whoever asks a query says that it is one, or a folder that holds some.
fn open(path: &Path, failed: &mut dyn FnMut(ShardError)) -> Result<ShardFiles> {
    if path.is_dir() || path.extension() == Some(OsStr::new("zoekt")) {
        match ShardFiles::open(path, failed) {
            Err(ShardError::None { .. }) => {}
            opened => return Ok(opened?),
        }
    }
    let kind = recognise(path).with_context(|| path.display().to_string())?;
    let below = below(path, "code search QUERY").filter(|_| path.is_dir());
    bail!(
        "{} is {kind}; a query wants a zoekt shard or a folder of them, and `manicule find` searches the rest{}",
        path.display(),
        below.map_or(String::new(), |below| format!("; {below}"))
    )
}

/// What Manicule says besides the answers.
fn tell(
    options: &Options,
    printer: &mut Printer<'_>,
    receipt: &Receipt,
    cut_by: Option<&str>,
) -> Result<()> {
    if options.form == Form::Json {
        let fields: serde_json::Map<String, Value> = receipt
            .fields()
            .into_iter()
            .map(|(name, number)| (name.into(), number.into()))
            .collect();
        let data = json!({
            "documents": printer.documents,
            "lines": printer.lines,
            "cut_by": cut_by,
            "receipt": fields,
        });
        writeln!(printer.out, "{}", json!({ "type": "summary", "data": data }))?;
    } else if options.receipt {
        for (name, number) in receipt.fields() {
            say(&format_args!("receipt: {name} {number}"));
        }
    }
    match cut_by {
        Some("deadline") => say(&"the time of --deadline was up: the answer is not complete"),
        Some(_) => say(&format_args!("cut at --limit {}: there is more", options.limit)),
        None => {}
    }
    Ok(())
}

/// The answers of one range, ready to be printed.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    documents: Vec<Printed>,
}

/// Where the parts of a document end in the bytes of a piece: what opens it, each line, what closes it.
struct Printed {
    head_end: usize,
    line_ends: Vec<usize>,
    end: usize,
}

/// Renders the answers of one thread.
struct Hearer<'h, 'p> {
    form: Form,
    style: Style,
    with_repository: bool,
    printer: &'h Mutex<Printer<'p>>,
    watch: &'h Watch<'h>,
    piece: Piece,
    path: Vec<u8>,
}

impl Hear for Hearer<'_, '_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let path = document_path(answer.document, self.with_repository, &mut self.path);
        let out = &mut self.piece.bytes;
        let content = answer.document.content;
        let mut line_ends = Vec::new();
        match self.form {
            Form::Json => json_line(out, &begin(answer, path)),
            Form::Lines if self.style.heading && !answer.matches.is_empty() => {
                self.style.put_name(out, path, &[]);
            }
            _ => {}
        }
        let head_end = out.len();
        match self.form {
            Form::Names => self.style.put_name(out, path, &[]),
            Form::Counts => {
                let mut count = 0u64;
                each_line(content, answer.matches, |_| count += 1);
                self.style.put_path(out, path);
                out.push(b':');
                out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
                out.push(b'\n');
            }
            Form::Lines if answer.matches.is_empty() => {
                // The repository's name may stand before the document's.
                let shift = path.len() - answer.document.name.len();
                let matches = answer.name_matches.iter();
                let matches = matches.map(|found| found.start + shift..found.end + shift);
                self.style.put_name(out, path, &matches.collect::<Vec<_>>());
            }
            Form::Lines => line_ends = self.style.put_lines(out, path, content, answer.matches),
            Form::Json => each_line(content, answer.matches, |line| {
                json_line(out, &matched(answer, path, line));
                line_ends.push(out.len());
            }),
        }
        if line_ends.is_empty() {
            line_ends.push(out.len());
        }
        if self.form == Form::Json {
            json_line(out, &json!({ "type": "end", "data": { "path": text(path) } }));
        }
        self.piece.documents.push(Printed { head_end, line_ends, end: out.len() });
        Flow::Continue
    }

    fn range_end(&mut self, number: usize) {
        let piece = std::mem::take(&mut self.piece);
        let mut printer = self.printer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !printer.put(number, piece) {
            self.watch.cancel();
        }
    }
}

/// Prints pieces in their order.
struct Printer<'p> {
    out: &'p mut Print,
    next: usize,
    waiting: BTreeMap<usize, Piece>,
    left: u64,
    /// There is more than the limit.
    is_cut: bool,
    documents: u64,
    /// What parts two documents.
    between: &'static [u8],
    lines: u64,
    failure: Option<io::Error>,
}

impl<'p> Printer<'p> {
    fn new(limit: u64, between: &'static [u8], out: &'p mut Print) -> Self {
        Printer {
            out,
            next: 0,
            waiting: BTreeMap::new(),
            left: limit,
            is_cut: false,
            documents: 0,
            between,
            lines: 0,
            failure: None,
        }
    }

    /// Takes a piece, and prints what is next. Whether more is wanted.
    fn put(&mut self, number: usize, piece: Piece) -> bool {
        self.waiting.insert(number, piece);
        while let Some(piece) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.print(&piece);
        }
        !self.is_cut && self.failure.is_none()
    }

    /// Prints what still waits for pieces that never came.
    fn finish(&mut self) -> io::Result<()> {
        for (_, piece) in std::mem::take(&mut self.waiting) {
            self.print(&piece);
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn print(&mut self, piece: &Piece) {
        let mut start = 0;
        for document in &piece.documents {
            if self.left == 0 {
                self.is_cut = true;
            }
            if self.is_cut || self.failure.is_some() {
                return;
            }
            let count = (document.line_ends.len() as u64).min(self.left);
            self.is_cut = count < document.line_ends.len() as u64;
            self.left -= count;
            let between = if self.documents > 0 { self.between } else { b"" };
            self.documents += 1;
            self.lines += count;
            let lines_end = document.line_ends[count as usize - 1];
            let last = document.line_ends.last().copied().unwrap_or(document.head_end);
            let parts = [between, &piece.bytes[start..lines_end], &piece.bytes[last..document.end]];
            for part in parts {
                if let Err(error) = self.out.write_all(part) {
                    self.failure = Some(error);
                }
            }
            start = document.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_from_elsewhere_are_explained() {
        for (words, want) in [
            (
                &["-n", "x"][..],
                "there is no option -n here: lines have their numbers already: leave it out",
            ),
            (
                &["-i", "x"],
                "there is no option -i here: words without a capital match any case already, and case:no in the query \
                 is for those with one",
            ),
            (&["--glob", "x"], "there is no option --glob here: write file:REGEX in the query"),
            (
                &["-foo"],
                "there is no option -f; `manicule code search --help` lists them, and a query that begins with - goes \
                 after --",
            ),
            (&["--limit", "-1", "x"], "--limit \"-1\" is no number"),
            (&["x", "-j", "many"], "--threads \"many\" is no number"),
            (&["x", "--limit"], "--limit wants a number"),
            (&["x", "-A"], "-A wants a number"),
            (
                &["x", "--json", "-C2"],
                "--json has the lines that match alone: leave out -A, -B and -C",
            ),
            (&["x", "--color=red"], "--color takes never, auto, always or ansi, not \"red\""),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let error = parse(&words).err().expect("a refusal");
            assert_eq!(format!("{error:#}"), want);
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("500ms").unwrap(), Duration::from_millis(500));
        assert_eq!(time("2").unwrap(), Duration::from_secs(2));
        assert_eq!(time("1.5m").unwrap(), Duration::from_secs(90));
        for wrong in ["", "s", "-1s", "1h", "nans"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
