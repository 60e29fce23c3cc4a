//! Lengths of texts that a page has as differences: how many there are is said once more in the
//! page, and the library makes space for as many.
//!
//! Bytes:   DELTA_BINARY_PACKED: | block len | miniblocks a block | count | first, zigzag | blocks |, each number LEB128;
//!          a block is | least difference, zigzag | a width of bits for each miniblock | miniblocks |
//!          DELTA_LENGTH_BYTE_ARRAY: | lengths, so | texts |; DELTA_BYTE_ARRAY: | lengths of prefixes, so | lengths of suffixes, so | suffixes |

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::schema::types::ColumnDescriptor;

/// Widths in bits of the levels that come before a page's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    repetition: u32,
    definition: u32,
}

impl Levels {
    pub(super) fn of(column: &ColumnDescriptor) -> Levels {
        let width = |level: i16| i16::BITS - level.max(0).leading_zeros();
        let (repetition, definition) =
            (width(column.max_rep_level()), width(column.max_def_level()));
        Levels { repetition, definition }
    }
}

/// Refuses a page that has more lengths than values. What can't be read here can't be by the
/// library, which says so.
pub(super) fn check(page: &Page, levels: Levels) -> Result<(), String> {
    let Some((encoding, values)) = values_of(page, levels) else { return Ok(()) };
    let count_max = page.num_values().into();
    match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Deltas::within(values, count_max).map(drop),
        Encoding::DELTA_BYTE_ARRAY => {
            let prefixes = Deltas::within(values, count_max)?;
            match prefixes.and_then(Deltas::skip) {
                Some(rest) => Deltas::within(rest, count_max).map(drop),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// The encoding and the bytes of a page's values, after its levels.
fn values_of(page: &Page, levels: Levels) -> Option<(Encoding, &[u8])> {
    match page {
        Page::DataPage {
            buf,
            num_values,
            encoding,
            def_level_encoding,
            rep_level_encoding,
            ..
        } => {
            let count = *num_values;
            let rest = skip_levels(buf, levels.repetition, *rep_level_encoding, count)?;
            Some((*encoding, skip_levels(rest, levels.definition, *def_level_encoding, count)?))
        }
        Page::DataPageV2 { buf, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let len = def_levels_byte_len.checked_add(*rep_levels_byte_len)?;
            Some((*encoding, buf.get(len as usize..)?))
        }
        Page::DictionaryPage { .. } => None,
    }
}

fn skip_levels(bytes: &[u8], width: u32, encoding: Encoding, count: u32) -> Option<&[u8]> {
    match encoding {
        _ if width == 0 => Some(bytes),
        Encoding::RLE => {
            let (len, rest) = bytes.split_first_chunk()?;
            rest.get(u32::from_le_bytes(*len) as usize..)
        }
        // The only other encoding of levels is the deprecated one, packed.
        _ => bytes.get((u64::from(count) * u64::from(width)).div_ceil(8) as usize..),
    }
}

/// A list of numbers as differences.
struct Deltas<'a> {
    /// Number of miniblocks of a block.
    part_count: u64,
    /// Number of values of a miniblock.
    part_len: u64,
    count: u64,
    blocks: &'a [u8],
}

impl<'a> Deltas<'a> {
    /// The header of a list, which may have `count_max` numbers; `None` of bytes that aren't one.
    fn within(bytes: &'a [u8], count_max: u64) -> Result<Option<Deltas<'a>>, String> {
        match Deltas::of(bytes) {
            Some(list) if list.count > count_max => {
                Err(format!("a page of {count_max} values has {} lengths", list.count))
            }
            list => Ok(list),
        }
    }

    fn of(mut bytes: &'a [u8]) -> Option<Deltas<'a>> {
        let [block_len, part_count, count, _first] = [(); 4].map(|()| varint(&mut bytes));
        let (block_len, part_count) = (block_len?, part_count?);
        let part_len = block_len.checked_div(part_count)?;
        Some(Deltas { part_count, part_len, count: count?, blocks: bytes })
    }

    /// The bytes after the list.
    fn skip(self) -> Option<&'a [u8]> {
        let (mut rest, mut left) = (self.blocks, self.count.saturating_sub(1));
        while left > 0 {
            varint(&mut rest)?;
            let (widths, parts) = rest.split_at_checked(usize::try_from(self.part_count).ok()?)?;
            let mut len = 0_u64;
            for width in widths {
                // The widths after the last value are there, and say nothing.
                if left > 0 {
                    len = len.checked_add(u64::from(*width).checked_mul(self.part_len)? / 8)?;
                }
                left = left.saturating_sub(self.part_len);
            }
            if self.part_len == 0 {
                return None;
            }
            rest = parts.get(usize::try_from(len).ok()?..)?;
        }
        Some(rest)
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}
