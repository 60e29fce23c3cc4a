//! What a call says of an object store, and where the rest comes from: the variables of the
//! environment that the clouds' own tools read.

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How an object store is reached. What is `None` here is looked for in the variables, and for S3
/// in the files of AWS' tools.
#[derive(Clone, Debug)]
pub struct Options {
    /// URL of the service.
    pub endpoint: Option<String>,
    /// Where the name of a bucket is in a URL.
    pub style: Style,
    /// Who asks.
    pub identity: Identity,
    /// Region of the bucket: of S3 alone.
    pub region: Option<String>,
    /// Profile in the files of AWS' tools.
    pub profile: Option<String>,
    /// Who pays for the requests: of S3 alone.
    pub payer: Payer,
    /// What a call may take.
    pub limits: Limits,
    /// Variables of the environment.
    pub variables: Variables,
}

/// Variables of the environment. Their values may be secrets, and are not shown.
#[derive(Clone)]
pub struct Variables(Arc<BTreeMap<String, String>>);

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Where the name of a bucket of S3 is in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// In the path, which every service understands.
    Path,
    /// In the name of the host.
    Host,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Whoever the variables, the files and the machine's role say.
    Found,
    /// Nobody: requests are not signed.
    Anonymous,
}

/// Who pays for the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payer {
    /// The bucket's owner.
    Owner,
    /// Whoever asks.
    Requester,
}

/// What a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of requests in flight at a time; of those whose answers are short, as pages
    /// of listings are, four go out in place of one.
    pub requests_in_flight: usize,
    /// Length of a part, in which a file of twice as many bytes is put. S3 takes none that is
    /// shorter than 5 MiB, but for the last.
    pub part_len: usize,
    /// How often a request is made again that failed.
    pub retries: usize,
    /// Wait before the first of those; each next one is up to twice as long, by chance.
    pub first_wait: Duration,
    /// Time after which nothing is tried again.
    pub patience: Duration,
    /// Time in which a server has to send something.
    pub silence: Duration,
}

impl Limits {
    /// Of a call over the net. A server of S3 that is told to slow down recovers within seconds; a
    /// token lives for minutes and isn't renewed between the tries of a request.
    pub const USUAL: Limits = Limits {
        requests_in_flight: 32,
        part_len: 8 << 20,
        retries: 8,
        first_wait: Duration::from_millis(50),
        patience: Duration::from_secs(60),
        silence: Duration::from_secs(30),
    };
}

impl Options {
    /// As the variables say, and nothing else.
    pub fn of_variables(variables: BTreeMap<String, String>) -> Self {
        Options {
            endpoint: None,
            style: Style::Path,
            identity: Identity::Found,
            region: None,
            profile: None,
            payer: Payer::Owner,
            limits: Limits::USUAL,
            variables: Variables(Arc::new(variables)),
        }
    }

    /// A variable that is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The first of these variables that is set to something.
    pub(crate) fn first_variable(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.variable(name))
    }
}

/// The variables of this process' environment that are valid UTF-8.
pub fn variables_of_process() -> BTreeMap<String, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    env::vars_os().filter_map(text).collect()
}
