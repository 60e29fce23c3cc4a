//! Components of SSTables, brought as they are listed and before they are opened: those at an
//! address.

use manicule_store::store::{Store, Wanted};

use super::ahead::{Files, Foreseen, REQUESTS_MAX, put};
use super::listed::Listed;
use super::windows::put_wide;

/// What SSTables at an address are listed for: that is brought with the listing, if it is little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// Any question.
    Everything,
    /// What they say of themselves.
    Statistics,
}

/// Brings the tables of contents of a folder's SSTables and what lies `beside` them, and the short
/// components that they are listed for if these are few.
pub(super) fn bring_listed(
    store: &dyn Store,
    listed: &[Files<'_>],
    ahead: Ahead,
    beside: Option<Wanted>,
) {
    if !store.is_far() || listed.is_empty() {
        return;
    }
    let beside = beside.filter(|_| ahead == Ahead::Everything);
    let mut wanted: Vec<Wanted> = beside.iter().cloned().collect();
    // No SSTable has fewer than a request.
    if listed.len() <= REQUESTS_MAX {
        let foreseen: &[Foreseen] = match ahead {
            Ahead::Everything => &[Foreseen::Opening],
            Ahead::Statistics => &[Foreseen::Listing, Foreseen::Statistics],
        };
        for files in listed {
            foreseen.iter().for_each(|foreseen| put(*files, *foreseen, &mut wanted));
        }
        if wanted.len() <= REQUESTS_MAX {
            if ahead == Ahead::Everything {
                put_wide(listed.iter().copied(), &mut wanted);
            }
            store.bring(&wanted);
            return;
        }
        wanted = beside.into_iter().collect();
    }
    listed.iter().for_each(|files| put(*files, Foreseen::Listing, &mut wanted));
    store.bring(&wanted);
}

/// Brings what is going to be read of SSTables of one folder, in one round.
pub(crate) fn bring<'l>(
    listed: impl IntoIterator<Item = &'l Listed, IntoIter: Clone> + Clone,
    foreseen: Foreseen,
) {
    let Some(first) = listed.clone().into_iter().next() else { return };
    if !first.store.is_far() {
        return;
    }
    let mut wanted = Vec::new();
    let files = listed.into_iter().map(Listed::files);
    files.clone().for_each(|files| put(files, foreseen, &mut wanted));
    if foreseen == Foreseen::Opening {
        put_wide(files, &mut wanted);
    }
    first.store.bring(&wanted);
}

/// Brings what a key is read by, and whether SSTables of one folder may have it: the filters of
/// all, and the types of the newest.
pub fn bring_for_lookup(listed: &[Listed]) {
    let Some(newest) = listed.last().filter(|newest| newest.store.is_far()) else { return };
    let mut wanted = Vec::new();
    put(newest.files(), Foreseen::Header, &mut wanted);
    listed.iter().for_each(|listed| put(listed.files(), Foreseen::Filter, &mut wanted));
    newest.store.bring(&wanted);
}
