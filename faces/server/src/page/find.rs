//! A search through all that is served, or some of it: events as lines of JSON, each when it is
//! found. Places are searched one after the other, so that each hit says where it is.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use axum::extract::{Query, State};
use axum::response::Response;
use manicule::find::{self as search, Call, Case, Event, Found, Hit, Item, Passwords};
use manicule::json::Json;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde_json::{Map, Value, json};

use super::context::around;
use super::params::Params;
use super::reply::{refused, with_type, word};
use super::shown::{Shown, line};
use super::state::Page;
use crate::answer::Out;
use crate::served::Place;

/// Maximum number of hits of a place.
const HITS_MAX: u64 = 300;

/// How long hits wait for others, to be sent together.
const PAUSE: Duration = Duration::from_millis(60);

/// A search. Parameters: `q`, the text; `in`, names of places, of none all; `fixed=0`, a regular
/// expression; `case=any`.
pub(super) async fn find(
    State(page): State<Page>,
    Query(named): Query<Vec<(String, String)>>,
) -> Response {
    let calls = page.calls.clone();
    let job = move |out: &mut Out, watch: &Watch<'_>| all(&page, &Params(named), out, watch);
    match calls.stream(job).await {
        Ok(body) => with_type("application/x-ndjson", body),
        Err(failure) => refused(&failure),
    }
}

fn all(page: &Page, params: &Params, out: &mut Out, watch: &Watch<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    params.needed("q")?;
    let wanted: Vec<&str> = params.texts("in").collect();
    let places = page.served.places().iter();
    let places = places.filter(|place| wanted.is_empty() || wanted.contains(&&*place.name));
    let mut lines = Lines { out, sent: None };
    let mut sums = Sums::default();
    for place in places {
        watch.check()?;
        let call = call(page, place, params)?;
        let found = one(&call, place, &mut lines, watch);
        match found {
            Ok(found) => sums.add(found),
            // What is no pattern is none anywhere.
            Err(failure) if watch.is_over() || failure.class() == ErrorClass::Asked => {
                return Err(failure);
            }
            // A system that can't do what is asked leaves the others.
            Err(failure) => lines.failure(place, &failure)?,
        }
        lines.hand_over()?;
    }
    let took_ms = started.elapsed().as_secs_f64() * 1000.0;
    lines.put(&json!({
        "type": "end", "hits": sums.hits, "complete": sums.is_whole(), "receipt": sums.receipt(),
        "took_ms": took_ms,
    }))
}

fn call(page: &Page, place: &Place, params: &Params) -> Result<Call, Failure> {
    let mut call = Call::new(params.needed("q")?, vec![place.path.clone()])?;
    call.patterns.fixed = params.text("fixed") != Some("0");
    if params.text("case") == Some("any") {
        call.patterns.case = Case::Insensitive;
    }
    call.systems = Some(vec![place.kind.system()]);
    call.limit = Some(HITS_MAX);
    let page = page.clone();
    call.passwords = Some(Passwords::new(move |_| page.password()));
    Ok(call)
}

/// Searches a place.
fn one(
    call: &Call,
    place: &Place,
    lines: &mut Lines<'_>,
    watch: &Watch<'_>,
) -> Result<Found, Failure> {
    let mut failed = Ok(());
    let found = search::find(call, watch, &mut |event| {
        let put = match event {
            Event::Hit(hit) => hit_json(place, &hit).and_then(|json| lines.put(&json)),
            Event::Failure(failure) => lines.failure(place, &failure),
            Event::Note(note) => {
                lines.put(&json!({ "type": "note", "place": place.name, "text": note }))
            }
        };
        match put {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                failed = Err(failure);
                ControlFlow::Break(())
            }
        }
    })?;
    failed.map(|()| found)
}

fn hit_json(place: &Place, hit: &Hit<'_>) -> Result<Value, Failure> {
    let text = hit.text();
    let Shown { text, matches } = line(&text, &hit.matches_in(&text)?);
    let mut json = json!({
        "type": "hit", "place": place.name, "system": place.kind.system().word(),
        "path": own_path(place, hit), "text": text, "matches": matches,
    });
    if let Item::Line(found) = &hit.item {
        let lines = around(hit, found);
        json["before"] = lines.before.into();
        json["after"] = lines.after.into();
        json["item"] = json!({ "line_number": found.number });
    } else {
        let of_item = |error| Failure::asked(format!("a hit that is no JSON: {error}"));
        json["item"] = serde_json::to_value(Json(&hit.item)).map_err(of_item)?;
    }
    Ok(json)
}

/// The path of a hit within its place; of the place itself none.
fn own_path(place: &Place, hit: &Hit<'_>) -> String {
    let own = hit.path.strip_prefix(&place.path).unwrap_or(hit.path);
    let is_file = place.path.is_file() && own == Path::new("") && matches!(hit.item, Item::Line(_));
    let own = if is_file { Path::new(place.path.file_name().unwrap_or_default()) } else { own };
    own.to_string_lossy().into_owned()
}

/// Lines on their way to the client.
struct Lines<'o> {
    out: &'o mut Out,
    /// When some were handed over last.
    sent: Option<Instant>,
}

impl Lines<'_> {
    fn put(&mut self, line: &Value) -> Result<(), Failure> {
        let mut text = line.to_string();
        text.push('\n');
        self.out.write_all(text.as_bytes()).map_err(gone)?;
        if self.sent.is_none_or(|sent| sent.elapsed() >= PAUSE) {
            self.hand_over()?;
        }
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), Failure> {
        self.sent = Some(Instant::now());
        self.out.hand_over().map_err(gone)
    }

    fn failure(&mut self, place: &Place, failure: &Failure) -> Result<(), Failure> {
        self.put(&json!({
            "type": "failure", "place": place.name, "class": word(failure.class()),
            "text": failure.to_string(),
        }))
    }
}

fn gone(error: io::Error) -> Failure {
    Failure::new(ErrorClass::Stopped, error)
}

/// Counts of all places.
#[derive(Default)]
struct Sums {
    hits: u64,
    is_cut: bool,
    receipt: BTreeMap<&'static str, u64>,
}

impl Sums {
    fn add(&mut self, found: Found) {
        self.hits += found.hits;
        self.is_cut |= found.hits >= HITS_MAX;
        for (name, count) in found.receipt {
            *self.receipt.entry(name).or_default() += count;
        }
    }

    fn is_whole(&self) -> bool {
        !self.is_cut
    }

    fn receipt(&self) -> Map<String, Value> {
        self.receipt.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect()
    }
}
