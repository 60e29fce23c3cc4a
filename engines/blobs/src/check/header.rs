//! The header of a pack against the index.

use manicule_format_restic::{PACK_END_LEN, PackError, PackedBlob, open_header};

use super::finding::{Finding, FindingKind};
use crate::index::{Index, Pack, PackNo};
use crate::packs::{HeaderError, read_header};
use crate::repository::Repository;
use crate::storage::Listed;

/// Compares a header with the index, whose blobs of the pack are sorted. `end` are the pack's last
/// bytes, as many as the header has by the index: with fewer, or where it is longer, it is read
/// from the pack.
pub(super) fn compare(
    repository: &Repository,
    index: &Index,
    pack: PackNo,
    pack_len: u64,
    end: &mut [u8],
    listed: &[PackedBlob],
    findings: &mut Vec<Finding>,
) {
    let Pack { id, header_len, .. } = *index.pack(pack);
    let opened = match open_header(repository.key(), end, pack_len) {
        Err(PackError::TooFew { .. }) => {
            read_header(repository, &Listed { id, len: pack_len }, header_len)
        }
        opened => opened.map_err(HeaderError::Pack),
    };
    let header = match opened {
        Ok(header) => header,
        Err(error) => {
            let kind = match error {
                HeaderError::Storage(_) => FindingKind::PackUnreadable,
                HeaderError::Pack(_) => FindingKind::HeaderDamaged,
            };
            return findings.push(Finding::new(kind, id, error));
        }
    };
    let differs = |what: String| Finding::new(FindingKind::HeaderDiffers, id, what);
    if !header.fills(pack_len) {
        let end = header.blobs_end() + u64::from(header.sealed_len) + PACK_END_LEN as u64;
        let what = format!("blobs and header of a pack of {pack_len} bytes end at {end}");
        findings.push(differs(what));
    }
    let mut blobs = header.blobs;
    blobs.sort_unstable();
    for (blob, has) in differences(&blobs, listed) {
        let (id, offset) = (blob.id, blob.place.offset);
        let what = match has {
            Has::Header => "is not contained in index or position is incorrect",
            Has::Index => "is in the index at a position that the header doesn't have",
        };
        let finding = differs(format!("blob {id}, offset {offset}: {what}"));
        findings.push(finding.of_blob(id).at(offset.into()));
    }
}

/// Which of two lists has a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    Header,
    Index,
}

/// The blobs that only one of two sorted lists has, by their offsets.
fn differences<'b>(
    header: &'b [PackedBlob],
    index: &'b [PackedBlob],
) -> Vec<(&'b PackedBlob, Has)> {
    let only = |of: &'b [PackedBlob], other: &'b [PackedBlob], has: Has| {
        of.iter()
            .filter(move |blob| other.binary_search(blob).is_err())
            .map(move |blob| (blob, has))
    };
    let (of_header, of_index) = (only(header, index, Has::Header), only(index, header, Has::Index));
    let mut all: Vec<_> = of_header.chain(of_index).collect();
    all.sort_by_key(|(blob, _)| blob.place.offset);
    all
}

#[cfg(test)]
mod tests {
    use manicule_format_restic::{BlobKind, Id, Place};

    use super::*;

    fn blob(id: u8, offset: u32) -> PackedBlob {
        let place = Place { offset, len: 10, raw_len: 0 };
        PackedBlob { kind: Some(BlobKind::Data), id: Id([id; 32]), place }
    }

    #[test]
    fn blobs_of_one_list_only_are_found_by_their_offsets() {
        let header = [blob(1, 0), blob(2, 10), blob(3, 20)];
        let index = [blob(1, 0), blob(2, 20), blob(4, 30)];
        let got: Vec<_> = differences(&header, &index)
            .into_iter()
            .map(|(blob, has)| (blob.id.0[0], blob.place.offset, has))
            .collect();
        let want =
            [(2, 10, Has::Header), (3, 20, Has::Header), (2, 20, Has::Index), (4, 30, Has::Index)];
        assert_eq!(got, want);
        assert_eq!(differences(&header, &header), []);
    }
}
