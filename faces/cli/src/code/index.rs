//! `manicule code index`: a folder into zoekt shards. The options are zoekt-index's, in Go's
//! spelling, and some of ours.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use manicule::code::index::{
    INDEX_MEMORY_MIN, InCompound, IndexTime, ShardId, Skip, Unchanged, default_output, shards_name,
    warnings,
};
use manicule::code::{IndexCall, Indexed, Symbols, index};
use serde_json::{Value, json};

use crate::command::flag::set;
use crate::command::spec::{Group, Spec, spec};
use crate::command::{
    Command, Declared, Does, Flag, FlagValue, Help, Operand, Usage, exit, shared,
};
use crate::messages::say;
use crate::print::{self, Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;
use crate::units::human_len;

pub(super) static COMMAND: Command = Command {
    name: "index",
    operands: "DIR...",
    summary: "index folders into zoekt shards, as zoekt-index does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] DIR...",
            about: "\
Indexes each DIR into the shards that zoekt-index would write, for zoekt-webserver and for manicule. Existing shards are kept if
nothing has changed; otherwise all shards of a DIR are replaced together. Symbols are found by universal-ctags, if it is installed.",
        }],
        notes: "\
With the same --index-time and --shard-id the same folder gives the same bytes. Paths that match .sourcegraph/ignore are skipped;
.gitignore is not respected, as in zoekt-index.

If killed at any moment, it leaves the old index or the new one, and the next run cleans up; interrupted with Ctrl-C or SIGTERM,
it cleans up before it exits. FOLDER may be inside DIR if it is ignored there.",
        exit: "0 when everything is indexed, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .taking(&[Operand::Paths(|o| &mut o.folders)])
    .in_go_spelling();

const ZOEKT: Group = Group(
    "Options of zoekt-index, with one dash or two, as -option value or -option=value; 0 means the default:",
);
const OURS: Group = Group("Ours:");

static FLAGS: &[Flag<Options>] = &[
    zoekt("index", "Write the shards to FOLDER. Default: ~/.zoekt.").takes("FOLDER").does(
        |o, value| {
            o.call.output = value.path();
            o.has_output = true;
            Ok(())
        },
    ),
    zoekt("file_limit", "Store longer files without contents. Default: 2097152.")
        .takes("BYTES")
        .does(set!(|o, value| unless_zero(&value, &mut o.call.limits.size_max)?)),
    zoekt("large_file", "Store these with contents, whatever their size.")
        .takes("GLOB")
        .more("May be repeated; !GLOB excludes again.")
        .does(set!(|o, value| o.call.large_files.push(value.string()?))),
    zoekt(
        "max_trigram_count",
        "Store files with more distinct trigrams without contents. Default: 20000.",
    )
    .takes("NUM")
    .does(set!(|o, value| unless_zero(&value, &mut o.call.limits.trigrams_max)?)),
    zoekt("ignore_dirs", "Skip these folders, comma-separated. Default: .git,.hg,.svn.")
        .takes("LIST")
        .does(set!(|o, value| o.call.ignore_dirs = value.string()?)),
    zoekt("shard_limit", "Close a shard when names and contents are longer. Default: 104857600.")
        .takes("BYTES")
        .does(set!(|o, value| unless_zero(&value, &mut o.call.shard_len_max)?)),
    zoekt("shard_prefix_override", "Use TEXT instead of the repository's name in shard names.")
        .takes("TEXT")
        .does(set!(
            |o, value| o.call.shard_prefix = value.value.filter(|prefix| !prefix.is_empty())
        )),
    zoekt("meta", "Description of the repository, in JSON; for one DIR only.").takes("FILE").does(
        set!(|o, value| o.call.meta = Some(value.path()).filter(|meta| *meta != Path::new(""))),
    ),
    zoekt("parallelism", "Number of threads. Default: the number of cores.")
        .takes("NUM")
        .more("Same as --threads.")
        .does(set!(|o, value| o.call.threads = value.threads()?)),
    zoekt("disable_ctags", "Find no symbols. Same as --ctags off.").does(set!(|o, value| {
        if value.on {
            o.call.symbols = Symbols::Off;
        } else if o.call.symbols == Symbols::Off {
            o.call.symbols = Symbols::WhereFound;
        }
    })),
    zoekt("require_ctags", "Fail if symbols can't be found. Same as --ctags require.")
        .does(set!(|o, value| o.call.symbols_required = value.on)),
    zoekt("shard_merging", "Give DIR a tombstone in compound shards of FOLDER that hold it.").does(
        set!(|o, value| o.call.in_compound =
            if value.on { InCompound::GetsTombstone } else { InCompound::Stays }),
    ),
    shared::MEMORY
        .within(OURS)
        .more("Default: 1GiB. Minimum: 64MiB.")
        .does(set!(|o, value| o.call.memory = value.size()?.max(INDEX_MEMORY_MIN))),
    shared::THREADS.within(OURS).does(set!(|o, value| o.call.threads = value.threads()?)),
    ours("ctags", "Find symbols with this universal-ctags.")
        .takes("PATH|off|require")
        .more("off finds none; require fails if there is none, or if it fails on a file. Default: what CTAGS_COMMAND names, or \
               universal-ctags or ctags-universal in PATH, if there.")
        .does(ctags),
    ours("force", "Write the shards even if nothing has changed.")
        .does(set!(|o, value| o.call.unchanged =
            if value.on { Unchanged::IsWrittenAgain } else { Unchanged::Stays })),
    ours("index-time", "Index time to record, such as 2026-01-31T12:00:00Z. Default: now.")
        .takes("TIME")
        .does(set!(|o, value| o.call.index_time = Some(index_time(&value)?))),
    ours("shard-id", "Id of the run: 20 digits of 0-9a-v. Default: a new one.")
        .takes("ID")
        .does(set!(|o, value| o.call.shard_id = Some(shard_id(&value)?))),
    ours("source", "Source to record. Default: DIR as given.")
        .takes("TEXT")
        .does(set!(|o, value| o.call.source = value.value)),
    ours("zoekt-version", "Version of zoekt to record. Default: none.")
        .takes("TEXT")
        .does(set!(|o, value| o.call.zoekt_version = value.string()?)),
    shared::JSON
        .within(OURS)
        .here("Print one JSON object per line: one for each shard, then a summary.")
        .does(set!(|o, value| o.set_form(Form::Json, value.on))),
    shared::QUIET.within(OURS).does(set!(|o, value| o.set_form(Form::Nothing, value.on))),
];

const fn zoekt(long: &'static str, help: &'static str) -> Spec {
    spec(long, "", help).within(ZOEKT).with_one_dash()
}

const fn ours(long: &'static str, help: &'static str) -> Spec {
    spec(long, "", help).within(OURS)
}

struct Options {
    /// What holds for every folder; its own folder is to be filled in.
    call: IndexCall,
    has_output: bool,
    folders: Vec<PathBuf>,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let output = default_output();
        let has_output = output.is_some();
        let call = IndexCall::new(PathBuf::new(), output.unwrap_or_default());
        Options { call, has_output, folders: Vec::new(), form: Form::Text }
    }
}

impl Options {
    /// Sets the form, or takes it back if it is that one.
    fn set_form(&mut self, form: Form, on: bool) {
        if on {
            self.form = form;
        } else if self.form == form {
            self.form = Form::Text;
        }
    }
}

/// Sets a limit to a number; 0 leaves it as it is.
fn unless_zero<N: FromStr + Default + PartialEq>(value: &FlagValue, limit: &mut N) -> Result<()> {
    let number: N = value.number()?;
    if number != N::default() {
        *limit = number;
    }
    Ok(())
}

fn ctags(options: &mut Options, value: FlagValue) -> Result<()> {
    let call = &mut options.call;
    let path = value.path();
    match path.to_str() {
        Some("") => bail!("{} is the path of a program, off or require", value.name),
        Some("off") => call.symbols = Symbols::Off,
        Some("require") => (call.symbols, call.symbols_required) = (Symbols::WhereFound, true),
        _ => call.symbols = Symbols::By(path),
    }
    Ok(())
}

pub(super) fn index_time(value: &FlagValue) -> Result<IndexTime> {
    let (name, text) = (value.name, value.text()?);
    IndexTime::parse(text)
        .with_context(|| format!("{name} {text:?} is no time such as 2026-01-31T12:00:00.5Z"))
}

fn shard_id(value: &FlagValue) -> Result<ShardId> {
    let (name, text) = (value.name, value.text()?);
    ShardId::parse(text).with_context(|| {
        format!("{name} {text:?} is no id: 20 digits of 0-9a-v, the last one 0 or g")
    })
}

fn finish(options: Options) -> Result<Options> {
    if options.folders.len() > 1 && options.call.meta.is_some() {
        bail!("-meta describes one repository: name one folder, and call again for the others");
    }
    if !options.has_output {
        bail!("HOME is not set: say with -index where the shards go");
    }
    Ok(options)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let mut code = exit::DONE;
    for call in calls(options)? {
        for warning in warnings(&call) {
            say(&warning);
        }
        let started = Instant::now();
        match watched(Show::of(options.form), Signals::Noted, |watch| index(&call, watch)) {
            Ok(indexed) => {
                if indexed.report.document_count == 0 {
                    say(&format_args!(
                        "{}: no file is indexed: the folder has none, or rules leave all out",
                        call.folder.display()
                    ));
                }
                if let Some(first) = &indexed.report.first_failure {
                    let count = counted(indexed.report.without_symbols, "document");
                    say(&format_args!("{count} without symbols: {first}"));
                }
                tell(&call, &indexed, started.elapsed(), options.form, out)?
            }
            // The others can still be indexed.
            Err(error) => {
                let error = anyhow::Error::new(error);
                say(&format_args!("{error:#}"));
                code = exit::FAILED;
            }
        }
    }
    Ok(code)
}

/// A call for each folder. Two whose shards have the same names would replace each other.
fn calls(options: &Options) -> Result<Vec<IndexCall>> {
    let call = |folder: &PathBuf| IndexCall { folder: folder.clone(), ..options.call.clone() };
    let calls: Vec<IndexCall> = options.folders.iter().map(call).collect();
    let mut by_name: BTreeMap<OsString, &Path> = BTreeMap::new();
    for call in &calls {
        // A folder without a name is reported when it is its turn.
        let Ok(name) = shards_name(call) else { continue };
        if let Some(first) = by_name.insert(name.clone(), &call.folder) {
            bail!(
                "{} and {} would both be {:?}, and the shards of the second replace those of the first: call for each, \
                 with a name from -meta or -shard_prefix_override, or with another folder for -index",
                first.display(),
                call.folder.display(),
                name.to_string_lossy()
            );
        }
    }
    Ok(calls)
}

fn tell(
    call: &IndexCall,
    indexed: &Indexed,
    took: Duration,
    form: Form,
    out: &mut Print,
) -> Result<()> {
    match form {
        Form::Nothing => Ok(()),
        Form::Text => Ok(out.write_all(as_text(call, indexed, took)?.as_bytes())?),
        Form::Json => print_json(call, indexed, took, out),
    }
}

fn as_text(call: &IndexCall, indexed: &Indexed, took: Duration) -> Result<String> {
    let mut out = String::new();
    let (name, report) = (&indexed.repository, &indexed.report);
    let took = format!("{:.1} s", took.as_secs_f64());
    if report.is_unchanged {
        write!(out, "unchanged: {name}, ")?;
    } else {
        write!(out, "indexed {name}: ")?;
    }
    write!(out, "{}", counted(report.document_count, "document"))?;
    if report.symbol_count > 0 {
        write!(out, ", {}", counted(report.symbol_count, "symbol"))?;
    }
    write!(out, ", {} of text, {}", human_len(report.text_len), took)?;
    writeln!(out, "{}", if report.is_unchanged { "; --force writes it again" } else { "" })?;
    if let Some(before) = &report.replaced {
        writeln!(out, "replaces {name}, which was made from {before}")?;
    }
    for shard in &report.shards {
        let documents = counted(shard.document_count, "document");
        writeln!(out, "{:>9}  {documents:>16}  {}", human_len(shard.len), shard.path.display())?;
    }
    for path in &report.tombstones {
        writeln!(out, "tombstone of {name} in {}", path.display())?;
    }
    for (skip, count) in &report.skipped {
        writeln!(out, "{count} without contents: {}", reason(*skip, call))?;
    }
    Ok(out)
}

/// Why documents are stored without contents, and what would take them in.
fn reason(skip: Skip, call: &IndexCall) -> String {
    let limits = &call.limits;
    match skip {
        Skip::TooLarge => format!(
            "longer than {} bytes; -large_file GLOB or -file_limit takes them in",
            limits.size_max
        ),
        Skip::TooManyTrigrams => format!(
            "more than {} distinct trigrams; -large_file GLOB or -max_trigram_count takes them in",
            limits.trigrams_max
        ),
        Skip::Binary => "they hold a NUL".to_owned(),
        Skip::TooSmall => "shorter than three bytes".to_owned(),
    }
}

fn print_json(call: &IndexCall, indexed: &Indexed, took: Duration, out: &mut Print) -> Result<()> {
    let (name, report) = (&indexed.repository, &indexed.report);
    for shard in &report.shards {
        let fields = json!({
            "repository": name,
            "path": print::path(&shard.path),
            "len": shard.len,
            "documents": shard.document_count,
            "postings": shard.posting_count,
            "windows": shard.window_count,
        });
        out.row("shard", fields)?;
    }
    let skipped: serde_json::Map<String, Value> =
        report.skipped.iter().map(|(skip, count)| (word(*skip).into(), (*count).into())).collect();
    let fields = json!({
        "repository": name,
        "folder": print::path(&call.folder),
        "output": print::path(&call.output),
        "unchanged": report.is_unchanged,
        "replaces": report.replaced.as_ref().map(ToString::to_string),
        "shards": report.shards.len(),
        "tombstones": report.tombstones.iter().map(|path| print::path(path)).collect::<Vec<_>>(),
        "len": report.shards.iter().map(|shard| shard.len).sum::<u64>(),
        "documents": report.document_count,
        "text_len": report.text_len,
        "skipped": skipped,
        "symbols": report.symbol_count,
        "without_symbols": report.without_symbols,
        "took_ms": took.as_millis() as u64,
    });
    Ok(out.row("summary", fields)?)
}

fn word(skip: Skip) -> &'static str {
    match skip {
        Skip::TooLarge => "too_large",
        Skip::TooSmall => "too_small",
        Skip::Binary => "binary",
        Skip::TooManyTrigrams => "too_many_trigrams",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_spelled_as_in_go() {
        for line in [
            "-index out -file_limit 7 -disable_ctags a b",
            "--index out --file_limit 7 --disable_ctags a b",
            "-index=out -file_limit=7 -disable_ctags=false a b",
            "a -index=out b --file_limit=7 -require_ctags=0 -shard_merging=F",
        ] {
            let options = JOB.parsed(line).unwrap();
            assert_eq!(options.folders, [Path::new("a"), Path::new("b")], "{line}");
            assert_eq!(options.call.output, Path::new("out"), "{line}");
            assert_eq!(options.call.limits.size_max, 7, "{line}");
        }
        let options = JOB.parsed("-index=x=y -large_file a -large_file=!b - -- -c -- -d").unwrap();
        assert_eq!(options.call.output, Path::new("x=y"));
        assert_eq!(options.call.large_files, ["a", "!b"]);
        assert_eq!(options.folders, ["-", "-c", "--", "-d"].map(Path::new));
    }

    #[test]
    fn symbols_are_those_of_the_last_word() {
        let read = |line: &str| {
            let call = JOB.parsed(line).expect(line).call;
            (call.symbols, call.symbols_required)
        };
        let by = |path: &str| Symbols::By(PathBuf::from(path));
        assert_eq!(read("a"), (Symbols::WhereFound, false));
        assert_eq!(read("-disable_ctags a"), (Symbols::Off, false));
        assert_eq!(read("-disable_ctags -disable_ctags=false a"), (Symbols::WhereFound, false));
        assert_eq!(read("-require_ctags --ctags x/y a"), (by("x/y"), true));
        assert_eq!(read("--ctags off --ctags require a"), (Symbols::WhereFound, true));
        assert_eq!(read("--ctags=z -disable_ctags=false a"), (by("z"), false));
    }

    #[test]
    fn nought_is_the_default() {
        let (new, options) = (
            IndexCall::new(PathBuf::new(), PathBuf::new()),
            JOB.parsed("-file_limit 0 -shard_limit 0 -max_trigram_count 0 -parallelism 0 a")
                .unwrap(),
        );
        assert_eq!(options.call.limits, new.limits);
        assert_eq!(options.call.shard_len_max, new.shard_len_max);
        assert_eq!(options.call.threads, new.threads);
    }

    #[test]
    fn memory_has_a_floor() {
        for (line, want) in [
            ("--memory 0 a", INDEX_MEMORY_MIN),
            ("--memory=1KiB a", INDEX_MEMORY_MIN),
            ("--memory=1.5G a", 3 << 29),
            ("--memory 10TiB a", 10 << 40),
        ] {
            assert_eq!(JOB.parsed(line).unwrap().call.memory, want, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("", "missing DIR; usage: manicule code index DIR..."),
            (
                "-x a",
                "there is no option -x; `manicule code index --help` lists them; if it is not an option, put it after --",
            ),
            ("-index", "-index wants a value: -index FOLDER"),
            (
                "--memory much a",
                "--memory: \"much\" is no size such as 512MiB, 1.5G or 2TB: a number, with a unit if need be",
            ),
            ("-file_limit -1 a", "-file_limit \"-1\" is no number"),
            ("-disable_ctags=maybe a", "-disable_ctags is true or false, not \"maybe\""),
            ("--ctags= a", "--ctags is the path of a program, off or require"),
            (
                "-meta m a b",
                "-meta describes one repository: name one folder, and call again for the others",
            ),
            (
                "--index-time today a",
                "--index-time \"today\" is no time such as 2026-01-31T12:00:00.5Z",
            ),
            (
                "--shard-id x a",
                "--shard-id \"x\" is no id: 20 digits of 0-9a-v, the last one 0 or g",
            ),
        ] {
            let error = JOB.parsed(line).err().expect(line);
            assert_eq!(format!("{error:#}"), want);
        }
    }
}
