//! Between which places the rows of an SSTable lie, gathered as they pass.
//!
//! Bytes:   docs/formats/sstable.md, "Statistics"

use manicule_format_sstable::{ClusteringBounds, Header, Prefix, PrefixBuf, Type};

/// The bounds so far.
#[derive(Debug)]
pub(super) enum BoundsSeen {
    /// Before `md`: of each component on its own.
    Each { min: Vec<Option<Vec<u8>>>, max: Vec<Option<Vec<u8>>> },
    /// From `md` on: the first and the last place. `first` and `last` are those of the present
    /// partition, whose rows are in order.
    Places {
        min: Option<PrefixBuf>,
        max: Option<PrefixBuf>,
        first: PrefixBuf,
        last: PrefixBuf,
        is_empty: bool,
    },
}

/// Longest value that bounds have bytes for: a bound without it lies further out.
const VALUE_LEN_MAX: usize = u16::MAX as usize;

fn within(mut values: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    if let Some(long) = values.iter().position(|value| value.len() > VALUE_LEN_MAX) {
        values.truncate(long);
    }
    values
}

impl BoundsSeen {
    pub(super) fn new(header: &Header) -> Self {
        if header.version.has_true_bounds() {
            let none = || PrefixBuf::of(&Prefix::FIRST);
            let (first, last, is_empty) = (none(), none(), true);
            return BoundsSeen::Places { min: None, max: None, first, last, is_empty };
        }
        let none = || vec![None; header.clustering.len()];
        BoundsSeen::Each { min: none(), max: none() }
    }

    pub(super) fn pass(&mut self, prefix: &Prefix<'_>, kinds: &[Type]) {
        match self {
            BoundsSeen::Each { min, max } => {
                let values = prefix.values(kinds).zip(kinds);
                for ((value, kind), (min, max)) in values.zip(min.iter_mut().zip(max)) {
                    let Some(value) = value else { continue };
                    let is_beyond = |bound: &Option<Vec<u8>>, is_min: bool| match bound {
                        None => true,
                        Some(bound) => {
                            let order = kind.compare(value, bound);
                            if is_min { order.is_lt() } else { order.is_gt() }
                        }
                    };
                    if is_beyond(min, true) {
                        *min = Some(value.to_vec());
                    }
                    if is_beyond(max, false) {
                        *max = Some(value.to_vec());
                    }
                }
            }
            BoundsSeen::Places { first, last, is_empty, .. } => {
                if std::mem::take(is_empty) {
                    first.set(prefix);
                }
                last.set(prefix);
            }
        }
    }

    pub(super) fn end_partition(&mut self, kinds: &[Type]) {
        let BoundsSeen::Places { min, max, first, last, is_empty } = self else { return };
        if std::mem::replace(is_empty, true) {
            return;
        }
        let order = |left: &PrefixBuf, right: &PrefixBuf| {
            Prefix::compare(kinds, &left.as_prefix(), &right.as_prefix())
        };
        if min.as_ref().is_none_or(|min| order(first, min).is_lt()) {
            *min = Some(first.clone());
        }
        if max.as_ref().is_none_or(|max| order(last, max).is_gt()) {
            *max = Some(last.clone());
        }
    }

    pub(super) fn finish(self, kinds: &[Type]) -> ClusteringBounds {
        let (min, max) = match self {
            // A component that no row has ends them.
            BoundsSeen::Each { min, max } => {
                let known = |values: Vec<Option<Vec<u8>>>| values.into_iter().map_while(|it| it);
                (known(min).collect(), known(max).collect())
            }
            BoundsSeen::Places { min, max, .. } => {
                let values = |place: Option<PrefixBuf>| match place {
                    None => Vec::new(),
                    Some(place) => {
                        let values = place.as_prefix().values(kinds);
                        values.map(|value| value.unwrap_or_default().to_vec()).collect()
                    }
                };
                (values(min), values(max))
            }
        };
        ClusteringBounds::Values { min: within(min), max: within(max) }
    }
}
