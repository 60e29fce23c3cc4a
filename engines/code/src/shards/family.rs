//! The files of a folder of shards: their names, the plan of an index that is being published, and
//! which of them are the index.
//!
//! | name | what it is |
//! |---|---|
//! | `PREFIX_v16.00000.zoekt` | a shard; `_v17` where it holds several repositories |
//! | `SHARD.meta` | its sidecar |
//! | `SHARD.tmp`, `SHARD.17.tmp` | a shard that is being written, by us and by zoekt-index |
//! | `PREFIX_v16.00000.spool.zoekt.tmp` | what a run keeps aside |
//! | `PREFIX_v16.plan`, `PREFIX_v16.plan.zoekt.tmp` | how many shards a new index has, see `index/publish.rs` |

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::hex;
use manicule_store::planned::{self, Rename};
use manicule_store::{NamedEntry, list_names};
use sha1::{Digest, Sha1};

/// Ending of a shard.
pub const ENDING: &str = ".zoekt";
pub(in crate::shards) const ASIDE: &str = ".zoekt.tmp";
pub(in crate::shards) const SIDECAR: &str = ".zoekt.meta";
pub(in crate::shards) const PLAN: &str = ".plan";
pub(in crate::shards) const PLAN_HEAD: &str = "manicule plan 1\n";
/// Shards have numbers of five digits; a plan of more is damaged.
const PLANNED_MAX: usize = 100_000;
/// A longer name of a repository is cut, and distinguished from others by a hash.
const NAME_LEN_MAX: usize = 200;

/// The files of one repository's shards in a folder.
#[derive(Clone, Debug)]
pub(in crate::shards) struct Family {
    pub(in crate::shards) folder: PathBuf,
    pub(in crate::shards) prefix: String,
}

impl Family {
    /// The files of the repository called `name`.
    pub(in crate::shards) fn new(folder: &Path, name: &[u8]) -> Self {
        Family { folder: folder.to_owned(), prefix: format!("{}_v16", file_name(name)) }
    }

    /// The file of shard `number` with an ending.
    pub(in crate::shards) fn path(&self, number: usize, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{number:05}{ending}", self.prefix))
    }

    /// Path of its plan while it is being published.
    pub(in crate::shards) fn plan(&self) -> PathBuf {
        self.folder.join(format!("{}{PLAN}", self.prefix))
    }

    /// The shards that are the index of this repository, by number.
    pub(in crate::shards) fn shards(&self) -> io::Result<Vec<PathBuf>> {
        if let Some(count) = self.planned()? {
            return Ok(self.renames(count).map(Rename::now).collect());
        }
        let numbers = self.numbers(ENDING)?;
        Ok(numbers.into_iter().map(|number| self.path(number, ENDING)).collect())
    }

    /// Number of shards in a plan that isn't carried out yet.
    pub(in crate::shards) fn planned(&self) -> io::Result<Option<usize>> {
        let Some(text) = planned::read(&self.plan())? else { return Ok(None) };
        let count = text.strip_prefix(PLAN_HEAD).and_then(|rest| rest.trim().parse().ok());
        let count = count.filter(|count| *count <= PLANNED_MAX);
        let damaged = || {
            let what = "the plan of an index is damaged: remove it, and index again";
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        count.map(Some).ok_or_else(damaged)
    }

    /// Renames that give the first `count` shards their names.
    pub(in crate::shards) fn renames(&self, count: usize) -> impl Iterator<Item = Rename> {
        (0..count).map(|number| Rename {
            aside: self.path(number, ASIDE),
            path: self.path(number, ENDING),
        })
    }

    /// The numbers of this repository's files with an ending, increasing.
    pub(in crate::shards) fn numbers(&self, ending: &str) -> io::Result<BTreeSet<usize>> {
        let mut numbers = BTreeSet::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            if let Some((prefix, number)) = name.to_str().and_then(|name| split(name, ending))
                && prefix == self.prefix
            {
                numbers.insert(number);
            }
        }
        Ok(numbers)
    }
}

/// The prefix and the number in a shard's file name.
fn split<'n>(name: &'n str, ending: &str) -> Option<(&'n str, usize)> {
    let (prefix, number) = name.strip_suffix(ending)?.rsplit_once('.')?;
    let is_number = number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((prefix, number.parse().ok().filter(|_| is_number)?))
}

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
    let (mut paths, mut plans) = (BTreeMap::new(), Vec::new());
    for entry in entries {
        let name = &entry.name;
        if Path::new(name).extension() == Some(OsStr::new("zoekt")) && entry.may_be_file(folder) {
            paths.insert(name.clone(), folder.join(name));
        }
        if let Some(prefix) = name.to_str().and_then(|name| name.strip_suffix(PLAN)) {
            plans.push(Family { folder: folder.to_owned(), prefix: prefix.to_owned() });
        }
    }
    let mut listing = Listing::default();
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

/// A repository's name as part of a file's: escaped as in the query of a URL, and cut where it is
/// long.
fn file_name(name: &[u8]) -> String {
    let mut escaped = String::new();
    for byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(*byte));
            }
            b' ' => escaped.push('+'),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    if escaped.len() > NAME_LEN_MAX {
        let hash = hex_sha1(escaped.as_bytes());
        escaped.truncate(NAME_LEN_MAX);
        escaped.push_str(&hash[..8]);
    }
    escaped
}

/// The SHA-1 of bytes in lower-case hex digits.
pub(in crate::shards) fn hex_sha1(bytes: &[u8]) -> String {
    hex::encode(Sha1::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, want: &str) {
        assert_eq!(file_name(name.as_bytes()), want);
    }

    #[test]
    fn names_are_escaped_as_in_a_query() {
        check("example.org/alpha", "example.org%2Falpha");
        check("a b~c-d_e.f", "a+b~c-d_e.f");
        check("é", "%C3%A9");
    }

    #[test]
    fn long_names_are_cut_and_told_apart() {
        let cut = file_name("x".repeat(300).as_bytes());
        assert_eq!((cut.len(), &cut[200..]), (208, &hex_sha1("x".repeat(300).as_bytes())[..8]));
        check(&"y".repeat(200), &"y".repeat(200));
    }
}
