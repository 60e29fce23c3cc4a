//! A client for each kind of object store.

mod azure;
mod failure;
mod google;
mod objects;
mod s3;
mod settings;
mod web;

use std::io;

pub(crate) use failure::{io_error, replaced, status_of, with_context};
pub(crate) use objects::{Client, Depth};

use crate::address::{Address, Scheme};
use crate::options::Options;
use crate::wire::Connector;

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
