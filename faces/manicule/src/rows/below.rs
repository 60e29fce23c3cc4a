//! Folders of tables below a folder or an address.

use std::path::Path;

pub use manicule_rows::table::{Below, Copies};
use manicule_rows::table::{tables_below as local_below, tables_below_in};

use crate::place::remote;

/// The folders of tables at and below a folder or an address; links are not followed.
pub fn tables_below(root: &Path, copies: Copies) -> Below {
    match remote(root) {
        Ok(None) => local_below(root, copies),
        Ok(Some(remote)) => tables_below_in(&*remote.folder(), copies),
        Err(error) => Below { unread: vec![error.into()], ..Below::default() },
    }
}
