//! The trie of a partition's blocks in Rows.db: the greatest separator that isn't after a place.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use manicule_format_sstable::{Floor, Prefix, RowPayload, Step, TriePage, Until, put_prefix};
use manicule_store::pages::Reading;

use super::place::{BlockPlace, Token};
use crate::RowsError;
use crate::lookup::trie_page;
use crate::table::{IndexFiles, Sstable};

pub(super) fn find(
    sstable: &Sstable,
    root: u64,
    bound: &Prefix<'_>,
    reading: &mut Reading<'_>,
) -> Result<Option<BlockPlace>, RowsError> {
    let types = &sstable.header().clustering;
    let mut path = Vec::new();
    put_prefix(bound.kind, types, bound.values(types), &mut path);
    floor(sstable, root, &path, Until::Including, reading)
}

/// The block before the one with a separator.
pub(super) fn before(
    sstable: &Sstable,
    root: u64,
    path: &[u8],
    reading: &mut Reading<'_>,
) -> Result<Option<BlockPlace>, RowsError> {
    floor(sstable, root, path, Until::Before, reading)
}

fn floor(
    sstable: &Sstable,
    root: u64,
    path: &[u8],
    until: Until,
    reading: &mut Reading<'_>,
) -> Result<Option<BlockPlace>, RowsError> {
    let IndexFiles::Tries { rows, .. } = sstable.index() else { return Ok(None) };
    let mut floor = Floor::new(root, path, until);
    let mut number = floor.first_page();
    loop {
        let bytes = trie_page(rows, number, reading)?;
        let page = TriePage { number, bytes: &bytes };
        match floor.step(page).map_err(|error| rows.damaged(error))? {
            Step::Page(next) => number = next,
            Step::Absent => return Ok(None),
            Step::Found(payload) => {
                let read = RowPayload::read(payload, sstable.version());
                let RowPayload { offset, open } = read.map_err(|error| rows.damaged(error))?;
                let token = Token::Path(floor.path().to_vec());
                return Ok(Some(BlockPlace { offset, open, end: None, limit: None, token }));
            }
        }
    }
}
