//! When two answers of the API are the same: errors by their kind, warnings by their number, series
//! in any order.

use serde_json::Value;

use crate::support::Answer;

/// What of an answer is wrong; nothing, if it is as it was.
pub(super) fn wrong(
    answer: &Answer,
    path: &str,
    status: u64,
    wanted: &Wanted<'_>,
) -> Option<String> {
    if u64::from(answer.status) != status {
        return Some(format!("status {}, not {status}: {}", answer.status, answer.text()));
    }
    if !answer.is_whole {
        return Some("broken off".to_owned());
    }
    if matches!(status, 204 | 301 | 302 | 307 | 404 | 405) {
        return None;
    }
    let media = |kind: &str| kind.split(';').next().unwrap_or_default().to_owned();
    let kind = answer.header("content-type");
    if media(kind) != media(wanted.media) {
        return Some(format!("{kind}, not {}", wanted.media));
    }
    match wanted.body {
        Body::Json(wanted) => {
            let got: Value = match serde_json::from_slice(&answer.body) {
                Ok(got) => got,
                Err(error) => return Some(format!("{error}: {}", answer.text())),
            };
            let (got, wanted) = (normal(got, path), normal(wanted.clone(), path));
            (got != wanted).then(|| format!("got    {got}\nwanted {wanted}"))
        }
        Body::Keys(keys) => {
            let got: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            let lacks = keys.iter().any(|key| got["data"].get(key.as_str().unwrap()).is_none());
            lacks.then(|| format!("{got} lacks one of {keys:?}"))
        }
        Body::Text("") => None,
        Body::Text(wanted) => (answer.text() != wanted).then(|| answer.text()),
    }
}

/// What is wanted of an answer.
pub(super) struct Wanted<'w> {
    pub(super) media: &'w str,
    pub(super) body: Body<'w>,
}

pub(super) enum Body<'w> {
    Json(&'w Value),
    Keys(&'w [Value]),
    Text(&'w str),
}

fn normal(mut json: Value, path: &str) -> Value {
    let Some(object) = json.as_object_mut() else { return json };
    object.remove("error");
    for key in ["warnings", "infos"] {
        if let Some(Value::Array(list)) = object.get(key) {
            let count = list.len();
            object.insert(key.to_owned(), count.into());
        }
    }
    let data = object.get_mut("data");
    if path.ends_with("/status/tsdb/blocks") {
        let blocks = data.and_then(|data| data["blocks"].as_array().cloned()).unwrap_or_default();
        let mut names: Vec<Value> = blocks.into_iter().map(|block| block["ulid"].clone()).collect();
        names.sort_by_key(Value::to_string);
        return Value::Array(names);
    }
    match data {
        Some(Value::Array(list)) if path.ends_with("/series") => {
            list.sort_by_key(Value::to_string);
        }
        Some(Value::Object(data)) => {
            data.remove("stats");
            let is_of_series =
                matches!(data.get("resultType").and_then(Value::as_str), Some("vector" | "matrix"));
            if let (true, Some(Value::Array(list))) = (is_of_series, data.get_mut("result")) {
                list.sort_by_key(|series| series["metric"].to_string());
            }
        }
        _ => {}
    }
    json
}
