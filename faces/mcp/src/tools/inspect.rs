//! `inspect`: what a path is, and what it has.

use manicule::Failure;
use manicule::inspect::Error;
use manicule::json::Json;
use manicule::kinds::{Call, Place, places};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::tool::{Asked, Does, Tool, answered, budget, complete, paths, receipt};
use crate::arguments::Arguments;
use crate::budget::fit;
use crate::options::Options;
use crate::places::Places;
use crate::schema::{any_object, array, object, typed};

const DESCRIPTION: &str = "\
Says what a path is and what it has: a source tree and the state of its index, a zoekt shard, a Prometheus block, SSTables, an RDF \
store, a restic repository, or a file of one of these. A report has versions, sizes, counts and times, the sections of a file with \
their offsets; lengths are in bytes. It reads little, so ask it first of a path that you don't know; then `series`, `rows`, `code`, \
`graph` or `blobs` list what is in it. A plain file is none of these: `find` searches it.\n\
Example: {\"paths\": [\"data/01M7YV9D4RCH84S6NS9PC6AJ27\"]}";

/// Bytes of an answer beside its reports.
const FRAME_LEN: usize = 200;

pub(super) fn tool(options: &Options) -> Tool {
    let place = object(
        vec![
            ("path", typed("string", "The path.")),
            ("kind", typed("string", "What it is, in a word. A folder may be of several kinds.")),
            (
                "report",
                json!({ "type": ["object", "null"], "description": "What it has; its fields depend on the kind." }),
            ),
            ("error", typed("string", "Only there if it can't be read: why.")),
        ],
        &["path"],
    );
    Tool {
        name: "inspect",
        title: "Show what a path is",
        description: DESCRIPTION.to_owned(),
        input: object(
            vec![
                ("paths", paths(options, "Files, folders and indexes.")),
                ("budget", budget(options)),
            ],
            &[],
        ),
        output: object(
            vec![
                ("places", array(place, "Each path as each of its kinds.")),
                ("complete", complete()),
                ("cut", cut()),
                ("receipt", receipt()),
            ],
            &["places", "complete", "cut", "receipt"],
        ),
        does: Does::Inspect,
    }
}

/// The schema of what was left out.
pub(super) fn cut() -> Value {
    array(
        any_object("`at`: JSON pointer below `places`; `shown` of `of` items are there."),
        "Lists that were shortened to fit the budget.",
    )
}

pub(super) fn answer(
    arguments: Arguments<'_>,
    asked: &Asked<'_>,
) -> Result<Box<RawValue>, Failure> {
    let reports = each(arguments, asked, &|place, call| {
        let inspected = place.inspect(call)?;
        let report = serde_json::to_value(Json(&inspected)).expect("keys of reports are texts");
        Ok(json!({ "report": report }))
    })?;
    let count = reports.len();
    let budget = asked.budget(arguments)?.saturating_sub(FRAME_LEN);
    let (places, cut) = fit(Value::Array(reports), budget);
    answered(&json!({
        "places": if places.is_null() { json!([]) } else { places },
        "complete": cut.is_empty(),
        "cut": cut,
        "receipt": { "places": count },
    }))
}

/// Asks each path as each of its kinds; an error of one doesn't end the others, unless all fail.
pub(super) fn each(
    arguments: Arguments<'_>,
    asked: &Asked<'_>,
    ask: &dyn Fn(&Place, &Call<'_>) -> Result<Value, Error>,
) -> Result<Vec<Value>, Failure> {
    let Asked { options, watch, .. } = *asked;
    let call = Call {
        cache: options.cache.as_ref(),
        threads: options.threads,
        watch,
        key: None,
        password: if options.has_passwords { password } else { || Ok(None) },
    };
    let (mut reports, mut first) = (Vec::new(), None);
    let mut is_any = false;
    for path in asked.paths(arguments)? {
        let shown = options.places.shown(&path, asked.roots);
        let own = match places(&path, call.cache) {
            Ok(own) => own,
            Err(error) => {
                reports.push(failed(&shown, None, &error, options));
                first.get_or_insert(Failure::new(error.class(), error));
                continue;
            }
        };
        for place in own {
            asked.check()?;
            match ask(&place, &call) {
                Ok(mut report) => {
                    is_any = true;
                    report["path"] = shown.clone().into();
                    report["kind"] = place.kind.word().into();
                    reports.push(with_names(report, &options.places));
                }
                Err(error) => {
                    reports.push(failed(&shown, Some(place.kind.word()), &error, options));
                    first.get_or_insert(Failure::new(error.class(), error));
                }
            }
        }
    }
    asked.check()?;
    match first {
        Some(failure) if !is_any => Err(failure),
        _ => Ok(reports),
    }
}

fn failed(path: &str, kind: Option<&str>, error: &Error, options: &Options) -> Value {
    let mut report = json!({ "path": path, "error": options.places.said(&error.to_string()) });
    if let Some(kind) = kind {
        report["kind"] = kind.into();
    }
    report
}

fn password() -> Result<Option<Vec<u8>>, String> {
    manicule::blobs::environment::password_of_variables().map_err(|failure| failure.to_string())
}

/// A report in which names stand for paths, if callers see names.
fn with_names(report: Value, places: &Places) -> Value {
    if !places.is_named() {
        return report;
    }
    match report {
        Value::String(text) => places.said(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| with_names(item, places)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, field)| (name, with_names(field, places)));
            Value::Object(fields.collect())
        }
        other => other,
    }
}
