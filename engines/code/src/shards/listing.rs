//! Which shards of a folder are the index: by their names, by plans and by exchanges.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use manicule_store::{NamedEntry, list_names};

use super::exchange::{EXCHANGE, Exchange};
use super::family::{ENDING, Family, PLAN, split};

/// The shards of a folder, and the reason why there may be more, if there is one.
#[derive(Debug, Default)]
pub struct Listing {
    /// The shards that are somebody's index, in the order of their names: what plans say that is
    /// not carried out yet is taken as done.
    pub shards: Vec<PathBuf>,
    /// Plans that can't be read. The shards beside them are taken as they are.
    pub unread: Vec<(PathBuf, io::Error)>,
}

/// Tells which shards of a folder are somebody's index.
pub fn shards_of(folder: &Path) -> io::Result<Listing> {
    Ok(shards_among(folder, &list_names(folder)?))
}

/// The same, of the entries that a folder was listed with.
pub(in crate::shards) fn shards_among(folder: &Path, entries: &[NamedEntry]) -> Listing {
    let mut paths = BTreeMap::new();
    let (mut plans, mut exchanges) = (Vec::new(), Vec::new());
    for entry in entries {
        let name = &entry.name;
        if Path::new(name).extension() == Some(OsStr::new("zoekt")) && entry.may_be_file(folder) {
            paths.insert(name.clone(), folder.join(name));
        }
        if let Some(prefix) = name.to_str().and_then(|name| name.strip_suffix(PLAN)) {
            plans.push(Family::with_prefix(folder, prefix));
        }
        exchanges
            .extend(name.to_str().and_then(|name| name.strip_suffix(EXCHANGE)).map(str::to_owned));
    }
    let mut listing = Listing::default();
    for name in exchanges {
        match Exchange::read(folder, &name) {
            Ok(exchange) => exchange.iter().for_each(|exchange| exchange.apply(&mut paths)),
            Err(error) => listing.unread.push((Exchange::new(folder, &name).path(), error)),
        }
    }
    for family in plans.into_iter().filter(|family| family.prefix.ends_with("_v16")) {
        let shards = match family.shards() {
            Ok(shards) => shards,
            Err(error) => {
                listing.unread.push((family.plan(), error));
                continue;
            }
        };
        paths.retain(|name, _| {
            let split = name.to_str().and_then(|name| split(name, ENDING));
            split.is_none_or(|(prefix, _)| prefix != family.prefix)
        });
        for (number, path) in shards.into_iter().enumerate() {
            let name = family.path(number, ENDING).file_name().expect("it has one").to_owned();
            paths.insert(name, path);
        }
    }
    listing.shards = paths.into_values().collect();
    listing
}
