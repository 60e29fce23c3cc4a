//! `verify`: whether an index is right.

use manicule::Failure;
use manicule::inspect::{FileFinding, Findings};
use manicule::json::Json;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::inspect::{cut, each};
use super::tool::{Asked, Does, Tool, answered, budget, complete, counted, paths, receipt};
use crate::arguments::Arguments;
use crate::budget::fit;
use crate::options::Options;
use crate::schema::{any_object, array, counts, object, texts, typed};

const DESCRIPTION: &str = "\
Checks an index: every checksum, order, offset and reference, and that its parts agree with each other. Takes zoekt shards, \
Prometheus blocks, SSTables, RDF stores, restic repositories, indexes of source trees, and single files of these. It reads all of \
them, so a large one takes minutes: ask for progress, or cancel. Findings say file, section, offset and what is wrong; warnings are \
unusual and valid. Nothing is repaired.\n\
Example: {\"paths\": [\"data/01M7YV9D4RCH84S6NS9PC6AJ27\"]}";

/// Bytes of an answer beside its verdicts.
const FRAME_LEN: usize = 200;

pub(super) fn tool(options: &Options) -> Tool {
    let finding = || any_object("`file`, `section`, `offset`, `what`.");
    let place = object(
        vec![
            ("path", typed("string", "The path.")),
            ("kind", typed("string", "What it is, in a word.")),
            ("ok", typed("boolean", "Whether nothing is wrong.")),
            ("findings", array(finding(), "What is wrong.")),
            ("finding_count", typed("integer", "Number of all findings, listed or not.")),
            ("warnings", array(finding(), "What is unusual.")),
            ("failures", texts("Parts that can't be read.")),
            ("counts", counts("What was checked.")),
            ("error", typed("string", "Only there if it can't be verified: why.")),
        ],
        &["path"],
    );
    Tool {
        name: "verify",
        title: "Check that an index is right",
        description: DESCRIPTION.to_owned(),
        input: object(
            vec![
                ("paths", paths(options, "Indexes, or files of them.")),
                ("budget", budget(options)),
            ],
            &[],
        ),
        output: object(
            vec![
                ("ok", typed("boolean", "Whether nothing is wrong anywhere.")),
                ("places", array(place, "Each path as each of its kinds.")),
                ("complete", complete()),
                ("cut", cut()),
                ("receipt", receipt()),
            ],
            &["ok", "places", "complete", "cut", "receipt"],
        ),
        does: Does::Verify,
    }
}

pub(super) fn answer(
    arguments: Arguments<'_>,
    asked: &Asked<'_>,
) -> Result<Box<RawValue>, Failure> {
    let verdicts = each(arguments, asked, &|place, call| {
        let mut failures = Vec::new();
        let verified = place.verify(call, &mut |error| failures.push(error.to_string()))?;
        let list = |findings: &Findings<FileFinding>| {
            findings.list.iter().map(|finding| json!(Json(finding))).collect::<Vec<_>>()
        };
        let verdict = &verified.verdict;
        Ok(json!({
            "ok": verdict.findings.count == 0 && failures.is_empty(),
            "findings": list(&verdict.findings),
            "finding_count": verdict.findings.count,
            "warnings": list(&verdict.warnings),
            "failures": failures,
            "counts": counted(&verified.counts),
        }))
    })?;
    let is_ok = verdicts.iter().all(|verdict| verdict["ok"] == true);
    let count = verdicts.len();
    let budget = asked.budget(arguments)?.saturating_sub(FRAME_LEN);
    let (places, cut) = fit(Value::Array(verdicts), budget);
    answered(&json!({
        "ok": is_ok,
        "places": if places.is_null() { json!([]) } else { places },
        "complete": cut.is_empty(),
        "cut": cut,
        "receipt": { "places": count },
    }))
}
