//! Queries and updates, as SPARQL 1.1 Protocol has them.

use std::sync::{Arc, OnceLock};

use axum::extract::{OriginalUri, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::http::request::Parts as Head;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use manicule::graph::{
    AnswerCall, AnswerFormat, DefaultGraphChoice, Gives, Loads, NamedDataset, UpdateCall,
};
use manicule::watch::Watch;

use super::body::{Read, read};
use super::description::describe;
use super::media::{ROWS, TRIPLES, Wants};
use super::refused::Refused;
use super::request::{Endpoint, Parts, What, asked};
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

/// The parts that say what a request asks for.
pub(super) fn parts_of<'r>(head: &'r Head, body: &'r [u8]) -> Parts<'r> {
    // What is no text is no media type.
    let content_type = head.headers.get(CONTENT_TYPE).map(|own| own.to_str().unwrap_or_default());
    let query = head.uri.query().unwrap_or_default();
    Parts { method: head.method.as_str(), query, content_type, body }
}

/// What a request accepts.
pub(super) fn accept(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(ACCEPT).iter().map(|own| own.to_str().unwrap_or_default());
    let first = all.next()?.to_owned();
    Some(all.fold(first, |all, own| all + "," + own))
}

/// An answer of a media type, which is as it is because of `Accept`.
pub(super) fn typed(content_type: &str, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    headers.append(VARY, HeaderValue::from_static("accept"));
    response
}

async fn query(
    service: &Service,
    url: String,
    text: String,
    dataset: Option<NamedDataset>,
    wants: Wants<'_>,
) -> Result<Response, Trouble> {
    let (rows, triples) = (wants.choose(&ROWS), wants.choose(&TRIPLES));
    if rows.is_none() && triples.is_none() {
        wants.choose_or_refuse(&ROWS)?;
    }
    let call = AnswerCall {
        text,
        base: Some(url),
        default_graph: DefaultGraphChoice::Own,
        dataset,
        limits: service.limits(),
    };
    let graph = Arc::clone(&service.graph);
    // What the query gives, and the type that is written.
    let found: Arc<OnceLock<(Gives, Option<String>)>> = Arc::default();
    let chosen = Arc::clone(&found);
    let answer = move |out: &mut Out, watch: &Watch<'_>| {
        let choose = |gives| {
            let (format, content_type) = match gives {
                Gives::Rows | Gives::Boolean => {
                    rows.map(|own| (AnswerFormat::Rows(own.format), own.content_type)).unzip()
                }
                Gives::Triples => {
                    triples.map(|own| (AnswerFormat::Triples(own.format), own.content_type)).unzip()
                }
            };
            // It is called once.
            let _ = chosen.set((gives, content_type));
            format
        };
        graph.store().write_answer(&call, choose, out, watch).map(drop).map_err(failure)
    };
    let answered = service.calls.stream(answer).await;
    match (answered, found.get()) {
        (Ok(body), Some((_, Some(content_type)))) => Ok(typed(content_type, body)),
        (Err(_), Some((Gives::Triples, None))) => Err(refusal(wants.choose_or_refuse(&TRIPLES))),
        (Err(_), Some((_, None))) => Err(refusal(wants.choose_or_refuse(&ROWS))),
        (Err(failure), _) => Err(failure.into()),
        (Ok(_), _) => unreachable!("an answer is written in a format"),
    }
}

/// The refusal of who accepts none of the formats of an answer.
fn refusal<C>(chosen: Result<C, Refused>) -> Trouble {
    let none = || Refused::bad("the answer has no format that is accepted");
    chosen.err().unwrap_or_else(none).into()
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
    let change = move |writer: &manicule::graph::Writer, watch: &Watch<'_>| {
        let mut transaction = writer.begin()?;
        transaction.update(&call, watch).map_err(failure)?;
        Ok((transaction.append()?, ()))
    };
    service.change(change).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
