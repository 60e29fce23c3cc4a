//! Sets of u32 in Roaring's portable form, as section *reposIDsBitmap* holds one.
//!
//! ```text
//! | u32 12346 | u32 container_count |                              without runs
//! | u16 12347 | u16 container_count - 1 | a bit a container: runs |  with runs
//! | a container: u16 high half, u16 cardinality - 1 |
//! | a container: u32 where it begins |             left out with runs and fewer than 4 containers
//! | containers: u16 lows (up to 4096) or 8192 bytes of bits or u16 run_count, (u16 start, u16 len - 1) a run |
//! ```
//! All little-endian.
//!
//! Bytes:   docs/formats/zoekt.md, section *Compound shards*

use manicule_core::bytes::{DecodeError, Reader};

const COOKIE: u32 = 12346;
const COOKIE_RUNS: u32 = 12347;
const ARRAY_MAX: usize = 4096;
const WITHOUT_OFFSETS: usize = 4;
const WHAT: &str = "bitmap of ids";

/// The numbers of the set, increasing; no more than `count_max` of them.
pub(crate) fn decode(mut reader: Reader<'_>, count_max: usize) -> Result<Vec<u32>, DecodeError> {
    let start = reader.at();
    let cookie = u32_le(&mut reader)?;
    let has_runs = cookie & 0xffff == COOKIE_RUNS;
    let container_count = match (has_runs, cookie) {
        (true, _) => (cookie >> 16) as usize + 1,
        (false, COOKIE) => u32_le(&mut reader)? as usize,
        _ => return Err(corrupt(start, COOKIE, cookie)),
    };
    if container_count > 1 << 16 {
        return Err(corrupt(start + 4, 1u32 << 16, container_count as u64));
    }
    let run_bits = if has_runs { reader.take(WHAT, container_count.div_ceil(8))? } else { &[] };
    let heads = reader.take(WHAT, container_count * 4)?;
    if !has_runs || container_count >= WITHOUT_OFFSETS {
        let at = reader.at();
        let offsets = reader.take(WHAT, container_count * 4)?;
        // The first says where the containers begin; the others follow from their lengths.
        let (first, want) = (offsets.first_chunk::<4>(), reader.at() - start);
        if let Some(got) = first.map(|got| u32::from_le_bytes(*got))
            && u64::from(got) != want
        {
            return Err(corrupt(at, want, got));
        }
    }
    let mut numbers: Vec<u32> = Vec::new();
    let mut last_high = None;
    for (index, head) in heads.as_chunks::<4>().0.iter().enumerate() {
        let high = u32::from(u16::from_le_bytes([head[0], head[1]]));
        let count = usize::from(u16::from_le_bytes([head[2], head[3]])) + 1;
        if last_high.is_some_and(|last| high <= last) {
            return Err(corrupt(reader.at(), u64::from(last_high.unwrap_or(0)) + 1, high));
        }
        last_high = Some(high);
        if numbers.len() + count > count_max {
            let got = (numbers.len() + count) as u64;
            return Err(corrupt(reader.at(), count_max as u64, got));
        }
        let before = numbers.len();
        let is_run = run_bits.get(index / 8).is_some_and(|bits| bits >> (index % 8) & 1 == 1);
        container(&mut reader, is_run, count, |low| numbers.push(high << 16 | u32::from(low)))?;
        let got = numbers.len() - before;
        let rises = numbers[before..].windows(2).all(|pair| pair[0] < pair[1]);
        if got != count || !rises {
            return Err(corrupt(reader.at(), count as u64, got as u64));
        }
    }
    match reader.rest().len() {
        0 => Ok(numbers),
        more => Err(corrupt(reader.at(), 0u32, more as u64)),
    }
}

/// Gives the lower halves of one container; of runs no more than `count`.
fn container(
    reader: &mut Reader<'_>,
    is_run: bool,
    count: usize,
    mut push: impl FnMut(u16),
) -> Result<(), DecodeError> {
    if is_run {
        let run_count = u16_le(reader)?;
        let mut left = count;
        for _ in 0..run_count {
            let at = reader.at();
            let (start, more) = (u16_le(reader)?, u16_le(reader)?);
            let len = usize::from(more) + 1;
            let end = start.checked_add(more).filter(|_| len <= left);
            let Some(end) = end else { return Err(corrupt(at, left as u64, len as u64)) };
            left -= len;
            (start..=end).for_each(&mut push);
        }
        return Ok(());
    }
    if count <= ARRAY_MAX {
        let lows = reader.take(WHAT, count * 2)?;
        lows.as_chunks::<2>().0.iter().for_each(|low| push(u16::from_le_bytes(*low)));
        return Ok(());
    }
    let bits = reader.take(WHAT, 8192)?;
    let is_set = |low: &u16| bits[usize::from(low / 8)] >> (low % 8) & 1 == 1;
    (0..=u16::MAX).filter(is_set).for_each(push);
    Ok(())
}

fn u32_le(reader: &mut Reader<'_>) -> Result<u32, DecodeError> {
    reader.u32_le(WHAT)
}

fn u16_le(reader: &mut Reader<'_>) -> Result<u16, DecodeError> {
    Ok(u16::from(reader.u8(WHAT)?) | u16::from(reader.u8(WHAT)?) << 8)
}

fn corrupt(at: u64, want: impl Into<u64>, got: impl Into<u64>) -> DecodeError {
    DecodeError::Corrupt { what: WHAT, at, want: want.into(), got: got.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], want: Option<&[u32]>) {
        let got = decode(Reader::new(bytes, 0), 100_000);
        assert_eq!(got.as_deref().ok(), want, "{got:?}");
    }

    #[test]
    fn an_array() {
        let bytes = b"\x3a\x30\0\0\x01\0\0\0\0\0\x02\0\x10\0\0\0\x07\0\x08\0\x09\0";
        check(bytes, Some(&[7, 8, 9]));
        check(&bytes[..bytes.len() - 1], None);
    }

    #[test]
    fn runs() {
        let bytes = b"\x3b\x30\0\0\x01\x01\0\x09\0\x01\0\x01\0\x09\0";
        check(bytes, Some(&(65537..65547).collect::<Vec<_>>()));
    }

    #[test]
    fn bits() {
        let mut bytes = b"\x3a\x30\0\0\x01\0\0\0\0\0\xff\xff\x10\0\0\0".to_vec();
        bytes.extend_from_slice(&[0xff; 8192]);
        check(&bytes, Some(&(0..65536).collect::<Vec<_>>()));
        bytes[5000] = 0x7f;
        check(&bytes, None);
    }

    #[test]
    fn no_more_than_wanted() {
        let bytes = b"\x3b\x30\0\0\x01\0\0\xff\xff\x01\0\0\0\xff\xff";
        assert!(decode(Reader::new(bytes, 0), 65535).is_err());
        check(bytes, Some(&(0..65536).collect::<Vec<_>>()));
    }
}
