//! Graphs as resources, as SPARQL 1.1 Graph Store HTTP Protocol has them.

use std::sync::Arc;

use axum::extract::{OriginalUri, Request, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use manicule::Failure;
use manicule::graph::{
    Appended, Checked, Error, ExportCall, ExportFrom, LineOrder, LoadCall, Transaction, Writer,
};
use manicule::watch::Watch;
use oxrdf::{GraphNameRef, NamedNode};

use super::body::{Read, accept, parts_of, read};
use super::media::{Chosen, QUADS, TRIPLES, Wants};
use super::refused::Refused;
use super::reply::typed;
use super::request::graph_iri;
use super::service::Service;
use super::target::{AskedGraph, Document, Target, Verb, asked_graph};
use super::trouble::{Trouble, failure};
use crate::answer::Out;

/// The store, and the graphs that parameters name.
pub(super) async fn whole(
    State(service): State<Service>,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Response {
    answered(&service, &uri, false, request).await
}

/// A graph whose name is the request's own URL.
pub(super) async fn below(
    State(service): State<Service>,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Response {
    answered(&service, &uri, true, request).await
}

async fn answered(
    service: &Service,
    uri: &axum::http::Uri,
    is_below: bool,
    request: Request,
) -> Response {
    let done = async {
        let Read { parts, body, held } = read(request, service.calls.context()).await?;
        let url = service.url(uri, &parts.headers)?;
        let AskedGraph { target, verb, documents, parameters } =
            asked_graph(&url, is_below, &parts_of(&parts, &body))?;
        drop(body);
        let accept = accept(&parts.headers);
        let wants = Wants { accept: accept.as_deref(), parameters: &parameters };
        let done = match verb {
            Verb::Get | Verb::Head => written(service, target, verb, wants).await,
            Verb::Put | Verb::Post => put(service, url, target, verb, documents).await,
            Verb::Delete => dropped(service, target).await,
        };
        drop(held);
        done
    };
    done.await.unwrap_or_else(IntoResponse::into_response)
}

/// A graph, or all of them, as a document.
async fn written(
    service: &Service,
    target: Target,
    verb: Verb,
    wants: Wants<'_>,
) -> Result<Response, Trouble> {
    let Chosen { format: syntax, content_type } = match target {
        Target::Store => wants.choose_or_refuse(&QUADS)?,
        Target::Default | Target::Named(_) => wants.choose_or_refuse(&TRIPLES)?,
    };
    let graph = Arc::clone(&service.graph);
    if verb == Verb::Head {
        if let Target::Named(name) = target {
            let found = name.clone();
            let has = move |_: &Watch<'_>| Ok(graph.store().has_graph(found.as_ref().into())?);
            if !service.calls.run(has).await? {
                return Err(Refused::no_graph(name.as_str()).into());
            }
        }
        return Ok(typed(&content_type, ()));
    }
    let from = match target {
        Target::Store => ExportFrom::All,
        Target::Default => ExportFrom::Default,
        Target::Named(name) => ExportFrom::Named(name.into_string()),
    };
    let (order, checked) = (LineOrder::Stored, Checked::Pages);
    let call = ExportCall { syntax, from, order, prefixes: Vec::new(), checked };
    let write = move |out: &mut Out, watch: &Watch<'_>| {
        Ok(graph.store().export(&call, out, watch).map(drop)?)
    };
    let body = service.calls.stream(write).await?;
    Ok(typed(&content_type, body))
}

/// Documents in place of a graph, or beside what it has; those of one syntax without graphs that
/// are sent to the store are a graph that gets a name.
async fn put(
    service: &Service,
    url: String,
    target: Target,
    verb: Verb,
    documents: Vec<Document>,
) -> Result<Response, Trouble> {
    let is_dataset = documents.iter().any(|document| document.syntax.has_graphs());
    let (target, is_new) = match (target, verb) {
        (Target::Store, Verb::Post) if !is_dataset => (Target::Named(new_name(&url)?), true),
        (Target::Store, Verb::Put) if !is_dataset => {
            let why = "the store is replaced by graphs and their names: send application/trig, \
                application/n-quads or application/ld+json, or name a graph by graph=IRI or default";
            return Err(Refused::media_type(why).into());
        }
        (target, _) => (target, false),
    };
    let location = match &target {
        Target::Named(name) if is_new => Some(name.as_str().to_owned()),
        _ => None,
    };
    let is_replaced = verb == Verb::Put;
    let change = move |writer: &Writer, watch: &Watch<'_>| {
        let made = filled(writer, &url, &target, documents, is_replaced, watch);
        made.map_err(failure)
    };
    let (_, is_made) = service.change(change).await?;
    let status = if is_made { StatusCode::CREATED } else { StatusCode::NO_CONTENT };
    let mut response = status.into_response();
    if let Some(value) = location.and_then(|url| HeaderValue::try_from(url).ok()) {
        response.headers_mut().insert(LOCATION, value);
    }
    Ok(response)
}

/// The name of a new graph: below the store's URL, so that it is found there.
fn new_name(url: &str) -> Result<NamedNode, Trouble> {
    let number = manicule::graph::new_name().map_err(Failure::from)?;
    Ok(graph_iri("the URL", &format!("{}/{number}", url.trim_end_matches('/')))?)
}

/// Fills a graph, or all of them; whether it wasn't there before.
fn filled(
    writer: &Writer,
    url: &str,
    target: &Target,
    documents: Vec<Document>,
    is_replaced: bool,
    watch: &Watch<'_>,
) -> Result<(Appended, bool), Error> {
    let mut transaction = writer.begin()?;
    let is_made = match target {
        Target::Store | Target::Default => false,
        Target::Named(name) => !transaction.has_graph(name.as_ref().into())?,
    };
    if is_replaced {
        emptied(&mut transaction, target)?;
    }
    let base = match target {
        Target::Named(name) => name.as_str(),
        Target::Store | Target::Default => url,
    };
    let graph = match target {
        Target::Named(name) => Some(name.as_str().to_owned()),
        Target::Store | Target::Default => None,
    };
    for document in documents {
        let call = load_call(document, base, graph.clone());
        match target {
            Target::Store => transaction.load(&call, watch)?,
            Target::Default | Target::Named(_) => transaction.load_one_graph(&call, watch)?,
        };
    }
    if let Target::Named(name) = target {
        // A document may have no triples.
        transaction.create_graph(name.as_ref().into())?;
    }
    Ok((transaction.append()?, is_made))
}

fn load_call(document: Document, base: &str, graph: Option<String>) -> LoadCall {
    let Document { name, syntax, bytes } = document;
    LoadCall {
        texts: vec![(name.into(), bytes.into())],
        syntax: Some(syntax),
        base: Some(base.to_owned()),
        graph,
        ..LoadCall::new(Vec::new())
    }
}

fn emptied(transaction: &mut Transaction, target: &Target) -> Result<(), Error> {
    match target {
        Target::Store => transaction.clear(),
        Target::Default => transaction.clear_graph(GraphNameRef::DefaultGraph),
        Target::Named(name) => transaction.clear_graph(name.as_ref().into()),
    }
}

/// Drops a graph.
async fn dropped(service: &Service, target: Target) -> Result<Response, Trouble> {
    let name = match &target {
        Target::Named(name) => Some(name.clone()),
        Target::Store | Target::Default => None,
    };
    let change = move |writer: &Writer, _: &Watch<'_>| {
        let mut transaction = writer.begin()?;
        let is_there = match &target {
            Target::Named(name) => {
                let is_there = transaction.has_graph(name.as_ref().into())?;
                transaction.drop_graph(name.as_ref().into())?;
                is_there
            }
            Target::Store | Target::Default => {
                emptied(&mut transaction, &target)?;
                true
            }
        };
        Ok((transaction.append()?, is_there))
    };
    let (_, is_there) = service.change(change).await?;
    match name.filter(|_| !is_there) {
        Some(name) => Err(Refused::no_graph(name.as_str()).into()),
        None => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}
