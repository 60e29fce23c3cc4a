//! `manicule code index`: a folder into zoekt shards. The options are zoekt-index's, in Go's spelling, and some of ours.
//!
//! Callers: code

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use manicule::code::shards::{Skip, Unchanged};
use manicule::shards::{
    INDEX_MEMORY_MIN, IndexCall, IndexTime, Indexed, ShardId, default_output, index, shards_name,
    warnings,
};
use serde_json::{Value, json};

use crate::cache::human_len;
use crate::messages::say;
use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, size};

pub(super) const HELP: &str = "\
manicule code index [OPTIONS] DIR...
    Indexes each DIR into shards that zoekt-index would write, for zoekt-webserver and for manicule. What
    is there already stays if nothing has changed; otherwise all shards of a DIR are replaced together.
    No symbols are written yet: shards are those of zoekt-index -disable_ctags.

    Options of zoekt-index, with one dash or two, as -option value or -option=value; 0 is the default:

    -index FOLDER              where the shards go (~/.zoekt)
    -file_limit BYTES          files that are longer are stored without contents (2097152)
    -large_file GLOB           ... but for these, whatever their size; may be repeated, !GLOB takes back
    -max_trigram_count N       files with more distinct trigrams are stored without contents (20000)
    -ignore_dirs LIST          folders that are left out, between commas (.git,.hg,.svn)
    -shard_limit BYTES         a shard is closed when names and contents are longer (104857600)
    -shard_prefix_override S   takes the place of the repository's name in the names of shards
    -meta FILE                 a description of the repository, in JSON; for one DIR only
    -parallelism N             threads (as many as there are cores); --threads is the same
    -disable_ctags             taken, and so it is: no symbols are written yet
    -require_ctags             refused: symbols come later
    -shard_merging             refused: compound shards come later

    Ours:

    --memory SIZE              about as much memory, such as 512MiB or 1.5G (1GiB); 64MiB at least
    --force                    writes the shards again though nothing has changed
    --index-time TIME          when they were made, such as 2026-01-31T12:00:00Z (now)
    --shard-id ID              what names the run: 20 digits of 0-9a-v (a fresh one)
    --source TEXT              where they come from (DIR as it is written here)
    --zoekt-version TEXT       what they call their writer (nothing)
    --json                     an object a line for each shard, then a summary
    --quiet                    no summary, no progress
    -h, --help                 this text

    With the same --index-time and --shard-id the same folder gives the same bytes. What lies below
    .sourcegraph/ignore's patterns is left out; .gitignore counts for nothing, as for zoekt-index.
    Killed at any moment it leaves the old index or the new one, and the next run sweeps up; interrupted
    with Ctrl-C or SIGTERM it sweeps up itself. FOLDER may lie within DIR where DIR leaves it out.
    Exit code: 0 when all is indexed, 2 when something failed.
";

const FAILED: u8 = 2;

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| answer(words, out))
}

/// Form of the summary, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Nothing,
}

struct Options {
    /// What holds for every folder; its own folder is to be filled in.
    call: IndexCall,
    folders: Vec<PathBuf>,
    form: Form,
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(options) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let mut code = 0;
    for call in calls(&options)? {
        for warning in warnings(&call) {
            say(&warning);
        }
        let started = Instant::now();
        let show = if options.form == Form::Nothing { Show::Nothing } else { Show::Progress };
        match watched(show, Signals::Noted, |watch| index(&call, watch)) {
            Ok(indexed) => tell(&call, &indexed, started.elapsed(), options.form, out)?,
            // The others can still be indexed.
            Err(error) => {
                let error = anyhow::Error::new(error);
                say(&format_args!("{error:#}"));
                code = FAILED;
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

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let output = default_output();
    let mut options = Options {
        call: IndexCall::new(PathBuf::new(), output.clone().unwrap_or_default()),
        folders: Vec::new(),
        form: Form::Text,
    };
    let mut has_output = output.is_some();
    let call = &mut options.call;
    let mut words = GoWords { words: words.iter(), has_ended: false };
    while let Some(word) = words.next() {
        let (name, value) = match word {
            GoWord::Value(folder) => {
                options.folders.push(folder.into());
                continue;
            }
            GoWord::Option { name, value } => (name, value),
        };
        let mut flag = Flag { name: &name, value, words: &mut words };
        match name.as_str() {
            "h" | "help" => return Ok(None),
            "index" => {
                (call.output, has_output) = (flag.value()?.into(), true);
            }
            "file_limit" => flag.number()?.into_iter().for_each(|n| call.limits.size_max = n),
            "max_trigram_count" => {
                let number = flag.number()?.map(usize::try_from).transpose();
                let number = number.ok().context("-max_trigram_count is too large")?;
                number.into_iter().for_each(|n| call.limits.trigrams_max = n);
            }
            "shard_limit" => flag.number()?.into_iter().for_each(|n| call.shard_len_max = n),
            "parallelism" | "threads" => {
                // More threads than that help nobody.
                flag.number()?.into_iter().for_each(|n| call.threads = n.min(1024) as usize);
            }
            "large_file" => call.large_files.push(flag.text()?),
            "ignore_dirs" => call.ignore_dirs = flag.text()?,
            "shard_prefix_override" => {
                call.shard_prefix = Some(flag.value()?).filter(|prefix| !prefix.is_empty());
            }
            "meta" => call.meta = Some(flag.value()?.into()).filter(|meta| *meta != Path::new("")),
            "disable_ctags" => drop(flag.truth()?),
            "require_ctags" if flag.truth()? => {
                bail!("-require_ctags can't be kept: symbols come later; leave it out")
            }
            "shard_merging" if flag.truth()? => {
                bail!("-shard_merging can't be kept: compound shards come later; leave it out")
            }
            "require_ctags" | "shard_merging" => {}
            "memory" => {
                let text = flag.text()?;
                let memory = size(&text).with_context(|| format!("-{name}"))?;
                call.memory = memory.max(INDEX_MEMORY_MIN);
            }
            "force" if flag.truth()? => call.unchanged = Unchanged::IsWrittenAgain,
            "json" if flag.truth()? => options.form = Form::Json,
            "quiet" if flag.truth()? => options.form = Form::Nothing,
            "force" | "json" | "quiet" => {}
            "source" => call.source = Some(flag.value()?),
            "zoekt-version" => call.zoekt_version = flag.text()?,
            "index-time" => {
                let text = flag.text()?;
                let time = IndexTime::parse(&text).with_context(|| {
                    format!("--index-time {text:?} is no time such as 2026-01-31T12:00:00.5Z")
                })?;
                call.index_time = Some(time);
            }
            "shard-id" => {
                let text = flag.text()?;
                let id = ShardId::parse(&text).with_context(|| {
                    format!(
                        "--shard-id {text:?} is no id: 20 digits of 0-9a-v, the last one 0 or g"
                    )
                })?;
                call.shard_id = Some(id);
            }
            _ => bail!("there is no option -{name}; `manicule code index --help` lists them"),
        }
    }
    match options.folders.len() {
        0 => bail!("a folder to index is wanted: manicule code index [OPTIONS] DIR..."),
        1 => {}
        _ if options.call.meta.is_some() => {
            bail!("-meta describes one repository: name one folder, and call again for the others")
        }
        _ => {}
    }
    if !has_output {
        bail!("HOME is not set: say with -index where the shards go");
    }
    Ok(Some(options))
}

/// A word as Go's programs read it: `-name`, `--name`, `-name=value`; or no option.
enum GoWord {
    Option { name: String, value: Option<OsString> },
    Value(OsString),
}

struct GoWords<'w> {
    words: std::slice::Iter<'w, OsString>,
    /// A `--` has been: the rest are values.
    has_ended: bool,
}

impl GoWords<'_> {
    /// The next word. Unlike for Go's programs, options may follow values.
    fn next(&mut self) -> Option<GoWord> {
        let mut word = self.words.next()?;
        if !self.has_ended && word == "--" {
            self.has_ended = true;
            word = self.words.next()?;
        }
        if self.has_ended {
            return Some(GoWord::Value(word.clone()));
        }
        let bytes = word.as_bytes();
        let Some(name) = bytes.strip_prefix(b"-").filter(|name| !name.is_empty()) else {
            return Some(GoWord::Value(word.clone()));
        };
        let name = name.strip_prefix(b"-").unwrap_or(name);
        let (name, value) = match name.iter().position(|byte| *byte == b'=') {
            Some(at) => (&name[..at], Some(OsStr::from_bytes(&name[at + 1..]).to_owned())),
            None => (name, None),
        };
        Some(GoWord::Option { name: String::from_utf8_lossy(name).into_owned(), value })
    }
}

/// An option, whose value may be the next word.
struct Flag<'f, 'w> {
    name: &'f str,
    value: Option<OsString>,
    words: &'f mut GoWords<'w>,
}

impl Flag<'_, '_> {
    fn value(&mut self) -> Result<OsString> {
        let value = self.value.take().or_else(|| self.words.words.next().cloned());
        value.with_context(|| format!("-{} wants a value", self.name))
    }

    fn text(&mut self) -> Result<String> {
        let text = String::from_utf8(self.value()?.into_vec());
        text.ok().with_context(|| format!("the value of -{} is not valid UTF-8", self.name))
    }

    /// A number; `None` for 0, which leaves the default.
    fn number(&mut self) -> Result<Option<u64>> {
        let text = self.text()?;
        let number: Option<u64> = text.parse().ok();
        let number = number.with_context(|| format!("-{} {text:?} is no number", self.name))?;
        Ok(Some(number).filter(|number| *number > 0))
    }

    /// A truth, which is only in the same word.
    fn truth(&mut self) -> Result<bool> {
        let Some(value) = self.value.take() else { return Ok(true) };
        match value.to_str() {
            Some("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(true),
            Some("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(false),
            _ => bail!("-{} is true or false, not {:?}", self.name, value.to_string_lossy()),
        }
    }
}

fn tell(
    call: &IndexCall,
    indexed: &Indexed,
    took: Duration,
    form: Form,
    out: &mut Print,
) -> Result<()> {
    let text = match form {
        Form::Nothing => return Ok(()),
        Form::Text => as_text(call, indexed, took)?,
        Form::Json => as_json(call, indexed, took)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(())
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
    write!(out, ", {} of text, {}", human_len(report.text_len), took)?;
    writeln!(out, "{}", if report.is_unchanged { "; --force writes it again" } else { "" })?;
    if let Some(before) = &report.replaced {
        writeln!(out, "replaces {name}, which was made from {before}")?;
    }
    for shard in &report.shards {
        let documents = counted(shard.document_count, "document");
        writeln!(out, "{:>9}  {documents:>16}  {}", human_len(shard.len), shard.path.display())?;
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

fn as_json(call: &IndexCall, indexed: &Indexed, took: Duration) -> Result<String> {
    let mut out = String::new();
    let (name, report) = (&indexed.repository, &indexed.report);
    for shard in &report.shards {
        let row = json!({
            "type": "shard",
            "repository": name,
            "path": shard.path.to_string_lossy(),
            "len": shard.len,
            "documents": shard.document_count,
            "postings": shard.posting_count,
            "windows": shard.window_count,
        });
        writeln!(out, "{row}")?;
    }
    let skipped: serde_json::Map<String, Value> =
        report.skipped.iter().map(|(skip, count)| (word(*skip).into(), (*count).into())).collect();
    let summary = json!({
        "type": "summary",
        "repository": name,
        "folder": call.folder.to_string_lossy(),
        "output": call.output.to_string_lossy(),
        "unchanged": report.is_unchanged,
        "replaces": report.replaced.as_ref().map(ToString::to_string),
        "shards": report.shards.len(),
        "len": report.shards.iter().map(|shard| shard.len).sum::<u64>(),
        "documents": report.document_count,
        "text_len": report.text_len,
        "skipped": skipped,
        "took_ms": took.as_millis() as u64,
    });
    writeln!(out, "{summary}")?;
    Ok(out)
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

    fn parsed(line: &str) -> Result<Options> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Ok(parse(&words)?.expect("no help was wanted"))
    }

    #[test]
    fn options_are_spelled_as_in_go() {
        for line in [
            "-index out -file_limit 7 -disable_ctags a b",
            "--index out --file_limit 7 --disable_ctags a b",
            "-index=out -file_limit=7 -disable_ctags=false a b",
            "a -index=out b --file_limit=7 -require_ctags=0 -shard_merging=F",
        ] {
            let options = parsed(line).unwrap();
            assert_eq!(options.folders, [Path::new("a"), Path::new("b")], "{line}");
            assert_eq!(options.call.output, Path::new("out"), "{line}");
            assert_eq!(options.call.limits.size_max, 7, "{line}");
        }
        let options = parsed("-index=x=y -large_file a -large_file=!b - -- -c -- -d").unwrap();
        assert_eq!(options.call.output, Path::new("x=y"));
        assert_eq!(options.call.large_files, ["a", "!b"]);
        assert_eq!(options.folders, ["-", "-c", "--", "-d"].map(Path::new));
    }

    #[test]
    fn nought_is_the_default() {
        let (new, options) = (
            IndexCall::new(PathBuf::new(), PathBuf::new()),
            parsed("-file_limit 0 -shard_limit 0 -max_trigram_count 0 -parallelism 0 a").unwrap(),
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
            assert_eq!(parsed(line).unwrap().call.memory, want, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("", "a folder to index is wanted: manicule code index [OPTIONS] DIR..."),
            ("-x a", "there is no option -x; `manicule code index --help` lists them"),
            ("-index", "-index wants a value"),
            (
                "--memory much a",
                "-memory: \"much\" is no size such as 512MiB, 1.5G or 2TB: a number, with a unit if need be",
            ),
            ("-file_limit -1 a", "-file_limit \"-1\" is no number"),
            ("-disable_ctags=maybe a", "-disable_ctags is true or false, not \"maybe\""),
            ("-require_ctags a", "-require_ctags can't be kept: symbols come later; leave it out"),
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
            let error = parsed(line).err().expect(line);
            assert_eq!(format!("{error:#}"), want);
        }
    }
}
