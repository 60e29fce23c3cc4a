//! Answers as JSON Lines, in the shape of ripgrep's.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use manicule::code::search::Answer;
use serde_json::{Value, json};

use super::lines::Line;
use crate::print::typed;

/// Adds an object as a line.
pub(super) fn json_line(out: &mut Vec<u8>, value: &Value) {
    // Writing to memory can't fail.
    let _ = serde_json::to_writer(&mut *out, value);
    out.push(b'\n');
}

/// The object that opens a document.
pub(super) fn begin(answer: &Answer<'_>, path: &[u8]) -> Value {
    let document = answer.document;
    let repository = document.repository().map(|repository| text(&repository.name.0));
    let name_matches = answer.name_matches.iter();
    let name_matches: Value =
        name_matches.map(|found| json!({ "start": found.start, "end": found.end })).collect();
    // Where nothing matched that could be shown, as of `lang:go`, the whole name stands for the
    // answer.
    let is_by_nothing = answer.matches.is_empty() && answer.name_matches.is_empty();
    let name_matches = if is_by_nothing { Value::Null } else { name_matches };
    let fields = json!({
        "data": {
            "path": text(path),
            "name": text(document.name),
            "repository": repository,
            "language": document.language(),
            "branches": document.branches().collect::<Vec<_>>(),
            "name_matches": name_matches,
        },
    });
    typed("begin", fields)
}

/// The object of a line that matches.
pub(super) fn matched(answer: &Answer<'_>, path: &[u8], line: &Line) -> Value {
    let content = answer.document.content;
    let submatches: Vec<Value> = line
        .parts
        .iter()
        .map(|part| {
            json!({
                "match": text(&content[part.clone()]),
                "start": part.start - line.range.start,
                "end": part.end - line.range.start,
            })
        })
        .collect();
    let fields = json!({
        "data": {
            "path": text(path),
            "lines": text(&content[line.range.clone()]),
            "line_number": line.number,
            "absolute_offset": line.range.start,
            "submatches": submatches,
        },
    });
    typed("match", fields)
}

/// As ripgrep has it: text as `text`, what is none as `bytes` in base64.
pub(super) fn text(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "bytes": BASE64_STANDARD.encode(bytes) }),
    }
}
