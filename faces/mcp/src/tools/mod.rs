//! The tools: what each is called, takes, does and returns.

mod find;
mod inspect;
mod tables;
mod verify;

use std::path::PathBuf;

use manicule::catalog::Table;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::places::Places;
use crate::revision::Revision;
use crate::roots::Roots;
use crate::schema::{array, counts, texts, typed};
use crate::service::Options;

/// Bytes of an answer that a call may ask for.
const BUDGET: std::ops::RangeInclusive<u64> = 512..=1 << 20;

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    title: &'static str,
    description: String,
    input: Value,
    output: Value,
    does: Does,
}

/// What a tool does.
#[derive(Debug)]
enum Does {
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

/// All tools.
pub(crate) fn tools(options: &Options) -> Vec<Tool> {
    let mut tools = vec![find::tool(options), inspect::tool(options), verify::tool(options)];
    tools.extend(tables::tools(options));
    tools
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

    /// Answers a call.
    pub(crate) fn answer(
        &self,
        given: &Map<String, Value>,
        asked: &Asked<'_>,
    ) -> Result<Box<RawValue>, Failure> {
        let arguments = Arguments::of(given, &self.input)?;
        match &self.does {
            Does::Find => find::answer(arguments, asked),
            Does::Inspect => inspect::answer(arguments, asked),
            Does::Verify => verify::answer(arguments, asked),
            Does::List(tables) => tables::answer(self.name, tables, arguments, asked),
        }
    }
}

impl Asked<'_> {
    /// The paths that a call names, or those that it need not.
    fn paths(&self, arguments: Arguments<'_>) -> Result<Vec<PathBuf>, Failure> {
        self.options.places.paths(arguments.texts("paths")?, self.roots)
    }

    /// Bytes of the answer.
    fn budget(&self, arguments: Arguments<'_>) -> Result<usize, Failure> {
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
    fn check(&self) -> Result<(), Failure> {
        self.watch.check().map_err(Failure::from)
    }
}

/// The schema of the paths.
fn paths(options: &Options, about: &str) -> Value {
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
fn budget(options: &Options) -> Value {
    let (low, high, own) = (BUDGET.start(), BUDGET.end(), options.answer_len);
    json!({
        "type": "integer", "minimum": low, "maximum": high,
        "description": format!("Maximum length of the answer in bytes. Default: {own}."),
    })
}

/// The schema of a cursor.
fn cursor() -> Value {
    typed(
        "string",
        "`next` of the last answer, for the page after it; all other arguments as they were.",
    )
}

/// The schema of `complete`.
fn complete() -> Value {
    typed("boolean", "Whether this is all that there is: false where something was left out.")
}

/// The schema of the counts of work.
fn receipt() -> Value {
    counts("What the call has done: files looked at, bytes read, rows decoded and so on.")
}

/// Counts by name.
fn counted(receipt: &[(&'static str, u64)]) -> Map<String, Value> {
    receipt.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect()
}

/// An answer as JSON.
fn answered(answer: &impl Serialize) -> Result<Box<RawValue>, Failure> {
    to_raw_value(answer).map_err(|error| Failure::new(ErrorClass::Failed, error))
}
