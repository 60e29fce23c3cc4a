//! The tools of table groups: a table of the catalogue, as rows of JSON.

use std::path::PathBuf;
use std::task::Poll;
use std::time::Duration;

use manicule::answer::{Answer, Asked as Wanted, JsonRows, conditions};
use manicule::catalog::{
    Argument, Arguments as Named, Call, Concerns, Table, Takes, tables as catalogue,
};
use manicule::kinds::places;
use manicule::watch::{Phase, Unit};
use manicule::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::tool::{Asked, Does, Tool, answered, budget, complete, counted, cursor, paths, receipt};
use crate::arguments::Arguments;
use crate::cursor::Cursor;
use crate::options::Options;
use crate::schema::{array, object, one_of, or_null, texts, typed};

/// How often a call that waits for rows looks whether it is over.
const LOOK_UP: Duration = Duration::from_millis(20);
/// Bytes of an answer beside its rows.
const FRAME_LEN: usize = 300;

/// A group of tables, for an agent.
struct Group {
    name: &'static str,
    title: &'static str,
    about: &'static str,
}

const GROUPS: &[Group] = &[
    Group {
        name: "series",
        title: "List metrics of Prometheus blocks",
        about: "Lists what Prometheus blocks hold (also those of Thanos and Mimir): blocks, labels with their values, series, samples. \
                Take `labels` to learn which metrics and label values there are, then `samples` with a selector.\n\
                Example: {\"table\": \"samples\", \"paths\": [\"data\"], \"selector\": [\"up{job=\\\"api\\\"}\"], \"limit\": 100}",
    },
    Group {
        name: "rows",
        title: "List rows of SSTables",
        about: "Lists what SSTables of Cassandra and ScyllaDB hold, without a cluster: files, partitions, rows as a query would see them, \
                cells with their write times and deletions, tables in a backup.\n\
                Example: {\"table\": \"rows\", \"paths\": [\"ks/t\"], \"key\": [\"7\"], \"limit\": 20}",
    },
    Group {
        name: "code",
        title: "List documents of zoekt shards",
        about: "Lists what zoekt shards hold: repositories, documents, lines that answer a query in zoekt's language, symbols with their \
                kind. For a plain text `find` is simpler, and ranks.\n\
                Example: {\"table\": \"symbols\", \"paths\": [\"shards\"], \"where\": \"name = 'main'\"}",
    },
    Group {
        name: "graph",
        title: "Ask an RDF store",
        about: "Asks a store of RDF: `solutions` answers a `query` in SPARQL 1.2 (SELECT, ASK, CONSTRUCT, DESCRIBE; no update), `quads` \
                lists triples by their terms, `predicates` how often each is used: take it first to learn the vocabulary.\n\
                Example: {\"table\": \"solutions\", \"paths\": [\"store\"], \"query\": \"SELECT ?s ?o { ?s <http://schema.org/name> ?o } LIMIT 10\"}",
    },
    Group {
        name: "blobs",
        title: "List snapshots and files of restic repositories",
        about: "Lists what restic repositories hold: snapshots, files of snapshots, versions of a file through time, what a snapshot alone \
                costs, packs, blobs. The password is taken from the server's environment ($RESTIC_PASSWORD_FILE, $RESTIC_PASSWORD).\n\
                Example: {\"table\": \"files\", \"paths\": [\"repo\"], \"where\": \"path LIKE '/etc/%'\", \"columns\": [\"path\", \"size\"]}",
    },
];

/// The argument that names a file which callers may name.
const FILE: &str = "schema";

/// A group of a system that a program has added.
const OTHER: Group = Group {
    name: "",
    title: "List what an index holds",
    about: "Lists what indexes of this kind hold, as tables.",
};

pub(super) fn tools(options: &Options) -> Vec<Tool> {
    let mut names: Vec<&'static str> = GROUPS.iter().map(|group| group.name).collect();
    let others = catalogue().iter().filter(|table| table.name.contains('.'));
    names.extend(others.map(|table| group_of(table)));
    let mut tools: Vec<Tool> = Vec::new();
    for name in names {
        let group = GROUPS.iter().find(|group| group.name == name).unwrap_or(&OTHER);
        if !tools.iter().any(|tool| tool.name == name) {
            tools.push(tool(name, group, options));
        }
    }
    tools
}

fn tool(name: &'static str, group: &Group, options: &Options) -> Tool {
    let is_own = |table: &&&Table| group_of(table) == name;
    let tables: Vec<&'static Table> = catalogue().iter().filter(is_own).copied().collect();
    let names: Vec<&str> = tables.iter().map(|table| short(table)).collect();
    let mut properties = vec![
        ("table", one_of(&names, "The table; see the description.")),
        ("paths", paths(options, "Indexes of this kind, or folders of them.")),
    ];
    properties.extend(arguments(&tables, options));
    properties.extend([
        ("columns", texts("Names of the columns, in the order in which they come. Default: all.")),
        (
            "where",
            typed(
                "string",
                "Conditions on columns, joined by AND: =, <>, <, <=, >, >=, BETWEEN, IN (..), LIKE 'a%', IS NULL, NOT. \
                 Texts and times are in single quotes: \"size > 1000 AND path LIKE '/etc/%'\".",
            ),
        ),
        ("limit", typed("integer", "Maximum number of rows on a page. Default: as many as fit the budget.")),
        ("budget", budget(options)),
        ("cursor", cursor()),
    ]);
    let described = tables.iter().map(|table| described(table)).collect::<Vec<_>>().join("\n");
    Tool {
        name,
        title: group.title,
        description: format!("{}\nTables:\n{described}", group.about),
        input: object(properties, &["table"]),
        output: object(
            vec![
                ("table", typed("string", "The table.")),
                ("columns", texts("Names of the columns.")),
                (
                    "rows",
                    array(
                        json!({ "type": "object" }),
                        "The rows: an object each, null for what lacks. Times are RFC 3339.",
                    ),
                ),
                ("complete", complete()),
                ("next", or_null("string", "Cursor of the next page; null if there is none.")),
                ("note", or_null("string", "What else is to be known of the answer.")),
                ("receipt", receipt()),
            ],
            &["table", "columns", "rows", "complete", "next", "note", "receipt"],
        ),
        does: Does::List(tables),
    }
}

fn group_of(table: &Table) -> &'static str {
    table.name.split_once('.').map_or(table.name, |(group, _)| group)
}

/// Its name within the group.
fn short(table: &Table) -> &'static str {
    table.name.split_once('.').map_or(table.name, |(_, name)| name)
}

/// A table in a line: what a row is, its columns and its arguments.
fn described(table: &Table) -> String {
    let here = Named { paths: vec![".".into()], named: Vec::new() };
    let columns = match table.by_data {
        [] => {
            let fields = table.fields(&here).unwrap_or_default();
            fields
                .iter()
                .map(|field| field.name.clone().into_owned())
                .collect::<Vec<_>>()
                .join(", ")
        }
        by_data => {
            by_data.iter().map(|own| own.name.replace('`', "")).collect::<Vec<_>>().join(", ")
        }
    };
    let arguments: Vec<&str> = offered(table).map(|argument| argument.name).collect();
    let arguments = match &arguments[..] {
        [] => String::new(),
        names => format!(" Arguments: {}.", names.join(", ")),
    };
    format!("- {}: {} Columns: {columns}.{arguments}", short(table), table.about)
}

/// Arguments of a table that callers may give.
fn offered(table: &Table) -> impl Iterator<Item = &Argument> {
    table.arguments.iter().filter(|argument| argument.concerns != Concerns::Host)
}

/// Schemas of the tables' arguments, each once.
fn arguments(tables: &[&'static Table], options: &Options) -> Vec<(&'static str, Value)> {
    let mut schemas: Vec<(&'static str, Value)> = Vec::new();
    for argument in tables.iter().flat_map(|table| offered(table)) {
        let is_there = schemas.iter().any(|(name, _)| *name == argument.name);
        if is_there || argument.name == FILE && options.places.is_named() {
            continue;
        }
        let has = |table: &&&'static Table| offered(table).any(|own| own.name == argument.name);
        let of: Vec<&str> = tables.iter().filter(has).map(|table| short(table)).collect();
        let about = format!("Of {}: {}", of.join(", "), argument.about);
        let schema = match argument.takes {
            Takes::Text | Takes::Time => typed("string", &about),
            Takes::Texts => texts(&about),
            Takes::Boolean => typed("boolean", &about),
            Takes::Number => typed("integer", &about),
        };
        schemas.push((argument.name, schema));
    }
    schemas
}

/// The answer of a table.
#[derive(Serialize)]
struct Listed<'l> {
    table: &'l str,
    columns: Vec<String>,
    rows: Vec<Box<RawValue>>,
    complete: bool,
    next: Option<String>,
    note: Option<String>,
    receipt: Map<String, Value>,
}

pub(super) fn answer(
    tool: &str,
    tables: &[&'static Table],
    arguments: Arguments<'_>,
    asked: &Asked<'_>,
) -> Result<Box<RawValue>, Failure> {
    let names = || tables.iter().map(|table| short(table)).collect::<Vec<_>>().join(", ");
    let name = arguments.text("table")?;
    let name =
        name.ok_or_else(|| Failure::asked(format!("table is needed: one of {}", names())))?;
    let table = tables.iter().find(|table| short(table) == name);
    let table = table.ok_or_else(|| {
        Failure::asked(format!("there is no table {name:?}: there are {}", names()))
    })?;
    let cursor = Cursor::of(tool, arguments.given())?;
    let limit = arguments.count("limit")?;
    let budget = asked.budget(arguments)?;
    let call = call(table, arguments, cursor, limit, asked)?;
    let mut answer = table.open(&call)?;
    let mut page = Page {
        rows: Vec::new(),
        skipped: cursor.skipped,
        limit: limit.unwrap_or(u64::MAX),
        left: budget.saturating_sub(FRAME_LEN),
        is_over: false,
        too_long: None,
    };
    read(&mut answer, &mut page, asked)?;
    let mut receipt = answer.receipt().map(|receipt| counted(receipt)).unwrap_or_default();
    receipt.insert("rows".to_owned(), page.rows.len().into());
    let count = page.rows.len() as u64;
    let next = (page.is_over && page.too_long.is_none()).then(|| cursor.next(count));
    let note = page.too_long.map(|len| {
        format!("the next row takes {len} bytes, more than the budget: ask for fewer columns, or a larger budget")
    });
    let columns = answer.fields().iter().map(|field| field.name.clone().into_owned()).collect();
    let complete = !page.is_over && cursor.skipped == 0;
    let rows =
        page.rows.into_iter().map(|row| named(row, table, asked)).collect::<Result<_, _>>()?;
    answered(&Listed { table: name, columns, rows, complete, next, note, receipt })
}

/// What arguments ask of a table.
fn call(
    table: &Table,
    arguments: Arguments<'_>,
    cursor: Cursor,
    limit: Option<u64>,
    asked: &Asked<'_>,
) -> Result<Call, Failure> {
    let mut named = Vec::new();
    for argument in offered(table) {
        let mut give = |text: String| named.push((argument.name.to_owned(), text));
        match argument.takes {
            Takes::Text if argument.name == FILE => {
                if let Some(file) = arguments.text(FILE)? {
                    let path = asked.options.places.file(file, asked.roots)?;
                    give(path.to_string_lossy().into_owned());
                }
            }
            Takes::Text | Takes::Time => {
                arguments.text(argument.name)?.map(str::to_owned).into_iter().for_each(give);
            }
            Takes::Texts => {
                let texts = arguments.texts(argument.name)?.unwrap_or_default();
                texts.into_iter().map(str::to_owned).for_each(give);
            }
            Takes::Boolean => {
                if arguments.is_set(argument.name)? {
                    give("true".to_owned());
                }
            }
            Takes::Number => {
                arguments
                    .count(argument.name)?
                    .map(|number| number.to_string())
                    .into_iter()
                    .for_each(give);
            }
        }
    }
    let is_of = |name: &str| offered(table).any(|argument| argument.name == name);
    let mut others = catalogue().iter().flat_map(|table| offered(table)).map(|own| own.name);
    if let Some(name) = others.find(|name| arguments.value(name).is_some() && !is_of(name)) {
        return Err(Failure::asked(format!("table {} has no argument {name}", short(table))));
    }
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let asked_rows = Wanted {
        columns: arguments.texts("columns")?.map(owned),
        conditions: arguments.text("where")?.map(conditions).transpose()?.unwrap_or_default(),
        // One more tells whether there are more.
        limit: limit.map(|limit| cursor.skipped.saturating_add(limit).saturating_add(1)),
    };
    let mut paths = asked.paths(arguments)?;
    if arguments.value("paths").is_none() && paths.len() > 1 {
        keep_kind(&mut paths, group_of(table));
    }
    Ok(Call { arguments: Named { paths, named }, asked: asked_rows })
}

/// Of paths that the call hasn't named, those that are of the table's kind, if any is.
fn keep_kind(paths: &mut Vec<PathBuf>, word: &str) {
    let is_of = |path: &PathBuf| {
        let places = places(path, None).unwrap_or_default();
        places.iter().any(|place| place.kind.system().word() == word)
    };
    let kept: Vec<PathBuf> = paths.iter().filter(|path| is_of(path)).cloned().collect();
    if !kept.is_empty() {
        *paths = kept;
    }
}

/// A page of rows, while they are read.
struct Page {
    rows: Vec<Box<RawValue>>,
    /// Rows that are passed over: those of pages before.
    skipped: u64,
    limit: u64,
    /// Bytes that are left.
    left: usize,
    /// Whether there are more rows.
    is_over: bool,
    /// Length of a first row that doesn't fit.
    too_long: Option<usize>,
}

/// Reads rows until the page is full. The answer is over then, or dropped.
fn read(answer: &mut Answer, page: &mut Page, asked: &Asked<'_>) -> Result<(), Failure> {
    let (json, mut text) = (JsonRows::new(answer.fields()), String::new());
    let meter = asked.watch.endless(Phase::Reading, Unit::Rows);
    loop {
        let batch = match answer.next_within(LOOK_UP) {
            Poll::Ready(Some(batch)) => batch?,
            Poll::Ready(None) => break,
            Poll::Pending => {
                asked.check()?;
                continue;
            }
        };
        let passed = page.skipped.min(batch.row_count() as u64);
        page.skipped -= passed;
        for row in passed as usize..batch.row_count() {
            text.clear();
            json.put(&batch, row, &mut text);
            if !page.take(text.trim_end())? {
                return Ok(());
            }
        }
        meter.step(batch.row_count() as u64)?;
    }
    meter.end();
    Ok(())
}

impl Page {
    /// Takes a row. Whether it had room.
    fn take(&mut self, text: &str) -> Result<bool, Failure> {
        let has_room = text.len() < self.left && (self.rows.len() as u64) < self.limit;
        if !has_room {
            self.is_over = true;
            self.too_long = (self.rows.is_empty() && self.limit > 0).then_some(text.len());
            return Ok(false);
        }
        self.left -= text.len() + 1;
        let row = RawValue::from_string(text.to_owned());
        self.rows.push(row.map_err(|error| Failure::new(ErrorClass::Failed, error))?);
        Ok(true)
    }
}

/// A row in which names stand for the paths that the table lists, if callers see names.
fn named(row: Box<RawValue>, table: &Table, asked: &Asked<'_>) -> Result<Box<RawValue>, Failure> {
    let places = &asked.options.places;
    if !places.is_named() || table.name != LISTS_PATHS {
        return Ok(row);
    }
    let failed = |error| Failure::new(ErrorClass::Failed, error);
    let mut row: Value = serde_json::from_str(row.get()).map_err(failed)?;
    if let Some(path) = row.get("path").and_then(Value::as_str) {
        row["path"] = places.said(path).into();
    }
    answered(&row)
}

/// The table with a column of paths of this machine.
const LISTS_PATHS: &str = "series.blocks";

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments that run a command, write a folder, or read a file with a password.
    const WITHHELD: &[&str] =
        &["index_cache", "index_cache_dir", "password_command", "password_file"];

    #[test]
    fn each_argument_of_the_catalogue_is_offered_or_withheld_on_purpose() {
        let own = ["table", "paths", "columns", "where", "limit", "budget", "cursor"];
        for table in catalogue().iter().filter(|table| table.name.contains('.')) {
            for argument in table.arguments {
                let is_withheld = WITHHELD.contains(&argument.name);
                let is_hosts = argument.concerns == Concerns::Host;
                assert_eq!(is_hosts, is_withheld, "{} {}", table.name, argument.name);
                assert!(!own.contains(&argument.name), "{} {}", table.name, argument.name);
                let is_file = argument.about.contains("file ") || argument.about.contains("File ");
                let is_known = is_withheld || argument.name == FILE;
                assert!(!is_file || is_known, "{} {}", table.name, argument.name);
            }
        }
    }
}
