//! References of series and chunks inside a block.

/// Reference of a series in posting lists: its offset in the index divided by 16. In version 1 the
/// offset itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeriesRef(pub u32);

/// Reference of a chunk in a series: the segment's number from 0, and the offset of the chunk in
/// it.
/// | 32 segment | 32 offset |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChunkRef(pub u64);

impl ChunkRef {
    /// The chunk at an offset of a segment.
    pub fn new(segment: u32, offset: u32) -> Self {
        ChunkRef(u64::from(segment) << 32 | u64::from(offset))
    }

    /// Number of its file: 0 is the first, `000001`.
    pub fn segment(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Offset of its length field in that file.
    pub fn offset(self) -> u32 {
        self.0 as u32
    }
}

/// Metadata of a chunk in the index. Times are milliseconds since 1970, both of samples that are in
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChunkMeta {
    /// Of the first sample.
    pub min_time: i64,
    /// Of the last sample.
    pub max_time: i64,
    /// Segment and offset of the chunk.
    pub reference: ChunkRef,
}

impl ChunkMeta {
    /// Whether it may hold a sample of these times, both included.
    pub fn overlaps(&self, min_time: i64, max_time: i64) -> bool {
        self.min_time <= max_time && min_time <= self.max_time
    }
}
