//! `find`: a text or pattern, looked for in everything at some paths.

mod collect;
mod page;
mod score;
mod shards;

use manicule::blobs::environment::password_of_variables;
use manicule::cache::look_after;
use manicule::find::{
    Boundary, Call, Case, Event, Passwords, Patterns, Sort, SortKey, TypeChange, find,
};
use manicule::kinds::{System, systems};
use manicule::{ErrorClass, Failure};
use serde_json::json;
use serde_json::value::RawValue;

use super::tool::{Asked, Does, Tool, answered, budget, complete, counted, cursor, paths};
use crate::arguments::Arguments;
use crate::cursor::Cursor;
use crate::options::Options;
use crate::schema::{any_object, array, object, one_of, or_null, texts, typed};
use collect::{Collected, HITS_MAX, Wanted};
use page::Answer;

/// Lines of a file that a ranked answer shows, unless the call says another number.
const PER_FILE: u64 = 5;

const DESCRIPTION: &str = "\
Finds a text or a regular expression in everything at some paths, and says file and line: source trees as ripgrep searches them \
(ignore files are heeded), zoekt shards, label names and values of Prometheus blocks, keys and values of SSTables, terms of RDF \
stores, paths in restic repositories.\n\
Give `text` for a text that stands for itself, or `pattern` for a regular expression (Rust's syntax; no look-around). The best files \
come first: those that define what was looked for (`fn NAME`, `class NAME` ..), then whole words, a matching file name, many \
matches, short paths; tests and vendored files last; documents of shards by zoekt's own score. `ranked: false` gives every line in \
the order of paths instead.\n\
Example: {\"text\": \"parse_config\", \"word\": true, \"paths\": [\"src\"], \"types\": [\"rust\"]}";

pub(super) fn tool(options: &Options) -> Tool {
    Tool {
        name: "find",
        title: "Find a text in files and indexes",
        description: DESCRIPTION.to_owned(),
        input: object(
            vec![
                ("text", typed("string", "A text that stands for itself.")),
                ("pattern", typed("string", "A regular expression, in place of `text`.")),
                ("paths", paths(options, "Files, folders and indexes.")),
                (
                    "case",
                    one_of(
                        &["sensitive", "insensitive", "smart"],
                        "Whether case counts; smart: if the text has a capital letter. Default: sensitive.",
                    ),
                ),
                ("word", typed("boolean", "Whole words only. Default: false.")),
                (
                    "globs",
                    texts(
                        "Globs of files, `!` in front of those to leave out: [\"*.rs\", \"!tests/**\"].",
                    ),
                ),
                ("types", texts("File types of ripgrep's: rust, py, ts, go, md ..")),
                ("kinds", kinds()),
                (
                    "hidden",
                    typed("boolean", "Files whose names begin with a dot, too. Default: false."),
                ),
                (
                    "no_ignore",
                    typed(
                        "boolean",
                        "Files that .gitignore and the like leave out, too. Default: false.",
                    ),
                ),
                ("multiline", typed("boolean", "Whether a match may span lines. Default: false.")),
                (
                    "show",
                    one_of(
                        &["lines", "files"],
                        "The lines that match, or only which files do, with counts. Default: lines.",
                    ),
                ),
                ("ranked", typed("boolean", "Best files first. Default: true.")),
                (
                    "per_file",
                    typed(
                        "integer",
                        "Maximum number of lines shown of a file. Default: 5 if ranked, else all.",
                    ),
                ),
                ("budget", budget(options)),
                ("cursor", cursor()),
            ],
            &[],
        ),
        output: output(),
        does: Does::Find,
    }
}

fn kinds() -> serde_json::Value {
    let mut words: Vec<&str> = systems().iter().map(|row| row.system.word()).collect();
    words.sort_unstable();
    words.dedup();
    array(
        json!({ "type": "string", "enum": words }),
        "What is searched: text (trees and files), code (shards), series, rows, graph, blobs. Default: all.",
    )
}

fn output() -> serde_json::Value {
    let hit = object(
        vec![
            ("line", typed("integer", "Number of the line, from 1.")),
            ("place", typed("string", "Where in an index: label name; key and column; snapshot.")),
            ("text", typed("string", "What matches; U+FFFD stands for bytes that are not UTF-8.")),
            (
                "cut",
                typed(
                    "boolean",
                    "Only there if true: a long text, of which the part around the match is shown.",
                ),
            ),
        ],
        &["text"],
    );
    let file = object(
        vec![
            ("path", typed("string", "Path of the file or index, or of a document in its shard.")),
            ("kind", typed("string", "What it is: text, code, series, rows, graph, blobs.")),
            ("hits", typed("integer", "Number of its lines or entries that match.")),
            ("score", typed("integer", "Only there if ranked: the more the better.")),
            ("lines", array(hit, "The first of them.")),
        ],
        &["path", "kind", "hits", "lines"],
    );
    object(
        vec![
            ("files", array(file, "What matches, by file or index.")),
            (
                "file_count",
                or_null(
                    "integer",
                    "Number of all files that match, on all pages; null where the search ended before.",
                ),
            ),
            (
                "hit_count",
                or_null(
                    "integer",
                    "Number of all hits, on all pages; null where the search ended before.",
                ),
            ),
            ("complete", complete()),
            ("next", or_null("string", "Cursor of the next page; null if there is none.")),
            ("failures", texts("What could not be searched, and why.")),
            ("notes", texts("What was not searched or shown though nothing failed.")),
            (
                "receipt",
                any_object("What the call has done: files looked at, bytes read and so on."),
            ),
        ],
        &["files", "file_count", "hit_count", "complete", "next", "failures", "notes", "receipt"],
    )
}

pub(super) fn answer(
    arguments: Arguments<'_>,
    asked: &Asked<'_>,
) -> Result<Box<RawValue>, Failure> {
    let is_ranked = match arguments.value("ranked") {
        None => true,
        Some(_) => arguments.is_set("ranked")?,
    };
    let shows_lines = arguments.text("show")? != Some("files");
    let per_file = arguments.count("per_file")?;
    let per_file = per_file.unwrap_or(if is_ranked { PER_FILE } else { u64::MAX });
    let cursor = Cursor::of("find", arguments.given())?;
    let budget = asked.budget(arguments)?;
    let mut call = call(arguments, asked)?;
    let mut collected = Collected::new(Wanted {
        places: &asked.options.places,
        roots: asked.roots,
        per_file: if shows_lines { per_file } else { 0 },
        skipped: if is_ranked { 0 } else { cursor.skipped },
        budget,
        ranked: is_ranked.then(|| call.patterns.clone()),
    });
    if is_ranked {
        call.limit = Some(HITS_MAX);
    } else {
        call.sort = Some(Sort { key: SortKey::Path, reverse: false });
    }
    let found = find(&call, asked.watch, &mut |event| match event {
        Event::Hit(hit) => collected.take(&hit),
        Event::Failure(failure) => collected.fail(&failure),
        Event::Note(note) => collected.note(note),
    });
    let receipt = match found {
        Ok(found) => {
            if let Some(program) = &asked.options.program {
                // An index that isn't kept costs time and no truth.
                found.upkeep.iter().for_each(|upkeep| drop(look_after(program, upkeep)));
            }
            collected.is_over |= call.limit == Some(found.hits);
            counted(&found.receipt)
        }
        Err(failure) if failure.class() == ErrorClass::Stopped && collected.has_hits() => {
            collected.stopped();
            serde_json::Map::new()
        }
        Err(failure) => return Err(failure),
    };
    if is_ranked {
        shards::score(&call.paths, &call.patterns, asked.watch, &mut collected);
    }
    let answer = Answer::of(collected, is_ranked, cursor, budget, receipt);
    answered(&answer)
}

/// The search that arguments ask for.
fn call(arguments: Arguments<'_>, asked: &Asked<'_>) -> Result<Call, Failure> {
    let (text, is_fixed) = match (arguments.text("text")?, arguments.text("pattern")?) {
        (Some(text), None) => (text, true),
        (None, Some(pattern)) => (pattern, false),
        _ => return Err(Failure::asked("one of text and pattern is needed")),
    };
    let mut call = Call::new("", asked.paths(arguments)?)?;
    call.patterns = Patterns {
        fixed: is_fixed,
        case: match arguments.text("case")? {
            None | Some("sensitive") => Case::Sensitive,
            Some("insensitive") => Case::Insensitive,
            Some("smart") => Case::Smart,
            Some(_) => {
                let why = "argument case: sensitive, insensitive or smart is expected";
                return Err(Failure::asked(why));
            }
        },
        boundary: arguments.is_set("word")?.then_some(Boundary::Word),
        ..Patterns::new(vec![text.to_owned()])
    };
    call.reading.multiline = arguments.is_set("multiline")?;
    call.hidden = arguments.is_set("hidden")?;
    call.no_ignore = arguments.is_set("no_ignore")?;
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    call.globs = arguments.texts("globs")?.map(owned).unwrap_or_default();
    let types = arguments.texts("types")?.unwrap_or_default();
    call.types = types.into_iter().map(|name| TypeChange::Select(name.into())).collect();
    call.systems = arguments.texts("kinds")?.map(|words| wanted(&words)).transpose()?;
    call.threads = call.threads.min(asked.options.threads);
    call.index = asked.options.cache.as_ref().map(|cache| cache.index_use(None));
    if let Some(base) = asked.options.places.base(asked.roots) {
        call.current_dir = base;
    }
    if asked.options.has_passwords {
        call.passwords = Some(Passwords::new(|_| {
            let lacking = "a restic repository, whose password is not in the server's environment";
            password_of_variables()?.ok_or_else(|| Failure::new(ErrorClass::Denied, lacking))
        }));
    }
    Ok(call)
}

/// Systems of some words.
fn wanted(words: &[&str]) -> Result<Vec<System>, Failure> {
    let all = || systems().iter().map(|row| row.system);
    match words.iter().find(|word| !all().any(|system| system.word() == **word)) {
        Some(word) => Err(Failure::asked(format!("argument kinds: there is no kind {word:?}"))),
        None => Ok(all().filter(|system| words.contains(&system.word())).collect()),
    }
}
