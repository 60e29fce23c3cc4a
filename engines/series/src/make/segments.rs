//! A block's chunks, written to its segments one after another through one buffer.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{
    ChunkRef, SEGMENT_HEADER, SEGMENT_LEN_MAX, SegmentCut, encode_chunk,
};
use manicule_store::{OutFile, SharedFiles};

/// Bytes are written when there are as many.
const BUFFER_LEN: usize = 1 << 20;

/// The `chunks` folder of a block that is being written.
#[derive(Debug)]
pub struct SegmentWriter {
    files: SharedFiles,
    folder: PathBuf,
    cut: SegmentCut,
    file: Option<OutFile>,
    buffer: Vec<u8>,
}

impl SegmentWriter {
    /// Makes the folder `chunks` in a block's folder.
    pub fn create(files: &SharedFiles, block: &Path) -> io::Result<Self> {
        let (files, folder) = (files.clone(), block.join("chunks"));
        files.create_folder(&folder)?;
        let (cut, buffer) = (SegmentCut::new(SEGMENT_LEN_MAX), Vec::with_capacity(BUFFER_LEN));
        Ok(SegmentWriter { files, folder, cut, file: None, buffer })
    }

    /// The chunks of another series follow: segments are cut series by series.
    pub fn begin_series(&mut self) {
        self.cut.begin_series();
    }

    /// Writes a chunk, and gives its name in the index. Chunks of the series in the order of their
    /// times.
    pub fn push(&mut self, encoding: u8, data: &[u8]) -> io::Result<ChunkRef> {
        let place = self.cut.place(data.len());
        if place.begins_segment {
            self.end_segment()?;
            let number = place.reference.segment() + 1;
            let path = self.folder.join(format!("{number:06}"));
            let mut options = OpenOptions::new();
            options.create_new(true).write(true);
            self.file = Some(OutFile::open(&self.files, &path, &options)?);
            self.buffer.extend_from_slice(&SEGMENT_HEADER);
        }
        encode_chunk(encoding, data, &mut self.buffer);
        if self.buffer.len() >= BUFFER_LEN {
            self.flush()?;
        }
        Ok(place.reference)
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(&self.buffer)?;
        }
        self.buffer.clear();
        Ok(())
    }

    fn end_segment(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.take().map_or(Ok(()), |file| file.sync())
    }

    /// Writes and syncs what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.end_segment()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_store::Disk;
    use std::fs;

    #[test]
    fn chunks_stand_where_their_references_say() {
        let block = tempfile::tempdir().unwrap();
        let mut writer = SegmentWriter::create(&Disk::shared(), block.path()).unwrap();
        let mut written = Vec::new();
        for number in 0..3000usize {
            if number % 7 == 0 {
                writer.begin_series();
            }
            let data = vec![number as u8; number];
            written.push((writer.push(1, &data).unwrap(), data));
        }
        writer.finish().unwrap();
        let bytes = fs::read(block.path().join("chunks/000001")).unwrap();
        assert_eq!(bytes[..8], SEGMENT_HEADER);
        for (reference, data) in written {
            assert_eq!(reference.segment(), 0);
            let mut want = Vec::new();
            encode_chunk(1, &data, &mut want);
            assert!(bytes[reference.offset() as usize..].starts_with(&want), "{reference:?}");
        }
    }

    #[test]
    fn a_block_without_chunks_has_an_empty_folder() {
        let block = tempfile::tempdir().unwrap();
        SegmentWriter::create(&Disk::shared(), block.path()).unwrap().finish().unwrap();
        assert_eq!(fs::read_dir(block.path().join("chunks")).unwrap().count(), 0);
    }
}
