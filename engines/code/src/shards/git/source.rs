//! Files of commits as documents of a run.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_store::threads;

use super::super::index::{
    Document, IndexError, Listed, ReadError, Reader, Source, TrigramCounter, Within,
};
use super::gather::{Gathered, GitFile};
use super::kept::KeptDocuments;
use super::objects::Handle;

/// Blobs whose lengths a thread asks for at once.
const AT_ONCE: usize = 256;

/// Files of commits, in the order of their names.
pub(super) struct Commits<'c> {
    gathered: &'c Gathered,
    /// Length of each file; 0 where it is not there.
    lens: Vec<u64>,
    /// Number of each sub-repository among those that have documents.
    numbers: &'c [u32],
    /// Documents that are not read again.
    kept: Option<KeptDocuments<'c>>,
    kept_count: AtomicU64,
}

impl<'c> Commits<'c> {
    /// The files of `gathered`, whose sub-repositories have these numbers.
    pub(super) fn new(
        gathered: &'c Gathered,
        numbers: &'c [u32],
        kept: Option<KeptDocuments<'c>>,
        thread_count: usize,
    ) -> Result<Self, IndexError> {
        let parts: Vec<_> = gathered.files.chunks(AT_ONCE).collect();
        let lens = threads::map(thread_count, parts.len(), |part| {
            let mut handles = Handles::new(gathered);
            let lens = parts[part].iter().map(|file| handles.of(file).blob_len(&file.id));
            lens.map(|len| Ok(len?.unwrap_or(0))).collect::<Result<Vec<u64>, _>>()
        });
        let lens =
            lens.into_iter().collect::<Result<Vec<_>, _>>().map_err(IndexError::Git)?.concat();
        Ok(Commits { gathered, lens, numbers, kept, kept_count: AtomicU64::new(0) })
    }

    /// Number of documents that were kept.
    pub(super) fn kept_count(&self) -> u64 {
        self.kept_count.load(Relaxed)
    }
}

impl Source for Commits<'_> {
    fn document_count(&self) -> usize {
        self.gathered.files.len()
    }

    fn document(&self, index: usize) -> Listed<'_> {
        let GitFile { name, branches, sub, .. } = &self.gathered.files[index];
        Listed {
            name,
            len: self.lens[index],
            branch_mask: *branches,
            sub_repository: self.numbers[*sub as usize],
        }
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        let (handles, counter) = (Handles::new(self.gathered), TrigramCounter::default());
        Box::new(CommitReader { commits: self, handles, counter })
    }
}

struct CommitReader<'r> {
    commits: &'r Commits<'r>,
    handles: Handles<'r>,
    counter: TrigramCounter,
}

impl Reader for CommitReader<'_> {
    fn read(
        &mut self,
        index: usize,
        len_max: u64,
        content: &mut Vec<u8>,
    ) -> Result<Within, ReadError> {
        let file = &self.commits.gathered.files[index];
        if self.commits.lens[index] > len_max {
            return Ok(Within::No);
        }
        // One that is not there was too large for whoever cloned the repository.
        let is_there = self.handles.of(file).blob(&file.id, content).map_err(ReadError::Git)?;
        Ok(if is_there { Within::Yes } else { Within::No })
    }

    fn kept(&mut self, index: usize) -> Option<Document> {
        let document = self.commits.kept.as_ref()?.document(index, &mut self.counter)?;
        self.commits.kept_count.fetch_add(1, Relaxed);
        let Listed { branch_mask, sub_repository, .. } = self.commits.document(index);
        Some(Document { branch_mask, sub_repository, ..document })
    }
}

/// Handles of one thread, each made when it is first needed.
struct Handles<'h> {
    gathered: &'h Gathered,
    handles: Vec<Option<Handle>>,
}

impl<'h> Handles<'h> {
    fn new(gathered: &'h Gathered) -> Self {
        let handles = gathered.subs.iter().map(|_| None).collect();
        Handles { gathered, handles }
    }

    /// The objects of the repository that a file is of.
    fn of(&mut self, file: &GitFile) -> &Handle {
        let sub = file.sub as usize;
        let objects = &self.gathered.subs[sub].objects;
        self.handles[sub].get_or_insert_with(|| objects.handle())
    }
}
