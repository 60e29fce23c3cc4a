//! Distances as varints by the instruction that spreads bits over bytes (`pdep`), where the
//! processor has it: a quarter less time for all of posting construction (0.88 s against 1.16,
//! proof/runs/2026-11-21-code) than shifts and masks, which are its twin in `positions.rs`.

use super::Positions;

/// Whether the processor has the instructions.
pub(super) fn is_there() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// [`Positions::push_all`] with these instructions.
#[cfg(target_arch = "x86_64")]
pub(super) fn push_all(to: &mut Positions, first: u32, lists: impl Iterator<Item = u32>) {
    #[target_feature(enable = "bmi2,lzcnt")]
    fn with_them(to: &mut Positions, first: u32, lists: impl Iterator<Item = u32>) {
        to.push_each::<true>(first, lists);
    }
    assert!(to.spreads, "the processor was asked");
    // SAFETY: `spreads` is what `is_there` said of this processor.
    unsafe { with_them(to, first, lists) }
}

/// The varint of a distance in the low bytes of a word, and how many of them count.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn varint(distance: u32) -> (u64, u32) {
    let marks_len = super::LENGTHS[distance.leading_zeros() as usize];
    // SAFETY: called by `push_all` above only, which has checked that the instruction is there.
    let spread = unsafe { std::arch::x86_64::_pdep_u64(distance.into(), 0x7f_7f7f_7f7f) };
    (spread | marks_len, (marks_len >> super::LEN_SHIFT) as u32)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use super::varint;

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn push_all(to: &mut Positions, first: u32, lists: impl Iterator<Item = u32>) {
    to.push_each::<false>(first, lists);
}
