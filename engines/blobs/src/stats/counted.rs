//! What is counted of snapshots, and the counts.

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsMode {
    /// What restoring each snapshot for itself would write: a hard link's content once a snapshot.
    RestoreSize,
    /// Files that differ in their contents.
    FilesByContents,
    /// Blobs of these, each once a path.
    BlobsPerFile,
    /// Distinct blobs as they are stored, those of trees too.
    RawData,
}

/// Counts in a mode; what it doesn't count is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of snapshots.
    pub snapshots: u64,
    /// Bytes: of plaintexts, or as stored.
    pub size: u64,
    /// Number of files, or of nodes.
    pub files: u64,
    /// Number of blobs.
    pub blobs: u64,
    /// Bytes that the blobs would have stored without compression.
    pub uncompressed_size: u64,
    /// Stored bytes of the compressed ones.
    pub compressed_size: u64,
    /// Bytes that these would have without.
    pub compressed_uncompressed_size: u64,
    /// What could not be counted, as sentences.
    pub gaps: Vec<String>,
}
