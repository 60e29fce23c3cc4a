//! `manicule code search`: zoekt's query language over shards.
//!
//! Answers come in the order of shards and documents, whatever the number of threads, so a limit
//! cuts the same answers off each time; or by their scores, the best of all first.

mod command;
mod options;
mod printer;
mod ranked;

use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use manicule::cache::now_ns;
use manicule::code::SearchCall;
use manicule::code::search::Scorer;
use manicule::code::shards::ShardError;
use manicule::code::shards::find::{Admit, Receipt, not_indexed, repository_count};
use manicule::place::is_address;
use manicule::watch::Watch;
use serde_json::{Value, json};

use crate::code::opened::open_all;
use crate::code::show::Listing;
use crate::command::exit;
use crate::messages::{Messages, say};
use crate::print::Print;
use crate::receipt::with_buckets;
use crate::units::counted;
pub(super) use command::COMMAND;
use options::Options;
use printer::{Hearer, Printer, Renderer};
use ranked::Totals;

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let call = SearchCall { threads: options.threads, ..SearchCall::new(&options.query)? };
    let messages = Messages::new(true, true);
    first_is_there(options)?;
    if !options.sheet.is_plain() {
        return options.listed().print(&options.sheet, out);
    }
    let moment = open_all(&options.paths, &messages).moment();
    let shards =
        moment.open_for(call.query.foreseen(), &mut |error: ShardError| messages.failure(&error));
    let watch = match options.deadline {
        None => Watch::none(),
        Some(time) => Watch::none().until(now_ns().saturating_add(time.as_nanos() as u64), now_ns),
    };
    let style = options.style();
    out.in_pages();
    let printer = Mutex::new(Printer::new(options.limit, style.between(options.listing), out));
    let with_repository = repository_count(shards.iter()) > 1;
    let renderer = || Renderer::new(options.listing, style, with_repository);
    let mut totals = None;
    let scores = options.scores();
    let receipt = match options.ranked() {
        None => shards.search(&call, &watch, &|| {
            let is_scored = options.listing == Listing::Json;
            let scorer = is_scored.then(|| Scorer::new(&call.query, &scores));
            Box::new(Hearer { renderer: renderer(), scorer, printer: &printer, watch: &watch })
        }),
        Some(limits) => {
            let ranking = shards.rank(&call, &scores, &watch)?;
            let receipt = ranking.receipt;
            let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
            let printed = ranked::print(&shards, ranking, &limits, renderer(), &mut printer)?;
            totals = Some(printed);
            Ok(receipt)
        }
    };
    let mut printer = printer.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = printer.damage.take() {
        return Err(error.into());
    }
    let mut receipt = receipt?;
    printer.finish()?;
    if options.receipt || options.listing == Listing::Json {
        receipt.not_indexed = not_indexed(&shards, &Admit::all())?;
    }
    let cut_by = match (printer.is_cut, watch.deadline_passed()) {
        (_, true) => Some("deadline"),
        (true, false) => Some("limit"),
        (false, false) => None,
    };
    let own = Totals { documents: printer.documents, matches: printer.matches };
    let totals = totals.filter(|_| cut_by != Some("deadline"));
    let totals = totals.or(cut_by.is_none().then_some(own));
    tell(options, &mut printer, &receipt, totals, cut_by)?;
    Ok(match (cut_by, printer.documents) {
        (Some("deadline"), _) => exit::FAILED,
        _ if messages.failed() => exit::FAILED,
        (_, documents) => exit::if_any(documents > 0),
    })
}

/// Refuses a first path that is not there before anything is searched: it may be a word of a query
/// whose quotes were forgotten.
fn first_is_there(options: &Options) -> Result<()> {
    let is_absent = |path: &&PathBuf| {
        !is_address(path) && path.symlink_metadata().is_err_and(|error| error.kind() == NotFound)
    };
    let Some(first) = options.paths.first().filter(is_absent) else { return Ok(()) };
    let query = &options.query;
    let is_word = first.components().count() == 1 && !Path::new(query).exists();
    let absent = options.paths.iter().take_while(is_absent);
    let absent: Vec<String> = absent.map(|path| path.display().to_string()).collect();
    let quoted = format!("; quote a query of several words: '{query} {}'", absent.join(" "));
    let hint = if is_word { &*quoted } else { "" };
    bail!("{}: no such file or folder{hint}", first.display())
}

/// What Manicule says besides the answers.
fn tell(
    options: &Options,
    printer: &mut Printer<'_>,
    receipt: &Receipt,
    totals: Option<Totals>,
    cut_by: Option<&str>,
) -> Result<()> {
    if options.listing == Listing::Json {
        let fields: serde_json::Map<String, Value> = with_buckets(&receipt.fields())
            .into_iter()
            .map(|(name, number)| (name.into(), number.into()))
            .collect();
        let data = json!({
            "documents": printer.documents,
            "lines": printer.lines,
            "file_count": totals.map(|totals| totals.documents),
            "match_count": totals.map(|totals| totals.matches),
            "cut_by": cut_by,
            "receipt": fields,
        });
        printer.out.row("summary", json!({ "data": data }))?;
    } else if options.receipt {
        for (name, number) in with_buckets(&receipt.fields()) {
            say(&format_args!("receipt: {name} {number}"));
        }
    }
    match cut_by {
        Some("deadline") => say(&"the time of --deadline was up: the answer is not complete"),
        Some(_) => say(&format_args!("cut at --limit {}: there is more", options.limit)),
        None => {
            let all = totals.map_or(0, |totals| totals.documents);
            if all > printer.documents {
                say(&format_args!(
                    "the best {} of {}",
                    printer.documents,
                    counted(all, "document")
                ));
            }
        }
    }
    Ok(())
}
