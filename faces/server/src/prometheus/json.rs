//! Answers of the API, written as they are computed.

use std::io::Write;
use std::mem;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use manicule::series::dump::put_api_string;
use manicule::series::{BlockError, DamagedPart, Moment};
use manicule::watch::{Meter, Steps, Stopped, Watch};
use manicule::{ErrorClass, Failure};

use super::error::ApiError;
use crate::answer::Out;
use crate::calls::Calls;

/// Bytes that are gathered before they are handed on.
const GATHERED: usize = 16 << 10;

/// What an answer ends with before its end: an error, or that there is enough of it.
pub(super) enum Ended {
    Failure(Failure),
    Enough,
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failure(failure)
    }
}

impl From<BlockError> for Ended {
    fn from(error: BlockError) -> Self {
        Ended::Failure(error.into())
    }
}

impl From<Stopped> for Ended {
    fn from(stopped: Stopped) -> Self {
        Ended::Failure(stopped.into())
    }
}

/// The text of an answer, handed on in pieces.
pub(super) struct Json<'o, 'm> {
    out: &'o mut Out,
    steps: Steps<'o, 'm>,
    pub(super) text: Vec<u8>,
}

impl<'o, 'm> Json<'o, 'm> {
    pub(super) fn new(out: &'o mut Out, meter: &'o Meter<'m>) -> Json<'o, 'm> {
        Json { out, steps: meter.steps(), text: Vec::with_capacity(2 * GATHERED) }
    }

    /// Adds text as it is.
    pub(super) fn put(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// Adds a string.
    pub(super) fn string(&mut self, string: &[u8]) {
        put_api_string(string, &mut self.text);
    }

    /// Counts an item that was written; hands on what was gathered. Fails where nobody waits for
    /// more.
    pub(super) fn step(&mut self) -> Result<(), Failure> {
        self.steps.add(1)?;
        if self.text.len() >= GATHERED { self.flush() } else { Ok(()) }
    }

    /// Writes on while another watch looks on.
    pub(super) fn watched_by<T>(
        &mut self,
        meter: &Meter<'_>,
        write: impl FnOnce(&mut Json<'_, '_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let text = mem::take(&mut self.text);
        let mut json = Json { out: &mut *self.out, steps: meter.steps(), text };
        let written = write(&mut json);
        self.text = mem::take(&mut json.text);
        written
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let written = self.out.write_all(&self.text);
        self.text.clear();
        // The client has left, or takes too long.
        written.map_err(|error| Failure::new(ErrorClass::Stopped, error))
    }

    /// Adds what follows the data: warnings, if there are any.
    fn end(mut self, warnings: &[String]) -> Result<(), Failure> {
        for (place, warning) in warnings.iter().enumerate() {
            self.put(if place == 0 { b",\"warnings\":[" } else { b"," });
            self.string(warning.as_bytes());
        }
        self.put(if warnings.is_empty() { b"}" } else { b"]}" });
        self.flush()
    }
}

/// Warning of an answer that its limit cut.
pub(super) const TRUNCATED: &str = "results truncated due to limit";

/// Damaged blocks that are named in warnings at most.
const NAMED_MAX: usize = 10;

/// Warnings about what an answer lacks: blocks that can't be read.
pub(super) fn left_out(moment: &Moment) -> Vec<String> {
    let listed = moment.salvage.as_ref().map(|salvage| salvage.list()).unwrap_or_default();
    let blocks = listed.into_iter().filter(|damage| damage.part == DamagedPart::Block);
    let broken = moment.broken().map(ToString::to_string);
    let all = blocks.map(|damage| damage.error).chain(broken);
    all.take(NAMED_MAX).map(|error| format!("a block is left out: {error}")).collect()
}

/// Texts that an answer warns with.
pub(super) type Warnings = Vec<String>;

/// An answer whose data a job writes; it returns warnings.
pub(super) async fn answer<D>(calls: &Calls, data: D) -> Result<Response, ApiError>
where
    D: FnOnce(&mut Json<'_, '_>, &Watch<'_>) -> Result<Warnings, Failure> + Send + 'static,
{
    let job = move |out: &mut Out, watch: &Watch<'_>| {
        let meter = watch.silent();
        let mut json = Json::new(out, &meter);
        json.put(b"{\"status\":\"success\",\"data\":");
        let warnings = data(&mut json, watch)?;
        json.end(&warnings)
    };
    let body = calls.stream(job).await?;
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

/// An answer that is there already.
pub(super) fn ready(data: &str) -> Response {
    let body = format!("{{\"status\":\"success\",\"data\":{data}}}");
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}
