//! What a prune would do: which packs stay, which are removed, which are repacked, and the bytes
//! that it frees.
//!
//! The decisions are those of restic 0.19.1, in its order: packs of which nothing is used go, packs
//! that are used whole stay if they are large enough, and of the others, the worst first, as many
//! are repacked as bring the unused bytes below the limit.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use manicule_format_restic::BlobKind;

use super::error::UsageError;
use super::packs::{Amount, PackUse, PackUses};
use crate::index::PackKind;

/// Smallest size that the target comes from, before the factor.
const TARGET_FLOOR: u64 = 4 << 20;
/// Number of small packs from which on they are repacked.
const SMALL_MIN: usize = 10;

/// Bound of the unused bytes that may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusedMax {
    /// Of all that is left, in hundredths of a percent; below 100 %.
    Share(u64),
    /// In bytes.
    Bytes(u64),
    /// No bound: nothing is repacked for them.
    Unlimited,
}

/// A share is `5%`, a number without a unit is bytes, no bound is `unlimited`.
impl FromStr for UnusedMax {
    type Err = UsageError;

    fn from_str(text: &str) -> Result<Self, UsageError> {
        let wrong = || UsageError::UnusedMax(text.to_owned());
        if text == "unlimited" {
            return Ok(UnusedMax::Unlimited);
        }
        let Some(percent) = text.strip_suffix('%') else {
            return text.parse().map(UnusedMax::Bytes).map_err(|_| wrong());
        };
        let percent: f64 = percent.parse().map_err(|_| wrong())?;
        if !(0.0..100.0).contains(&percent) {
            return Err(wrong());
        }
        // Hundredths of a percent; below 100 %, whatever rounding does.
        Ok(UnusedMax::Share(((percent * 100.0).round() as u64).min(9_999)))
    }
}

/// As it is read.
impl fmt::Display for UnusedMax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnusedMax::Share(share) => write!(f, "{}%", *share as f64 / 100.0),
            UnusedMax::Bytes(bytes) => bytes.fmt(f),
            UnusedMax::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl UnusedMax {
    fn bytes(self, used: u64) -> u64 {
        match self {
            UnusedMax::Share(share) => {
                let bytes = u128::from(used) * u128::from(share) / u128::from(10_000 - share);
                u64::try_from(bytes).unwrap_or(u64::MAX)
            }
            UnusedMax::Bytes(bytes) => bytes,
            UnusedMax::Unlimited => u64::MAX,
        }
    }
}

/// Options of a prune, as restic has them.
#[derive(Clone, Copy, Debug)]
pub struct PruneOptions {
    /// Bound of the unused bytes that may stay.
    pub unused_max: UnusedMax,
    /// Bytes of packs that may be repacked.
    pub repack_bytes_max: Option<u64>,
    /// Packs of data blobs stay where anything of them is used.
    pub only_trees: bool,
    /// Packs with blobs that are not compressed are repacked. In a repository of version 1 nothing
    /// can be.
    pub uncompressed: bool,
    /// Size from which on a pack is not small. `None`: 80 % of the size at 3 % of the packs.
    pub small_below: Option<u64>,
    /// Version of the repository.
    pub version: u32,
}

/// Share of all bytes that may stay unused by default, in hundredths of a percent.
const UNUSED_SHARE: u64 = 500;

impl PruneOptions {
    /// What restic does unless it is told otherwise, in a repository of a version.
    pub fn of_restic(version: u32) -> PruneOptions {
        PruneOptions {
            unused_max: UnusedMax::Share(UNUSED_SHARE),
            repack_bytes_max: None,
            only_trees: false,
            uncompressed: false,
            small_below: None,
            version,
        }
    }
}

/// Fate of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It stays as it is.
    Keep,
    /// Its used blobs are written into other packs.
    Repack,
    /// It is removed, as nothing of it is used.
    Remove,
    /// It is in the index and not in storage, and nothing of it is used: the index forgets it.
    Forget,
}

impl Fate {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Keep => "keep",
            Fate::Repack => "repack",
            Fate::Remove => "remove",
            Fate::Forget => "forget",
        }
    }
}

/// Blobs and bytes by what becomes of them; bytes are stored lengths, those of repacked packs with
/// their headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneSums {
    /// Used, one copy of each.
    pub used: Amount,
    /// Further copies.
    pub duplicate: Amount,
    /// Not used by any snapshot.
    pub unused: Amount,
    /// All of the packs that are repacked.
    pub repack: Amount,
    /// What repacking leaves out.
    pub repack_remove: Amount,
    /// In packs that are removed.
    pub remove: Amount,
    /// Bytes of packs that no index file names.
    pub unreferenced_bytes: u64,
    /// Bytes of packs that stay with blobs that are not compressed.
    pub uncompressed_bytes: u64,
    /// Packs that are used whole.
    pub packs_used: u64,
    /// Packs of which some is used.
    pub packs_partly_used: u64,
    /// Packs of which nothing is used.
    pub packs_unused: u64,
    /// Packs that no index file names.
    pub packs_unreferenced: u64,
}

/// Why a prune would end before it does anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlanError {
    /// A pack with used blobs has another length than its blobs make.
    Size { pack: u32, want: u64, got: u64 },
    /// Packs with used blobs that are not in storage.
    Missing { packs: Vec<u32> },
}

/// Decisions over all packs.
#[derive(Debug)]
pub(crate) struct Plan {
    /// By the numbers of packs.
    pub(crate) fates: Vec<Fate>,
    pub(crate) sums: PruneSums,
    /// Size from which on a pack is not small.
    pub(crate) target: u64,
}

/// A pack that may be repacked.
struct Candidate {
    pack: u32,
    use_of: PackUse,
    must: bool,
}

impl Plan {
    /// `lens` holds the length of each pack's file, `None` where there is none; `unreferenced` the
    /// lengths of files that are no packs of the index.
    pub(crate) fn new(
        uses: &PackUses,
        lens: &[Option<u64>],
        unreferenced: impl Iterator<Item = u64>,
        options: &PruneOptions,
    ) -> Result<Self, PlanError> {
        let target = options.small_below.unwrap_or_else(|| target(&uses.packs));
        let sums = PruneSums {
            used: uses.used,
            duplicate: uses.duplicate,
            unused: uses.unused,
            ..PruneSums::default()
        };
        let mut plan = Plan { fates: vec![Fate::Keep; uses.packs.len()], sums, target };
        for len in unreferenced {
            plan.sums.unreferenced_bytes += len;
            plan.sums.packs_unreferenced += 1;
        }
        let candidates = plan.sort_out(uses, lens, options)?;
        plan.repack(candidates, options);
        Ok(plan)
    }

    /// Decides over the packs that are clear cases; the others are candidates, the worst first.
    fn sort_out(
        &mut self,
        uses: &PackUses,
        lens: &[Option<u64>],
        options: &PruneOptions,
    ) -> Result<Vec<Candidate>, PlanError> {
        let (mut candidates, mut small, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for ((pack, &use_of), &len) in (0..).zip(&uses.packs).zip(lens) {
            let Some(got) = len else {
                match use_of.used_blobs {
                    0 => self.fates[pack as usize] = Fate::Forget,
                    _ => missing.push(pack),
                }
                continue;
            };
            if got != use_of.len() && use_of.used_blobs > 0 {
                return Err(PlanError::Size { pack, want: use_of.len(), got });
            }
            let must = options.version >= 2
                && use_of.is_plain
                && (use_of.kind == PackKind::Of(BlobKind::Tree) || options.uncompressed);
            self.count(&use_of, options);
            let candidate = Candidate { pack, use_of, must };
            if use_of.used_blobs == 0 {
                self.remove(&candidate, options);
            } else if options.only_trees && use_of.kind == PackKind::Of(BlobKind::Data) {
                // It stays, whatever of it is used.
            } else if use_of.unused_blobs == 0 && use_of.kind != PackKind::Mixed && !must {
                if use_of.len() < self.target {
                    small.push(candidate);
                }
            } else {
                candidates.push(candidate);
            }
        }
        if !missing.is_empty() {
            return Err(PlanError::Missing { packs: missing });
        }
        if small.len() >= SMALL_MIN {
            candidates.append(&mut small);
        }
        candidates.sort_by(|one, other| {
            self.worse(one).cmp(&self.worse(other)).then_with(|| {
                let share = |one: &PackUse, other: &PackUse| {
                    u128::from(one.unused_bytes) * u128::from(other.used_bytes)
                };
                share(&other.use_of, &one.use_of).cmp(&share(&one.use_of, &other.use_of))
            })
        });
        Ok(candidates)
    }

    /// Trees and mixed packs come before data, small packs before others.
    fn worse(&self, candidate: &Candidate) -> (bool, Reverse<bool>) {
        let is_data = candidate.use_of.kind == PackKind::Of(BlobKind::Data);
        (is_data, Reverse(candidate.use_of.len() < self.target))
    }

    fn count(&mut self, use_of: &PackUse, options: &PruneOptions) {
        let packs = match (use_of.used_blobs, use_of.unused_blobs) {
            (0, _) => &mut self.sums.packs_unused,
            (_, 0) => &mut self.sums.packs_used,
            _ => &mut self.sums.packs_partly_used,
        };
        *packs += 1;
        if options.version >= 2 && use_of.is_plain {
            self.sums.uncompressed_bytes += use_of.len();
        }
    }

    fn remove(&mut self, candidate: &Candidate, options: &PruneOptions) {
        let use_of = &candidate.use_of;
        self.fates[candidate.pack as usize] = Fate::Remove;
        self.sums.remove.blobs += use_of.unused_blobs;
        self.sums.remove.bytes += use_of.unused_bytes;
        if options.version >= 2 && use_of.is_plain {
            self.sums.uncompressed_bytes -= use_of.len();
        }
    }

    fn repack(&mut self, candidates: Vec<Candidate>, options: &PruneOptions) {
        let unused_max = options.unused_max.bytes(self.sums.used.bytes);
        for candidate in candidates {
            let use_of = &candidate.use_of;
            let (len, sums) = (use_of.len(), &self.sums);
            let is_over =
                options.repack_bytes_max.is_some_and(|max| sums.repack.bytes + len >= max);
            let unused = sums.duplicate.bytes + sums.unused.bytes
                - sums.remove.bytes
                - sums.repack_remove.bytes;
            let is_good_enough = use_of.kind == PackKind::Of(BlobKind::Data)
                && !candidate.must
                && unused < unused_max
                && len >= self.target;
            if is_over || is_good_enough {
                continue;
            }
            self.fates[candidate.pack as usize] = Fate::Repack;
            self.sums.repack.blobs += use_of.used_blobs + use_of.unused_blobs;
            self.sums.repack.bytes += len;
            self.sums.repack_remove.blobs += use_of.unused_blobs;
            self.sums.repack_remove.bytes += use_of.unused_bytes;
            if options.version >= 2 && use_of.is_plain {
                self.sums.uncompressed_bytes -= len;
            }
        }
    }
}

/// 80 % of the size of the pack that 3 % of all are smaller than, at least of 4 MiB.
fn target(packs: &[PackUse]) -> u64 {
    let mut lens: Vec<u64> = packs.iter().map(PackUse::len).collect();
    lens.sort_unstable();
    let at = lens.len() * 3 / 100;
    lens.get(at).copied().unwrap_or(0).max(TARGET_FLOOR) * 8 / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_read_back_as_they_are_shown() {
        for text in ["5%", "0.29%", "99.99%", "0", "1500", "unlimited"] {
            let bound: UnusedMax = text.parse().unwrap();
            assert_eq!(bound.to_string(), text);
        }
        let error = "100%".parse::<UnusedMax>().unwrap_err().to_string();
        assert_eq!(error, "\"100%\" is no share: wanted a number from 0 to below 100 and %");
        assert!("5 MiB".parse::<UnusedMax>().is_err());
    }
}
