//! The declarations of all tools, as they were seen and found good.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Client;

#[test]
fn the_tools_are_declared_as_in_the_golden_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proof/golden/mcp/tools.json");
    let mut client = Client::plain();
    let tools = client.ask(json!(1), "tools/list", json!({}))["result"]["tools"].clone();
    let text = serde_json::to_string_pretty(&tools).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let want = fs::read_to_string(&path).unwrap();
    assert!(text == want, "UPDATE=1 rewrites {}; look at the difference", path.display());
}

/// What an agent reads before anything else is short.
const DECLARED_MAX: usize = 40 << 10;

#[test]
fn each_tool_says_what_it_does_with_an_example_that_its_schema_knows() {
    let mut client = Client::plain();
    let tools = client.ask(json!(1), "tools/list", json!({}))["result"]["tools"].clone();
    assert!(tools.to_string().len() < DECLARED_MAX, "{}", tools.to_string().len());
    for tool in tools.as_array().unwrap() {
        assert!(tool["title"].is_string() && tool["annotations"]["readOnlyHint"] == true);
        let text = tool["description"].as_str().unwrap();
        let example = text.split_once("Example: ").expect("an example").1.lines().next().unwrap();
        let example: Value = serde_json::from_str(example).unwrap();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for name in example.as_object().unwrap().keys() {
            assert!(properties.contains_key(name), "{} {name}", tool["name"]);
        }
        for (name, property) in properties {
            assert!(property["description"].is_string(), "{} {name}", tool["name"]);
        }
    }
}
