//! Revisions of the protocol, and the envelope that newer requests say theirs by.

use serde_json::{Map, Value, json};

use crate::json_rpc::{RpcError, code};

/// A revision of the protocol, by its date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05.
    First,
    /// 2025-03-26: annotations of tools; messages in batches.
    Batches,
    /// 2025-06-18: structured results, titles; no batches.
    Structured,
    /// 2025-11-25.
    Handshake,
    /// 2026-07-28: no handshake, each request says its revision and what its client can do.
    Stateless,
}

const REVISIONS: [(Revision, &str); 5] = [
    (Revision::Stateless, "2026-07-28"),
    (Revision::Handshake, "2025-11-25"),
    (Revision::Structured, "2025-06-18"),
    (Revision::Batches, "2025-03-26"),
    (Revision::First, "2024-11-05"),
];

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

impl Revision {
    /// Its name.
    pub fn name(self) -> &'static str {
        REVISIONS.iter().find(|(own, _)| *own == self).map_or("", |(_, name)| name)
    }

    /// The names of all, the newest first.
    pub fn names() -> Vec<&'static str> {
        REVISIONS.iter().map(|(_, name)| *name).collect()
    }

    /// The revision of a name.
    pub fn named(name: &str) -> Option<Revision> {
        REVISIONS.iter().find(|(_, own)| *own == name).map(|(revision, _)| *revision)
    }

    /// The revision that a handshake agrees on: the one that is asked for, else the newest that has
    /// a handshake, which the client can refuse.
    pub fn agreed(asked: &str) -> Revision {
        let revision = Revision::named(asked).filter(|revision| *revision != Revision::Stateless);
        revision.unwrap_or(Revision::Handshake)
    }
}

/// What a request of a stateless revision says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Its revision.
    pub revision: Revision,
    /// Whether the client can say its roots.
    pub has_roots: bool,
}

impl Envelope {
    /// The revision that a request says; `None`: it says none, and is one of a handshake.
    pub fn version(params: &Map<String, Value>) -> Option<&Value> {
        params.get("_meta")?.get(VERSION_KEY)
    }

    /// The envelope of a request that has one.
    ///
    /// # Errors
    /// A revision that isn't spoken, and fields that lack or are of another type.
    pub fn read(params: &Map<String, Value>) -> Result<Option<Envelope>, RpcError> {
        let Some(version) = Envelope::version(params) else { return Ok(None) };
        let wrong = |key: &str| {
            RpcError::new(
                code::INVALID_PARAMS,
                format!(
                    "_meta lacks {key}, or it is no {}",
                    if key == VERSION_KEY { "text" } else { "object" }
                ),
            )
        };
        let name = version.as_str().ok_or_else(|| wrong(VERSION_KEY))?;
        let capabilities = params["_meta"].get(CAPABILITIES_KEY).and_then(Value::as_object);
        let capabilities = capabilities.ok_or_else(|| wrong(CAPABILITIES_KEY))?;
        let has_roots = capabilities.get("roots").is_some_and(Value::is_object);
        match Revision::named(name) {
            Some(revision @ Revision::Stateless) => Ok(Some(Envelope { revision, has_roots })),
            _ => Err(Envelope::unsupported(name)),
        }
    }

    /// The error of a revision that isn't spoken in this way.
    pub fn unsupported(name: &str) -> RpcError {
        let data = json!({ "supported": Revision::names(), "requested": name });
        let message = format!("protocol version {name:?} is not supported");
        RpcError { data: Some(data), ..RpcError::new(code::UNSUPPORTED_VERSION, message) }
    }
}
