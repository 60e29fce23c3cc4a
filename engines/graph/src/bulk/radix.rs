//! Rows in the order of a column, by counting: equal ones stay in the order in which they are.

/// Bits of a column that a pass sorts by: 2,048 places to write to, each in a line of the cache.
const BITS_MAX: u32 = 11;

/// Sorts rows by a column whose numbers are at most `max`. `other` is memory that is used and given
/// back.
pub(super) fn sort_by_column<const N: usize>(
    rows: &mut Vec<[u32; N]>,
    other: &mut Vec<[u32; N]>,
    column: usize,
    max: u32,
) {
    if rows.is_sorted_by_key(|row| row[column]) {
        return;
    }
    let bits = u32::BITS - max.leading_zeros();
    let passes = bits.div_ceil(BITS_MAX).max(1);
    let width = bits.div_ceil(passes);
    other.clear();
    other.resize(rows.len(), [0; N]);
    for pass in 0..passes {
        let (shift, mask) = (pass * width, (1 << width) - 1);
        let digit = |row: &[u32; N]| (row[column] >> shift & mask) as usize;
        let mut places = vec![0; 1 << width];
        rows.iter().for_each(|row| places[digit(row)] += 1);
        if places.contains(&rows.len()) {
            continue;
        }
        let mut next = 0;
        for place in &mut places {
            (*place, next) = (next, next + *place);
        }
        for row in rows.iter() {
            let place = &mut places[digit(row)];
            other[*place] = *row;
            *place += 1;
        }
        std::mem::swap(rows, other);
    }
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Rng;

    use super::*;

    #[test]
    fn equal_rows_stay_in_order() {
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            let max = rng.pick(&[0, 1, 5, 2047, 2048, 70_000, u32::MAX]);
            let count = rng.below(3000) as u32;
            let mut rows: Vec<[u32; 3]> = (0..count)
                .map(|number| [rng.bits() as u32 % max.saturating_add(1).max(1), number, 0])
                .collect();
            let mut plain = rows.clone();
            plain.sort_by_key(|row| row[0]);
            sort_by_column(&mut rows, &mut Vec::new(), 0, max);
            assert_eq!(rows, plain, "seed {seed}");
        }
    }
}
