//! The index once more: a prune that runs beside a call moves blobs into other packs, and removes
//! those that the call knows.

use manicule_core::watch::Watch;
use manicule_format_restic::FileKind;

use super::Repository;
use crate::index::Index;

impl Repository {
    /// The index as it is now, if index files have come or gone since `known` was read. Read once a
    /// call, by one thread; the others wait.
    pub(crate) fn index_since(&self, known: &Index) -> Option<&Index> {
        self.again.get_or_init(|| self.load_since(known)).as_ref()
    }

    fn load_since(&self, known: &Index) -> Option<Index> {
        let listed = self.storage().list(FileKind::Index).ok()?;
        if listed.iter().map(|file| file.id).eq(known.files().iter().map(|file| file.id)) {
            return None;
        }
        let (empty, watch) = (known.empty_again(), Watch::none());
        Index::load_listed(self, &listed, empty, 1, &watch, &mut Err).ok()
    }
}
