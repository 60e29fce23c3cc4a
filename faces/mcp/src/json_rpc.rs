//! Messages of JSON-RPC 2.0 as the protocol has them: ids are texts or whole numbers, parameters
//! are objects.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Codes of errors.
pub mod code {
    /// No JSON.
    pub const PARSE: i64 = -32700;
    /// No request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// A method that isn't there.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Parameters that are wrong, such as the name of a tool that isn't there.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A defect of ours.
    pub const INTERNAL: i64 = -32603;
    /// Headers of HTTP that are not what the body says.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// A revision that isn't spoken.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// An error of a message or of a method. What goes wrong within a tool is a result instead.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// One of [`code`].
    pub code: i64,
    /// A sentence.
    pub message: String,
    /// What else the code says.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl fmt::Display) -> RpcError {
        RpcError { code, message: message.to_string(), data: None }
    }

    /// The response with it; `None`: the id could not be read.
    pub fn response(&self, id: Option<&Id>) -> String {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id.map(|id| &id.0), "error": error }).to_string()
    }
}

/// Id of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Id(Value);

impl Id {
    /// A text or a whole number; anything else is no id.
    pub fn of(value: &Value) -> Option<Id> {
        let is_whole = value.is_i64() || value.is_u64();
        (value.is_string() || is_whole).then(|| Id(value.clone()))
    }
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// It wants a response.
    Request {
        /// Its id.
        id: Id,
        /// The method.
        method: String,
        /// Its parameters.
        params: Map<String, Value>,
    },
    /// It wants none.
    Notification {
        /// The method.
        method: String,
        /// Its parameters.
        params: Map<String, Value>,
    },
    /// The answer to a request of ours: a result, or an error.
    Response {
        /// Id of our request.
        id: Value,
        /// The result; `None` with an error.
        result: Option<Value>,
    },
}

/// A message that is none: the response that says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The id, if it could be read.
    pub id: Option<Id>,
    /// What is wrong.
    pub error: RpcError,
}

impl Refused {
    /// The response.
    pub fn response(&self) -> String {
        self.error.response(self.id.as_ref())
    }
}

/// What a client sends at once: a message, or an array of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// A message.
    One(Result<Message, Refused>),
    /// Several, as revision 2025-03-26 has them.
    Batch(Vec<Result<Message, Refused>>),
}

/// Reads what was sent. Bytes of 128 arrays or objects within each other and more are no JSON here.
pub fn read(bytes: &[u8]) -> Sent {
    let refused = |code, message: String| {
        Sent::One(Err(Refused { id: None, error: RpcError::new(code, message) }))
    };
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(messages)) if messages.is_empty() => {
            refused(code::INVALID_REQUEST, "a batch has a message or more".to_owned())
        }
        Ok(Value::Array(messages)) => Sent::Batch(messages.into_iter().map(message).collect()),
        Ok(value) => Sent::One(message(value)),
        Err(error) => refused(code::PARSE, format!("this is no JSON: {error}")),
    }
}

fn message(value: Value) -> Result<Message, Refused> {
    let invalid = |id: Option<Id>, why: &str| {
        Err(Refused { id, error: RpcError::new(code::INVALID_REQUEST, why) })
    };
    let Value::Object(mut fields) = value else {
        return invalid(None, "a message is an object");
    };
    let id = fields.remove("id");
    let own_id = id.as_ref().and_then(Id::of);
    if fields.get("jsonrpc") != Some(&Value::from("2.0")) {
        return invalid(own_id, "jsonrpc is not \"2.0\"");
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return invalid(own_id, "a method is a text"),
        None if fields.contains_key("result") || fields.contains_key("error") => {
            let id = id.unwrap_or_default();
            return Ok(Message::Response { id, result: fields.remove("result") });
        }
        None => return invalid(own_id, "there is no method"),
    };
    let params = match fields.remove("params") {
        Some(Value::Object(params)) => params,
        None => Map::new(),
        Some(_) => return invalid(own_id, "params are an object"),
    };
    match (id, own_id) {
        (None, _) => Ok(Message::Notification { method, params }),
        (Some(_), Some(id)) => Ok(Message::Request { id, method, params }),
        (Some(_), None) => invalid(None, "an id is a text or a whole number"),
    }
}

/// The response with a result that is JSON already.
pub fn response(id: &Id, result: &RawValue) -> String {
    #[derive(Serialize)]
    struct Response<'r> {
        jsonrpc: &'static str,
        id: &'r Value,
        result: &'r RawValue,
    }
    let response = Response { jsonrpc: "2.0", id: &id.0, result };
    serde_json::to_string(&response).expect("keys are texts")
}

/// A notification.
pub fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// A request of ours without parameters.
pub fn request(id: &str, method: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string()
}
