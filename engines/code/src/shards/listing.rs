//! Which shards of a folder are the index: by their names, by plans and by exchanges.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use manicule_store::store::{Listed, LocalStore, Name};

use super::entries::{Entries, name_of};
use super::exchange::{EXCHANGE, Exchange};
use super::family::{ENDING, Family, PLAN, Planned, SIDECAR, split};

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
    let store = LocalStore::at(folder);
    let FoundNames { shards, unread, .. } = shards_among(&Entries::list(&store)?);
    let shards = shards.into_iter().map(|shard| folder.join(shard.name)).collect();
    Ok(Listing { shards, unread })
}

/// What the entries of a folder say of its shards.
#[derive(Debug, Default)]
pub(in crate::shards) struct FoundNames {
    /// As [`Listing::shards`].
    pub(in crate::shards) shards: Vec<Listed>,
    /// As [`Listing::unread`].
    pub(in crate::shards) unread: Vec<(PathBuf, io::Error)>,
    /// The sidecars.
    sidecars: BTreeSet<String>,
    /// Plans that are not carried out, by the prefixes of their shards.
    plans: BTreeMap<String, Planned>,
    /// A plan or an exchange was read.
    has_plans: bool,
}

impl FoundNames {
    /// Whether another listing says the same, but for the versions of files.
    pub(in crate::shards) fn is_same(&self, other: &FoundNames) -> bool {
        let names = |found: &FoundNames| -> Vec<String> {
            found.shards.iter().map(|shard| shard.name.clone()).collect()
        };
        names(self) == names(other)
            && self.unread.len() == other.unread.len()
            && self.sidecars == other.sidecars
            && self.plans == other.plans
    }

    /// Whether the versions of the listed shards are all that there is to know of the index.
    pub(in crate::shards) fn is_all(&self) -> bool {
        let is_known = |shard: &Listed| shard.version.is_some();
        !self.has_plans && self.sidecars.is_empty() && self.shards.iter().all(is_known)
    }

    /// Names that the sidecar of a shard may have, the first that is there being it: the new one
    /// where a plan says so.
    pub(in crate::shards) fn sidecars(&self, shard: &str) -> Vec<String> {
        let planned = || {
            let (prefix, number) = split(shard, ENDING)?;
            self.plans.get(prefix)?.sidecar_aside(prefix, number)
        };
        match planned() {
            // It is renamed meanwhile, maybe.
            Some(aside) => vec![aside, sidecar_name(shard)],
            None => Some(sidecar_name(shard))
                .filter(|name| self.sidecars.contains(name))
                .into_iter()
                .collect(),
        }
    }
}

/// Name of the sidecar of a shard.
pub(in crate::shards) fn sidecar_name(shard: &str) -> String {
    format!("{shard}.meta")
}

/// Tells which shards of a store's own folder are somebody's index, by the entries that it was
/// listed with.
pub(in crate::shards) fn shards_among(entries: &Entries<'_>) -> FoundNames {
    let mut found = FoundNames::default();
    let (mut shards, mut plans, mut exchanges) = (BTreeMap::new(), Vec::new(), Vec::new());
    for entry in entries.iter() {
        let name = &entry.name;
        if is_shard_name(name) && entries.may_be_file(entry) {
            shards.insert(name.clone(), name.clone());
        }
        if name.ends_with(SIDECAR) {
            found.sidecars.insert(name.clone());
        }
        plans.extend(name.strip_suffix(PLAN).filter(|prefix| prefix.ends_with("_v16")));
        exchanges.extend(name.strip_suffix(EXCHANGE));
    }
    found.has_plans = !(plans.is_empty() && exchanges.is_empty());
    let folder = entries.store.show(&Name::root());
    let shown = |file: &str| entries.store.show(&name_of(file));
    for name in exchanges {
        let applied = Exchange::read_in(entries.store, &folder, name).and_then(|exchange| {
            exchange.map_or(Ok(()), |exchange| exchange.apply(entries, &mut shards))
        });
        if let Err(error) = applied {
            found.unread.push((shown(&format!("{name}{EXCHANGE}")), error));
        }
    }
    for prefix in plans {
        let family = Family::with_prefix(&folder, prefix);
        let own = family.planned_in(entries.store).and_then(|planned| {
            found.plans.extend(planned.map(|planned| (prefix.to_owned(), planned)));
            family.shards_in(entries, planned)
        });
        match own {
            Err(error) => found.unread.push((shown(&format!("{prefix}{PLAN}")), error)),
            Ok(own) => {
                shards
                    .retain(|name, _| split(name, ENDING).is_none_or(|(other, _)| other != prefix));
                let named = (0..).map(|number| family.name(number, ENDING));
                shards.extend(named.zip(own));
            }
        }
    }
    found.shards = shards.into_values().map(|name| entries.of_name(&name)).collect();
    found
}

/// As the extension of a path is found: a name that begins with its only dot has none.
fn is_shard_name(name: &str) -> bool {
    name.strip_suffix(ENDING).is_some_and(|stem| !stem.is_empty())
}
