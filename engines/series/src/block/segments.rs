//! The files of a block's chunks, by the numbers that chunks name them by: 0 is `000001`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{ChunkRef, Segment};
use manicule_store::store::{Fetched, Listed, Name, RangedFile};

use super::error::BlockError;

/// The files of chunks of a block, by their names. Where one is missing the others keep their
/// numbers: by their places the next one would be read in its stead, and its first chunk begins
/// where that of every file does.
#[derive(Debug, Default)]
pub struct Segments {
    files: Vec<SegmentFile>,
}

/// A file of chunks, by its number.
#[derive(Debug)]
struct SegmentFile {
    number: u64,
    segment: Segment<RangedFile>,
}

impl Segments {
    /// Opens the files of a folder. Without the folder there is none.
    pub(super) fn open(files: &Fetched, folder: &Name) -> Result<Self, BlockError> {
        let listed = match files.store().list(folder) {
            Err(error) if error.is_missing() => Vec::new(),
            listed => listed?,
        };
        Segments::of_listed(files, folder, listed)
    }

    /// Opens the files of a folder, as it was listed.
    pub(super) fn of_listed(
        files: &Fetched,
        folder: &Name,
        mut listed: Vec<Listed>,
    ) -> Result<Self, BlockError> {
        listed.retain(|entry| segment_number(&entry.name).is_some());
        listed.sort_by(|left, right| left.name.cmp(&right.name));
        let open = |entry: Listed| {
            let number = segment_number(&entry.name).expect("others were left out");
            let name = folder.join(&entry.name).expect("entries have names");
            let file = files.ranged(&name, Some(&entry))?;
            let damaged = |source| BlockError::Damaged { path: files.store().show(&name), source };
            Ok(SegmentFile { number, segment: Segment::open(file).map_err(damaged)? })
        };
        let opened = listed.into_iter().map(open);
        Ok(Segments { files: opened.collect::<Result<_, BlockError>>()? })
    }

    /// The names of the files, in the same order.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|file| format!("{:06}", file.number + 1))
    }

    /// The files, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Segment<RangedFile>> {
        self.files.iter().map(|file| &file.segment)
    }

    /// Brings chunks that are going to be read, as far as they are elsewhere: a round or two for
    /// each file. They are as long as `len_guess`, but for a few.
    pub(super) fn bring(&self, chunks: &mut [ChunkRef], len_guess: u64) -> Result<(), DecodeError> {
        chunks.sort_unstable();
        for own in chunks.chunk_by(|left, right| left.segment() == right.segment()) {
            // Of a file that is missing the reading of its chunks says so.
            let Ok(segment) = self.of(own[0]) else { continue };
            let offsets = own.iter().map(|chunk| chunk.offset().into());
            segment.bring_chunks(&offsets.collect::<Vec<_>>(), len_guess)?;
        }
        Ok(())
    }

    /// Whether the file that a chunk lies in is there.
    pub fn has(&self, reference: ChunkRef) -> bool {
        self.of(reference).is_ok()
    }

    /// The file that a chunk lies in.
    #[inline]
    pub(super) fn of(&self, reference: ChunkRef) -> Result<&Segment<RangedFile>, DecodeError> {
        let number = reference.segment();
        match self.files.get(number as usize) {
            Some(file) if file.number == u64::from(number) => Ok(&file.segment),
            _ => self.search(reference),
        }
    }

    /// As [`Segments::of`], where the files are not numbered through.
    #[cold]
    fn search(&self, reference: ChunkRef) -> Result<&Segment<RangedFile>, DecodeError> {
        let number = u64::from(reference.segment());
        let found = self.files.iter().find(|file| file.number == number);
        found.map(|file| &file.segment).ok_or_else(|| {
            let (at, want) = (reference.offset().into(), number + 1);
            let (what, got) = match self.files.get(number as usize) {
                Some(file) => ("number of a file of chunks, for a chunk", file.number + 1),
                None => ("count of files of chunks, for a chunk", self.files.len() as u64),
            };
            DecodeError::Corrupt { what, at, want, got }
        })
    }
}

/// The files of a block's chunks, in the order of segments.
pub fn segment_paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.file_name().and_then(|name| segment_number(name.to_str()?)).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The number of a file of chunks by its name: the first one is called `000001`.
pub(super) fn segment_number(name: &str) -> Option<u64> {
    let digits = Some(name).filter(|name| !name.starts_with('+'))?;
    digits.parse::<u64>().ok()?.checked_sub(1)
}
