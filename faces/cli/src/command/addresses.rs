//! Flags of all commands that take addresses of object stores in place of paths.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, anyhow};
use manicule::place::{Reach, Style, is_address};

use super::flag::{Flag, set};
use super::spec::{Group, spec};

/// Heading of these flags.
pub(crate) const BUCKETS: Group = Group("Buckets, which s3://BUCKET/PREFIX and the like name:");

/// The rows that follow a command's own.
pub(crate) static FLAGS: &[Flag<Reach>] = &[
    spec("endpoint-url", "", "URL of the object store's service.")
        .takes("URL")
        .more("Default: $AWS_ENDPOINT_URL; for s3:HOST/BUCKET, HOST.")
        .within(BUCKETS)
        .does(set!(|o, value| o.endpoint = Some(value.string()?))),
    spec("region", "", "Region of the bucket.")
        .takes("NAME")
        .more("Default: $AWS_REGION, then that of the profile.")
        .within(BUCKETS)
        .does(set!(|o, value| o.region = Some(value.string()?))),
    spec("no-sign-request", "", "Don't sign requests, as public buckets take them.")
        .aka("anonymous")
        .within(BUCKETS)
        .sets(|o| &mut o.is_anonymous),
    spec("addressing-style", "", "Where the bucket's name is in a URL. Default: path.")
        .takes("STYLE")
        .choices(&[("path", "in the path"), ("virtual", "in the name of the host")])
        .within(BUCKETS)
        .does(set!(|o, value| o.style = Some(value.choice(&[Style::Path, Style::Host])?))),
];

/// Whether a command takes addresses in place of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    Local,
    LocalOrRemote,
}

impl Places {
    /// The rows that follow a command's own.
    pub(crate) fn flags(self) -> &'static [Flag<Reach>] {
        match self {
            Places::Local => &[],
            Places::LocalOrRemote => FLAGS,
        }
    }

    /// Refuses a path that is an address where none is taken.
    pub(crate) fn check(self, path: &OsStr) -> Result<()> {
        if self == Places::Local && is_address(Path::new(path)) {
            let path = path.display();
            return Err(anyhow!("{path}: this command takes local paths, and no address"));
        }
        Ok(())
    }
}
