//! Components of listed SSTables, brought before they are opened: those at an address.

use super::ahead::{Foreseen, put};
use super::listed::Listed;

/// Brings what is going to be read of SSTables of one folder, in one round.
pub(crate) fn bring<'l>(listed: impl IntoIterator<Item = &'l Listed> + Clone, foreseen: Foreseen) {
    let Some(first) = listed.clone().into_iter().next() else { return };
    if !first.store.is_far() {
        return;
    }
    let mut wanted = Vec::new();
    listed.into_iter().for_each(|listed| put(listed.files(), foreseen, &mut wanted));
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
