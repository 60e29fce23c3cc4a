//! A spill: a file without a name, for what does not fit into memory. It goes with its handle,
//! however the process ends.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::publish::OWN;
use crate::{OutFile, SharedFiles};

/// Bytes in the order in which they came, from any thread.
#[derive(Debug)]
pub struct Spill {
    file: OutFile,
    len: AtomicU64,
}

impl Spill {
    /// An empty one. Its file is called `path` for a moment: a run that is killed just then leaves
    /// it to be swept.
    pub fn create(files: &SharedFiles, path: &Path) -> io::Result<Self> {
        let file = OutFile::replace(files, path, OWN)?;
        files.remove(path)?;
        Ok(Spill { file, len: AtomicU64::new(0) })
    }

    /// An empty one in the folder for temporary files.
    pub fn unnamed(files: &SharedFiles) -> io::Result<Self> {
        Ok(Spill { file: OutFile::unnamed(files)?, len: AtomicU64::new(0) })
    }

    /// Adds bytes. Returns where they are.
    pub fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let at = self.len.fetch_add(bytes.len() as u64, Relaxed);
        self.file.write_all_at(bytes, at)?;
        Ok(at)
    }

    /// Fills `buffer` with the bytes from an offset on.
    pub fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;

    #[test]
    fn what_threads_append_is_where_they_were_told_and_no_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spill.tmp");
        std::fs::write(&path, "what a killed run has left").unwrap();
        let spill = Spill::create(&Disk::shared(), &path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let append = |thread: u8| {
            let spill = &spill;
            move || {
                let chunk = |round: usize| vec![thread; round % 7];
                (0..100).map(|round| (spill.append(&chunk(round)).unwrap(), chunk(round))).collect()
            }
        };
        let written: Vec<Vec<(u64, Vec<u8>)>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(append(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (at, want) in written.into_iter().flatten() {
            let mut got = vec![0; want.len()];
            spill.read_at(&mut got, at).unwrap();
            assert_eq!(got, want);
        }
    }
}
