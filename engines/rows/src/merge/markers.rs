//! Open range deletions of several SSTables as one at a time.

use manicule_format_sstable::{Deletion, Prefix, PrefixBuf, PrefixKind};

use super::rows::later;
use crate::slice::Direction;

/// A place where the range deletion that counts changes, in the direction of reading.
#[derive(Clone, Debug)]
pub struct MergedMarker {
    /// The place; its kind is that of a file, also in reverse.
    pub prefix: PrefixBuf,
    /// The deletion that closes here.
    pub closes: Option<Deletion>,
    /// The deletion that opens here.
    pub opens: Option<Deletion>,
}

/// What is open in each SSTable.
#[derive(Debug)]
pub(crate) struct Open {
    open: Vec<Option<Deletion>>,
    partition: Deletion,
}

impl Open {
    pub(crate) fn new(source_count: usize, partition: Deletion) -> Self {
        Open { open: vec![None; source_count], partition }
    }

    pub(crate) fn set(&mut self, source: usize, open: Option<Deletion>) {
        self.open[source] = open;
    }

    /// The range deletion that counts: the latest, if it is later than the partition's.
    pub(crate) fn current(&self) -> Option<Deletion> {
        let latest = self.open.iter().flatten().copied().reduce(later);
        latest.filter(|latest| latest.supersedes(&self.partition))
    }

    /// The deletion of a row here.
    pub(crate) fn around(&self) -> Deletion {
        self.current().unwrap_or(self.partition)
    }
}

/// The marker at a place, where the deletion that counts changes from one to another; `None` where
/// it doesn't.
pub(crate) fn marker(
    place: &Prefix<'_>,
    closes: Option<Deletion>,
    opens: Option<Deletion>,
    direction: Direction,
) -> Option<MergedMarker> {
    if closes == opens {
        return None;
    }
    let is_after = place.kind.is_after();
    let kind = match (closes.is_some(), opens.is_some(), direction) {
        (true, true, _) if is_after => PrefixKind::InclusiveEndExclusiveStart,
        (true, true, _) => PrefixKind::ExclusiveEndInclusiveStart,
        // A range of the file starts here.
        (false, _, Direction::Forward) | (_, false, Direction::Reverse) if is_after => {
            PrefixKind::ExclusiveStart
        }
        (false, _, Direction::Forward) | (_, false, Direction::Reverse) => {
            PrefixKind::InclusiveStart
        }
        _ if is_after => PrefixKind::InclusiveEnd,
        _ => PrefixKind::ExclusiveEnd,
    };
    let prefix = PrefixBuf::of(&Prefix { kind, components: place.components });
    Some(MergedMarker { prefix, closes, opens })
}
