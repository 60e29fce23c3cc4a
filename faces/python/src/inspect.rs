//! What a path is, its contents, and whether they are right.

use std::path::{Path, PathBuf};

use manicule::Failure;
use manicule::blobs::environment::password_of_variables;
use manicule::cache::Cache;
use manicule::inspect::{Error, FileFinding, Findings};
use manicule::json::Json;
use manicule::kinds::{Call, places};
use manicule::watch::Watch;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::{Value, json};

use crate::calls::run;

fn failed(error: Error) -> Failure {
    Failure::new(error.class(), error)
}

fn password() -> Result<Option<Vec<u8>>, String> {
    password_of_variables().map_err(|failure| failure.to_string())
}

/// Asks each kind of a path.
fn each(
    path: &Path,
    watch: &Watch<'_>,
    ask: impl Fn(&manicule::kinds::Place, &Call<'_>) -> Result<Value, Failure>,
) -> Result<Vec<Value>, Failure> {
    let cache = Cache::of_user();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let call = Call { cache: cache.as_ref(), threads, watch, key: None, password };
    let places = places(path, cache.as_ref()).map_err(failed)?;
    places.iter().map(|place| ask(place, &call)).collect()
}

/// Contents of a path as each of its kinds.
#[pyfunction]
#[pyo3(signature = (path, progress=None))]
pub(crate) fn inspect<'py>(
    py: Python<'py>,
    path: PathBuf,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let reports = run(py, progress, move |watch| {
        each(&path, watch, |place, call| {
            let inspected = place.inspect(call).map_err(failed)?;
            let report = serde_json::to_value(Json(&inspected));
            let report = report.expect("a report has names for keys");
            Ok(json!({ "kind": place.kind.word(), "report": report }))
        })
    })?;
    Ok(pythonize(py, &reports)?)
}

/// Verifies a path as each of its kinds.
#[pyfunction]
#[pyo3(signature = (path, progress=None))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    path: PathBuf,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let verdicts = run(py, progress, move |watch| {
        each(&path, watch, |place, call| {
            let mut failures = Vec::new();
            let verified = place.verify(call, &mut |error| failures.push(error.to_string()));
            let verified = verified.map_err(failed)?;
            let list = |findings: &Findings<FileFinding>| {
                findings.list.iter().map(|it| json!(Json(it))).collect::<Vec<_>>()
            };
            let counts: serde_json::Map<String, Value> = verified
                .counts
                .iter()
                .map(|(name, count)| ((*name).into(), json!(count)))
                .collect();
            Ok(json!({
                "kind": place.kind.word(),
                "findings": list(&verified.verdict.findings),
                "finding_count": verified.verdict.findings.count,
                "warnings": list(&verified.verdict.warnings),
                "failures": failures,
                "counts": counts,
            }))
        })
    })?;
    Ok(pythonize(py, &verdicts)?)
}
