//! What differs between two snapshots.

pub use manicule_blobs::diff::{Change, Compared, DiffCounts, DiffSums};
use manicule_blobs::{Kept, RepoError};
use manicule_core::go::json::put_string;
use manicule_core::watch::Watch;

use super::error::Error;
use super::ls::root_of;
use super::open::Repository;

/// A snapshot, or a folder of one.
#[derive(Clone, Copy, Debug)]
pub struct DiffSide<'k> {
    /// The snapshot.
    pub kept: &'k Kept,
    /// The folder; nothing for all of it.
    pub below: &'k [u8],
}

impl Repository {
    /// Compares two snapshots, or folders of them. `take` receives the paths that differ, with
    /// their metadata only where that is asked for.
    pub fn diff<E: From<Error>>(
        &self,
        sides: &[DiffSide<'_>; 2],
        with_metadata: bool,
        watch: &Watch<'_>,
        mut take: impl FnMut(Compared<'_>) -> Result<(), E>,
    ) -> Result<DiffSums, E> {
        let index = self.index(watch)?;
        let [before, after] = sides;
        let root = |side: &DiffSide<'_>| root_of(self, &index, side.kept, side.below);
        let roots = [root(before)?, root(after)?];
        let mut taken = |row: Compared<'_>| take(row).map_err(Ended::Caller);
        let compared = manicule_blobs::diff::diff(
            &self.engine,
            &index,
            roots,
            with_metadata,
            watch,
            &mut taken,
        );
        let sums = compared.map_err(|ended| match ended {
            Ended::Repo(error) => Error::Repo(error).into(),
            Ended::Caller(error) => error,
        })?;
        index.check_cache().map_err(Error::Repo)?;
        Ok(sums)
    }
}

/// Why a comparison ended early.
enum Ended<E> {
    Repo(RepoError),
    Caller(E),
}

impl<E> From<RepoError> for Ended<E> {
    fn from(error: RepoError) -> Self {
        Ended::Repo(error)
    }
}

/// Appends the object of a path, as `restic diff --json` prints it, without a line end.
pub fn put_change(change: &Change, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"message_type\":\"change\",\"path\":");
    put_string(&change.path, out);
    out.extend_from_slice(format!(",\"modifier\":\"{}\"}}", change.letters).as_bytes());
}

/// Appends the line of counts that comes last there; `words` are what named the two sides.
pub fn put_sums(sums: &DiffSums, words: &[&[u8]; 2], out: &mut Vec<u8>) {
    let counts = |counts: &DiffCounts| {
        let DiffCounts { files, dirs, others, data_blobs, tree_blobs, bytes } = counts;
        format!(
            "{{\"files\":{files},\"dirs\":{dirs},\"others\":{others},\"data_blobs\":{data_blobs},\"tree_blobs\":{tree_blobs},\"bytes\":{bytes}}}"
        )
    };
    out.extend_from_slice(b"{\"message_type\":\"statistics\"");
    for (name, word) in ["source_snapshot", "target_snapshot"].iter().zip(words) {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        put_string(word, out);
    }
    let (changed, added, removed) =
        (sums.changed_files, counts(&sums.added), counts(&sums.removed));
    let rest = format!(",\"changed_files\":{changed},\"added\":{added},\"removed\":{removed}}}\n");
    out.extend_from_slice(rest.as_bytes());
}
