//! The tools: what each is called, takes, does and returns.

mod find;
mod inspect;
mod tables;
mod tool;
mod verify;

use manicule::Failure;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::options::Options;
use tool::Does;
pub(crate) use tool::{Asked, Tool};

/// All tools.
pub(crate) fn tools(options: &Options) -> Vec<Tool> {
    let mut tools = vec![find::tool(options), inspect::tool(options), verify::tool(options)];
    tools.extend(tables::tools(options));
    tools
}

/// Answers a call of a tool.
pub(crate) fn answer(
    tool: &Tool,
    given: &Map<String, Value>,
    asked: &Asked<'_>,
) -> Result<Box<RawValue>, Failure> {
    let arguments = Arguments::of(given, &tool.input)?;
    match &tool.does {
        Does::Find => find::answer(arguments, asked),
        Does::Inspect => inspect::answer(arguments, asked),
        Does::Verify => verify::answer(arguments, asked),
        Does::List(tables) => tables::answer(tool.name, tables, arguments, asked),
    }
}
