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
const BITS_LEN: usize = 8192;
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
    let bits = reader.take(WHAT, BITS_LEN)?;
    let is_set = |low: &u16| bits[usize::from(low / 8)] >> (low % 8) & 1 == 1;
    (0..=u16::MAX).filter(is_set).for_each(push);
    Ok(())
}

/// The set of `numbers`, which rise, as the library of Go writes it after its run optimisation: a
/// container of runs only where that is shorter than an array or bits.
pub(crate) fn encode(numbers: &[u32]) -> Vec<u8> {
    let containers: Vec<&[u32]> = numbers.chunk_by(|a, b| a >> 16 == b >> 16).collect();
    let runs: Vec<Option<Vec<&[u32]>>> = containers.iter().copied().map(runs_if_shorter).collect();
    let (mut out, has_runs) = (Vec::new(), runs.iter().any(Option::is_some));
    if has_runs {
        out.extend_from_slice(&(COOKIE_RUNS | (containers.len() as u32 - 1) << 16).to_le_bytes());
        let bits = runs.chunks(8).map(|runs| {
            let bit = |(index, runs): (usize, &Option<_>)| u8::from(runs.is_some()) << index;
            runs.iter().enumerate().map(bit).sum::<u8>()
        });
        out.extend(bits);
    } else {
        out.extend_from_slice(&COOKIE.to_le_bytes());
        out.extend_from_slice(&(containers.len() as u32).to_le_bytes());
    }
    for container in &containers {
        out.extend_from_slice(&((container[0] >> 16) as u16).to_le_bytes());
        out.extend_from_slice(&((container.len() - 1) as u16).to_le_bytes());
    }
    let both = containers.iter().zip(&runs);
    let bodies: Vec<Vec<u8>> = both.map(|(one, runs)| body(one, runs.as_deref())).collect();
    if !has_runs || containers.len() >= WITHOUT_OFFSETS {
        let mut at = out.len() + containers.len() * 4;
        for body in &bodies {
            out.extend_from_slice(&(at as u32).to_le_bytes());
            at += body.len();
        }
    }
    bodies.iter().for_each(|body| out.extend_from_slice(body));
    out
}

/// The runs of a container, if they take fewer bytes than its numbers.
fn runs_if_shorter(container: &[u32]) -> Option<Vec<&[u32]>> {
    let runs: Vec<_> = container.chunk_by(|a, b| a + 1 == *b).collect();
    let without = if container.len() <= ARRAY_MAX { container.len() * 2 } else { BITS_LEN };
    (2 + runs.len() * 4 < without).then_some(runs)
}

fn body(container: &[u32], runs: Option<&[&[u32]]>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |number: u32| out.extend_from_slice(&(number as u16).to_le_bytes());
    if let Some(runs) = runs {
        put(runs.len() as u32);
        for run in runs {
            put(run[0]);
            put(run.len() as u32 - 1);
        }
    } else if container.len() <= ARRAY_MAX {
        container.iter().for_each(|number| put(*number));
    } else {
        out = vec![0; BITS_LEN];
        for number in container {
            let low = usize::from(*number as u16);
            out[low / 8] |= 1 << (low % 8);
        }
    }
    out
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
        if let Some(numbers) = want {
            assert_eq!(encode(numbers), bytes);
        }
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
        let mut bytes = b"\x3a\x30\0\0\x01\0\0\0\0\0\xff\x7f\x10\0\0\0".to_vec();
        bytes.extend_from_slice(&[0x55; 8192]);
        check(&bytes, Some(&(0..65536).step_by(2).collect::<Vec<_>>()));
        bytes[5000] = 0x15;
        check(&bytes, None);
    }

    #[test]
    fn what_is_written_is_read() {
        let sets: [Vec<u32>; 5] = [
            (0..5).map(|high| high << 16 | 9).collect(),
            (0..6).flat_map(|high| (0..100 * high).map(move |low| high << 16 | low)).collect(),
            (0..40_000).map(|number| number * 3 % 65_521).collect(),
            vec![u32::MAX - 1, u32::MAX],
            (100..5000).chain(70_000..70_004).chain([1 << 20]).collect(),
        ];
        for mut set in sets {
            set.sort_unstable();
            set.dedup();
            assert_eq!(decode(Reader::new(&encode(&set), 0), 100_000).unwrap(), set);
        }
    }

    #[test]
    fn no_more_than_wanted() {
        let bytes = b"\x3b\x30\0\0\x01\0\0\xff\xff\x01\0\0\0\xff\xff";
        assert!(decode(Reader::new(bytes, 0), 65535).is_err());
        check(bytes, Some(&(0..65536).collect::<Vec<_>>()));
    }
}
