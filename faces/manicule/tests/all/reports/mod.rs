//! Reports as JSON, by the façade alone: what the guide documents for `--json`.

mod blobs;
mod code;
mod graph;
mod rows;
mod series;

use manicule::json::{Json, Report};
use serde_json::Value;

/// A report as JSON.
fn json(report: impl Report) -> Value {
    serde_json::to_value(Json(report)).expect("a report is JSON")
}
