//! Google Cloud Storage.

use std::io;

use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};

use super::objects::Client;
use super::settings::{client_options, retry_config, unset};
use crate::address::Address;
use crate::options::{Identity, Options};
use crate::wire::Connector;

/// Where credentials are, by the variables of Google's own tools and those of `object_store`.
/// Without any it looks for what `gcloud auth application-default login` leaves, and asks the
/// machine for its role.
const CREDENTIALS: &[(&str, GoogleConfigKey)] = &[
    ("GOOGLE_APPLICATION_CREDENTIALS", GoogleConfigKey::ApplicationCredentials),
    ("GOOGLE_SERVICE_ACCOUNT", GoogleConfigKey::ServiceAccount),
    ("GOOGLE_SERVICE_ACCOUNT_KEY", GoogleConfigKey::ServiceAccountKey),
    ("GOOGLE_BEARER_TOKEN", GoogleConfigKey::BearerToken),
];

pub(super) fn connect(
    address: &Address,
    options: &Options,
    connector: Connector,
) -> io::Result<Client> {
    let url = |host: &str| {
        if host.contains("://") { host.to_owned() } else { format!("http://{host}") }
    };
    let variable = || options.variable("STORAGE_EMULATOR_HOST").map(url);
    let endpoint = options.endpoint.clone().or_else(variable);
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_bucket_name(&address.bucket)
        .with_client_options(client_options(&options.limits, endpoint.as_deref()))
        .with_retry(retry_config(&options.limits))
        .with_skip_signature(options.identity == Identity::Anonymous)
        .with_http_connector(connector);
    if let Some(endpoint) = endpoint {
        builder = builder.with_base_url(&endpoint);
    }
    if options.identity == Identity::Found {
        for (variable, key) in CREDENTIALS {
            if let Some(value) = options.variable(variable) {
                builder = builder.with_config(*key, value);
            }
        }
    }
    builder.build().map(Client::with_pages).map_err(|error| unset(&error))
}
