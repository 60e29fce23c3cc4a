//! Every request of a client, counted: those that are made again, too.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Once, OnceLock};
use std::task::{Context, Poll};

use async_trait::async_trait;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};

use crate::chain::Chain;
use crate::counts::{Asked, Tally};

/// Hosts that a machine or container asks for its role. Elsewhere nobody answers there.
const OF_THE_MACHINE: &[&str] = &["169.254.169.254", "169.254.170.2", "metadata.google.internal"];

/// In which region a bucket is, as S3 says when it is asked in another.
const REGION: &str = "x-amz-bucket-region";

/// Makes clients whose requests are counted.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) tally: Arc<Tally>,
    /// Region that the bucket is said to be in, by an answer that is an error.
    pub(crate) region: Arc<OnceLock<String>>,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        static PROVIDER: Once = Once::new();
        // Another that the process has is as good.
        PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let inner = ReqwestConnector::default().connect(options)?;
        let (tally, region) = (self.tally.clone(), self.region.clone());
        Ok(HttpClient::new(Counted { inner, tally, region }))
    }
}

#[derive(Debug)]
struct Counted {
    inner: HttpClient,
    tally: Arc<Tally>,
    region: Arc<OnceLock<String>>,
}

#[async_trait]
impl HttpService for Counted {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let written = request.body().size_hint().exact().unwrap_or(0);
        let is_of_machine = request.uri().host().is_some_and(|it| OF_THE_MACHINE.contains(&it));
        self.tally.begin(asked(&request), written);
        let (tally, chain) = (self.tally.clone(), Chain::current());
        let rounds = chain.rounds() + 1;
        let running = Running { tally, chain, rounds };
        match self.inner.execute(request).await {
            Ok(answer) => {
                let (parts, body) = answer.into_parts();
                if let (false, Some(region)) =
                    (parts.status.is_success(), parts.headers.get(REGION))
                    && let Ok(region) = region.to_str()
                {
                    // The first says the same.
                    let _ = self.region.set(region.to_owned());
                }
                let body = HttpResponseBody::new(CountedBody { body, running });
                Ok(HttpResponse::from_parts(parts, body))
            }
            // Not tried again: where nobody has answered, nobody will.
            Err(error) if is_of_machine => {
                let what = "no credentials: neither variables nor a profile have any, and this \
                            machine has no role";
                let error = io::Error::other(format!("{what} ({error})"));
                Err(HttpError::new(HttpErrorKind::Unknown, error))
            }
            Err(error) => Err(error),
        }
    }
}

fn asked(request: &HttpRequest) -> Asked {
    let has = |part| request.uri().query().is_some_and(|query| query.contains(part));
    match request.method().as_str() {
        "GET" if has("list-type=") || has("comp=list") => Asked::List,
        "PROPFIND" => Asked::List,
        // How Azure removes even one.
        "POST" if has("comp=batch") => Asked::Delete,
        "GET" => Asked::Get,
        "HEAD" => Asked::Head,
        "DELETE" => Asked::Delete,
        _ => Asked::Put,
    }
}

/// A request that has not ended.
#[derive(Debug)]
struct Running {
    tally: Arc<Tally>,
    chain: Chain,
    rounds: u64,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.chain.reach(self.rounds);
        self.tally.end(self.rounds);
    }
}

/// The body of an answer: with its last byte the request has ended.
#[derive(Debug)]
struct CountedBody {
    body: HttpResponseBody,
    running: Running,
}

impl Body for CountedBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let len = frame.data_ref().map_or(0, Bytes::len);
            self.running.tally.read(len as u64);
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
