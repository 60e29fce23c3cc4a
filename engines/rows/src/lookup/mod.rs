//! Where a partition is: by filter, samples and Index.db, or by the trie of keys.

mod big;
mod extent;
mod find;
mod neighbours;
mod page;
mod place;
mod tries;

pub(crate) use extent::{check_end, check_start};
pub(crate) use find::find;
pub(crate) use page::page as trie_page;
pub(crate) use place::{Blocks, Place};
pub(crate) use tries::put_key;
