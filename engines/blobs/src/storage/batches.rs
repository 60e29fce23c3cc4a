//! How much is brought at once.

use super::Storage;

/// Bytes that are brought at once: a round of 30 ms takes as long as a twentieth of them at 100
/// MB/s.
const BYTES_AT_ONCE: u64 = 64 << 20;

/// Files, packs or ranges that are brought at once.
const COUNT_AT_ONCE: usize = 4096;

/// Stretches of `all` that are brought one after the other, each as long as may be in memory at
/// once; all in one where nothing is brought.
pub(crate) fn batches<'a, T>(
    storage: &dyn Storage,
    all: &'a [T],
    len_of: impl Fn(&T) -> u64,
) -> impl Iterator<Item = &'a [T]> {
    let (mut rest, is_far) = (all, storage.is_far());
    std::iter::from_fn(move || {
        let mut len = 0;
        let mut fits = |item: &T| {
            len += len_of(item);
            len <= BYTES_AT_ONCE
        };
        let count = match rest {
            [] => return None,
            rest if !is_far => rest.len(),
            rest => rest.iter().take(COUNT_AT_ONCE).take_while(|item| fits(item)).count().max(1),
        };
        let (batch, after) = rest.split_at(count);
        rest = after;
        Some(batch)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use manicule_store::store::MemoryStore;

    use super::super::RepositoryFiles;
    use super::*;

    #[test]
    fn a_batch_is_what_fits_and_one_at_least() {
        let far = RepositoryFiles::new(Arc::new(MemoryStore::new(1)));
        let lens = [1, BYTES_AT_ONCE - 1, 1, 2 * BYTES_AT_ONCE, 5];
        let got: Vec<&[u64]> = batches(&far, &lens, |len| *len).collect();
        assert_eq!(got, [&lens[..2], &lens[2..3], &lens[3..4], &lens[4..]]);
        let many = vec![0; COUNT_AT_ONCE + 1];
        assert_eq!(batches(&far, &many, |len| *len).count(), 2);
        let near = RepositoryFiles::local(Path::new("/"));
        assert_eq!(batches(&near, &lens, |len| *len).collect::<Vec<_>>(), [&lens]);
        assert_eq!(batches(&near, &[0; 0], |len| *len).count(), 0);
    }
}
