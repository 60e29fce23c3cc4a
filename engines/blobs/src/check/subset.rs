//! Which packs are read whole: all, a part by their names, or some by chance.

use manicule_core::bytes::mix;
use manicule_format_restic::Id;

/// Packs whose data are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subset {
    /// All of them.
    All,
    /// Those whose ids' first byte leaves `number - 1` when divided by `count`: as many calls as
    /// `count` says read all.
    Part {
        /// Which part, from 1 on.
        number: u16,
        /// Number of parts, from 1 to 256.
        count: u16,
    },
    /// A share of the packs, by chance; of packs at all at least one.
    Share {
        /// Percent of their number.
        percent: f64,
        /// Chooses them: another one, other packs.
        seed: u64,
    },
    /// A number of bytes, by chance: the share of the packs' number that these are of the bytes of
    /// all packs.
    Bytes {
        /// Number of bytes.
        bytes: u64,
        /// Chooses them.
        seed: u64,
    },
}

impl Subset {
    /// The places of the chosen packs among those given, which are ordered by id, each with its
    /// length; rising.
    pub(super) fn choose(&self, packs: &[(Id, u64)]) -> Vec<usize> {
        let all = 0..packs.len();
        match *self {
            Subset::All => all.collect(),
            Subset::Part { number, count } => {
                let part = |id: &Id| u16::from(id.0[0]) % count + 1;
                all.filter(|&at| part(&packs[at].0) == number).collect()
            }
            Subset::Share { percent, seed } => by_chance(packs.len(), percent, seed),
            Subset::Bytes { bytes, seed } => {
                let len: u64 = packs.iter().map(|(_, len)| len).sum();
                let percent = bytes.min(len) as f64 / len.max(1) as f64 * 100.0;
                by_chance(packs.len(), percent, seed)
            }
        }
    }
}

fn by_chance(count: usize, percent: f64, seed: u64) -> Vec<usize> {
    let wanted = ((count as f64 * (percent / 100.0)) as usize).clamp(count.min(1), count);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&at| mix(seed, at as u64));
    order.truncate(wanted);
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packs() -> Vec<(Id, u64)> {
        (0..=255).map(|byte| (Id([byte; 32]), 10)).collect()
    }

    #[test]
    fn the_parts_are_all_packs_each_once() {
        for count in [1, 2, 7, 256] {
            let mut all: Vec<usize> = (1..=count)
                .flat_map(|number| Subset::Part { number, count }.choose(&packs()))
                .collect();
            all.sort_unstable();
            assert_eq!(all, (0..256).collect::<Vec<_>>(), "{count}");
        }
        assert_eq!(Subset::Part { number: 2, count: 4 }.choose(&packs())[..2], [1, 5]);
    }

    #[test]
    fn chance_is_a_seed_and_the_share_is_as_restic_rounds_it() {
        let share = |percent, seed| Subset::Share { percent, seed }.choose(&packs());
        assert_eq!(
            (share(0.001, 1).len(), share(50.0, 1).len(), share(99.9, 1).len()),
            (1, 128, 255)
        );
        assert_eq!(share(100.0, 1), Subset::All.choose(&packs()));
        assert_eq!(share(30.0, 5), share(30.0, 5));
        assert_ne!(share(30.0, 5), share(30.0, 6));
        let bytes = |bytes| Subset::Bytes { bytes, seed: 3 }.choose(&packs()).len();
        assert_eq!((bytes(1), bytes(1280), bytes(u64::MAX)), (1, 128, 256));
        for subset in
            [Subset::Share { percent: 50.0, seed: 1 }, Subset::Bytes { bytes: 9, seed: 1 }]
        {
            assert_eq!(subset.choose(&[]), [0; 0]);
        }
    }
}
