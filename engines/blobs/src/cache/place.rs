//! Where a repository's cache lies, and how it is opened and written.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use manicule_format_restic::{CacheFrame, CacheKind, CacheSection, Id};
use manicule_store::threads;
use manicule_store::{CacheDir, Mapped, SharedFiles};

use crate::repository::Repository;

/// Number of pages that a thread seals at once: about 1 MB.
const PAGES_AT_ONCE: u64 = 64;

/// How a cache is used by a call.
#[derive(Clone, Debug)]
pub struct CacheUse {
    /// The folder of all caches.
    pub folder: PathBuf,
    /// How files are written.
    pub files: SharedFiles,
    /// Random bytes, drawn for this call: from them a file that is written has a key of its own.
    pub salt: [u8; 32],
    /// Number of threads that seal.
    pub threads: usize,
}

/// The cache of a repository.
#[derive(Clone, Debug)]
pub struct CachePlace {
    dir: CacheDir,
}

impl CachePlace {
    /// In the folder of all caches, by the repository's name.
    pub fn of(folder: &Path, repository: &Repository) -> CachePlace {
        let name = Id::of(repository.config().id.as_bytes()).to_string();
        CachePlace { dir: CacheDir::at(of_repositories(folder).join(&name[..32])) }
    }

    /// Those of all repositories.
    pub fn all(folder: &Path) -> io::Result<Vec<CachePlace>> {
        let dirs = CacheDir::all(&of_repositories(folder))?;
        Ok(dirs.into_iter().map(|dir| CachePlace { dir }).collect())
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// All its bytes.
    pub fn all_len(&self) -> io::Result<u64> {
        Ok(self.dir.list()?.iter().map(|file| file.1).sum())
    }

    /// When it was last written.
    pub fn written_at(&self) -> io::Result<SystemTime> {
        self.dir.last_used()
    }

    /// Removes it, unless somebody is writing it. Returns whether it was removed.
    pub fn clear(&self, files: &SharedFiles) -> io::Result<bool> {
        self.dir.clear(files)
    }

    /// The path of a file.
    pub(super) fn path_of(&self, kind: CacheKind) -> PathBuf {
        self.dir.path().join(name(kind))
    }

    pub(super) fn map(&self, kind: CacheKind) -> io::Result<Mapped> {
        self.dir.map(name(kind))
    }

    /// Writes a file in place of the one there, unless another process is at it. Memory: a few MB
    /// for each thread.
    pub(super) fn put(
        &self,
        repository: &Repository,
        asked: &CacheUse,
        kind: CacheKind,
        contents: &[u8],
        sections: &[(u32, &[u8])],
    ) -> io::Result<()> {
        let Some(lease) = self.dir.lease(&asked.files)? else { return Ok(()) };
        lease.put(name(kind), |out| {
            let lens: Vec<CacheSection> = sections
                .iter()
                .map(|(page_len, plain)| CacheSection {
                    page_len: *page_len,
                    len: plain.len() as u64,
                })
                .collect();
            let mut start = Vec::new();
            let master = repository.key();
            let frame = CacheFrame::new(kind, master, asked.salt, &lens, contents, &mut start);
            out.write_all(&start)?;
            for (number, ((_, plain), section)) in sections.iter().zip(&lens).enumerate() {
                let chunk_count = section.page_count().div_ceil(PAGES_AT_ONCE) as usize;
                let seal = |chunk: usize| sealed(&frame, number, section, plain, chunk as u64);
                threads::in_order(asked.threads, chunk_count, seal, |chunks| {
                    chunks.into_iter().try_for_each(|chunk| out.write_all(&chunk))
                })?;
            }
            Ok(())
        })?;
        lease.sweep(|_| true)
    }
}

/// The folder of the caches of repositories, in that of all caches.
fn of_repositories(folder: &Path) -> PathBuf {
    folder.join("blobs")
}

fn name(kind: CacheKind) -> &'static str {
    match kind {
        CacheKind::Index => "index",
        CacheKind::Trees => "trees",
    }
}

/// Pages of a section, sealed.
fn sealed(
    frame: &CacheFrame,
    number: usize,
    section: &CacheSection,
    plain: &[u8],
    chunk: u64,
) -> Vec<u8> {
    let first = chunk * PAGES_AT_ONCE;
    let mut out = Vec::new();
    for page in first..section.page_count().min(first + PAGES_AT_ONCE) {
        let range = section.page(page);
        frame.seal_page(number, page, &plain[range.start as usize..range.end as usize], &mut out);
    }
    out
}
