//! Findings of a check: what is wrong, with which file, tree or blob, and how bad that is.

use std::fmt::{self, Write as _};

use manicule_format_restic::Id;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something is lost, or can't be trusted.
    Error,
    /// Legal, and yet not what a writer leaves behind: nothing is lost by it.
    Warning,
}

/// Step of a check. Findings are ordered by it, then by the id that they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Index files are read.
    Index,
    /// Packs of the index are compared with those in storage.
    Packs,
    /// Snapshots are read.
    Snapshots,
    /// Trees are walked.
    Trees,
    /// Packs are read.
    Data,
}

/// Makes the kinds and their rows from one table.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $word:literal, $step:ident, $level:ident;)*) => {
        /// What is wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind {
            $($(#[$doc])* $kind,)*
        }

        impl FindingKind {
            /// One word for programs.
            pub fn word(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $word,)*
                }
            }

            /// The step that finds it.
            pub fn step(self) -> Step {
                match self {
                    $(FindingKind::$kind => Step::$step,)*
                }
            }

            /// How bad it is.
            pub fn level(self) -> Level {
                match self {
                    $(FindingKind::$kind => Level::$level,)*
                }
            }
        }
    };
}

kinds! {
    /// An index file can't be read. Nothing else is checked then.
    IndexUnreadable: "index-unreadable", Index, Error;
    /// Index files came or went while the repository was checked, and again while it was checked
    /// again.
    IndexChanged: "index-changed", Index, Warning;
    /// Index files list different blobs for one pack.
    PackDiffers: "pack-differs", Index, Error;
    /// Several index files list a pack, with the same blobs.
    PackRepeated: "pack-repeated", Index, Warning;
    /// One index file lists a pack more than once.
    PackListedTwice: "pack-listed-twice", Index, Warning;
    /// A pack has trees and data blobs, or blobs without a type.
    PackMixed: "pack-mixed", Index, Warning;
    /// A pack of the index has no file.
    PackMissing: "pack-missing", Packs, Error;
    /// A pack lies in a folder where nobody opens it.
    PackMisplaced: "pack-misplaced", Packs, Error;
    /// The file of a pack has another length than its blobs make.
    PackSize: "pack-size", Packs, Error;
    /// No index file lists the pack.
    PackOrphaned: "pack-orphaned", Packs, Warning;
    /// rustic has marked the pack for deletion.
    PackMarked: "pack-marked", Packs, Warning;
    /// A snapshot can't be read.
    SnapshotUnreadable: "snapshot-unreadable", Snapshots, Error;
    /// A snapshot names no tree.
    SnapshotWithoutTree: "snapshot-without-tree", Snapshots, Error;
    /// The index lacks a tree that a snapshot or another tree names.
    TreeMissing: "tree-missing", Trees, Error;
    /// A tree can't be read from any of its places.
    TreeUnreadable: "tree-unreadable", Trees, Error;
    /// The text of a tree is none, from some place on.
    TreeUndecodable: "tree-undecodable", Trees, Error;
    /// A node that can't be restored as it is.
    NodeFault: "node-fault", Trees, Error;
    /// The index lacks a data blob that a file names.
    BlobMissing: "blob-missing", Trees, Error;
    /// A name that is out of order, or there twice.
    NodeOdd: "node-odd", Trees, Warning;
    /// A pack can't be read.
    PackUnreadable: "pack-unreadable", Data, Error;
    /// The blobs of a pack overlap by the index, or there are bytes between them.
    PackGaps: "pack-gaps", Data, Error;
    /// A blob's bytes are not the blob.
    BlobDamaged: "blob-damaged", Data, Error;
    /// A blob's plaintext has another length than the index lists.
    BlobSize: "blob-size", Data, Warning;
    /// The bytes of a pack are not those that it is named by.
    PackDamaged: "pack-damaged", Data, Error;
    /// The header of a pack can't be read.
    HeaderDamaged: "header-damaged", Data, Error;
    /// The header of a pack and the index differ.
    HeaderDiffers: "header-differs", Data, Error;
}

impl FindingKind {
    /// Noun for what its id names.
    pub fn subject(self) -> &'static str {
        match self.step() {
            Step::Index
                if matches!(self, FindingKind::IndexUnreadable | FindingKind::IndexChanged) =>
            {
                "index"
            }
            Step::Index | Step::Packs | Step::Data => "pack",
            Step::Snapshots => "snapshot",
            Step::Trees => "tree",
        }
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub kind: FindingKind,
    /// The file or tree, as [`FindingKind::subject`] calls it. `None` where the storage names files
    /// otherwise.
    pub id: Option<Id>,
    /// The blob that it is about.
    pub blob: Option<Id>,
    /// Offset in the pack, or in the text of the tree.
    pub offset: Option<u64>,
    /// A sentence with the place.
    pub what: String,
}

/// Length of the sentence about a pack that no index lists, of which there may be a million: one
/// that grows is half as long again, and lies between the leavings of its growth.
const TEXT_LEN: usize = 98;

impl Finding {
    pub(super) fn new(kind: FindingKind, id: Id, what: impl fmt::Display) -> Self {
        let mut text = String::with_capacity(TEXT_LEN);
        write!(text, "{} {id}: {what}", kind.subject()).expect("a string takes all");
        let what = text;
        Finding { kind, id: Some(id), blob: None, offset: None, what }
    }

    pub(super) fn of_blob(mut self, blob: Id) -> Self {
        self.blob = Some(blob);
        self
    }

    pub(super) fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// How bad it is.
    pub fn level(&self) -> Level {
        self.kind.level()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Number of errors as restic counts them: those in the bytes of one pack are one.
pub(super) fn error_count(findings: &[Finding]) -> u64 {
    let mut last = None;
    let counts = |finding: &&Finding| {
        let is_error = finding.level() == Level::Error;
        let is_repeat = finding.kind.step() == Step::Data && last == Some(finding.id);
        if is_error && finding.kind.step() == Step::Data {
            last = Some(finding.id);
        }
        is_error && !is_repeat
    };
    findings.iter().filter(counts).count() as u64
}

/// Brings findings into their order, whatever the threads did: those about one thing stay as they
/// were found.
pub(super) fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (finding.kind.step(), finding.id));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: FindingKind, id: u8) -> Finding {
        Finding::new(kind, Id([id; 32]), "x")
    }

    #[test]
    fn the_errors_in_one_pack_are_one() {
        use FindingKind::*;
        let rows: &[(&[(FindingKind, u8)], u64)] = &[
            (&[], 0),
            (&[(PackMixed, 1), (PackOrphaned, 2), (NodeOdd, 1), (BlobSize, 1)], 0),
            (&[(PackSize, 1), (BlobDamaged, 1), (BlobSize, 1), (PackDamaged, 1)], 2),
            (&[(BlobDamaged, 1), (BlobDamaged, 2), (HeaderDamaged, 2)], 2),
            (&[(NodeFault, 1), (NodeFault, 1), (BlobMissing, 1)], 3),
        ];
        for (kinds, want) in rows {
            let findings: Vec<_> = kinds.iter().map(|&(kind, id)| finding(kind, id)).collect();
            assert_eq!(error_count(&findings), *want, "{kinds:?}");
        }
    }
}
