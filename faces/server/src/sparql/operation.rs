//! Queries and updates, as SPARQL 1.1 Protocol has them.

use std::sync::{Arc, OnceLock};

use axum::extract::{OriginalUri, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use manicule::graph::{
    AnswerCall, AnswerFormat, DefaultGraphChoice, Gives, Loads, NamedDataset, UpdateCall,
};
use manicule::watch::Watch;

use super::body::{Read, accept, parts_of, read};
use super::description::describe;
use super::media::{ROWS, TRIPLES, Wants};
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
