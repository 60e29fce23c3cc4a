//! One connection: requests of HTTP/1.1, each through the guard, counted and logged.

use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::Limited;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch::Receiver;
use tower::ServiceExt;

use crate::app::App;
use crate::log::Entry;
use crate::protocols::protocol_of;
use crate::refusal::{TOO_LONG, plain};

/// How long a head may take to arrive, and a connection wait for the next request.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// Longest head, in bytes: a query in a URL is as long as that.
const HEAD_LEN_MAX: usize = 256 << 10;

/// Maximum number of headers.
const HEADERS_MAX: usize = 100;

/// Pause after a token that was wrong.
const GUESS_PAUSE: Duration = Duration::from_millis(200);

/// Serves a connection until it ends, or until the server does and a request has been answered.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    client: SocketAddr,
    app: App,
    router: axum::Router,
    mut ends: Receiver<bool>,
) {
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (app, router) = (app.clone(), router.clone());
        async move { Ok::<_, std::convert::Infallible>(answer(request, client, app, router).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_LEN_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // What a client does wrong on its connection is its own affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = ends.wait_for(|ends| *ends) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn answer(
    request: hyper::Request<Incoming>,
    client: SocketAddr,
    app: App,
    router: axum::Router,
) -> Response {
    let begun = Instant::now();
    let (parts, body) = request.into_parts();
    let protocol = protocol_of(parts.uri.path());
    let named = app.log.is_on().then(|| (parts.method.clone(), parts.uri.clone()));
    let is_too_long = body.size_hint().lower() > app.body_max as u64;
    let too_long = || is_too_long.then(|| plain(StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG));
    let response = match app.guard.refuse(&parts).or_else(too_long) {
        Some(refused) => {
            if refused.status() == StatusCode::UNAUTHORIZED {
                tokio::time::sleep(GUESS_PAUSE).await;
            }
            refused
        }
        None => {
            // One that doesn't say its length ends there.
            let body = Body::new(Limited::new(body, app.body_max));
            let request = Request::from_parts(parts, body);
            let Ok(response) = router.oneshot(request).await;
            response
        }
    };
    let status = response.status();
    let is_whole = response.body().is_end_stream();
    let end = End { app, protocol, named, client, status, begun, bytes: 0, is_whole };
    response.map(|body| Body::new(Counted { body, end }))
}

/// What is noted when an answer has ended.
struct End {
    app: App,
    protocol: usize,
    named: Option<(Method, Uri)>,
    client: SocketAddr,
    status: StatusCode,
    begun: Instant,
    bytes: u64,
    is_whole: bool,
}

impl Drop for End {
    fn drop(&mut self) {
        let time = self.begun.elapsed();
        self.app.metrics.count(self.protocol, self.status, time, self.bytes);
        if let Some((method, uri)) = self.named.take() {
            let End { client, status, bytes, is_whole, .. } = *self;
            self.app.log.add(&Entry { client, method, uri, status, bytes, time, is_whole });
        }
    }
}

/// A body whose bytes are counted.
struct Counted {
    body: Body,
    end: End,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                self.end.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                self.end.is_whole = self.body.is_end_stream();
            }
            Poll::Ready(None) => self.end.is_whole = true,
            _ => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
