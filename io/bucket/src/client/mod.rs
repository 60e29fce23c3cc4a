//! A client for each kind of object store.

mod azure;
mod failure;
mod google;
mod s3;
mod web;

use std::fmt;
use std::io;
use std::sync::Arc;

use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

pub(crate) use failure::{io_error, replaced, status_of, with_context};

use crate::address::{Address, Scheme};
use crate::options::{Limits, Options};
use crate::wire::Connector;

/// Objects by name, as `object_store` has them.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) objects: Arc<dyn ObjectStore>,
    /// Listings a page at a time; a web server has none.
    pages: Option<Arc<dyn PaginatedListStore>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.objects)
    }
}

impl Client {
    fn with_pages<T: ObjectStore + PaginatedListStore>(store: T) -> Self {
        let store = Arc::new(store);
        Client { objects: store.clone(), pages: Some(store) }
    }

    /// Whether a listing is divided into pages, and one of a name costs a request.
    pub(crate) fn has_pages(&self) -> bool {
        self.pages.is_some()
    }

    /// A page of what lies in a folder: what comes after the token of the page before.
    pub(crate) async fn page(
        &self,
        folder: &str,
        depth: Depth,
        token: Option<String>,
    ) -> object_store::Result<PaginatedListResult> {
        let Some(pages) = &self.pages else {
            let result = self.objects.list_with_delimiter(Some(&Path::parse(folder)?)).await?;
            return Ok(PaginatedListResult { result, page_token: None });
        };
        let mut options = PaginatedListOptions { page_token: token, ..Default::default() };
        match depth {
            Depth::Entries => options.delimiter = Some("/".into()),
            Depth::FirstName => options.max_keys = Some(1),
        }
        pages.list_paginated(prefix_of(folder).as_deref(), options).await
    }
}

/// What a page of a listing is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Entries of a folder.
    Entries,
    /// One name of what lies in it, however deep.
    FirstName,
}

/// What the names of a folder begin with; `None` for a whole bucket.
fn prefix_of(folder: &str) -> Option<String> {
    (!folder.is_empty()).then(|| format!("{folder}/"))
}

/// A client for an address.
///
/// # Errors
/// What is missing or contradicts itself: credentials, a profile, an account.
pub(crate) fn connect(
    address: &Address,
    options: &Options,
    connector: Connector,
) -> io::Result<Client> {
    match address.scheme {
        Scheme::S3 => s3::connect(address, options, connector),
        Scheme::Google => google::connect(address, options, connector),
        Scheme::Azure => azure::connect(address, options, connector),
        Scheme::Http => web::connect(address, options, connector),
    }
}

/// Settings of all clients. There is no limit on the time that a request takes in all, as a slow
/// line is not an error; but something has to come.
fn client_options(limits: &Limits, endpoint: Option<&str>) -> ClientOptions {
    ClientOptions::new()
        .with_timeout_disabled()
        .with_read_timeout(limits.silence)
        .with_allow_http(endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")))
        .with_user_agent(USER_AGENT.parse().expect("visible characters"))
}

const USER_AGENT: &str = concat!("manicule/", env!("CARGO_PKG_VERSION"));

fn retry_config(limits: &Limits) -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: limits.first_wait,
        max_backoff: limits.first_wait * 100,
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: limits.retries, retry_timeout: limits.patience }
}

/// The error of a client that can't be made.
fn unset(error: &dyn std::error::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, failure::innermost(error))
}
