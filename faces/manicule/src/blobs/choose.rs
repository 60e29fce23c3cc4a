//! Which snapshots a call means: words, and conditions on hosts, tags and paths.

use manicule_blobs::{IdPrefix, RepoError, SnapshotFilter, Snapshots, newest};

use super::error::Error;

/// The snapshot that a word means, by its place in the order of time: `latest`, which is the newest
/// that meets the conditions, or a beginning of its id that no other has.
///
/// One that can't be read may be the newest, or the one that is meant: then that is the error.
pub fn snapshot_at(
    snapshots: &Snapshots,
    word: &str,
    filter: &SnapshotFilter,
) -> Result<usize, Error> {
    let Snapshots { kept, broken } = snapshots;
    if word == "latest" {
        if let Some(error) = broken.first() {
            return Err(Error::Broken(error.to_string()));
        }
        let all = kept.iter().map(|kept| (kept.id, &kept.snapshot));
        let newest = newest(all, filter, None).map(|(id, _)| id);
        let at = newest.and_then(|id| kept.iter().position(|kept| kept.id == id));
        return at.ok_or_else(|| Error::NoSnapshot(word.to_owned()));
    }
    let prefix = IdPrefix::parse(word.as_bytes()).ok_or_else(|| Error::NotAnId(word.to_owned()))?;
    let found: Vec<usize> = (0..kept.len()).filter(|&at| prefix.matches(&kept[at].id)).collect();
    let is_meant = |error: &&RepoError| error.file_id().is_some_and(|id| prefix.matches(&id));
    let unread: Vec<&RepoError> = broken.iter().filter(is_meant).collect();
    match (&found[..], &unread[..]) {
        ([], []) => Err(Error::NoSnapshot(word.to_owned())),
        (&[at], []) => Ok(at),
        ([], [error]) => Err(Error::Broken(error.to_string())),
        _ => {
            let count = found.len() + unread.len();
            Err(Error::Ambiguous { prefix: word.to_owned(), count })
        }
    }
}

/// The snapshots that words mean, each once, in the order of time; without words those that meet
/// the conditions.
pub fn chosen(
    snapshots: &Snapshots,
    words: &[String],
    filter: &SnapshotFilter,
) -> Result<Vec<usize>, Error> {
    let all = 0..snapshots.kept.len();
    if words.is_empty() {
        return Ok(all.filter(|&at| filter.matches(&snapshots.kept[at].snapshot)).collect());
    }
    let mut places: Vec<usize> =
        words.iter().map(|word| snapshot_at(snapshots, word, filter)).collect::<Result<_, _>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}
