//! Azure Blob Storage.

use std::io;

use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};

use super::objects::Client;
use super::settings::{client_options, retry_config, unset};
use crate::address::Address;
use crate::options::{Identity, Options};
use crate::wire::Connector;

/// Credentials, by the variables of Azure's own tools. Without any the machine is asked for its
/// identity.
const CREDENTIALS: &[(&str, AzureConfigKey)] = &[
    ("AZURE_STORAGE_KEY", AzureConfigKey::AccessKey),
    ("AZURE_STORAGE_ACCOUNT_KEY", AzureConfigKey::AccessKey),
    ("AZURE_STORAGE_SAS_TOKEN", AzureConfigKey::SasKey),
    ("AZURE_TENANT_ID", AzureConfigKey::AuthorityId),
    ("AZURE_CLIENT_ID", AzureConfigKey::ClientId),
    ("AZURE_CLIENT_SECRET", AzureConfigKey::ClientSecret),
    ("AZURE_FEDERATED_TOKEN_FILE", AzureConfigKey::FederatedTokenFile),
    ("AZURE_AUTHORITY_HOST", AzureConfigKey::AuthorityHost),
];

/// Parts of a connection string.
const OF_STRING: &[(&str, AzureConfigKey)] = &[
    ("AccountName", AzureConfigKey::AccountName),
    ("AccountKey", AzureConfigKey::AccessKey),
    ("SharedAccessSignature", AzureConfigKey::SasKey),
];

pub(super) fn connect(
    address: &Address,
    options: &Options,
    connector: Connector,
) -> io::Result<Client> {
    let string = options.variable("AZURE_STORAGE_CONNECTION_STRING").unwrap_or_default();
    let part =
        |name: &str| string.split(';').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    let variable = || options.variable("AZURE_STORAGE_ENDPOINT").or(part("BlobEndpoint"));
    let endpoint = options.endpoint.clone().or_else(|| variable().map(str::to_owned));
    let mut builder = MicrosoftAzureBuilder::new()
        .with_container_name(&address.bucket)
        .with_client_options(client_options(&options.limits, endpoint.as_deref()))
        .with_retry(retry_config(&options.limits))
        .with_skip_signature(options.identity == Identity::Anonymous)
        .with_http_connector(connector);
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if options.identity == Identity::Found {
        let parts = OF_STRING.iter().filter_map(|(name, key)| Some((*key, part(name)?)));
        let variables =
            CREDENTIALS.iter().filter_map(|(name, key)| Some((*key, options.variable(name)?)));
        for (key, value) in parts.chain(variables) {
            builder = builder.with_config(key, value);
        }
    }
    let names = &["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"];
    let account = address.account.as_deref().or_else(|| options.first_variable(names));
    builder = account.into_iter().fold(builder, MicrosoftAzureBuilder::with_account);
    builder.build().map(Client::with_pages).map_err(|error| unset(&error))
}
