//! `manicule graph stats`: what a store holds, in numbers.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::graph::json::CountedStore;
use manicule::graph::{ScopeStats, Store, StoreStats};

use super::shared::AT;
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{grouped, plural};

pub(super) static COMMAND: Command = Command {
    name: "stats",
    operands: "STORE",
    summary: "count what a store holds: quads, graphs, terms, predicates, classes",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE",
            about: "\
Prints counts of a store as it is now: quads and graphs, terms by kind; for the default graph and for all named ones their
predicates with the numbers of quads, distinct subjects and distinct objects, the classes from rdf:type, and the kinds of objects.
Counts are exact: they are kept with the store, and updated by the commits since.",
        }],
        notes: "\
Terms that no quad uses any more are counted until `manicule graph compact` has removed them. With --format or --output the
predicates are listed, of both scopes one after the other.",
        exit: "0 when everything was counted, 2 when something failed, such as when there is no store.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.store)]);

/// Rows of a list that are shown unless another number is asked for.
const ROWS_SHOWN: usize = 20;

static FLAGS: &[Flag<Options>] = with_sheet![
    AT.does(set!(|o, value| o.at = Some(value.string()?))),
    shared::LIMIT
        .more("Of each list. Default: 20 as text, all as JSON.")
        .does(set!(|o, value| o.rows_max = Some(value.number()?))),
    shared::JSON.sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    store: PathBuf,
    at: Option<String>,
    rows_max: Option<u64>,
    json: bool,
    sheet: Sheet,
}

#[derive(Debug)]
struct Call {
    store: PathBuf,
    at: Option<String>,
    /// As it was given.
    limit: Option<u64>,
    rows_max: usize,
    json: bool,
    sheet: Sheet,
}

fn finish(options: Options) -> Result<Call> {
    let Options { store, at, rows_max: limit, json, sheet } = options;
    let unsaid = if json { usize::MAX } else { ROWS_SHOWN };
    let rows_max = limit.map_or(unsaid, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
    Ok(Call { store, at, limit, rows_max, json, sheet })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        return Listed::of("graph.predicates", vec![call.store.clone()])
            .with("at", &call.at)
            .limit(call.limit)
            .refuse(&[("--json", call.json)])
            .print(&call.sheet, out);
    }
    let counted = Store::open_at(&call.store, call.at.as_deref())?.stats()?;
    if call.json {
        let (store, at) = (&*call.store, call.at.as_deref());
        let counted = CountedStore { store, at, stats: &counted, rows_max: call.rows_max };
        out.report("graph_stats", counted)?
    } else {
        out.write_all(as_text(call, &counted)?.as_bytes())?
    }
    Ok(exit::DONE)
}

fn as_text(call: &Call, stats: &StoreStats) -> Result<String> {
    let mut out = String::new();
    let terms = stats.terms;
    writeln!(out, "store      {}", call.store.display())?;
    writeln!(out, "commit     {}", grouped(stats.commit))?;
    let (default, named) = (stats.default.quads, stats.named.quads);
    writeln!(
        out,
        "quads      {}: {} in the default graph, {} in {}{}",
        grouped(default + named),
        grouped(default),
        grouped(named),
        many(stats.graphs.len() as u64, "named graph"),
        match stats.empty_graph_count {
            0 => String::new(),
            count => format!(" and {} without quads", grouped(count)),
        }
    )?;
    writeln!(
        out,
        "terms      {}, {}, {} simple, {} language-tagged and {} other literals{}{}; numbers, dates and booleans lie in the quads",
        many(terms.iris, "IRI"),
        many(terms.blanks, "blank node"),
        grouped(terms.simple),
        grouped(terms.tagged),
        grouped(terms.typed),
        match terms.typed_without_value {
            0 => String::new(),
            count => format!(", {} of them without a value", grouped(count)),
        },
        match terms.triples {
            0 => String::new(),
            count => format!(", {}", many(count, "triple term")),
        }
    )?;
    scope_as_text("default graph", &stats.default, call.rows_max, &mut out)?;
    scope_as_text("named graphs", &stats.named, call.rows_max, &mut out)?;
    pairs_as_text("graph", &stats.graphs, call.rows_max, &mut out)?;
    Ok(out)
}

fn scope_as_text(name: &str, scope: &ScopeStats, rows_max: usize, out: &mut String) -> Result<()> {
    if scope.quads == 0 {
        return Ok(());
    }
    let (subjects, objects) = (many(scope.subjects, "subject"), many(scope.objects, "object"));
    writeln!(out, "\n{name}: {}, {subjects}, {objects}", many(scope.quads, "quad"))?;
    writeln!(out, "\n{:>14} {:>14} {:>14}  predicate", "quads", "subjects", "objects")?;
    for row in scope.predicates.iter().take(rows_max) {
        let counts = [row.quads, row.subjects, row.objects].map(grouped);
        let [quads, subjects, objects] = counts;
        writeln!(out, "{quads:>14} {subjects:>14} {objects:>14}  {}", row.predicate)?;
    }
    more(scope.predicates.len(), rows_max, out)?;
    pairs_as_text("class", &scope.classes, rows_max, out)?;
    pairs_as_text("kind of object", &scope.objects_by_kind, rows_max, out)
}

fn pairs_as_text(
    name: &str,
    pairs: &[(String, u64)],
    rows_max: usize,
    out: &mut String,
) -> Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{:>14}  {name}", "quads")?;
    for (term, count) in pairs.iter().take(rows_max) {
        writeln!(out, "{:>14}  {term}", grouped(*count))?;
    }
    more(pairs.len(), rows_max, out)
}

fn more(count: usize, rows_max: usize, out: &mut String) -> Result<()> {
    match count.saturating_sub(rows_max) {
        0 => Ok(()),
        rest => {
            Ok(writeln!(out, "{:>14}  and {} more; --limit shows them", "", grouped(rest as u64))?)
        }
    }
}

/// A count with commas, and its noun.
fn many(count: u64, noun: &str) -> String {
    format!("{} {}", grouped(count), plural(count, noun))
}
