//! Queries and updates, as SPARQL 1.1 Protocol has them.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{OriginalUri, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use manicule::graph::{
    AnswerCall, AnswerFormat, DefaultGraphChoice, Gives, Loads, NamedDataset, QueryLimits,
    RowFormat, UpdateCall, Writer,
};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};

use super::body::{Read, accept, parts_of, read};
use super::description::describe;
use super::media::{Chosen, ROWS, TRIPLES, Wants};
use super::refused::Refused;
use super::reply::typed;
use super::request::{Endpoint, What, asked};
use super::service::Service;
use super::trouble::{Trouble, failure};
use crate::answer::Out;

/// Does a query or an update, or describes the service.
pub(super) async fn operate(
    State(service): State<Service>,
    endpoint: Endpoint,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Response {
    let done = async {
        let Read { parts, body, held } = read(request, service.calls.context()).await?;
        let url = service.url(&uri, &parts.headers)?;
        let asked = asked(endpoint, &parts_of(&parts, &body))?;
        drop(body);
        let accept = accept(&parts.headers);
        let wants = Wants { accept: accept.as_deref(), parameters: &asked.parameters };
        match asked.what {
            What::Query { text, dataset } => query(&service, url, text, dataset, wants).await,
            What::Update { text, using } => {
                let done = update(&service, url, text, using).await;
                drop(held);
                done
            }
            What::Description => Ok(describe(&service, endpoint, &url, wants)?),
        }
    };
    done.await.unwrap_or_else(IntoResponse::into_response)
}

/// What a request says of formats, and what was chosen of them when it was known what the query
/// gives.
#[derive(Debug)]
struct Formats {
    accept: Option<String>,
    parameters: Vec<(String, String)>,
    rows: Option<Chosen<RowFormat>>,
    chosen: OnceLock<(Gives, Option<Chosen<AnswerFormat>>)>,
}

impl Formats {
    /// Refuses a request that accepts neither rows nor triples.
    fn accepted(wants: Wants<'_>) -> Result<Formats, Refused> {
        let rows = wants.choose(&ROWS);
        if rows.is_none() && wants.choose(&TRIPLES).is_none() {
            wants.choose_or_refuse(&ROWS)?;
        }
        let (accept, parameters) = (wants.accept.map(str::to_owned), wants.parameters.to_vec());
        Ok(Formats { accept, parameters, rows, chosen: OnceLock::new() })
    }

    /// The format of an answer. The second try of a query that wasn't small finds what the first
    /// one has found.
    fn choose(&self, gives: Gives) -> Option<AnswerFormat> {
        let (_, chosen) = self.chosen.get_or_init(|| {
            let chosen = match gives {
                Gives::Rows | Gives::Boolean => {
                    self.rows.clone().map(|own| own.map(AnswerFormat::Rows))
                }
                Gives::Triples => {
                    let wants =
                        Wants { accept: self.accept.as_deref(), parameters: &self.parameters };
                    wants.choose(&TRIPLES).map(|own| own.map(AnswerFormat::Triples))
                }
            };
            (gives, chosen)
        });
        chosen.as_ref().map(|own| own.format)
    }
}

/// A query and how it is answered.
#[derive(Debug)]
struct Question {
    service: Service,
    call: AnswerCall,
    formats: Formats,
}

/// Length of a query that may be small, in bytes.
const SMALL_TEXT_LEN: usize = 4 << 10;
/// Number of quads that a small query looks up, at most.
const SMALL_QUADS: u64 = 1000;
/// Length of a small answer, in bytes.
const SMALL_LEN: usize = 64 << 10;
/// Time of a small query.
const SMALL_TIME: Duration = Duration::from_millis(1);

impl Question {
    fn write(
        &self,
        limits: QueryLimits,
        out: &mut dyn Write,
        watch: &Watch<'_>,
    ) -> Result<(), Failure> {
        let choose = |gives| self.formats.choose(gives);
        let call = AnswerCall { limits, ..self.call.clone() };
        let answered = self.service.graph.store().write_answer(&call, choose, out, watch);
        answered.map(drop).map_err(failure)
    }

    /// The answer of a small query, by the thread that asks: a switch to another and back costs
    /// more than it does. `None` of others.
    fn small(&self) -> Option<Result<Vec<u8>, Failure>> {
        if self.call.text.len() > SMALL_TEXT_LEN || !self.service.is_local {
            return None;
        }
        let limits = QueryLimits { quads_max: SMALL_QUADS, ..self.call.limits };
        let written = self.service.calls.here(SMALL_TIME, |watch| {
            let mut out = Small(Vec::new());
            self.write(limits, &mut out, watch)?;
            Ok(out.0)
        })?;
        match written {
            // It has passed a bound of small ones.
            Err(failure) if failure.class() != ErrorClass::Asked => None,
            written => Some(written),
        }
    }
}

/// A small answer; writing more is an error.
struct Small(Vec<u8>);

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > SMALL_LEN {
            return Err(io::Error::other("more than a small answer"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn query(
    service: &Service,
    url: String,
    text: String,
    dataset: Option<NamedDataset>,
    wants: Wants<'_>,
) -> Result<Response, Trouble> {
    let formats = Formats::accepted(wants)?;
    let limits = service.limits();
    let (base, default_graph) = (Some(url), DefaultGraphChoice::Own);
    let call = AnswerCall { text, base, default_graph, dataset, limits };
    let question = Arc::new(Question { service: service.clone(), call, formats });
    let answered = match question.small() {
        Some(written) => written.map(Body::from),
        None => {
            let own = Arc::clone(&question);
            let write = move |out: &mut Out, watch: &Watch<'_>| own.write(limits, out, watch);
            question.service.calls.stream(write).await
        }
    };
    let Some((gives, chosen)) = question.formats.chosen.get() else {
        return Err(answered.map(drop).err().map_or_else(no_kind, Trouble::from));
    };
    match (answered, chosen) {
        (Ok(body), Some(chosen)) => Ok(typed(&chosen.content_type, body)),
        (_, None) if *gives == Gives::Triples => Err(refusal(wants.choose_or_refuse(&TRIPLES))),
        (_, None) => Err(refusal(wants.choose_or_refuse(&ROWS))),
        (Err(failure), Some(_)) => Err(failure.into()),
    }
}

/// An answer of which it isn't known what it gives: there is none.
fn no_kind() -> Trouble {
    Failure::new(ErrorClass::Failed, "an answer without a kind").into()
}

/// The refusal of who accepts none of the formats of an answer.
fn refusal<C>(chosen: Result<C, Refused>) -> Trouble {
    chosen.err().map_or_else(no_kind, Trouble::from)
}

async fn update(
    service: &Service,
    url: String,
    text: String,
    using: Option<NamedDataset>,
) -> Result<Response, Trouble> {
    let limits = service.limits();
    let default_graph = DefaultGraphChoice::Own;
    let call =
        UpdateCall { text, base: Some(url), default_graph, using, limits, loads: Loads::None };
    let change = move |writer: &Writer, watch: &Watch<'_>| {
        let mut transaction = writer.begin()?;
        transaction.update(&call, watch).map_err(failure)?;
        Ok((transaction.append()?, ()))
    };
    service.change(change).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
