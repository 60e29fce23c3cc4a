//! `manicule inspect` and `manicule verify`: a path's kind, its contents, and whether they are
//! right.

mod block;
mod block_file;
mod command;
mod file;
mod options;
mod other;
mod repository;
mod shard;
mod sstable;
mod store;
mod tree;

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::ErrorClass;
use manicule::blobs::environment::password_of_variables;
use manicule::cache::Cache;
use manicule::code::shards::ShardError;
use manicule::inspect::{
    self, Error, Inspected, Part, PathFinding, PathVerified, Verdict, Verified,
};
use manicule::kinds::{Call, Deeper, Kind, Place, System, deeper, place_of_blocks, places};
use manicule::place::is_address;
use manicule::series::{BlockError, block_paths};
use manicule::watch::Watch;

use crate::below::{below, is_empty_folder};
use crate::command::exit;
use crate::messages::say;
use crate::print::Print;
use crate::progress::{Show, Signals, watched};
use crate::units::counted;
use crate::units::human_len;
pub(crate) use command::{INSPECT, INSPECT_SERIES, SSTABLES_ARE_RIGHT, VERIFY, VERIFY_SERIES};
pub(crate) use options::Shown;
use options::{Options, Verb};

/// Answers for each path, and for each of its kinds. The exit code is the worst of all.
fn answer(options: &Options, verb: Verb, out: &mut Print) -> Result<u8> {
    let cache = Cache::of_user();
    let mut worst = 0;
    for path in &options.paths {
        if options.recursive && is_address(path) {
            worst = worst.max(answer_below(path, cache.as_ref(), options, verb, out)?);
            continue;
        }
        let places = match verb {
            Verb::Inspect | Verb::Verify => places(path, cache.as_ref()),
            Verb::InspectSeries | Verb::VerifySeries => {
                place_of_blocks(path).map(|place| vec![place])
            }
        };
        let mut places = places.unwrap_or_else(|error| {
            worst = worst.max(refused(&error, verb));
            Vec::new()
        });
        if options.recursive {
            add_below(&mut places, path, verb);
        }
        for place in places {
            worst = worst.max(answer_for(&place, cache.as_ref(), options, verb, out)?);
        }
    }
    Ok(worst)
}

/// Reports why there is no answer for a path.
fn refused(error: &Error, verb: Verb) -> u8 {
    match verb {
        Verb::Inspect | Verb::InspectSeries => refuse(error),
        Verb::Verify | Verb::VerifySeries => refuse_verified(error),
    }
}

/// Answers for what lies at an address and below it.
fn answer_below(
    path: &Path,
    cache: Option<&Cache>,
    options: &Options,
    verb: Verb,
    out: &mut Print,
) -> Result<u8> {
    let Deeper { mut folders, failed, .. } = deeper(path);
    folders.retain(|place| is_asked(place, verb));
    let has_failed = !failed.is_empty();
    let mut worst = 0;
    for failure in failed {
        worst = worst.max(refused(&Error::Other(failure), verb));
    }
    if folders.is_empty() && !has_failed {
        return Ok(refused(&Error::NoIndex(path.to_owned()), verb));
    }
    for place in folders {
        worst = worst.max(answer_for(&place, cache, options, verb, out)?);
    }
    Ok(worst)
}

fn is_asked(place: &Place, verb: Verb) -> bool {
    match verb {
        Verb::Inspect | Verb::Verify => true,
        Verb::InspectSeries | Verb::VerifySeries => place.kind.system() == System::PROMETHEUS,
    }
}

/// Adds what lies further down below a path; what it is itself stays only where it is an index.
fn add_below(places: &mut Vec<Place>, path: &Path, verb: Verb) {
    let mut below = deeper(path).folders;
    below.retain(|place| is_asked(place, verb));
    if !below.is_empty() {
        places.retain(|place| !place.kind.system().is_text() && is_there(place));
        // A data folder is all of its blocks.
        let is_of = |data: &Place, block: &Place| {
            block.kind.is_part_of(data.kind) && block.path.parent() == Some(&data.path)
        };
        below.retain(|place| !places.iter().any(|data| is_of(data, place)));
        places.append(&mut below);
    }
}

/// Whether there is something of a place's kind: that of series is a folder's by the command's name
/// only.
fn is_there(place: &Place) -> bool {
    place.kind.system() != System::PROMETHEUS || block_paths(&place.path).is_ok()
}

fn answer_for(
    place: &Place,
    cache: Option<&Cache>,
    options: &Options,
    verb: Verb,
    out: &mut Print,
) -> Result<u8> {
    if place.kind == Kind::SOURCE_TREE && !options.recursive && told_below(&place.path, verb, cache)
    {
        // Nothing was verified, and nothing is wrong.
        return Ok(if verb == Verb::Inspect { exit::NOTHING } else { exit::FAILED });
    }
    let threads = options.threads;
    match verb {
        Verb::Inspect | Verb::InspectSeries => {
            let key = options.key.as_deref();
            let call = Call { cache, threads, watch: &Watch::none(), key, password };
            inspect_place(place, &call, options, out)
        }
        Verb::Verify | Verb::VerifySeries => {
            verify(&place.path, cache, options.shown(), out, |watch, failed| {
                place.verify(&Call { cache, threads, watch, key: None, password }, failed)
            })
        }
    }
}

/// The password of a repository, by restic's own variables: nobody is asked for it here.
fn password() -> Result<Option<Vec<u8>>, String> {
    password_of_variables().map_err(|failure| failure.to_string())
}

/// Removes an index of ours that failed verification, and reports that.
fn discard(path: &Path, verified: &Verified, cache: Option<&Cache>) {
    match cache.map_or(Ok(false), |cache| inspect::discard(verified, cache)) {
        Ok(true) => say(&format_args!(
            "{}: the index was wrong and has been removed; `find` searches all files until it has another",
            path.display()
        )),
        Ok(false) => {}
        Err(error) => say(&format_args!(
            "{}: the index is wrong and can't be removed: {error}; `manicule cache build --all` makes it again",
            path.display()
        )),
    }
}

/// Reports the indexes below a folder that holds none itself, if there are any, or that it is
/// empty. A tree with an index is shown in any case.
fn told_below(path: &Path, verb: Verb, cache: Option<&Cache>) -> bool {
    let word = if verb == Verb::Inspect { "inspect" } else { "verify" };
    let is_indexed = inspect::is_indexed(path, cache);
    if !is_indexed && is_empty_folder(path) {
        say(&format_args!("{}: an empty folder: nothing to {word}", path.display()));
        return true;
    }
    let Some(below) = below(path, &format!("{word} -r")) else { return false };
    if is_indexed {
        say(&below)
    } else {
        say(&format_args!("{}: nothing to {word} in the folder itself; {below}", path.display()))
    }
    !is_indexed
}

fn inspect_place(place: &Place, call: &Call<'_>, options: &Options, out: &mut Print) -> Result<u8> {
    if options.hex.is_some() {
        match place.parts() {
            Ok(Some(file)) => return file::show(&file, options, out),
            Ok(None) => {}
            Err(error) => return Ok(refuse(&error)),
        }
    }
    let (path, is_json) = (&place.path, options.json);
    let inspected = place.inspect(call);
    if options.hex.is_some()
        && let Some(hint) = inspected.as_ref().ok().and_then(hint_for_hex)
    {
        say(&hint);
        return Ok(exit::FAILED);
    }
    let (kind, report) = match inspected {
        Ok(Inspected::Tree(tree)) => ("tree", tree::report(&tree)),
        Ok(Inspected::Shard(shard)) => ("shard", shard::report(&shard)),
        Ok(Inspected::Graph(store)) => ("graph_store", store::report(&store)),
        Ok(Inspected::Block(block)) => block::report(&block),
        Ok(Inspected::File(file)) => return file::show(&file, options, out),
        Ok(Inspected::Shards(shards)) => return shard::show_folder(path, &shards, options, out),
        Ok(Inspected::Blocks(blocks)) => return block::show_folder(path, &blocks, options, out),
        Ok(Inspected::BlockFile(file)) => return block_file::show(&file, is_json, out),
        Ok(Inspected::Repository(of)) => return repository::show(&of, is_json, out),
        Ok(Inspected::Sstables(table)) => return sstable::show(&table, is_json, out),
        Ok(Inspected::Other(contents)) => return other::show(place, contents, is_json, out),
        Err(error) => {
            let code = refuse(&error);
            // Of a damaged shard or index there may still be parts to show.
            if has_parts(&error)
                && let Ok(Some(file)) = place.parts()
            {
                file::show(&file, options, out)?;
            }
            return Ok(code);
        }
    };
    report.print(kind, is_json, out)?;
    Ok(exit::DONE)
}

/// Whether a file that can't be read may still have parts to show.
fn has_parts(error: &Error) -> bool {
    match error {
        Error::Shard(ShardError::Damaged { .. }) | Error::Block(BlockError::Damaged { .. }) => true,
        Error::Other(failure) => failure.class() == ErrorClass::Damaged,
        _ => false,
    }
}

/// Where the sections are that `--hex` shows, of what has none itself.
fn hint_for_hex(inspected: &Inspected) -> Option<String> {
    let hint = match inspected {
        Inspected::Tree(tree) => {
            &*format!("a file; those of this index lie in {}", tree.path.display())
        }
        Inspected::Shards(_) => "one shard; give its file",
        Inspected::Block(_) => "a file; give the block's index",
        Inspected::Blocks(_) => "a file; give the index of one block",
        Inspected::Repository(_) => "a file; a repository's files are encrypted",
        Inspected::Sstables(_) => "a file; give a component other than Data.db",
        Inspected::Graph(_) => "a file; give one of the store's files",
        Inspected::Other(_) => "a file, and this has none",
        Inspected::File(_) | Inspected::Shard(_) | Inspected::BlockFile(_) => return None,
    };
    Some(format!("--hex shows a section of {hint}"))
}

/// Reports why there is no answer. The exit code is 1 for a missing or damaged index, 2 for a
/// failure.
fn refuse(error: &Error) -> u8 {
    match error {
        Error::Block(BlockError::Missing { path } | BlockError::OnlyLog { path }) => {
            let below = below(path, "inspect -r");
            say(&format_args!(
                "{error}{}",
                below.map_or(String::new(), |below| format!("; {below}"))
            ));
        }
        error => say(error),
    }
    match (error, error.class()) {
        // Nothing is there that could lack an index.
        (Error::Io { .. }, _) => exit::FAILED,
        (_, ErrorClass::Missing | ErrorClass::Damaged) => exit::NOTHING,
        _ => exit::FAILED,
    }
}

/// Reports why something was not verified. Unlike with [`refuse`], the exit code is 2 for what
/// isn't there: nothing is wrong with it.
fn refuse_verified(error: &Error) -> u8 {
    let code = refuse(error);
    if error.class() == ErrorClass::Missing { exit::FAILED } else { code }
}

/// Verifies a path with a line of progress, and shows what was found. Parts of a folder that can't
/// be read are reported before it, and count in the exit code.
pub(crate) fn verify(
    path: &Path,
    cache: Option<&Cache>,
    shown: Shown,
    out: &mut Print,
    run: impl FnOnce(&Watch<'_>, &mut dyn FnMut(Error)) -> Result<Verified, Error>,
) -> Result<u8> {
    let mut failed = Vec::new();
    let verified = watched(Show::Progress, Signals::Noted, |watch| {
        run(watch, &mut |error| failed.push(error))
    });
    let worst = failed.iter().map(refuse_verified).max().unwrap_or(0);
    let code = match verified {
        Ok(verified) => {
            // Whether or not the findings are read, no answer may rest on such an index.
            discard(path, &verified, cache);
            show_verified(path, &verified, shown, out)?
        }
        Err(error) => refuse_verified(&error),
    };
    Ok(code.max(worst))
}

/// Shows findings and warnings as lines; `path` is the one of several that they are of.
pub(crate) fn show_findings(
    verdict: &Verdict,
    path: Option<&Path>,
    is_json: bool,
    out: &mut Print,
) -> Result<()> {
    let Verdict { findings, warnings } = verdict;
    let listed = findings.list.iter().map(|finding| ("finding", finding));
    let odd = warnings.list.iter().map(|warning| ("warning", warning));
    for (kind, finding) in listed.chain(odd) {
        if is_json {
            out.report(kind, PathFinding { path, finding })?;
            continue;
        }
        out.write_all(if kind == "warning" { b"warning: " } else { b"" })?;
        if let Some(path) = path {
            write!(out, "{}: ", path.display())?;
        }
        writeln!(out, "{finding}")?;
    }
    let more = findings.count - findings.list.len() as u64;
    if more > 0 && !is_json {
        writeln!(out, "and {more} more")?;
    }
    Ok(())
}

fn show_verified(path: &Path, verified: &Verified, shown: Shown, out: &mut Print) -> Result<u8> {
    let Shown { is_json, is_named } = shown;
    show_findings(&verified.verdict, is_named.then_some(path), is_json, out)?;
    let count = verified.verdict.findings.count;
    let code = exit::if_any(count == 0);
    if is_json {
        out.report("verified", PathVerified { path, verified })?;
        return Ok(code);
    }
    if is_named {
        write!(out, "{}: ", path.display())?;
    }
    match count {
        0 => write!(out, "ok: ")?,
        count => write!(out, "{}: ", counted(count, "finding"))?,
    }
    for (at, line) in verified.lines.iter().enumerate() {
        let indent = if at > 0 { "    " } else { "" };
        writeln!(out, "{indent}{}", line_of(line))?;
    }
    Ok(code)
}

/// A line of counts, for people.
fn line_of(parts: &[Part]) -> String {
    let shown = |part: &Part| match *part {
        Part::Text(text) => text.to_owned(),
        Part::Number(number) => number.to_string(),
        Part::Count(count, noun) => counted(count, noun),
        Part::Len(len) => human_len(len),
    };
    parts.iter().map(shown).collect()
}
