//! A range in equal parts, and those again: positions that depend on the range only.

/// A node of the tree of parts: the smallest one that holds what is left of a search.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    low: u64,
    high: u64,
    ways: u32,
}

impl Ways {
    pub(super) fn new(count: u64, ways: u32) -> Self {
        Ways { low: 0, high: count, ways }
    }

    /// Appends the borders of the smallest node's parts that lie in `low..high`, which isn't empty:
    /// at least one.
    pub(super) fn ask(&mut self, low: u64, high: u64, probes: &mut Vec<u64>) {
        loop {
            let (mut part_low, mut part_high) = (self.low, self.high);
            let mut last = None;
            for part in 1..self.ways {
                let Some(border) = self.border(part, last) else { continue };
                last = Some(border);
                if border < low {
                    part_low = border + 1;
                } else if border >= high {
                    part_high = border;
                    break;
                } else {
                    probes.push(border);
                }
            }
            if !probes.is_empty() {
                return;
            }
            (self.low, self.high) = (part_low, part_high);
        }
    }

    /// The border before a part, from 1; `None` where it is the same as the one before.
    fn border(&self, part: u32, last: Option<u64>) -> Option<u64> {
        let share = u128::from(self.high - self.low) * u128::from(part) / u128::from(self.ways);
        let border = self.low + share as u64;
        (last != Some(border)).then_some(border)
    }
}
