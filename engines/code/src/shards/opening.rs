//! What opening shards reads, brought of all of them in two rounds where they are elsewhere.

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_format_zoekt::{Error, Foreseen, Toc};
use manicule_store::store::RangedFile;

use super::open::FoundShard;

/// Brings what opening reads of shards; what can't be brought of one is its error.
pub(super) fn bring_opening<'f>(
    files: impl Iterator<Item = &'f FoundShard>,
    foreseen: Foreseen,
) -> Vec<Result<(), Error>> {
    let files: Vec<&RangedFile> = files.map(|file| &*file.bytes).collect();
    if files.iter().all(|file| file.is_whole()) {
        return files.iter().map(|_| Ok(())).collect();
    }
    let tails = files.iter().map(|file| (*file, vec![Toc::tail(file.len() as u64)]));
    let tails = RangedFile::bring_all(&tails.collect::<Vec<_>>());
    let opening = |(file, tail): (&&RangedFile, Result<(), DecodeError>)| {
        tail.and_then(|()| Toc::of_file(*file)).map(|toc| toc.opening(foreseen))
    };
    let openings: Vec<_> = files.iter().zip(tails).map(opening).collect();
    let wanted = files.iter().zip(&openings);
    let wanted = wanted.map(|(file, ranges)| (*file, ranges.clone().unwrap_or_default()));
    let brought = RangedFile::bring_all(&wanted.collect::<Vec<_>>());
    let both = openings.into_iter().zip(brought);
    both.map(|(opening, brought)| opening.and(brought).map_err(Error::from)).collect()
}
