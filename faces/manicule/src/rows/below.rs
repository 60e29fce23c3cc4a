//! Folders of tables below a folder or an address.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use manicule_rows::table::{self, tables_below_in};
use manicule_store::store::Listed;
use manicule_store::threads;

use super::error::Error;
use crate::place::{Listing, is_address, remote};

pub use manicule_rows::table::Copies;

/// Tables at an address with which a job is done side by side.
const SIDE_BY_SIDE: usize = 32;

/// Folders of tables.
#[derive(Debug)]
pub struct Below {
    /// Those with files of SSTables, in the order of their paths.
    pub tables: Vec<PathBuf>,
    /// Why others can't be looked into.
    pub unread: Vec<Error>,
    /// What was listed of those at an address.
    listed: HashMap<PathBuf, Vec<Listed>>,
}

/// The folders of tables at and below a folder or an address; links are not followed.
pub fn tables_below(root: &Path, copies: Copies) -> Below {
    let found = match remote(root) {
        Ok(None) => table::tables_below(root, copies),
        Ok(Some(remote)) => tables_below_in(&*remote.folder(), copies),
        Err(error) => {
            let unread = vec![Error::Rows(error.into())];
            return Below { tables: Vec::new(), unread, listed: HashMap::new() };
        }
    };
    let table::Below { tables, unread, listed, .. } = found;
    Below { tables, unread: unread.into_iter().map(Error::Rows).collect(), listed }
}

impl Below {
    /// Does a job for each table, and hands what it gives to `take`, in the order of their paths.
    /// At an address, where most of the time is waiting, jobs run side by side, some of them ahead
    /// of `take`, and a table isn't listed again by who opens it; a local one follows the other.
    pub fn each<T: Send>(self, job: impl Fn(&Path) -> T + Sync, take: &mut dyn FnMut(PathBuf, T)) {
        let at_once = |path: &PathBuf| if is_address(path) { SIDE_BY_SIDE } else { 1 };
        let at_once = self.tables.first().map_or(1, at_once);
        let Below { tables, listed, .. } = self;
        let mut waiting = tables.into_iter().peekable();
        while waiting.peek().is_some() {
            let some: Vec<PathBuf> = waiting.by_ref().take(at_once).collect();
            let done = threads::map_waiting(some.len(), |place| {
                let path = &some[place];
                match listed.get(path) {
                    None => job(path),
                    Some(listed) => {
                        let listing = Listing { path: path.clone(), listed: listed.clone() };
                        Listing::lend(vec![listing], || job(path))
                    }
                }
            });
            some.into_iter().zip(done).for_each(|(path, done)| take(path, done));
        }
    }
}
