//! A block of the promoted index: from which name to which its rows go, where they are, which
//! deletion is open after them.
//!
//! Bytes:   | first name | last name | vint offset | svint width - 65536 | flag | [deletion] |; name | kind | [2 number of
//!          values, unless a row's] | values |; docs/formats/sstable.md, "Index.db"

use manicule_core::bytes::{DecodeError, Reader};

use crate::data::{Parsed, RowShape, windowed};
use crate::deletion::Deletion;
use crate::prefix::{Components, Prefix, PrefixKind};
use crate::vint::ReadVint;

/// Widths are stored as differences to this one, whatever the size of blocks.
pub(super) const WIDTH_BASE: i64 = 65_536;

/// A block of a long partition.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Offset of the block in Index.db.
    pub at: u64,
    /// Its length there in bytes: the next block or the offset map follows.
    pub len: usize,
    /// Name of its first unfiltered.
    pub first: Prefix<'a>,
    /// Name of its last unfiltered.
    pub last: Prefix<'a>,
    /// Distance of its first unfiltered from the partition's first byte.
    pub offset: u64,
    /// Length in bytes of its unfiltereds. Of a partition's last block a hint only: writers differ
    /// in whether the partition's end is in it.
    pub width: u64,
    /// The range deletion that is open after its last unfiltered.
    pub open: Option<Deletion>,
}

impl<'a> Block<'a> {
    /// The block at the front of a window, which begins at `at` of Index.db.
    pub fn read(
        window: &'a [u8],
        at: u64,
        shape: &RowShape,
    ) -> Result<Parsed<Block<'a>>, DecodeError> {
        windowed(Block::read_whole(&mut Reader::new(window, at), shape), at)
    }

    fn read_whole(r: &mut Reader<'a>, shape: &RowShape) -> Result<Block<'a>, DecodeError> {
        let at = r.at();
        let (first, last) = (name(r, shape)?, name(r, shape)?);
        let offset = r.vint("offset of a block")?;
        let (what, width_at) = ("width of a block", r.at());
        let width = r.svint(what)?.wrapping_add(WIDTH_BASE);
        let Ok(width) = u64::try_from(width) else {
            let (want, got) = (0, width as u64);
            return Err(DecodeError::Corrupt { what, at: width_at, want, got });
        };
        let open = if r.flag("whether a deletion is open after a block")? {
            Some(Deletion::read(r, shape.deletion_form())?)
        } else {
            None
        };
        let len = (r.at() - at) as usize;
        Ok(Block { at, len, first, last, offset, width, open })
    }
}

fn name<'a>(r: &mut Reader<'a>, shape: &RowShape) -> Result<Prefix<'a>, DecodeError> {
    let (what, at) = ("kind of a block's name", r.at());
    let number = r.u8(what)?;
    let kind = PrefixKind::of_number(number).filter(|kind| *kind != PrefixKind::Static);
    let Some(kind) = kind else {
        return Err(DecodeError::Corrupt { what, at, want: 7, got: number.into() });
    };
    let value_count = match kind {
        PrefixKind::Row => shape.clustering_count(),
        _ => shape.prefix_len(r)?,
    };
    let before = r.rest();
    shape.skip_clustering(r, value_count)?;
    let bytes = &before[..before.len() - r.rest().len()];
    Ok(Prefix { kind, components: Components::of_checked(value_count, bytes) })
}
