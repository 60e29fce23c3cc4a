//! Local files put into a folder of another store, one by one: those of which others know that they
//! are whole as soon as the last is there.
//!
//! None replaces anything. The smallest goes first: it is one request, which fails if anything has
//! its name, and so the whole name is taken by one writer alone, however the longer ones compare.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::watch::{Meter, Stopped};

use crate::store::{Below, Listed, Name, Replace, Store, StoreError, WriteStore, writer_of};

/// Length up to which a file is read again whose put has failed: its answer may have been lost.
const READ_AGAIN_MAX: u64 = 16 << 20;

/// A folder of another store that new files are put into.
#[derive(Clone, Debug)]
pub struct Upload {
    store: Arc<dyn Store>,
}

impl Upload {
    /// Into a store's own folder. Nothing is asked yet.
    ///
    /// # Errors
    /// A store that is only read.
    pub fn into_store(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        writer_of(&*store)?;
        Ok(Upload { store })
    }

    /// Into a folder in it.
    pub fn below(&self, folder: &Name) -> Self {
        Upload { store: Below::of(Arc::clone(&self.store), folder.clone()) }
    }

    /// The store, whose own folder it is.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The folder as messages have it.
    pub fn path(&self) -> PathBuf {
        self.store.show(&Name::root())
    }

    /// What is in the folder; nothing where there is none.
    pub fn list(&self) -> Result<Vec<Listed>, StoreError> {
        match self.store.list(&Name::root()) {
            Err(error) if error.is_missing() => Ok(Vec::new()),
            listed => listed,
        }
    }

    /// Puts a small file, unless something has its name.
    pub fn put_small(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let (writer, name) = (writer_of(self.store())?, name_of(name));
        match writer.put(&name, bytes, Replace::If(None)) {
            Err(error) if error.is_replaced() => Ok(()),
            put => put.map(drop),
        }
    }

    /// Puts files of a local folder. After `Ok` all are there. After `Err` the last one is not,
    /// unless the error says so, and what was put of the others is removed as far as it can be:
    /// the error names what is left. `meter` counts bytes.
    ///
    /// # Errors
    /// Of both stores; a name that something has.
    ///
    /// # Panics
    /// On a text that is no name.
    pub fn put_all(
        &self,
        from: &Path,
        names: &[String],
        meter: &Meter<'_>,
    ) -> Result<(), StoreError> {
        let Some((last, others)) = names.split_last() else { return Ok(()) };
        let mut files = Vec::new();
        for name in others {
            files.push(OneFile::of(from, name)?);
        }
        files.sort_by_key(|file| file.len);
        files.push(OneFile::of(from, last)?);
        let writer = writer_of(self.store())?;
        for (count, file) in files.iter().enumerate() {
            let is_last = count + 1 == files.len();
            if let Err(error) = self.put(writer, file, is_last, meter) {
                let left = match error.is_replaced() {
                    // What somebody else made visible may need the others.
                    true if is_last => names_of(&files[..count]),
                    true => removed(writer, &files[..count]),
                    // It may be there.
                    false => removed(writer, &files[..=count]),
                };
                return Err(self.with_left(error, &left));
            }
        }
        Ok(())
    }

    fn put(
        &self,
        writer: &dyn WriteStore,
        file: &OneFile,
        is_last: bool,
        meter: &Meter<'_>,
    ) -> Result<(), StoreError> {
        let OneFile { name, path, len } = file;
        let stopped =
            |Stopped| StoreError { file: self.store.show(name), source: io::Error::other(Stopped) };
        meter.step(0).map_err(stopped)?;
        match writer.put_file(name, path, Replace::If(None), meter) {
            // A put whose answer is lost is made again, and finds what it has put.
            Err(error) if (is_last || error.is_replaced()) && self.is_there(file) => {
                meter.add(*len);
                Ok(())
            }
            put => put.map(drop),
        }
    }

    /// Whether a small file is there with the bytes that it should have.
    fn is_there(&self, file: &OneFile) -> bool {
        let mut there = Vec::new();
        file.len <= READ_AGAIN_MAX
            && self.store.read(&file.name, file.len, &mut there).is_ok()
            && fs::read(&file.path).is_ok_and(|bytes| bytes == there)
    }

    /// An error in the words of who puts, with what is left.
    fn with_left(&self, error: StoreError, left: &[&Name]) -> StoreError {
        if error.is_stopped() {
            return error;
        }
        let (kind, mut what) = if error.is_replaced() {
            (io::ErrorKind::AlreadyExists, "there is one already".to_owned())
        } else {
            (error.source.kind(), error.source.to_string())
        };
        let shown = left.iter().map(|name| self.store.show(name).display().to_string());
        let shown: Vec<String> = shown.collect();
        if !shown.is_empty() {
            what += &format!("; what may be there of it has to be removed: {}", shown.join(", "));
        }
        StoreError { source: io::Error::new(kind, what), ..error }
    }
}

/// A local file, and its name in the other store.
#[derive(Debug)]
struct OneFile {
    name: Name,
    path: PathBuf,
    len: u64,
}

impl OneFile {
    fn of(folder: &Path, name: &str) -> Result<Self, StoreError> {
        let (name, path) = (name_of(name), folder.join(name));
        match fs::metadata(&path) {
            Ok(seen) => Ok(OneFile { name, path, len: seen.len() }),
            Err(source) => Err(StoreError { file: path, source }),
        }
    }
}

fn name_of(text: &str) -> Name {
    Name::new(text).expect("a relative name")
}

fn names_of(files: &[OneFile]) -> Vec<&Name> {
    files.iter().map(|file| &file.name).collect()
}

/// Removes files, the last first: without it the others are not visible. Those that are left after
/// the first that can't be removed.
fn removed<'f>(writer: &dyn WriteStore, files: &'f [OneFile]) -> Vec<&'f Name> {
    let left = files.iter().rposition(|file| writer.remove(&file.name).is_err());
    names_of(left.map_or(&[], |last| &files[..=last]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Failing, MemoryStore};
    use manicule_core::watch::Watch;

    const FILES: [&str; 3] = ["chunks/1", "index", "meta"];

    struct Case {
        folder: tempfile::TempDir,
        store: MemoryStore,
    }

    impl Case {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("chunks")).unwrap();
            for (number, name) in FILES.iter().enumerate() {
                fs::write(folder.path().join(name), name.repeat(9 - number)).unwrap();
            }
            Case { folder, store: MemoryStore::new(1) }
        }

        fn put(&self) -> Result<(), StoreError> {
            let upload = Upload::into_store(Arc::new(self.store.clone())).unwrap();
            let names: Vec<String> = FILES.iter().map(|name| (*name).to_owned()).collect();
            upload.below(&name_of("one")).put_all(
                self.folder.path(),
                &names,
                &Watch::none().silent(),
            )
        }

        /// Names in the store.
        fn there(&self) -> Vec<&str> {
            self.store.fail(None);
            let is_there = |name: &&str| self.store.look(&name_of(&format!("one/{name}"))).is_ok();
            FILES.into_iter().filter(is_there).collect()
        }
    }

    #[test]
    fn all_are_there_or_the_last_is_not() {
        let case = Case::new();
        case.put().unwrap();
        assert_eq!(case.store.counts().requests, 3);
        assert_eq!(case.there(), FILES);
        for failing in (0..3).flat_map(|at| [Failing::Once(at), Failing::From(at)]) {
            let case = Case::new();
            case.store.fail(Some(failing));
            let (done, there) = (case.put(), case.there());
            let error = done.expect_err("a put has failed").to_string();
            assert!(!there.contains(&"meta"), "{failing:?}: {error}");
            for name in there {
                assert!(error.contains(&format!("memory:one/{name}")), "{failing:?}: {error}");
            }
        }
    }

    #[test]
    fn what_is_there_stays() {
        for (name, want) in [("index", &["index"][..]), ("meta", &FILES)] {
            let case = Case::new();
            case.store.put(&name_of(&format!("one/{name}")), b"other", Replace::Any).unwrap();
            let error = case.put().expect_err("it is there");
            assert_eq!(error.source.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(case.there(), want, "{error}");
            let mut bytes = Vec::new();
            case.store.read(&name_of(&format!("one/{name}")), 100, &mut bytes).unwrap();
            assert_eq!(bytes, b"other");
        }
    }

    #[test]
    fn what_has_the_same_bytes_was_put_before() {
        let case = Case::new();
        case.put().unwrap();
        case.put().unwrap();
        assert_eq!(case.there(), FILES);
    }

    #[test]
    fn a_call_that_is_stopped_leaves_nothing() {
        let case = Case::new();
        let upload = Upload::into_store(Arc::new(case.store.clone())).unwrap();
        let watch = Watch::none();
        watch.cancel();
        let error = upload.put_all(case.folder.path(), &["index".to_owned()], &watch.silent());
        assert!(error.expect_err("stopped").is_stopped());
        assert_eq!(case.there(), [""; 0]);
    }
}
