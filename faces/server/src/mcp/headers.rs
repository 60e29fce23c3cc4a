//! What headers say of a message, compared with what it says itself: a proxy may have looked at
//! them alone.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use manicule_mcp::json_rpc::{RpcError, code};
use manicule_mcp::{Envelope, Revision};
use serde_json::{Map, Value};

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// The revision of a request: that of its envelope, which headers have to repeat; else that of the
/// header; else 2025-03-26, which had none.
///
/// # Errors
/// Revisions that aren't spoken, and headers that say otherwise.
pub(super) fn revision(
    headers: &HeaderMap,
    method: &str,
    params: &Map<String, Value>,
) -> Result<Revision, RpcError> {
    let version = one(headers, VERSION)?;
    let is_handshake = method == "initialize";
    if let Some(own) = Envelope::version(params).filter(|_| !is_handshake) {
        same(VERSION, version, own.as_str())?;
        same(METHOD, one(headers, METHOD)?, Some(method))?;
        if method == "tools/call" {
            let name = one(headers, NAME)?.map(decoded);
            same(NAME, name.as_deref(), params.get("name").and_then(Value::as_str))?;
        }
        return Envelope::read(params)?.map_or_else(|| Err(lacks()), |own| Ok(own.revision));
    }
    match version.map(|name| (name, Revision::named(name))) {
        None if is_handshake => Ok(Revision::Handshake),
        None => Ok(Revision::Batches),
        Some((_, Some(Revision::Stateless))) if !is_handshake => Err(lacks()),
        Some((_, Some(revision))) => Ok(revision),
        Some((name, None)) => Err(Envelope::unsupported(name)),
    }
}

fn lacks() -> RpcError {
    RpcError::new(code::INVALID_PARAMS, "a request of this revision says it in its _meta")
}

/// A header that may be there once.
fn one<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<Option<&'h str>, RpcError> {
    let wrong = || RpcError::new(code::HEADER_MISMATCH, format!("the header {name} is no text"));
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| wrong()),
        (Some(_), Some(_)) => {
            let why = format!("the header {name} is there more than once");
            Err(RpcError::new(code::HEADER_MISMATCH, why))
        }
    }
}

fn same(name: &str, header: Option<&str>, own: Option<&str>) -> Result<(), RpcError> {
    if header.is_some() && header == own {
        return Ok(());
    }
    let why = format!("the header {name} is {header:?}, and the message says {own:?}");
    Err(RpcError::new(code::HEADER_MISMATCH, why))
}

/// A value that may be in base64 between marks.
fn decoded(value: &str) -> String {
    let packed = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let bytes = packed.and_then(|packed| BASE64_STANDARD.decode(packed).ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| value.to_owned())
}

/// Whether the client takes server-sent events.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("text/event-stream"))
}
