//! Says to the processor that a place in memory is needed soon, so that several are on their way at
//! once.

/// Starts to load what lies at `place`; on processors without a known instruction, and under miri,
/// nothing.
#[inline(always)]
pub(super) fn prefetch<T>(place: &T) {
    let address: *const T = place;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing that the program sees and never faults; every x86_64 has the
    // instruction.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: a prefetch reads nothing that the program sees and never faults; every aarch64 has
    // the instruction.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{address}]",
            address = in(reg) address,
            options(nostack, readonly, preserves_flags)
        );
    }
    let _ = address;
}
