//! What all tools have: their declaration, what a call has beside its arguments, and the words that
//! their schemas share.

use std::path::PathBuf;

use manicule::catalog::Table;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::options::Options;
use crate::places::Places;
use crate::revision::Revision;
use crate::roots::Roots;
use crate::schema::{array, counts, texts, typed};

/// Bytes of an answer that a call may ask for.
const BUDGET: std::ops::RangeInclusive<u64> = 512..=1 << 20;

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: String,
    pub(super) input: Value,
    pub(super) output: Value,
    pub(super) does: Does,
}

/// What a tool does.
#[derive(Debug)]
pub(super) enum Does {
    Find,
    Inspect,
    Verify,
    /// Lists one of these tables.
    List(Vec<&'static Table>),
}

/// What a call has beside its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) options: &'a Options,
    pub(crate) roots: &'a Roots,
    pub(crate) watch: &'a Watch<'a>,
}

impl Tool {
    /// Its declaration, in the words of a revision.
    pub(crate) fn declared(&self, revision: Revision) -> Value {
        let mut tool = json!({
            "name": self.name, "description": self.description, "inputSchema": self.input,
        });
        if revision >= Revision::Batches {
            tool["annotations"] = json!({
                "title": self.title, "readOnlyHint": true, "destructiveHint": false,
                "idempotentHint": true, "openWorldHint": false,
            });
        }
        if revision >= Revision::Structured {
            tool["title"] = self.title.into();
            tool["outputSchema"] = self.output.clone();
        }
        tool
    }
}

impl Asked<'_> {
    /// The paths that a call names, or those that it need not.
    pub(super) fn paths(&self, arguments: Arguments<'_>) -> Result<Vec<PathBuf>, Failure> {
        self.options.places.paths(arguments.texts("paths")?, self.roots)
    }

    /// Bytes of the answer.
    pub(super) fn budget(&self, arguments: Arguments<'_>) -> Result<usize, Failure> {
        match arguments.count("budget")? {
            None => Ok(self.options.answer_len),
            Some(budget) if BUDGET.contains(&budget) => Ok(budget as usize),
            Some(_) => {
                let (low, high) = (BUDGET.start(), BUDGET.end());
                Err(Failure::asked(format!("argument budget: {low} to {high} bytes")))
            }
        }
    }

    /// The failure of a call that is over, whatever else it came to.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.watch.check().map_err(Failure::from)
    }
}

/// The schema of the paths.
pub(super) fn paths(options: &Options, about: &str) -> Value {
    match &options.places {
        Places::Local { .. } => texts(&format!(
            "{about} Relative ones begin at the client's first root, or at the server's folder. \
             Default: what the server was given, else the roots, else the current folder."
        )),
        Places::Named(named) => {
            let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
            let items = json!({ "type": "string", "enum": names });
            array(items, "Names of what is served. Default: all that the tool can read.")
        }
    }
}

/// The schema of the budget.
pub(super) fn budget(options: &Options) -> Value {
    let (low, high, own) = (BUDGET.start(), BUDGET.end(), options.answer_len);
    json!({
        "type": "integer", "minimum": low, "maximum": high,
        "description": format!("Maximum length of the answer in bytes. Default: {own}."),
    })
}

/// The schema of a cursor.
pub(super) fn cursor() -> Value {
    typed(
        "string",
        "`next` of the last answer, for the page after it; all other arguments as they were.",
    )
}

/// The schema of `complete`.
pub(super) fn complete() -> Value {
    typed("boolean", "Whether this is all that there is: false where something was left out.")
}

/// The schema of the counts of work.
pub(super) fn receipt() -> Value {
    counts("What the call has done: files looked at, bytes read, rows decoded and so on.")
}

/// Counts by name.
pub(super) fn counted(receipt: &[(&'static str, u64)]) -> Map<String, Value> {
    receipt.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect()
}

/// An answer as JSON.
pub(super) fn answered(answer: &impl Serialize) -> Result<Box<RawValue>, Failure> {
    to_raw_value(answer).map_err(|error| Failure::new(ErrorClass::Failed, error))
}
