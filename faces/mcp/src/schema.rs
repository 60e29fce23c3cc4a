//! JSON Schemas, in the few words that every validator knows.

use serde_json::{Map, Value, json};

/// Properties of an object: name, schema.
pub(crate) type Properties = Vec<(&'static str, Value)>;

/// An object of these properties and no others; `required` are always there.
pub(crate) fn object(properties: Properties, required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A type with a description.
pub(crate) fn typed(kind: &str, about: &str) -> Value {
    json!({ "type": kind, "description": about })
}

/// A type that may be null.
pub(crate) fn or_null(kind: &str, about: &str) -> Value {
    json!({ "type": [kind, "null"], "description": about })
}

/// One of some words.
pub(crate) fn one_of(words: &[&str], about: &str) -> Value {
    json!({ "type": "string", "enum": words, "description": about })
}

/// An array of items.
pub(crate) fn array(items: Value, about: &str) -> Value {
    json!({ "type": "array", "items": items, "description": about })
}

/// An array of texts.
pub(crate) fn texts(about: &str) -> Value {
    array(json!({ "type": "string" }), about)
}

/// Counts by name.
pub(crate) fn counts(about: &str) -> Value {
    json!({
        "type": "object", "additionalProperties": { "type": "integer" }, "description": about
    })
}

/// Any object.
pub(crate) fn any_object(about: &str) -> Value {
    json!({ "type": "object", "description": about })
}
