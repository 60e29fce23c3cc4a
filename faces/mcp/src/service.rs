//! The methods of the protocol, whatever carries them.

use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::json_rpc::{RpcError, code};
use crate::options::Options;
use crate::places::Places;
use crate::revision::Revision;
use crate::roots::Roots;
use crate::tools::{Asked, Tool, answer, tools};

/// What an agent is told of all tools together.
const INSTRUCTIONS: &str = "\
Searches and reads files where they lie: source trees, and the indexes of zoekt (code), Prometheus (series), Cassandra and ScyllaDB \
(rows), RDF stores (graph) and restic (blobs). Nothing is changed. Begin with `find` for a text or pattern in anything, with \
`inspect` to learn what a path is; `series`, `rows`, `code`, `graph` and `blobs` list one kind as a table. An answer is cut at its \
`budget` of bytes: where `complete` is false, narrow the question, or ask for the next page with `cursor` set to `next`.";

/// How long a list of tools may be kept, in milliseconds: it changes with the program only.
const TTL_MS: u64 = 3_600_000;

/// The tools, and the methods by which they are asked. Any number of threads may ask at once.
#[derive(Debug)]
pub struct Service {
    options: Options,
    tools: Vec<Tool>,
}

/// The result of a call: JSON, or an error of the protocol.
pub type Answered = Result<Box<RawValue>, RpcError>;

impl Service {
    /// A service with all tools.
    pub fn new(options: Options) -> Service {
        let tools = tools(&options);
        Service { options, tools }
    }

    /// Answers `initialize`: the revision that is agreed on, and the result.
    ///
    /// # Errors
    /// A request without a revision.
    pub fn initialize(
        &self,
        params: &Map<String, Value>,
    ) -> Result<(Revision, Box<RawValue>), RpcError> {
        let asked = params.get("protocolVersion").and_then(Value::as_str).ok_or_else(|| {
            RpcError::new(code::INVALID_PARAMS, "initialize lacks protocolVersion, a text")
        })?;
        let revision = Revision::agreed(asked);
        let result = json!({
            "protocolVersion": revision.name(),
            "capabilities": capabilities(),
            "serverInfo": info(revision),
            "instructions": INSTRUCTIONS,
        });
        Ok((revision, raw(&result)))
    }

    /// Answers a method that takes no time, other than `initialize`.
    ///
    /// # Errors
    /// A method that the revision doesn't have, or whose parameters are wrong.
    pub fn method(
        &self,
        method: &str,
        params: &Map<String, Value>,
        revision: Revision,
    ) -> Answered {
        match (method, revision) {
            ("server/discover", Revision::Stateless) => Ok(self.discover()),
            ("tools/list", _) => self.list_tools(params, revision),
            ("ping", revision) if revision != Revision::Stateless => Ok(raw(&json!({}))),
            _ => {
                let why = format!("there is no method {method:?}");
                Err(RpcError::new(code::METHOD_NOT_FOUND, why))
            }
        }
    }

    /// Answers `server/discover`.
    fn discover(&self) -> Box<RawValue> {
        raw(&json!({
            "resultType": "complete",
            "supportedVersions": Revision::names(),
            "capabilities": capabilities(),
            "instructions": INSTRUCTIONS,
            "ttlMs": TTL_MS,
            "cacheScope": "public",
            "_meta": meta(),
        }))
    }

    /// Answers `tools/list`: all are on one page.
    ///
    /// # Errors
    /// A cursor, as no page has a next.
    fn list_tools(&self, params: &Map<String, Value>, revision: Revision) -> Answered {
        if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return Err(RpcError::new(code::INVALID_PARAMS, "no page of tools has a next one"));
        }
        let tools: Vec<Value> = self.tools.iter().map(|tool| tool.declared(revision)).collect();
        let mut result = json!({ "tools": tools });
        if revision == Revision::Stateless {
            let more = json!({
                "resultType": "complete", "ttlMs": TTL_MS, "cacheScope": "public", "_meta": meta(),
            });
            result.as_object_mut().into_iter().for_each(|own| {
                own.extend(
                    more.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())),
                );
            });
        }
        Ok(raw(&result))
    }

    /// Answers `tools/call`. What goes wrong within the tool is a result that says so.
    ///
    /// # Errors
    /// A tool that isn't there; arguments that are no object.
    pub fn call_tool(
        &self,
        params: &Map<String, Value>,
        revision: Revision,
        roots: &Roots,
        watch: &Watch<'_>,
    ) -> Answered {
        let invalid = |why: String| RpcError::new(code::INVALID_PARAMS, why);
        let name = params.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("tools/call lacks the name of a tool".to_owned()))?;
        let tool = self.tools.iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| invalid(format!("there is no tool {name:?}")))?;
        let none = Map::new();
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(invalid("arguments are an object".to_owned())),
        };
        let asked = Asked { options: &self.options, roots, watch };
        let answered = Failure::caught(|| answer(tool, arguments, &asked));
        Ok(ToolResult::of(&answered, &self.options.places, revision).raw())
    }

    /// The result of `tools/call` of a call that was never begun, and why.
    pub fn refused(&self, failure: Failure, revision: Revision) -> Box<RawValue> {
        ToolResult::of(&Err(failure), &self.options.places, revision).raw()
    }

    /// The result by which a stateless call asks its client for its roots.
    pub fn asks_roots(&self) -> Box<RawValue> {
        raw(&json!({
            "resultType": "input_required",
            "inputRequests": { "roots": { "method": "roots/list" } },
            "_meta": meta(),
        }))
    }
}

/// A result of `tools/call`.
#[derive(Serialize)]
struct ToolResult<'r> {
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    content: [Content; 1],
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<&'r RawValue>,
    #[serde(rename = "isError")]
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

#[derive(Serialize)]
struct Content {
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
}

impl<'r> ToolResult<'r> {
    fn of(
        answered: &'r Result<Box<RawValue>, Failure>,
        places: &Places,
        revision: Revision,
    ) -> ToolResult<'r> {
        let is_stateless = revision == Revision::Stateless;
        let (text, structured) = match answered {
            Ok(answer) => (answer.get().to_owned(), Some(&**answer)),
            Err(failure) => (said(failure, places), None),
        };
        ToolResult {
            result_type: is_stateless.then_some("complete"),
            content: [Content { kind: "text", text }],
            structured: structured.filter(|_| revision >= Revision::Structured),
            is_error: answered.is_err(),
            meta: is_stateless.then(meta),
        }
    }

    fn raw(&self) -> Box<RawValue> {
        to_raw_value(self).expect("keys are texts")
    }
}

/// An error for an agent: what went wrong, and what can be done.
fn said(failure: &Failure, places: &Places) -> String {
    let hint = match failure.class() {
        ErrorClass::Stopped => {
            ": the call took longer than calls may. Narrow it, by paths, kinds or conditions"
        }
        ErrorClass::TooMuch => ": ask for less at once, or start the server with more --memory",
        ErrorClass::Busy => ": try again when other calls have ended",
        _ => "",
    };
    format!("{}{hint}", places.said(&failure.to_string()))
}

/// JSON of a value.
fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("keys are texts")
}

fn capabilities() -> Value {
    json!({ "tools": {} })
}

fn info(revision: Revision) -> Value {
    let mut info = json!({ "name": "manicule", "version": env!("CARGO_PKG_VERSION") });
    if revision >= Revision::Structured {
        info["title"] = "Manicule".into();
    }
    info
}

fn meta() -> Value {
    json!({ "io.modelcontextprotocol/serverInfo": info(Revision::Stateless) })
}
