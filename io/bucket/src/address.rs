//! Addresses of object stores, as their own tools and restic write them.
//!
//! | address | what |
//! |---|---|
//! | `s3://BUCKET/PREFIX`, `s3a://` | S3, where the options say |
//! | `s3:HOST/BUCKET/PREFIX`, `s3:https://HOST/BUCKET/PREFIX` | S3 at a host, as restic has it |
//! | `gs://BUCKET/PREFIX`, `gs:BUCKET:/PREFIX` | Google Cloud Storage |
//! | `az://CONTAINER/PREFIX`, `adl://`, `azure://`, `abfs[s]://`, `azure:CONTAINER:/PREFIX` | Azure |
//! | `abfs[s]://CONTAINER@ACCOUNT.dfs.core.windows.net/PREFIX` | Azure, of an account |
//! | `http://HOST/PREFIX`, `https://` | a web server |

use std::error::Error;
use std::fmt;

use manicule_store::store::Name;

/// Kind of an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Amazon S3, or another that speaks its protocol.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
    /// A web server.
    Http,
}

/// Place in an object store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Kind of the object store.
    pub scheme: Scheme,
    /// Bucket or container; of a web server its origin, `https://host:port`.
    pub bucket: String,
    /// What the names of all objects begin with; the root for a whole bucket.
    pub prefix: Name,
    /// URL of the service, where the address has it.
    pub endpoint: Option<String>,
    /// Account, where the address has it: of Azure alone.
    pub account: Option<String>,
}

/// A text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    address: String,
    what: &'static str,
}

impl AddressError {
    /// What is wrong with it.
    pub fn what(&self) -> &'static str {
        self.what
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.address, self.what)
    }
}

impl Error for AddressError {}

/// Beginnings of addresses; those with a slash first, as others begin alike.
const SCHEMES: &[(&str, Scheme)] = &[
    ("s3://", Scheme::S3),
    ("s3a://", Scheme::S3),
    ("gs://", Scheme::Google),
    ("az://", Scheme::Azure),
    ("adl://", Scheme::Azure),
    ("azure://", Scheme::Azure),
    ("abfs://", Scheme::Azure),
    ("abfss://", Scheme::Azure),
    ("http://", Scheme::Http),
    ("https://", Scheme::Http),
];

/// As restic has them, without slashes.
const OF_RESTIC: &[(&str, Scheme)] =
    &[("s3:", Scheme::S3), ("gs:", Scheme::Google), ("azure:", Scheme::Azure)];

/// Hosts of S3 itself, whose bucket's place is its region.
const AMAZON: &str = ".amazonaws.com";

/// Whether a text begins as an address does, rather than as a path.
pub fn is_address(text: &str) -> bool {
    SCHEMES.iter().chain(OF_RESTIC).any(|(start, _)| text.starts_with(start))
}

impl Address {
    /// The place that a text names.
    ///
    /// # Errors
    /// A text of another form; a prefix that is no name of a file, such as one with `..` in it.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let failed = |what| AddressError { address: text.to_owned(), what };
        let start = |table: &[(&str, Scheme)]| {
            let found = table.iter().find(|(start, _)| text.starts_with(start))?;
            Some((found.1, &text[..found.0.len()], &text[found.0.len()..]))
        };
        let parsed = match (start(SCHEMES), start(OF_RESTIC)) {
            (Some((Scheme::Http, start, rest)), _) => of_web(start, rest),
            (Some((scheme, _, rest)), _) => of_bucket(scheme, rest),
            (None, Some((Scheme::S3, _, rest))) => of_host(rest),
            (None, Some((scheme, _, rest))) => of_container(scheme, rest),
            (None, None) => Err("not an address of an object store"),
        };
        parsed.map_err(failed)
    }

    /// The name of an object in its bucket, by its name below the prefix.
    pub(crate) fn key(&self, name: &Name) -> String {
        match (self.prefix.as_str(), name.as_str()) {
            ("", name) => name.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, name) => format!("{prefix}/{name}"),
        }
    }

    /// The address of a name below the prefix, as messages have it.
    pub(crate) fn show(&self, name: &Name) -> String {
        let key = self.key(name);
        match (self.scheme, &self.endpoint, &self.account) {
            (Scheme::S3, Some(endpoint), _) => format!("s3:{endpoint}/{}/{key}", self.bucket),
            (Scheme::S3, None, _) => format!("s3://{}/{key}", self.bucket),
            (Scheme::Google, ..) => format!("gs://{}/{key}", self.bucket),
            (Scheme::Azure, _, Some(account)) => {
                format!("abfss://{}@{account}.dfs.core.windows.net/{key}", self.bucket)
            }
            (Scheme::Azure, _, None) => format!("az://{}/{key}", self.bucket),
            (Scheme::Http, ..) => format!("{}/{key}", self.bucket),
        }
    }
}

/// `text`, with the rest of it after a first separator; what is empty there is none.
fn cut(text: &str, separator: char) -> (&str, &str) {
    text.split_once(separator).unwrap_or((text, ""))
}

fn prefix_of(text: &str) -> Result<Name, &'static str> {
    let text = text.strip_suffix('/').unwrap_or(text);
    match text {
        "" => Ok(Name::root()),
        text => Name::new(text).ok_or("the prefix has an empty part, `.` or `..`"),
    }
}

fn named(scheme: Scheme, bucket: &str, prefix: &str) -> Result<Address, &'static str> {
    if bucket.is_empty() {
        return Err("the name of a bucket is missing");
    }
    let (bucket, prefix) = (bucket.to_owned(), prefix_of(prefix)?);
    Ok(Address { scheme, bucket, prefix, endpoint: None, account: None })
}

/// After `s3://` and its like.
fn of_bucket(scheme: Scheme, rest: &str) -> Result<Address, &'static str> {
    let (bucket, prefix) = cut(rest, '/');
    let (Scheme::Azure, Some((container, host))) = (scheme, bucket.split_once('@')) else {
        return named(scheme, bucket, prefix);
    };
    let account = cut(host, '.').0.to_owned();
    Ok(Address { account: Some(account), ..named(scheme, container, prefix)? })
}

/// After restic's `s3:`.
fn of_host(rest: &str) -> Result<Address, &'static str> {
    let (scheme, rest) = match rest.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => (scheme, rest),
        Some(_) => return Err("the host's scheme is neither http nor https"),
        None => ("https", rest),
    };
    let (host, rest) = cut(rest, '/');
    let (bucket, prefix) = cut(rest, '/');
    let endpoint = (!host.ends_with(AMAZON)).then(|| format!("{scheme}://{host}"));
    Ok(Address { endpoint, ..named(Scheme::S3, bucket, prefix)? })
}

/// After restic's `gs:` and `azure:`.
fn of_container(scheme: Scheme, rest: &str) -> Result<Address, &'static str> {
    let Some((bucket, prefix)) = rest.split_once(":/") else {
        return Err("`:/` is missing between the bucket and its prefix");
    };
    named(scheme, bucket, prefix)
}

fn of_web(start: &str, rest: &str) -> Result<Address, &'static str> {
    let (host, prefix) = cut(rest, '/');
    if host.is_empty() {
        return Err("the name of a host is missing");
    }
    if host.contains('@') {
        return Err("names and passwords in URLs are not read");
    }
    if prefix.contains(['?', '#']) {
        return Err("queries and fragments of URLs are not part of a name");
    }
    let prefix = decoded(prefix).ok_or("the URL is not valid UTF-8")?;
    named(Scheme::Http, &format!("{start}{host}"), &prefix)
}

/// Percent-encoded bytes of a URL, decoded. A sign that no two digits follow stands for itself.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            (&byte, ..) => {
                out.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, scheme: Scheme, bucket: &str, prefix: &str, endpoint: Option<&str>) {
        let address = Address::parse(text).expect(text);
        let got = (address.scheme, &*address.bucket, address.prefix.as_str());
        assert_eq!((got, address.endpoint.as_deref()), ((scheme, bucket, prefix), endpoint));
        assert!(is_address(text));
    }

    #[test]
    fn addresses_of_each_kind() {
        check("s3://bucket", Scheme::S3, "bucket", "", None);
        check("s3://bucket/", Scheme::S3, "bucket", "", None);
        check("s3://bucket/a b/%20/c/", Scheme::S3, "bucket", "a b/%20/c", None);
        check("s3a://bucket/a", Scheme::S3, "bucket", "a", None);
        check("gs://bucket/a/b", Scheme::Google, "bucket", "a/b", None);
        check("gs:bucket:/a", Scheme::Google, "bucket", "a", None);
        check("gs:bucket:/", Scheme::Google, "bucket", "", None);
        check("azure:container:/a/b", Scheme::Azure, "container", "a/b", None);
        for scheme in ["az", "adl", "azure", "abfs", "abfss"] {
            check(&format!("{scheme}://container/a"), Scheme::Azure, "container", "a", None);
        }
        check("http://host:80/a%20b", Scheme::Http, "http://host:80", "a b", None);
        check("https://host", Scheme::Http, "https://host", "", None);
    }

    #[test]
    fn a_host_as_restic_has_it() {
        let minio = Some("https://minio.example.org:9000");
        check("s3:minio.example.org:9000/b/p/q", Scheme::S3, "b", "p/q", minio);
        check("s3:https://minio.example.org:9000/b", Scheme::S3, "b", "", minio);
        check("s3:http://127.0.0.1:1/b/p", Scheme::S3, "b", "p", Some("http://127.0.0.1:1"));
        check("s3:s3.eu-central-1.amazonaws.com/b/p", Scheme::S3, "b", "p", None);
    }

    #[test]
    fn the_account_of_azure() {
        let text = "abfss://container@account.dfs.core.windows.net/a";
        let address = Address::parse(text).expect("an address");
        assert_eq!((&*address.bucket, address.account.as_deref()), ("container", Some("account")));
        let file = Name::new("b").expect("a name");
        assert_eq!(address.show(&file), format!("{text}/b"));
    }

    #[test]
    fn what_is_no_address() {
        for (text, what) in [
            ("/a/b", "not an address of an object store"),
            ("ftp://host/a", "not an address of an object store"),
            ("s3://", "the name of a bucket is missing"),
            ("s3:host", "the name of a bucket is missing"),
            ("s3:ftp://host/bucket", "the host's scheme is neither http nor https"),
            ("s3://bucket/../a", "the prefix has an empty part, `.` or `..`"),
            ("s3://bucket//a", "the prefix has an empty part, `.` or `..`"),
            ("gs:bucket/a", "`:/` is missing between the bucket and its prefix"),
            ("http:///a", "the name of a host is missing"),
            ("https://name:word@host/a", "names and passwords in URLs are not read"),
            ("https://host/a?b", "queries and fragments of URLs are not part of a name"),
            ("https://host/%ff", "the URL is not valid UTF-8"),
        ] {
            let error = Address::parse(text).expect_err(text);
            assert_eq!(error.to_string(), format!("{text}: {what}"));
        }
        assert!(!is_address("s3") && !is_address("./s3://bucket") && !is_address("gs"));
    }

    #[test]
    fn a_name_is_shown_as_an_address_that_parses() {
        for text in ["s3://b/p", "s3:http://h:1/b/p", "gs://b/p", "az://c/p", "https://h/p"] {
            let address = Address::parse(text).expect("an address");
            assert_eq!(address.show(&Name::root()), text);
            let below = address.show(&Name::new("q/r").expect("a name"));
            assert_eq!(below, format!("{text}/q/r"));
        }
    }
}
