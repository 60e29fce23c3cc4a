//! Amazon S3, and what speaks its protocol.

use std::io;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};

use super::objects::Client;
use super::settings::{client_options, retry_config, unset};
use crate::address::Address;
use crate::options::{Identity, Options, Payer, Style};
use crate::profile::{Profile, profile};
use crate::wire::Connector;

/// What a machine's or container's role is found by: variables that are taken as they are.
const ROLES: &[(&str, AmazonS3ConfigKey)] = &[
    ("AWS_WEB_IDENTITY_TOKEN_FILE", AmazonS3ConfigKey::WebIdentityTokenFile),
    ("AWS_ROLE_ARN", AmazonS3ConfigKey::RoleArn),
    ("AWS_ROLE_SESSION_NAME", AmazonS3ConfigKey::RoleSessionName),
    ("AWS_ENDPOINT_URL_STS", AmazonS3ConfigKey::StsEndpoint),
    ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", AmazonS3ConfigKey::ContainerCredentialsRelativeUri),
    ("AWS_CONTAINER_CREDENTIALS_FULL_URI", AmazonS3ConfigKey::ContainerCredentialsFullUri),
    ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", AmazonS3ConfigKey::ContainerAuthorizationTokenFile),
    ("AWS_EC2_METADATA_SERVICE_ENDPOINT", AmazonS3ConfigKey::MetadataEndpoint),
];

/// Keys that sign requests.
struct Keys {
    id: String,
    secret: String,
    token: Option<String>,
}

pub(super) fn connect(
    address: &Address,
    options: &Options,
    connector: Connector,
) -> io::Result<Client> {
    let profile = profile(options)?;
    let endpoint = endpoint(address, options, &profile);
    let region = region(options, &profile);
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&address.bucket)
        .with_region(&region)
        .with_client_options(client_options(&options.limits, endpoint.as_deref()))
        .with_retry(retry_config(&options.limits))
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_disable_bulk_delete(true)
        .with_virtual_hosted_style_request(options.style == Style::Host)
        .with_request_payer(options.payer == Payer::Requester)
        .with_skip_signature(options.identity == Identity::Anonymous)
        .with_http_connector(connector);
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(at_host(&endpoint, address, options.style));
    }
    for (variable, key) in ROLES {
        if let Some(value) = options.variable(variable) {
            builder = builder.with_config(*key, value);
        }
    }
    if options.identity == Identity::Found {
        match keys(options, &profile)? {
            Some(keys) => {
                builder = builder.with_access_key_id(keys.id).with_secret_access_key(keys.secret);
                builder = keys.token.into_iter().fold(builder, AmazonS3Builder::with_token);
            }
            None => check_for_role(options)?,
        }
    }
    let store = builder.build().map_err(|error| unset(&error))?;
    Ok(Client { region: Some(region), ..Client::with_pages(store) })
}

/// URL of the service: of the address, the call, the variables, the profile, in this order; `None`
/// for Amazon's own.
fn endpoint(address: &Address, options: &Options, profile: &Profile) -> Option<String> {
    let said = address.endpoint.as_ref().or(options.endpoint.as_ref()).cloned();
    let variable = || {
        let names = &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
        options.first_variable(names).map(str::to_owned)
    };
    said.or_else(variable).or_else(|| profile.value("endpoint_url"))
}

fn region(options: &Options, profile: &Profile) -> String {
    let variable =
        || options.first_variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]).map(str::to_owned);
    let said = options.region.clone().or_else(variable);
    said.or_else(|| profile.value("region")).unwrap_or_else(|| "us-east-1".to_owned())
}

/// With the bucket in the name of the host the endpoint is one of the bucket.
fn at_host(endpoint: &str, address: &Address, style: Style) -> String {
    match (style, endpoint.split_once("://")) {
        (Style::Host, Some((scheme, host))) => format!("{scheme}://{}.{host}", address.bucket),
        _ => endpoint.to_owned(),
    }
}

/// Keys of the profile that a call names, of the variables, of the profile that those name, in this
/// order; `None` where a role has to say.
fn keys(options: &Options, profile: &Profile) -> io::Result<Option<Keys>> {
    let of_variables = || {
        let variable = |name| options.variable(name).map(str::to_owned);
        let (id, secret) = (variable("AWS_ACCESS_KEY_ID")?, variable("AWS_SECRET_ACCESS_KEY")?);
        Some(Keys { id, secret, token: variable("AWS_SESSION_TOKEN") })
    };
    let of_variables = if options.profile.is_none() { of_variables() } else { None };
    if of_variables.is_some() {
        return Ok(of_variables);
    }
    let value = |name| profile.value(name);
    if let (Some(id), Some(secret)) = (value("aws_access_key_id"), value("aws_secret_access_key")) {
        return Ok(Some(Keys { id, secret, token: value("aws_session_token") }));
    }
    profile.refuse_what_is_not_read()?;
    Ok(None)
}

/// An error where neither keys nor a role are there, and the machine is not to be asked for one.
fn check_for_role(options: &Options) -> io::Result<()> {
    let is_role = |(name, _): &(&str, AmazonS3ConfigKey)| options.variable(name).is_some();
    let is_disabled = options
        .variable("AWS_EC2_METADATA_DISABLED")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    if is_disabled && !ROLES.iter().any(is_role) {
        let what = "no credentials: neither variables nor a profile have any, and this machine is \
                    not to be asked for its role";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn options(variables: &[(&str, &str)]) -> Options {
        let pairs = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        Options::of_variables(pairs.collect::<BTreeMap<_, _>>())
    }

    #[test]
    fn what_the_address_says_goes_before_the_call_and_that_before_the_variables() {
        let (service, s3) =
            (("AWS_ENDPOINT_URL", "http://any"), ("AWS_ENDPOINT_URL_S3", "http://s3"));
        let address = |text| Address::parse(text).expect("an address");
        let [plain, host] = [address("s3://bucket"), address("s3:http://host/bucket")];
        let of = |address: &Address, options: &Options| {
            endpoint(address, options, &Profile::default()).unwrap_or_default()
        };
        assert_eq!(of(&plain, &options(&[])), "");
        assert_eq!(of(&plain, &options(&[service])), "http://any");
        let variables = options(&[service, s3]);
        assert_eq!(of(&plain, &variables), "http://s3");
        let call = Options { endpoint: Some("http://call".to_owned()), ..variables };
        assert_eq!(of(&plain, &call), "http://call");
        assert_eq!(of(&host, &call), "http://host");
    }

    #[test]
    fn a_region_is_the_calls_or_the_variables_or_the_first() {
        let of = |options: &Options| region(options, &Profile::default());
        assert_eq!(of(&options(&[])), "us-east-1");
        let variables = options(&[("AWS_DEFAULT_REGION", "b"), ("AWS_REGION", "a")]);
        assert_eq!(of(&variables), "a");
        assert_eq!(of(&Options { region: Some("c".to_owned()), ..variables }), "c");
    }

    #[test]
    fn a_bucket_is_in_the_path_or_in_the_name_of_the_host() {
        let address = Address::parse("s3://bucket/a").expect("an address");
        let of = |style| at_host("https://host:1", &address, style);
        assert_eq!(of(Style::Path), "https://host:1");
        assert_eq!(of(Style::Host), "https://bucket.host:1");
    }
}
