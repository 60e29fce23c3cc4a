//! The files of a folder of shards: their names, and the plan of an index that is being published.
//!
//! | name | what it is |
//! |---|---|
//! | `PREFIX_v16.00000.zoekt` | a shard; `_v17` where it holds several repositories |
//! | `SHARD.meta`, `SHARD.meta.tmp` | its sidecar, and a new one |
//! | `SHARD.tmp`, `SHARD.17.tmp` | a shard that is being written, by us and by zoekt-index |
//! | `PREFIX_v16.00000.spool.zoekt.tmp` | what a run keeps aside |
//! | `PREFIX_v16.plan`, `PREFIX_v16.plan.zoekt.tmp` | how many shards a new index has, see `index/publish.rs` |
//! | `NAME.exchange`, `NAME.exchange.tmp` | which shards take the place of which, see `exchange.rs` |

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::hex;
use manicule_store::list_names;
use manicule_store::planned::Rename;
use manicule_store::store::{LocalStore, Store, read_text};
use sha1::{Digest, Sha1};

use super::entries::{Entries, name_of};

/// Ending of a shard.
pub const ENDING: &str = ".zoekt";
pub(in crate::shards) const ASIDE: &str = ".zoekt.tmp";
pub(in crate::shards) const SIDECAR: &str = ".zoekt.meta";
pub(in crate::shards) const SIDECAR_ASIDE: &str = ".zoekt.meta.tmp";
pub(in crate::shards) const PLAN: &str = ".plan";
/// The first line of a plan; after it come the number of shards and, where some stay, their number.
pub(in crate::shards) const PLAN_HEAD: &str = "manicule plan 1\n";
/// Shards have numbers of five digits; a plan of more is damaged.
const PLANNED_MAX: usize = 100_000;
/// A longer name of a repository is cut, and distinguished from others by a hash.
const NAME_LEN_MAX: usize = 200;

/// Shards of an index that a plan tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shards) struct Planned {
    /// Number of shards that stay, each with a new sidecar.
    pub(in crate::shards) kept: usize,
    /// Number of shards, those that stay included.
    pub(in crate::shards) count: usize,
}

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

    /// The files whose names begin with a prefix and the format's version.
    pub(in crate::shards) fn with_prefix(folder: &Path, prefix: &str) -> Self {
        Family { folder: folder.to_owned(), prefix: prefix.to_owned() }
    }

    /// The files that the shard at `path` is one of, and its number among them; `None` if it has no
    /// name of a shard.
    pub(in crate::shards) fn of(path: &Path) -> Option<(Self, usize)> {
        let (prefix, number) = split(path.file_name()?.to_str()?, ENDING)?;
        Some((Family::with_prefix(path.parent()?, prefix), number))
    }

    /// The file of shard `number` with an ending.
    pub(in crate::shards) fn path(&self, number: usize, ending: &str) -> PathBuf {
        self.folder.join(self.name(number, ending))
    }

    /// Name of the file of shard `number` with an ending.
    pub(in crate::shards) fn name(&self, number: usize, ending: &str) -> String {
        name(&self.prefix, number, ending)
    }

    /// Path of its plan while it is being published.
    pub(in crate::shards) fn plan(&self) -> PathBuf {
        self.folder.join(self.plan_name())
    }

    fn plan_name(&self) -> String {
        format!("{}{PLAN}", self.prefix)
    }

    /// The shards that are the index of this repository in its local folder, by number.
    pub(in crate::shards) fn shards(&self) -> io::Result<Vec<PathBuf>> {
        let store = LocalStore::at(&self.folder);
        let planned = self.planned()?;
        let names = self.shards_in(&Entries::list(&store)?, planned)?;
        Ok(names.into_iter().map(|name| self.folder.join(name)).collect())
    }

    /// The current names of the shards that are the index of this repository, by number; listed
    /// again where there is no plan, as it was carried out meanwhile.
    pub(in crate::shards) fn shards_in(
        &self,
        entries: &Entries<'_>,
        planned: Option<Planned>,
    ) -> io::Result<Vec<String>> {
        let Some(planned) = planned else {
            let listed = Entries::list(entries.store)?;
            let numbers: BTreeSet<usize> =
                self.numbers_among(listed.iter().map(|entry| &*entry.name), ENDING);
            return Ok(numbers.into_iter().map(|number| self.name(number, ENDING)).collect());
        };
        let kept = (0..planned.kept).map(|number| Ok(self.name(number, ENDING)));
        let new = (planned.kept..planned.count)
            .map(|number| entries.now(self.name(number, ASIDE), &self.name(number, ENDING)));
        kept.chain(new).collect()
    }

    /// The plan in its local folder that isn't carried out yet.
    pub(in crate::shards) fn planned(&self) -> io::Result<Option<Planned>> {
        self.planned_in(&LocalStore::at(&self.folder))
    }

    /// The plan in a store that isn't carried out yet.
    pub(in crate::shards) fn planned_in(&self, store: &dyn Store) -> io::Result<Option<Planned>> {
        let text = read_text(store, &name_of(&self.plan_name()));
        let Some(text) = text.map_err(|error| error.source)? else { return Ok(None) };
        Planned::parse(&text).map(Some).ok_or_else(|| {
            let what = "the plan of an index is damaged: remove it, and index again";
            io::Error::new(io::ErrorKind::InvalidData, what)
        })
    }

    /// Renames that give the new shards of a plan their names.
    pub(in crate::shards) fn renames(&self, planned: Planned) -> impl Iterator<Item = Rename> {
        (planned.kept..planned.count).map(|number| self.rename(number, ASIDE, ENDING))
    }

    /// Renames that give the new sidecars of shards that stay their names.
    pub(in crate::shards) fn sidecars(&self, planned: Planned) -> impl Iterator<Item = Rename> {
        (0..planned.kept).map(|number| self.rename(number, SIDECAR_ASIDE, SIDECAR))
    }

    fn rename(&self, number: usize, aside: &str, ending: &str) -> Rename {
        Rename { aside: self.path(number, aside), path: self.path(number, ending) }
    }

    /// The numbers of this repository's files with an ending, increasing.
    pub(in crate::shards) fn numbers(&self, ending: &str) -> io::Result<BTreeSet<usize>> {
        let entries = list_names(&self.folder)?;
        Ok(self.numbers_among(entries.iter().filter_map(|entry| entry.name.to_str()), ending))
    }

    fn numbers_among<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
        ending: &str,
    ) -> BTreeSet<usize> {
        let own = |name| split(name, ending).filter(|(prefix, _)| *prefix == self.prefix);
        names.filter_map(own).map(|(_, number)| number).collect()
    }
}

impl Planned {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_prefix(PLAN_HEAD)?.split_whitespace().map(str::parse);
        let count: usize = numbers.next()?.ok()?;
        let kept: usize = numbers.next().transpose().ok()?.unwrap_or(0);
        let is_plan = numbers.next().is_none() && kept <= count && count <= PLANNED_MAX;
        is_plan.then_some(Planned { kept, count })
    }

    /// Name of the new sidecar of shard `number`, if that stays.
    pub(in crate::shards) fn sidecar_aside(self, prefix: &str, number: usize) -> Option<String> {
        (number < self.kept).then(|| name(prefix, number, SIDECAR_ASIDE))
    }

    /// The text of the plan.
    pub(in crate::shards) fn text(self) -> String {
        match self.kept {
            0 => format!("{PLAN_HEAD}{}\n", self.count),
            kept => format!("{PLAN_HEAD}{} {kept}\n", self.count),
        }
    }
}

fn name(prefix: &str, number: usize, ending: &str) -> String {
    format!("{prefix}.{number:05}{ending}")
}

/// The prefix and the number in a shard's file name.
pub(in crate::shards) fn split<'n>(name: &'n str, ending: &str) -> Option<(&'n str, usize)> {
    let (prefix, number) = name.strip_suffix(ending)?.rsplit_once('.')?;
    let is_number = number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((prefix, number.parse().ok().filter(|_| is_number)?))
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
    fn plans_are_read_as_they_are_written() {
        for planned in [Planned { kept: 0, count: 2 }, Planned { kept: 3, count: 3 }] {
            assert_eq!(Planned::parse(&planned.text()), Some(planned));
        }
        for damaged in ["", "manicule plan 2\n1\n", "manicule plan 1\n", "manicule plan 1\n1 2\n"] {
            assert_eq!(Planned::parse(damaged), None, "{damaged:?}");
        }
        assert_eq!(Planned::parse("manicule plan 1\n100001\n"), None);
    }

    #[test]
    fn long_names_are_cut_and_told_apart() {
        let cut = file_name("x".repeat(300).as_bytes());
        assert_eq!((cut.len(), &cut[200..]), (208, &hex_sha1("x".repeat(300).as_bytes())[..8]));
        check(&"y".repeat(200), &"y".repeat(200));
    }
}
