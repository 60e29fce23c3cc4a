//! An open object.

use std::io;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;

use manicule_store::pages::{ByteSource, Part, ReadCounts};
use manicule_store::store::Version;

use crate::bucket::Bucket;
use crate::plan::requests;
use crate::ranges::read_ranges;

/// An open object. Once it is replaced it can't be read.
#[derive(Debug)]
pub(crate) struct BucketFile {
    pub(crate) bucket: Bucket,
    pub(crate) key: String,
    pub(crate) version: Version,
    /// What is asked for by: known from opening it, or from its first answer.
    pub(crate) e_tag: OnceLock<Option<String>>,
}

impl BucketFile {
    /// The bytes of each range, all asked for at once.
    fn read_ranges(&self, ranges: Vec<Range<u64>>) -> io::Result<Vec<Bytes>> {
        let (key, version) = (self.key.clone(), self.version);
        let e_tag = self.e_tag.get().cloned().flatten();
        let read = self.bucket.run(|shared| async move {
            read_ranges(shared, &key, ranges, Some(version), e_tag).await
        })?;
        // Whoever was first has the same.
        let _ = self.e_tag.set(read.e_tag);
        Ok(read.bytes)
    }
}

impl ByteSource for BucketFile {
    fn version(&self) -> Version {
        self.version
    }

    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()> {
        self.read_parts(&mut [Part { at, out }], counts)
    }

    fn read_parts(&self, parts: &mut [Part<'_>], counts: &mut ReadCounts) -> io::Result<()> {
        let len = self.len();
        let mut wanted = Vec::with_capacity(parts.len());
        for Part { at, out } in parts.iter() {
            let end = at.checked_add(out.len() as u64).filter(|&end| end <= len);
            wanted.push(*at..end.ok_or_else(|| past_the_end(*at, out.len(), len))?);
        }
        let ranges = requests(&wanted, self.bucket.shared().limits.requests_in_flight);
        if ranges.is_empty() {
            return Ok(());
        }
        let read = self.read_ranges(ranges.clone())?;
        counts.reads += ranges.len() as u64;
        counts.read_bytes += read.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
        for Part { at, out } in parts {
            copy(&ranges, &read, *at, out);
        }
        Ok(())
    }
}

/// Fills `out` from pieces of the file, which are in increasing order and hold all of it.
fn copy(ranges: &[Range<u64>], read: &[Bytes], mut at: u64, mut out: &mut [u8]) {
    let mut piece = ranges.partition_point(|range| range.end <= at);
    while !out.is_empty() {
        let from = &read[piece][(at - ranges[piece].start) as usize..];
        let (now, rest) = out.split_at_mut(from.len().min(out.len()));
        now.copy_from_slice(&from[..now.len()]);
        at += now.len() as u64;
        (out, piece) = (rest, piece + 1);
    }
}

/// The error of a range that is not in a file.
pub(crate) fn past_the_end(at: u64, wanted: usize, len: u64) -> io::Error {
    let what = format!("{wanted} bytes wanted at offset {at}, and the file has {len}");
    io::Error::new(io::ErrorKind::UnexpectedEof, what)
}
