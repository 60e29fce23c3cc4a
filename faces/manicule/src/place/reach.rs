//! How object stores are reached.

/// How object stores are reached. What is not said is as the variables of the environment and the
/// files of the clouds' own tools have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// URL of the service.
    pub endpoint: Option<String>,
    /// Region of the buckets.
    pub region: Option<String>,
    /// Whether requests are not signed, as public buckets take them.
    pub is_anonymous: bool,
    /// Where the bucket's name is in a URL.
    pub style: Option<Style>,
}

/// Where the name of a bucket is in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// In the path.
    Path,
    /// In the name of the host.
    Host,
}
