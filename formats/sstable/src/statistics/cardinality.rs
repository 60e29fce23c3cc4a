//! How many partitions there are across tables: a HyperLogLog++ image that compaction adds up.
//!
//! Bytes:   i32 -2, leb128 p, leb128 sp, leb128 kind; sparse: leb128 count, leb128 differences; dense: leb128 length, i32
//!          words of six registers of five bits; docs/formats/sstable.md, Cardinality

use manicule_core::bytes::{DecodeError, Reader};

/// An estimate of the number of distinct keys that can be merged with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// Up to 6,144 entries, each an index of 25 bits and perhaps a run.
    Sparse(Vec<u32>),
    /// 8,192 registers: the longest run of zeros.
    Dense(Vec<u8>),
}

/// Bits that choose a register.
pub(super) const P: u32 = 13;
/// Bits of an index of a sparse entry.
pub(super) const SP: u32 = 25;

impl Cardinality {
    /// Reads an image.
    pub fn read(reader: &mut Reader<'_>) -> Result<Cardinality, DecodeError> {
        let expect = |what, at, want: u64, got: u64| {
            if got == want { Ok(()) } else { Err(DecodeError::Corrupt { what, at, want, got }) }
        };
        let at = reader.at();
        let version = reader.u32_be("version of the cardinality")?;
        expect("version of the cardinality", at, (-2_i32) as u32 as u64, version.into())?;
        for (what, want) in [("p of the cardinality", P), ("sp of the cardinality", SP)] {
            let at = reader.at();
            expect(what, at, want.into(), reader.varint_u32(what)?.into())?;
        }
        let (what, at) = ("kind of the cardinality", reader.at());
        match reader.varint_u32(what)? {
            0 => read_dense(reader),
            1 => read_sparse(reader),
            got => Err(DecodeError::Corrupt { what, at, want: 1, got: got.into() }),
        }
    }

    /// Estimate of the number of distinct keys: exact to a few for sparse images, to about 1 % for
    /// dense ones.
    pub fn estimate(&self) -> u64 {
        match self {
            Cardinality::Sparse(entries) => {
                let all = (1_u64 << SP) as f64;
                let empty = all - (entries.len() as f64).min(all - 1.0);
                (all * (all / empty).ln()).round() as u64
            }
            Cardinality::Dense(registers) => estimate_dense(registers),
        }
    }
}

fn read_sparse(reader: &mut Reader<'_>) -> Result<Cardinality, DecodeError> {
    let count = reader.varint_u32("number of entries")?;
    let (mut entries, mut entry) = (Vec::new(), 0_u32);
    for _ in 0..count {
        // Where entries are not in order a difference wraps.
        entry = entry.wrapping_add(reader.varint_u32("entry of the cardinality")?);
        entries.push(entry);
    }
    Ok(Cardinality::Sparse(entries))
}

fn read_dense(reader: &mut Reader<'_>) -> Result<Cardinality, DecodeError> {
    let (what, at) = ("length of the registers", reader.at());
    let len = reader.varint_u32(what)?;
    let register_count = 1_usize << P;
    let want = (register_count.div_ceil(6) * 4) as u64;
    if u64::from(len) != want {
        return Err(DecodeError::Corrupt { what, at, want, got: len.into() });
    }
    let words = reader.take("registers", len as usize)?.as_chunks::<4>().0;
    let registers = words.iter().flat_map(|word| {
        let word = u32::from_be_bytes(*word);
        (0..6).map(move |index| (word >> (5 * index) & 31) as u8)
    });
    Ok(Cardinality::Dense(registers.take(register_count).collect()))
}

/// By the counts of each register's value, without tables of corrections.
fn estimate_dense(registers: &[u8]) -> u64 {
    const RUN_MAX: usize = 31;
    let mut counts = [0_u32; RUN_MAX + 1];
    registers.iter().for_each(|run| counts[usize::from(*run).min(RUN_MAX)] += 1);
    let all = registers.len() as f64;
    let mut sum = all * tau(1.0 - f64::from(counts[RUN_MAX]) / all);
    for count in counts[1..RUN_MAX].iter().rev() {
        sum = 0.5 * (sum + f64::from(*count));
    }
    sum += all * sigma(f64::from(counts[0]) / all);
    (all * all / (2.0 * std::f64::consts::LN_2 * sum)).round() as u64
}

/// Share of the empty registers in the sum.
fn sigma(share: f64) -> f64 {
    if share >= 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut scale, mut sum) = (share, 1.0, share);
    loop {
        power *= power;
        let before = sum;
        sum += power * scale;
        scale += scale;
        if sum == before {
            return sum;
        }
    }
}

/// Share of the full registers in the sum.
fn tau(share: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return 0.0;
    }
    let (mut power, mut scale, mut sum) = (share, 1.0, 1.0 - share);
    loop {
        power = power.sqrt();
        let before = sum;
        scale *= 0.5;
        sum -= (1.0 - power).powi(2) * scale;
        if sum == before {
            return sum / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_read_in_both_kinds() {
        let front = [0xff, 0xff, 0xff, 0xfe, 13, 25];
        let sparse = [&front[..], &[1, 3, 5, 0xac, 0x02, 0xfe, 0xff, 0xff, 0xff, 0x0f]].concat();
        let read = |bytes: &[u8]| Cardinality::read(&mut Reader::new(bytes, 0));
        assert_eq!(read(&sparse), Ok(Cardinality::Sparse(vec![5, 305, 303])));
        assert_eq!(read(&sparse).map(|read| read.estimate()), Ok(3));
        let mut dense = [&front[..], &[0, 0xd8, 0x2a]].concat();
        dense.extend_from_slice(&(1_u32 | 2 << 5 | 31 << 25).to_be_bytes());
        dense.resize(dense.len() + 5460, 0);
        let Ok(Cardinality::Dense(registers)) = read(&dense) else { panic!("{:?}", read(&dense)) };
        assert_eq!((registers.len(), &registers[..7]), (8192, &[1, 2, 0, 0, 0, 31, 0][..]));
        for cut in 0..sparse.len() {
            assert!(read(&sparse[..cut]).is_err(), "{cut}");
        }
        assert!(read(&dense[..dense.len() - 1]).is_err());
        assert!(read(&[&front[..], &[2]].concat()).is_err());
    }

    #[test]
    fn dense_registers_give_the_number_of_keys_to_two_percent() {
        for key_count in [0_u64, 100, 7_000, 40_000, 1_000_000] {
            let mut registers = vec![0_u8; 1 << P];
            for key in 0..key_count {
                let hash = manicule_core::bytes::mix(manicule_core::bytes::mix(7, key), 3);
                let register = &mut registers[(hash >> (64 - P)) as usize];
                *register = (*register).max(((hash << P) | 1).leading_zeros() as u8 + 1);
            }
            let estimate = Cardinality::Dense(registers).estimate();
            let allowed = key_count / 50 + 1;
            assert!(estimate.abs_diff(key_count) <= allowed, "{key_count}: {estimate}");
        }
    }
}
