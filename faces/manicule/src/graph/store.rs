//! A store that is open: its reading verbs are methods, of any number of threads at once.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use manicule_core::watch::Watch;
use manicule_graph::{
    LostCommits, Snapshot, read_snapshot, read_snapshot_in, read_store, read_store_again,
    read_store_again_in, read_store_in,
};
use manicule_store::store::Fetched;

use super::error::Error;
use super::open::{Writing, files_of, open_to_write, random};

/// A store that is open to be read, beside whoever writes it.
///
/// It shows the moment at which it was opened, or last [looked again](Store::look_again); that of a
/// [`Writer`] shows all that is durable when a call begins. From call to call it keeps what is
/// dear: leaves and dictionaries stay mapped, and the log is read once.
///
/// ```
/// use manicule::graph::{LoadCall, Store, Writing, load};
/// use manicule::watch::Watch;
///
/// let folder = tempfile::tempdir()?;
/// let (document, place) = (folder.path().join("a.nt"), folder.path().join("store"));
/// std::fs::write(&document, "<x:lamp> <x:is> \"lit\" .\n")?;
/// load(&place, Writing::PLAIN, &LoadCall::new(vec![document]), &Watch::none())?;
///
/// let store = Store::open(&place)?;
/// assert_eq!(store.stats()?.default.quads, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    source: Source,
}

/// Where a store's moments come from.
#[derive(Debug)]
enum Source {
    /// Its folder: the moment that was last seen.
    Folder(RwLock<Snapshot>),
    /// An address, whose files are brought here: the moment that was last seen.
    Remote(Fetched, RwLock<Snapshot>),
    /// A named snapshot, which stays as it is.
    Named(Snapshot),
    /// This process, which writes it.
    Written(manicule_graph::Store),
}

impl Store {
    /// Opens the store of a folder or an address as it is now: all commits that are in its log.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let source = match files_of(folder)? {
            None => Source::Folder(RwLock::new(read_store(folder, random()?)?)),
            Some(files) => {
                let seen = RwLock::new(read_store_in(&files, random()?)?);
                Source::Remote(files, seen)
            }
        };
        Ok(Store { folder: folder.to_owned(), source })
    }

    /// Opens a store as a named snapshot has it; without a name, as it is now.
    pub fn open_at(folder: &Path, name: Option<&str>) -> Result<Self, Error> {
        let Some(name) = name else { return Store::open(folder) };
        let snapshot = match files_of(folder)? {
            None => read_snapshot(folder, name, random()?)?,
            Some(files) => read_snapshot_in(&files, name, random()?)?,
        };
        Ok(Store { folder: folder.to_owned(), source: Source::Named(snapshot) })
    }

    /// Its folder, or its address.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Number of the last commit that it shows.
    pub fn commit(&self) -> u64 {
        self.snapshot().commit()
    }

    /// Shows the store as it is now from here on, with the commits that others have made since.
    /// Calls that have begun go on with what they have. Costs a look at three small files, and the
    /// new commits; leaves that are still the same stay mapped.
    pub fn look_again(&self) -> Result<(), Error> {
        let before = self.snapshot();
        let (now, seen) = match &self.source {
            Source::Folder(seen) => (read_store_again(&self.folder, &before)?, seen),
            Source::Remote(files, seen) => (read_store_again_in(files, &before)?, seen),
            Source::Named(_) | Source::Written(_) => return Ok(()),
        };
        let mut seen = seen.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have seen more meanwhile.
        if seen.commit() <= now.commit() {
            *seen = now;
        }
        Ok(())
    }

    /// What a call reads.
    pub(super) fn snapshot(&self) -> Snapshot {
        match &self.source {
            Source::Folder(seen) | Source::Remote(_, seen) => {
                seen.read().unwrap_or_else(PoisonError::into_inner).clone()
            }
            Source::Named(snapshot) => snapshot.clone(),
            Source::Written(store) => store.snapshot(),
        }
    }
}

/// A store that is open to be written: one process has it at a time, and any number of its threads.
/// Updates that wait for the disk at the same time are synced together.
///
/// Merges are made beside it, as [`Writing::merges`] says; dropped, it ends one that is under way,
/// whose commits stay in the log.
#[derive(Debug)]
pub struct Writer {
    store: Store,
    pub(super) engine: manicule_graph::Store,
}

impl Writer {
    /// Opens a store for writing; waits for who has it, as long as `writing` says.
    pub fn open(folder: &Path, writing: Writing, watch: &Watch<'_>) -> Result<Self, Error> {
        Ok(Writer::of(folder, open_to_write(folder, writing, watch)?))
    }

    pub(super) fn of(folder: &Path, engine: manicule_graph::Store) -> Self {
        let source = Source::Written(engine.clone());
        Writer { store: Store { folder: folder.to_owned(), source }, engine }
    }

    /// The store, to be read: it shows all that is durable.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The commits that were lost, and given up when it was opened.
    pub fn forgotten(&self) -> Option<&LostCommits> {
        self.engine.forgotten()
    }

    /// Number of syncs of the log that commits have waited for so far: one may be for several.
    pub fn sync_count(&self) -> u64 {
        self.engine.sync_count()
    }

    /// Waits for the end of a merge that is made beside it.
    pub fn wait_for_merge(&self) -> Result<(), Error> {
        Ok(self.engine.wait_for_merge()?)
    }

    /// Whether enough commits wait that somebody should call [`merge_beside`](super::merge_beside)
    /// or [`merge_later`](super::merge_later).
    pub fn is_merge_due(&self) -> bool {
        self.engine.is_merge_due()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::{
        DefaultGraphChoice, Fits, LoadCall, QueryCall, QueryLimits, RowFormat, RowsAs, Syncs,
        Syntax, UpdateCall, load, merge,
    };
    use super::*;

    const WRITERS: u64 = 8;
    const UPDATES: u64 = 20;

    /// A folder with a store of no quads.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        load(&place, Writing::PLAIN, &LoadCall::new(Vec::new()), &Watch::none()).unwrap();
        folder
    }

    fn query(text: &str) -> QueryCall {
        QueryCall {
            text: text.to_owned(),
            base: None,
            default_graph: DefaultGraphChoice::Own,
            limits: QueryLimits::NONE,
            rows: RowsAs::Document(RowFormat::Csv),
            triples: Syntax::NTriples,
            prefixes: Vec::new(),
            fits: Fits::Any,
        }
    }

    fn count(store: &Store) -> u64 {
        let mut out = Vec::new();
        let asked = query("SELECT (COUNT(*) AS ?count) { ?s ?p ?o }");
        store.query(&asked, &mut out, &Watch::none()).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().nth(1).expect(&text).parse().unwrap()
    }

    fn insert(writer: &Writer, subject: &str) -> Option<u64> {
        let text = format!("INSERT DATA {{ <x:{subject}> <x:is> \"lit\" }}");
        let updated = writer.update(&UpdateCall::new(text), &Watch::none()).unwrap();
        assert_eq!((updated.added, updated.removed), (1, 0));
        updated.commit
    }

    #[test]
    fn a_store_is_read_and_written_by_many_threads() {
        let folder = folder();
        let place = folder.path().join("store");
        let writer = Writer::open(&place, Writing::PLAIN, &Watch::none()).unwrap();
        let (beside, first) = (Store::open(&place).unwrap(), Store::open(&place).unwrap());
        thread::scope(|scope| {
            for own in 0..WRITERS {
                let writer = &writer;
                scope.spawn(move || {
                    for number in 0..UPDATES {
                        let before = writer.store().commit();
                        let commit = insert(writer, &format!("{own}-{number}"));
                        // What is acknowledged is seen at once.
                        assert!(commit.is_some_and(|commit| commit > before));
                        assert!(Some(writer.store().commit()) >= commit);
                    }
                });
            }
            for _ in 0..2 {
                let beside = &beside;
                scope.spawn(move || {
                    let mut seen = 0;
                    while seen < WRITERS * UPDATES {
                        beside.look_again().unwrap();
                        let now = count(beside);
                        assert!(now >= seen, "{now} after {seen}");
                        seen = now;
                    }
                });
            }
        });
        assert_eq!(count(writer.store()), WRITERS * UPDATES);
        // Who hasn't looked again sees what it has opened.
        assert_eq!((count(&first), first.commit()), (0, 0));
    }

    #[test]
    fn a_store_that_is_merged_meanwhile_is_seen() {
        let folder = folder();
        let place = folder.path().join("store");
        let writer = Writer::open(&place, Writing::PLAIN, &Watch::none()).unwrap();
        insert(&writer, "first");
        writer.name_snapshot("one").unwrap();
        insert(&writer, "second");
        drop(writer);
        let (store, named) =
            (Store::open(&place).unwrap(), Store::open_at(&place, Some("one")).unwrap());
        assert!(merge(&place, Writing::PLAIN, &Watch::none()).unwrap());
        for store in [&store, &named] {
            store.look_again().unwrap();
        }
        assert_eq!((count(&store), count(&named)), (2, 1));
        let absent = Store::open_at(&place, Some("two")).unwrap_err();
        assert_eq!(absent.class(), crate::ErrorClass::Missing, "{absent}");
    }

    #[test]
    fn a_store_that_is_not_synced_is_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        let writing = Writing { syncs: Syncs::None, ..Writing::PLAIN };
        load(&place, writing, &LoadCall::new(Vec::new()), &Watch::none()).unwrap();
        let writer = Writer::open(&place, writing, &Watch::none()).unwrap();
        insert(&writer, "first");
        drop(writer);
        assert!(merge(&place, writing, &Watch::none()).unwrap());
        insert(&Writer::open(&place, writing, &Watch::none()).unwrap(), "second");
        assert_eq!(count(&Store::open(&place).unwrap()), 2);
    }

    #[test]
    fn changes_that_are_appended_are_seen_when_they_are_durable() {
        let folder = folder();
        let writer =
            Writer::open(&folder.path().join("store"), Writing::PLAIN, &Watch::none()).unwrap();
        let append = |subject: &str| {
            let mut transaction = writer.begin().unwrap();
            let text = format!("INSERT DATA {{ <x:{subject}> <x:is> \"lit\" }}");
            transaction.update(&UpdateCall::new(text), &Watch::none()).unwrap();
            transaction.append().unwrap()
        };
        let (first, second) = (append("first"), append("second"));
        assert_eq!(count(writer.store()), 0);
        assert_eq!(second.wait().unwrap().commit, Some(2));
        assert_eq!(count(writer.store()), 2);
        assert_eq!(first.wait().unwrap().commit, Some(1));
        assert_eq!(append("second").wait().unwrap().commit, None);
        assert_eq!(writer.sync_count(), 1);
        // Those of 64 writers that wait at the same time have one sync together.
        let waiting: Vec<_> = (0..64).map(|number| append(&number.to_string())).collect();
        thread::scope(|scope| {
            for appended in waiting {
                scope.spawn(|| appended.wait().unwrap());
            }
        });
        assert_eq!((writer.sync_count(), writer.store().commit()), (2, 66));
    }

    #[test]
    fn one_process_writes_at_a_time() {
        let folder = folder();
        let place = folder.path().join("store");
        let writing = Writing { wait: std::time::Duration::ZERO, ..Writing::PLAIN };
        let _writer = Writer::open(&place, writing, &Watch::none()).unwrap();
        let busy = Writer::open(&place, writing, &Watch::none()).unwrap_err();
        assert_eq!(busy.class(), crate::ErrorClass::Busy, "{busy}");
    }
}
