//! What listens, and ends: connections are taken while there is room for them; asked to end, it
//! answers what runs.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, Method};
use manicule::context::{Context, ContextOptions};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::app::{App, say};
use crate::calls::{Bounds, Calls};
use crate::connection;
use crate::guard::Guard;
use crate::log::Log;
use crate::look::{Every, look_again_and_again};
use crate::routes::routes;
use crate::served::{NamedPath, Served, Writes};
use crate::tls::TlsFiles;
use crate::token::Token;

/// How long a client may take for its handshake.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// How long a client may send nothing of a body that it has begun.
const BODY_PAUSE: Duration = Duration::from_secs(30);

/// Pause after the system has had no handle for a connection.
const NO_HANDLE_PAUSE: Duration = Duration::from_millis(50);

/// Shortest answer that is compressed, in bytes.
const COMPRESSED_FROM: u64 = 1024;

/// How often places at addresses are looked at again, at most.
const REMOTE_EVERY_MIN: Duration = Duration::from_secs(60);

/// What is served, to whom, and what it may take.
#[derive(Clone, Debug)]
pub struct Options {
    /// The places.
    pub places: Vec<NamedPath>,
    /// Whether clients may change what is served.
    pub writes: Writes,
    /// Where it listens. Port 0: one that is free.
    pub listen: SocketAddr,
    /// The certificate. An address other than loopback needs one, or a token.
    pub tls: Option<TlsFiles>,
    /// What clients have to show.
    pub token: Option<Token>,
    /// Names that it answers to, besides those of loopback.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask.
    pub origins: Vec<String>,
    /// File with the password of restic repositories, for the page; else restic's variables say it.
    pub password_file: Option<PathBuf>,
    /// File of the access log; `-` is standard error.
    pub access_log: Option<PathBuf>,
    /// How often local places are looked at again.
    pub look_again: Duration,
    /// Bounds.
    pub limits: Limits,
}

/// What requests may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of memory that all calls may hold at a time.
    pub memory: u64,
    /// Bytes of memory that one call may hold.
    pub call_memory: u64,
    /// Number of calls at a time; others wait.
    pub calls: usize,
    /// Time of a call.
    pub time: Duration,
    /// Length of a request's body, in bytes.
    pub body: usize,
    /// Number of connections at a time; others are refused.
    pub connections: usize,
    /// How long the end waits for what runs.
    pub grace: Duration,
}

/// A server that runs. Dropped, it ends at once.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    ends: watch::Sender<bool>,
    done: Option<tokio::task::JoinHandle<()>>,
    runtime: Option<Runtime>,
    names: Vec<(String, String)>,
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Names of the places, each with the noun for its kind.
    pub fn names(&self) -> &[(String, String)] {
        &self.names
    }

    /// Takes no more connections, waits for what runs, and ends.
    pub fn end(mut self) {
        let _ = self.ends.send(true);
        if let (Some(runtime), Some(done)) = (&self.runtime, self.done.take()) {
            let _ = runtime.block_on(done);
        }
    }

    /// Waits for a signal: `SIGTERM` or `SIGINT` asks it to end, a second one ends it at once.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        let (Some(runtime), Some(done)) = (&self.runtime, self.done.take()) else { return Ok(()) };
        let ends = self.ends.clone();
        runtime.block_on(async move {
            let mut ended = signal(SignalKind::terminate())?;
            let mut broken = signal(SignalKind::interrupt())?;
            tokio::select! {
                _ = ended.recv() => {}
                _ = broken.recv() => {}
            }
            let _ = ends.send(true);
            tokio::select! {
                _ = ended.recv() => {}
                _ = broken.recv() => {}
                _ = done => {}
            }
            Ok(())
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.ends.send(true);
        if let Some(runtime) = self.runtime.take() {
            // A call that still runs was asked to end, and holds nothing that is half written.
            runtime.shutdown_background();
        }
    }
}

/// Opens what is served and listens.
pub fn start(options: &Options) -> Result<Running> {
    let Options { listen, tls, token, limits, .. } = options;
    if !listen.ip().is_loopback() && tls.is_none() && token.is_none() {
        bail!(
            "{} is seen by others: give a --token-file, or --tls-cert and --tls-key",
            listen.ip()
        );
    }
    let acceptor = tls.as_ref().map(TlsFiles::acceptor).transpose()?;
    let context = Context::new(ContextOptions { memory: limits.memory, ..ContextOptions::NONE });
    let opened = context
        .enter(|| Served::open(&options.places, options.writes, &mut |sentence| say(&sentence)));
    let served = opened?;
    let bounds = Bounds { calls: limits.calls, time: limits.time, memory: limits.call_memory };
    let log = match &options.access_log {
        None => Log::default(),
        Some(file) => Log::open(file).with_context(|| file.display().to_string())?,
    };
    let is_closed = token.is_none() && tls.is_none();
    let guard = Guard {
        token: *token,
        hosts: is_closed.then(|| options.hosts.clone()),
        origins: options.origins.clone(),
    };
    let app = App {
        served,
        calls: Calls::new(context, bounds),
        guard: Arc::new(guard),
        metrics: Arc::default(),
        log: Arc::new(log),
        scheme: if tls.is_some() { "https" } else { "http" },
        body_max: limits.body,
        password_file: options.password_file.as_deref().map(Arc::from),
    };
    listen_for(app, options, acceptor)
}

fn listen_for(app: App, options: &Options, acceptor: Option<TlsAcceptor>) -> Result<Running> {
    let runtime = Builder::new_multi_thread().enable_all().max_blocking_threads(1024).build()?;
    let listen = options.listen;
    let listener = runtime
        .block_on(TcpListener::bind(listen))
        .map_err(|error| anyhow!("can't listen at {listen}: {error}"))?;
    let address = listener.local_addr()?;
    let (ends, received) = watch::channel(false);
    let names = app.served.places().iter();
    let names = names.map(|place| (place.name.clone(), place.kind.noun().to_owned())).collect();
    let router = layered(routes(&app), options)?;
    let every =
        Every { local: options.look_again, remote: options.look_again.max(REMOTE_EVERY_MIN) };
    let taking = Taking { app, router, acceptor, limits: options.limits, every, ends: received };
    let done = runtime.spawn(taking.run(listener));
    Ok(Running { address, ends, done: Some(done), runtime: Some(runtime), names })
}

/// What is around all routes: lengths and pauses of bodies, compression, other sites' pages.
fn layered(router: Router, options: &Options) -> Result<Router> {
    let compressed = SizeAbove::new(COMPRESSED_FROM).and(is_text);
    let router = router
        .layer(DefaultBodyLimit::max(options.limits.body))
        .layer(RequestBodyTimeoutLayer::new(BODY_PAUSE))
        .layer(CompressionLayer::new().compress_when(compressed));
    if options.origins.is_empty() {
        return Ok(router);
    }
    let origin = |text: &String| {
        HeaderValue::from_str(text).map_err(|_| anyhow!("{text:?} is no origin of a page"))
    };
    let origins: Vec<HeaderValue> = options.origins.iter().map(origin).collect::<Result<_>>()?;
    let methods = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE];
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods(methods)
        .allow_headers(Any);
    Ok(router.layer(cors))
}

/// Whether an answer is a text, by its type. Files and parts of them are sent as they lie.
fn is_text(
    _: axum::http::StatusCode,
    _: axum::http::Version,
    headers: &axum::http::HeaderMap,
    _: &axum::http::Extensions,
) -> bool {
    let media = headers.get("content-type").and_then(|media| media.to_str().ok());
    let Some(media) = media else { return false };
    let media = media.split(';').next().unwrap_or_default().trim();
    media.starts_with("text/")
        || ["json", "xml", "n-triples", "n-quads", "trig", "javascript", "ndjson"]
            .iter()
            .any(|word| media.ends_with(word))
}

/// Takes connections.
struct Taking {
    app: App,
    router: Router,
    acceptor: Option<TlsAcceptor>,
    limits: Limits,
    every: Every,
    ends: watch::Receiver<bool>,
}

impl Taking {
    async fn run(self, listener: TcpListener) {
        let looks = look_again_and_again(&self.app.served, &self.app.calls, self.every);
        let room = Arc::new(Semaphore::new(self.limits.connections));
        let mut ends = self.ends.clone();
        loop {
            let taken = tokio::select! {
                taken = listener.accept() => taken,
                _ = ends.wait_for(|ends| *ends) => break,
            };
            match (taken, Arc::clone(&room).try_acquire_owned()) {
                (Ok((stream, client)), Ok(permit)) => self.take(stream, client, permit),
                (Ok((stream, _)), Err(_)) => {
                    self.app.metrics.refused.fetch_add(1, Relaxed);
                    refuse(&stream);
                }
                // Out of handles: those that end give some back.
                (Err(_), _) => tokio::time::sleep(NO_HANDLE_PAUSE).await,
            }
        }
        drop(listener);
        looks.abort();
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        let _ = timeout(self.limits.grace, room.acquire_many(all)).await;
    }

    fn take(
        &self,
        stream: TcpStream,
        client: SocketAddr,
        permit: tokio::sync::OwnedSemaphorePermit,
    ) {
        let (app, router, ends) = (self.app.clone(), self.router.clone(), self.ends.clone());
        let acceptor = self.acceptor.clone();
        // Without it small answers wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        app.metrics.connections.fetch_add(1, Relaxed);
        tokio::spawn(async move {
            let metrics = Arc::clone(&app.metrics);
            match acceptor {
                None => connection::serve(stream, client, app, router, ends).await,
                Some(acceptor) => {
                    if let Ok(Ok(stream)) = timeout(HANDSHAKE_TIME, acceptor.accept(stream)).await {
                        connection::serve(stream, client, app, router, ends).await;
                    }
                }
            }
            metrics.connections.fetch_sub(1, Relaxed);
            drop(permit);
        });
    }
}

/// Tells a client that there is no room, if that can be said at once.
fn refuse(stream: &TcpStream) {
    let answer = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\
        Connection: close\r\n\r\n";
    let _ = stream.try_write(answer);
}
