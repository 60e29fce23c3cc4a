//! `manicule code search`: zoekt's query language over shards.
//!
//! Answers come in the order of shards and documents, whatever the number of threads, so a limit
//! cuts the same answers off each time.

mod command;
mod options;
mod printer;

use std::ffi::OsStr;
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use manicule::cache::now_ns;
use manicule::code::shards::ShardError;
use manicule::code::shards::find::{Admit, Receipt, ShardFiles, census, repository_count};
use manicule::code::{self, SearchCall, search};
use manicule::kinds::recognise;
use manicule::watch::Watch;
use serde_json::{Value, json};

use crate::below::{below_of_query, is_empty_folder};
use crate::code::show::Listing;
use crate::command::exit;
use crate::messages::{Messages, say};
use crate::print::Print;
pub(super) use command::COMMAND;
use options::Options;
use printer::{Hearer, Printer};

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let call = SearchCall { threads: options.threads, ..SearchCall::new(&options.query)? };
    let messages = Messages::new(true, true);
    first_is_there(options)?;
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
    let printer = Mutex::new(Printer::new(options.limit, style.between(options.listing), out));
    let with_repository = repository_count(shards.iter()) > 1;
    let receipt = search(&shards, &call, &watch, &|| {
        Box::new(Hearer::new(options.listing, style, with_repository, &printer, &watch))
    });
    let mut printer = printer.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut receipt = receipt?;
    printer.finish()?;
    if options.receipt || options.listing == Listing::Json {
        receipt.not_indexed = census(&shards, &Admit::all())?.not_indexed;
    }
    let cut_by = match (printer.is_cut, watch.deadline_passed()) {
        (_, true) => Some("deadline"),
        (true, false) => Some("limit"),
        (false, false) => None,
    };
    tell(options, &mut printer, &receipt, cut_by)?;
    Ok(match (cut_by, printer.documents) {
        (Some("deadline"), _) => exit::FAILED,
        _ if messages.failed() => exit::FAILED,
        (_, documents) => exit::if_any(documents > 0),
    })
}

/// Refuses a first path that is not there before anything is searched: it may be a word of a query
/// whose quotes were forgotten.
fn first_is_there(options: &Options) -> Result<()> {
    let is_absent =
        |path: &&PathBuf| path.symlink_metadata().is_err_and(|error| error.kind() == NotFound);
    let Some(first) = options.paths.first().filter(is_absent) else { return Ok(()) };
    let query = &options.query;
    let is_word = first.components().count() == 1 && !Path::new(query).exists();
    let absent = options.paths.iter().take_while(is_absent);
    let absent: Vec<String> = absent.map(|path| path.display().to_string()).collect();
    let quoted = format!("; quote a query of several words: '{query} {}'", absent.join(" "));
    let hint = if is_word { &*quoted } else { "" };
    bail!("{}: no such file or folder{hint}", first.display())
}

/// Opens what was given as shards: whoever asks a query says that it is one, or a folder that holds
/// some.
fn open(path: &Path, failed: &mut dyn FnMut(ShardError)) -> Result<ShardFiles> {
    if path.is_dir() || path.extension() == Some(OsStr::new("zoekt")) {
        match code::open(path, failed) {
            Err(ShardError::None { .. }) => {}
            opened => return Ok(opened?),
        }
    }
    let kind = recognise(path).with_context(|| path.display().to_string())?;
    if is_empty_folder(path) {
        bail!(
            "{} is an empty folder; a query wants a zoekt shard or a folder of them, which \
             `manicule code index` makes of a tree",
            path.display()
        );
    }
    let below = below_of_query(path).filter(|_| path.is_dir());
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
    if options.listing == Listing::Json {
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
        printer.out.row("summary", json!({ "data": data }))?;
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
