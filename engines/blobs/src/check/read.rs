//! Packs read: whole, each blob opened and the file summed; or their headers only, a small read
//! each.
//!
//! Bytes:   docs/formats/restic.md, "Packs"

use manicule_core::watch::{Meter, Phase, Stopped, Unit};
use manicule_format_restic::{BlobError, Decompressor, FileKind, Id, PackedBlob, open_blob};
use manicule_store::threads::{self, Chunks};

use super::by_pack::{ByPack, EntryNo, blob_of};
use super::call::Call;
use super::finding::{Finding, FindingKind};
use super::header;
use super::packs::FileLens;
use super::window::{Ended, Window};
use crate::index::{Index, Pack, PackNo};
use crate::packs::{BLOB_LEN_MAX, end_of};
use crate::repository::Repository;
use crate::storage::{FileName, Listed, Soon, batches};

/// Bytes of a pack that are brought at once.
const PACK_LEN_AT_ONCE: u64 = 64 << 20;

/// How much of a pack is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Header,
    Whole,
}

/// A blob as the index lists it.
#[derive(Clone, Copy, Debug)]
struct ListedBlob {
    blob: PackedBlob,
    entry: EntryNo,
}

/// What was found in the bytes of packs.
#[derive(Debug, Default)]
pub(super) struct PacksRead {
    pub(super) findings: Vec<Finding>,
    /// Entries whose bytes are not the blob.
    pub(super) bad: Vec<EntryNo>,
    pub(super) bytes: u64,
}

/// Reads packs on all threads. Those without a file are left out.
///
/// A thread holds one blob and 4 MiB of a pack, whatever the pack's length.
pub(super) fn read_packs(
    call: &Call<'_>,
    lens: &FileLens,
    mut packs: Vec<PackNo>,
    depth: Depth,
) -> Result<PacksRead, Stopped> {
    let &Call { repository, index, threads, watch } = call;
    let mut is_wanted = vec![false; index.packs().len()];
    packs.retain(|&pack| lens.of(pack).is_some());
    packs.iter().for_each(|pack| is_wanted[pack.0 as usize] = true);
    let by_pack = ByPack::of(index, &is_wanted);
    let read_len = |&pack: &PackNo| read_len(index.pack(pack), lens.of(pack), depth);
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, packs.iter().map(read_len).sum());
    let mut read = PacksRead::default();
    for packs in batches(repository.storage(), &packs, read_len) {
        if repository.storage().is_far() {
            let soon: Vec<Soon> =
                packs.iter().map(|&pack| soon(index.pack(pack), lens.of(pack), depth)).collect();
            repository.storage().bring(&soon);
        }
        let chunks = Chunks::new(0..packs.len(), 1);
        let work = || {
            let mut reader = PackReader::new(repository, index, &meter);
            for &pack in (&chunks).flatten().map(|at| &packs[at]) {
                let len = lens.of(pack).expect("packs without a file are left out");
                reader.read(pack, len, by_pack.entries(pack), depth)?;
            }
            Ok(reader.done)
        };
        read = joined(Ok(read), threads::fold(threads, work, joined))?;
    }
    meter.end();
    Ok(read)
}

fn joined(
    one: Result<PacksRead, Stopped>,
    other: Result<PacksRead, Stopped>,
) -> Result<PacksRead, Stopped> {
    let (mut one, mut other) = (one?, other?);
    one.findings.append(&mut other.findings);
    one.bad.append(&mut other.bad);
    one.bytes += other.bytes;
    Ok(one)
}

/// What is going to be read of a pack; of one that is too long for memory its beginning.
fn soon(pack: &Pack, file_len: Option<u64>, depth: Depth) -> Soon {
    let len = file_len.unwrap_or(0);
    match depth {
        Depth::Header => end_of(&Listed { id: pack.id, len }, pack.header_len),
        Depth::Whole => Soon::Part(pack.id, 0..len.min(pack.len).min(PACK_LEN_AT_ONCE)),
    }
}

/// Number of bytes that are read of a pack: of a file that is too long what its blobs make, of one
/// that is too short all.
fn read_len(pack: &Pack, file_len: Option<u64>, depth: Depth) -> u64 {
    let len = file_len.unwrap_or(0).min(pack.len);
    match depth {
        Depth::Header => len.min(pack.header_len),
        Depth::Whole => len,
    }
}

struct PackReader<'r> {
    repository: &'r Repository,
    index: &'r Index,
    meter: &'r Meter<'r>,
    bytes: Vec<u8>,
    decompressor: Decompressor,
    done: PacksRead,
}

impl<'r> PackReader<'r> {
    fn new(repository: &'r Repository, index: &'r Index, meter: &'r Meter<'r>) -> Self {
        let (bytes, decompressor) = (Vec::new(), Decompressor::new());
        PackReader { repository, index, meter, bytes, decompressor, done: PacksRead::default() }
    }

    fn read(
        &mut self,
        pack: PackNo,
        file_len: u64,
        entries: &[EntryNo],
        depth: Depth,
    ) -> Result<(), Stopped> {
        let listed = |&entry: &EntryNo| ListedBlob { blob: blob_of(self.index, entry), entry };
        let mut blobs: Vec<ListedBlob> = entries.iter().map(listed).collect();
        blobs.sort_unstable_by_key(|ListedBlob { blob, .. }| (blob.place, blob.kind, blob.id));
        let len = read_len(self.index.pack(pack), Some(file_len), Depth::Whole);
        let read = match depth {
            Depth::Header => self.header(pack, len, &blobs),
            Depth::Whole => self.whole(pack, len, file_len, &blobs),
        };
        match read {
            Ok(()) => Ok(()),
            Err(Ended::Stopped(stopped)) => Err(stopped),
            Err(Ended::Storage(error)) => {
                let id = self.index.pack(pack).id;
                self.done.findings.push(Finding::new(FindingKind::PackUnreadable, id, error));
                Ok(())
            }
        }
    }

    fn header(&mut self, pack: PackNo, len: u64, blobs: &[ListedBlob]) -> Result<(), Ended> {
        let Pack { len: want, header_len, .. } = *self.index.pack(pack);
        // With another length, which is a finding already, its end is no header.
        if len == want {
            self.meter.step(header_len)?;
            self.done.bytes += header_len;
            self.compare(pack, len, &mut [], blobs);
        }
        Ok(())
    }

    fn compare(&mut self, pack: PackNo, len: u64, end: &mut [u8], blobs: &[ListedBlob]) {
        let mut listed: Vec<PackedBlob> = blobs.iter().map(|listed| listed.blob).collect();
        listed.sort_unstable();
        let findings = &mut self.done.findings;
        header::compare(self.repository, self.index, pack, len, end, &listed, findings);
    }

    /// Reads the first `len` bytes of a file: all, unless it is longer than the index makes it.
    fn whole(
        &mut self,
        pack: PackNo,
        len: u64,
        file_len: u64,
        blobs: &[ListedBlob],
    ) -> Result<(), Ended> {
        let Pack { id, len: want, header_len, .. } = *self.index.pack(pack);
        if has_gaps(blobs) {
            let what = "index for pack contains gaps or overlapping blobs";
            self.done.findings.push(Finding::new(FindingKind::PackGaps, id, what));
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        let file = FileName::Of(FileKind::Pack, id);
        let mut window = Window::new(self.repository.storage(), file, len, &mut bytes, self.meter);
        for ListedBlob { blob, entry } in blobs {
            self.blob(id, len, blob, *entry, &mut window)?;
        }
        if len == want {
            let start = window.start().max(len - header_len);
            let mut end = window.take(start, len)?.to_vec();
            let got = window.finish()?;
            if got != id && file_len > len && self.id_of(file, file_len)? == id {
                self.compare(pack, file_len, &mut [], blobs)
            } else {
                if got != id {
                    let what = format!(
                        "unexpected pack id {got}: its bytes are not those that it is named by"
                    );
                    let finding = Finding::new(FindingKind::PackDamaged, id, what);
                    self.done.findings.push(finding);
                }
                self.compare(pack, len, &mut end, blobs);
            }
        }
        self.bytes = bytes;
        self.done.bytes += len;
        Ok(())
    }

    /// The id of a whole file, which is longer than the index makes it.
    fn id_of(&self, file: FileName, len: u64) -> Result<Id, Ended> {
        let mut bytes = Vec::new();
        Window::new(self.repository.storage(), file, len, &mut bytes, self.meter).finish()
    }

    fn blob(
        &mut self,
        pack: Id,
        len: u64,
        blob: &PackedBlob,
        entry: EntryNo,
        window: &mut Window<'_>,
    ) -> Result<(), Ended> {
        let (id, start) = (blob.id, u64::from(blob.place.offset));
        let finding = |kind: FindingKind, what: String| {
            let what = format!("blob {id}, offset {start}: {what}");
            Finding::new(kind, pack, what).of_blob(id).at(start)
        };
        let fault = match self.open(len, blob, window)? {
            Ok(true) => return Ok(()),
            Ok(false) => {
                let want = blob.place.plain_len();
                let what = format!("its plaintext has another length than the index lists: {want}");
                self.done.findings.push(finding(FindingKind::BlobSize, what));
                return Ok(());
            }
            Err(fault) => fault,
        };
        self.done.findings.push(finding(FindingKind::BlobDamaged, fault));
        self.done.bad.push(entry);
        Ok(())
    }

    /// Whether a blob is as long as it is listed; otherwise what is wrong with it.
    fn open(
        &mut self,
        len: u64,
        blob: &PackedBlob,
        window: &mut Window<'_>,
    ) -> Result<Result<bool, String>, Ended> {
        let (start, end) = (u64::from(blob.place.offset), blob.place.end());
        if end > len {
            return Ok(Err(format!("it ends at {end}, and the pack at {len}")));
        }
        if start < window.start() {
            return Ok(Err("it overlaps the blob before it".to_owned()));
        }
        if blob.place.len > BLOB_LEN_MAX {
            let got = blob.place.len;
            return Ok(Err(format!("stored length: wanted at most {BLOB_LEN_MAX}, got {got}")));
        }
        // Nobody needs the stored bytes any more, so they are decrypted where they lie.
        let stored = window.take(start, end)?;
        let limit = BLOB_LEN_MAX as usize;
        let opened = open_blob(self.repository.key(), stored, blob, limit, &mut self.decompressor);
        let opened = opened.map(|opened| opened.is_as_long_as_listed);
        window.pass(end);
        Ok(opened.map_err(|error: BlobError| error.to_string()))
    }
}

/// Whether blobs, by their offsets, don't lie back to back from the start.
fn has_gaps(blobs: &[ListedBlob]) -> bool {
    let starts = blobs.iter().map(|listed| u64::from(listed.blob.place.offset));
    let ends = blobs.iter().map(|listed| listed.blob.place.end());
    !starts.eq(std::iter::once(0).chain(ends).take(blobs.len()))
}
