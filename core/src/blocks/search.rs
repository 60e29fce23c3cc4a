//! The search: a range that what is learned narrows.

use super::line::Line;
use super::side::Side;
use super::ways::Ways;

/// How probes are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// One probe a round, in the middle.
    Bisect,
    /// As many parts a round, at least two, with a probe at each border between them.
    Ways(u32),
    /// One probe a round, where the wanted key lies on the line between two known ones; the middle
    /// as soon as a key isn't where the line has it.
    Interpolate {
        /// The wanted key's image: a number that is greater for a greater key.
        wanted: u64,
        /// Distance in blocks at which a key may lie from the line.
        error: u64,
    },
}

/// A search for the last block that begins with a key or before it, among blocks whose first keys
/// don't decrease.
///
/// The positions asked for in the middle of a range depend on the number of blocks only, not on
/// what was learned beside them: so the first levels of all searches share their pages. Keys out of
/// order make the answer a wrong one, never a search without end.
#[derive(Clone, Debug)]
pub struct Search {
    /// Blocks before this one are not after the key.
    low: u64,
    /// This one and those that follow are after it.
    high: u64,
    ways: Ways,
    line: Option<Line>,
}

impl Search {
    /// A search of a number of blocks.
    pub fn new(block_count: u64, strategy: Strategy) -> Self {
        let (ways, line) = match strategy {
            Strategy::Bisect => (2, None),
            Strategy::Ways(ways) => (ways.max(2), None),
            Strategy::Interpolate { wanted, error } => (2, Some(Line::new(wanted, error))),
        };
        Search { low: 0, high: block_count, ways: Ways::new(block_count, ways), line }
    }

    /// Puts the positions to be probed next, in increasing order, in place of what `probes` holds:
    /// none once the search is over. They don't depend on each other, so that they can be read in
    /// one round.
    pub fn ask(&mut self, probes: &mut Vec<u64>) {
        probes.clear();
        if self.low >= self.high {
            return;
        }
        match self.line.as_mut().and_then(|line| line.ask(self.low, self.high)) {
            Some(place) => probes.push(place),
            None => self.ways.ask(self.low, self.high, probes),
        }
    }

    /// Takes what was seen at a position: that of a probe, or of any other block that is at hand.
    /// The image of the block's first key is wanted for interpolation only.
    pub fn learn(&mut self, at: u64, side: Side, image: Option<u64>) {
        if (self.low..self.high).contains(&at) {
            match side {
                Side::NotAfter => self.low = at + 1,
                Side::After => self.high = at,
            }
        }
        if let Some(line) = &mut self.line {
            line.learn(at, side, image);
        }
    }

    /// Number of blocks that begin with the key or before it, once that is known. The block
    /// searched for is the last of them; with none of them the key lies before the first block.
    pub fn found(&self) -> Option<u64> {
        (self.low >= self.high).then_some(self.low)
    }

    /// The answers that are left: a number of blocks from the first to the second, both included.
    pub fn range(&self) -> (u64, u64) {
        (self.low, self.high)
    }

    /// Whether interpolation was given up since a key wasn't where the line had it; `None` of a
    /// search without.
    pub fn fell_back(&self) -> Option<bool> {
        self.line.as_ref().map(Line::is_given_up)
    }
}
