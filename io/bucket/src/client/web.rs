//! Web servers: objects by URL, and listings where one speaks WebDAV.

use std::io;
use std::sync::Arc;

use object_store::http::HttpBuilder;

use super::objects::Client;
use super::settings::{client_options, retry_config, unset};
use crate::address::Address;
use crate::options::Options;
use crate::wire::Connector;

pub(super) fn connect(
    address: &Address,
    options: &Options,
    connector: Connector,
) -> io::Result<Client> {
    let store = HttpBuilder::new()
        .with_url(&address.bucket)
        .with_client_options(client_options(&options.limits, Some(&address.bucket)))
        .with_retry(retry_config(&options.limits))
        .with_http_connector(connector)
        .build()
        .map_err(|error| unset(&error))?;
    Ok(Client { objects: Arc::new(store), pages: None, region: None })
}
