//! Shards of a folder exchanged for others, all at once: those of several repositories for one that
//! holds them all, and back.
//!
//! The new shards are written aside and synced; then a small file is put beside them, the
//! *exchange*, which names them and the ones that they replace. From then on the new ones are the
//! index, whatever is left to be renamed and removed: `shards_of` reads it so, and whoever writes
//! shards into the folder next finishes it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use manicule_store::planned::Rename;
use manicule_store::publish::{Moves, Plan};
use manicule_store::store::{LocalStore, Store, read_text};
use manicule_store::{SharedFiles, list_names};

use super::entries::{Entries, name_of};
use super::family::{ASIDE, ENDING};

/// Ending of the file.
pub(super) const EXCHANGE: &str = ".exchange";
/// The first line of the file.
pub(super) const HEAD: &str = "manicule exchange 1\n";

/// Shards that take the place of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exchange {
    folder: PathBuf,
    /// Name of the file, without its ending.
    name: String,
    /// Names of the new shards. Until they have them they lie aside.
    pub(super) added: Vec<String>,
    /// Names of the shards that go, with their sidecars.
    pub(super) removed: Vec<String>,
}

impl Exchange {
    /// One that is to be called `name` in `folder`.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        Exchange { folder: folder.to_owned(), name: name.to_owned(), ..Exchange::default() }
    }

    /// Reads the exchange of a name in a local folder, if it is there.
    pub(super) fn read(folder: &Path, name: &str) -> io::Result<Option<Exchange>> {
        Exchange::read_in(&LocalStore::at(folder), folder, name)
    }

    /// Reads the exchange of a name in a store, which messages call `folder`.
    pub(super) fn read_in(
        store: &dyn Store,
        folder: &Path,
        name: &str,
    ) -> io::Result<Option<Exchange>> {
        let mut exchange = Exchange::new(folder, name);
        let text = read_text(store, &name_of(&file_name(name)));
        let Some(text) = text.map_err(|error| error.source)? else { return Ok(None) };
        let lines = text.strip_prefix(HEAD).filter(|rest| rest.ends_with("\n.\n"));
        let Some(lines) = lines else { return Err(damaged()) };
        for line in lines.lines().filter(|line| *line != ".") {
            let (sign, name) = line.split_at_checked(2).ok_or_else(damaged)?;
            if name.contains('/') || !name.ends_with(ENDING) {
                return Err(damaged());
            }
            match sign {
                "+ " => exchange.added.push(name.to_owned()),
                "- " => exchange.removed.push(name.to_owned()),
                _ => return Err(damaged()),
            }
        }
        Ok(Some(exchange))
    }

    /// Path of the file.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(file_name(&self.name))
    }

    /// Takes the exchange as done in a list of shards: by their names, the names that they have
    /// now.
    pub(super) fn apply(
        &self,
        entries: &Entries<'_>,
        shards: &mut BTreeMap<String, String>,
    ) -> io::Result<()> {
        let added =
            self.added.iter().map(|name| Ok((name.clone(), entries.now(aside(name), name)?)));
        let added: Vec<_> = added.collect::<io::Result<_>>()?;
        for name in &self.removed {
            shards.remove(name);
        }
        shards.extend(added);
        Ok(())
    }

    fn renames(&self) -> impl Iterator<Item = Rename> {
        self.added.iter().map(|name| Rename {
            aside: self.folder.join(aside(name)),
            path: self.folder.join(name),
        })
    }

    fn plan(&self) -> Plan {
        let path = self.path();
        Plan { folder: self.folder.clone(), aside: path.with_extension("exchange.tmp"), path }
    }

    /// Makes the new shards, which are synced, the index in the place of the others. After an error
    /// that is so, or it is as before; [`Exchange::read`] tells.
    pub(super) fn put(&self, files: &SharedFiles) -> io::Result<()> {
        let line = |sign: &str, name: &String| format!("{sign} {name}\n");
        let added = self.added.iter().map(|name| line("+", name));
        let removed = self.removed.iter().map(|name| line("-", name));
        let lines: String = added.chain(removed).collect();
        self.plan().put(files, format!("{HEAD}{lines}.\n").as_bytes())
    }

    /// Does what is left to be done of exchanges in a folder.
    pub(super) fn finish_all(folder: &Path, files: &SharedFiles) -> io::Result<()> {
        for entry in list_names(folder)? {
            let name = entry.name.to_str().and_then(|name| name.strip_suffix(EXCHANGE));
            if let Some(name) = name {
                let plan = Exchange::new(folder, name).plan();
                let moves = || Ok(Exchange::read(folder, name)?.map(|exchange| exchange.moves()));
                plan.carry_out(files, moves)?;
            }
        }
        Ok(())
    }

    /// Each shard goes before its sidecar, which may say that parts of it are dead.
    fn moves(&self) -> Moves {
        let sidecar = |name: &String| self.folder.join(format!("{name}.meta"));
        let added = self.added.iter().map(sidecar);
        let removed = self.removed.iter().flat_map(|name| [self.folder.join(name), sidecar(name)]);
        let first_removed = removed.chain(added).collect();
        Moves { first_removed, renamed: self.renames().collect(), then_removed: Vec::new() }
    }
}

fn file_name(name: &str) -> String {
    format!("{name}{EXCHANGE}")
}

/// The name of a new shard before it gets its own.
fn aside(shard: &str) -> String {
    format!("{}{ASIDE}", shard.strip_suffix(ENDING).unwrap_or(shard))
}

fn damaged() -> io::Error {
    let what = "the exchange of shards is damaged: remove it, and merge or explode again";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use manicule_store::Disk;

    use super::super::listing::shards_of;
    use super::*;

    const OLD: [&str; 2] = ["a_v16.00000.zoekt", "b_v16.00000.zoekt"];
    const NEW: &str = "compound-x_v17.00000.zoekt";

    /// A folder with two shards, a sidecar, and a new shard aside.
    fn folder() -> (tempfile::TempDir, Exchange) {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        OLD.into_iter().for_each(|name| put(name, "old"));
        put("b_v16.00000.zoekt.meta", "old");
        put("c_v16.00000.zoekt", "other");
        put("compound-x_v17.00000.zoekt.tmp", "new");
        let mut exchange = Exchange::new(folder.path(), "compound-x_v17");
        exchange.added = vec![NEW.to_owned()];
        exchange.removed = OLD.map(str::to_owned).to_vec();
        (folder, exchange)
    }

    fn texts(folder: &Path) -> Vec<String> {
        let listing = shards_of(folder).unwrap();
        assert!(listing.unread.is_empty());
        listing.shards.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn readers_take_it_as_done_wherever_it_was_interrupted() {
        for step in 0..5 {
            let (folder, exchange) = folder();
            assert_eq!(texts(folder.path()), ["old", "old", "other"]);
            exchange.put(&Disk::shared()).unwrap();
            let moves = exchange.moves();
            for path in moves.first_removed.iter().take(step) {
                let _ = fs::remove_file(path);
            }
            assert_eq!(texts(folder.path()), ["other", "new"], "{step}");
            Exchange::finish_all(folder.path(), &Disk::shared()).unwrap();
            assert_eq!(texts(folder.path()), ["other", "new"], "{step}");
            let names: Vec<_> =
                list_names(folder.path()).unwrap().into_iter().map(|entry| entry.name).collect();
            assert_eq!(names.len(), 2, "{names:?}");
        }
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let (folder, exchange) = folder();
        exchange.put(&Disk::shared()).unwrap();
        let read = |folder: &Path| Exchange::read(folder, "compound-x_v17");
        assert_eq!(read(folder.path()).unwrap(), Some(exchange.clone()));
        let text = fs::read_to_string(exchange.path()).unwrap();
        for damaged in [
            text[..text.len() - 2].to_owned(),
            text.replace("- a", "* a"),
            text.replace("- a", "- ../a"),
            text.replace("exchange 1", "exchange 2"),
        ] {
            fs::write(exchange.path(), damaged).unwrap();
            assert!(read(folder.path()).is_err());
            assert_eq!(shards_of(folder.path()).unwrap().unread.len(), 1);
        }
    }
}
