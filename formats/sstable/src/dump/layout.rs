//! Commas and brackets of lists; what lines begin with.

/// Whether a list has items yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items {
    is_empty: bool,
}

impl Items {
    pub(super) fn new() -> Self {
        Items { is_empty: true }
    }

    /// What stands before the next item: `first` before the first one.
    pub(super) fn before<'t>(&mut self, first: &'t str, other: &'t str) -> &'t str {
        if std::mem::replace(&mut self.is_empty, false) { first } else { other }
    }

    /// What ends the list: `empty` one without items.
    pub(super) fn end<'t>(&self, some: &'t str, empty: &'t str) -> &'t str {
        if self.is_empty { empty } else { some }
    }
}

/// Where a partition's lines are, of a dump by lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// `[key]@`, which each begins with.
    pub(super) front: String,
    /// The position of the next line, where it isn't that of its row.
    pub(super) position: Option<u64>,
}
