//! What makes the series of a block, and what grew since another.

use manicule::Failure;
use manicule::json::Json;
use manicule::series::analyze::{
    Analysis, AnalyzeOptions, LISTS, Matrix, Picked, analyze, growth as growth_between, pick,
};
use manicule::series::json::{Analysed, Compared};
use manicule::series::{Matcher, Selector};
use manicule::watch::Watch;
use serde::Serialize;
use serde_json::Value;

use super::params::Params;
use super::state::Page;
use crate::served::Place;

/// Default number of rows of a list.
const ROWS: usize = 60;

/// Maximum number of rows of a list.
const ROWS_MAX: usize = 500;

/// Maximum number of labels that are listed of a metric.
const LABELS_MAX: usize = 40;

/// Label with the name of a metric.
const METRIC: &str = "__name__";

/// Metrics and labels of a block by their series. Parameters: `place`; `block`, of none the newest;
/// `selector`; `metric`, which is one more condition; `limit`.
pub(super) fn analysis(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let place = page.place(params)?;
    let limit = params.number("limit", ROWS, ROWS_MAX)?;
    let mut matchers = match params.text("selector") {
        Some(text) => Selector::parse(text).map_err(Failure::asked)?.matchers().to_vec(),
        None => Vec::new(),
    };
    if let Some(metric) = params.text("metric") {
        let own = Selector::parse(&format!("{{{METRIC}={}}}", Value::from(metric)));
        matchers.extend_from_slice(own.map_err(Failure::asked)?.matchers());
    }
    let Picked { block, .. } = picked(place, params.text("block"))?;
    let options = AnalyzeOptions { matchers: &matchers, limit, matrix: Matrix::Count, ..LISTS };
    let analysis = analyze(&block, &options, watch)?;
    let mut json = value(Json(Analysed { block: &block, analysis: &analysis }))?;
    json["metric_count"] = metric_count(&analysis, &matchers).into();
    cut(&mut json, limit);
    Ok(json.to_string())
}

/// Number of different metrics, where a list has it.
fn metric_count(analysis: &Analysis, matchers: &[Matcher]) -> Option<u64> {
    let of_metric = |name: &[u8]| name == METRIC.as_bytes();
    if matchers.is_empty() {
        let cost = analysis.costs.iter().find(|cost| of_metric(&cost.name));
        return Some(cost.map_or(0, |cost| cost.value_count));
    }
    analysis.value_counts.iter().find(|own| of_metric(&own.name)).map(|own| own.count)
}

/// Cuts what lists all labels: of the block, and of a metric.
fn cut(analysis: &mut Value, limit: usize) {
    if let Some(json) = analysis.as_object_mut() {
        json.remove("path");
    }
    if let Some(costs) = analysis["costs"].as_array_mut() {
        costs.truncate(limit);
    }
    for metric in analysis["matrix"].as_array_mut().into_iter().flatten() {
        if let Some(labels) = metric["labels"].as_array_mut() {
            labels.truncate(LABELS_MAX);
        }
    }
}

/// What grew. Parameters: `place`; `block`, and the older one `against`; `limit`.
pub(super) fn growth(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let place = page.place(params)?;
    let limit = params.number("limit", 20, ROWS_MAX)?;
    let now = picked(place, Some(params.needed("block")?))?.block;
    let before = picked(place, Some(params.needed("against")?))?.block;
    watch.check()?;
    let growth = growth_between(&before, &now, &[], limit)?;
    let mut json = value(Json(Compared { block: &now, against: &before, growth: &growth }))?;
    for block in ["block", "against"] {
        if let Some(json) = json[block].as_object_mut() {
            json.remove("path");
        }
    }
    Ok(json.to_string())
}

/// The block of a name among those of a place; without one the newest.
fn picked(place: &Place, name: Option<&str>) -> Result<Picked, Failure> {
    if place.kind.system() != manicule::kinds::System::PROMETHEUS {
        return Err(Failure::asked(format!("{} has no series", place.name)));
    }
    Ok(pick(&place.path, name)?)
}

fn value(report: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(report).map_err(Failure::asked)
}
