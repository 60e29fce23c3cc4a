//! The files of a block's chunks, by the numbers that chunks name them by: 0 is `000001`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{ChunkRef, Segment};
use manicule_store::Mapped;

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
    segment: Segment<Mapped>,
}

impl Segments {
    /// Opens the files of a folder. Without the folder there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, BlockError> {
        let paths = segment_paths(folder).map_err(BlockError::io(folder))?;
        let open = |path: PathBuf| {
            let mapped = Mapped::open(&path).map_err(BlockError::io(&path))?;
            let segment = Segment::open(mapped).map_err(BlockError::damaged(&path))?;
            Ok(segment_number(&path).map(|number| SegmentFile { number, segment }))
        };
        let files = paths.into_iter().map(open).filter_map(Result::transpose);
        Ok(Segments { files: files.collect::<Result<_, _>>()? })
    }

    /// The files, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Segment<Mapped>> {
        self.files.iter().map(|file| &file.segment)
    }

    /// Whether the file that a chunk lies in is there.
    pub fn has(&self, reference: ChunkRef) -> bool {
        self.of(reference).is_ok()
    }

    /// The file that a chunk lies in.
    #[inline]
    pub(super) fn of(&self, reference: ChunkRef) -> Result<&Segment<Mapped>, DecodeError> {
        let number = reference.segment();
        match self.files.get(number as usize) {
            Some(file) if file.number == u64::from(number) => Ok(&file.segment),
            _ => self.search(reference),
        }
    }

    /// As [`Segments::of`], where the files are not numbered through.
    #[cold]
    fn search(&self, reference: ChunkRef) -> Result<&Segment<Mapped>, DecodeError> {
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
        if segment_number(&path).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The number of a file of chunks by its name: the first one is called `000001`.
pub(super) fn segment_number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str().filter(|name| !name.starts_with('+'))?;
    name.parse::<u64>().ok()?.checked_sub(1)
}
