//! Files of a store by themselves: whether one is such a file, its parts, whether it is right.

use manicule_core::bytes::{DecodeError, Outline};
use manicule_core::findings::Findings;
use manicule_format_leaf::kind_of;

/// Whether a file is one of a store, by its first bytes.
pub fn is_file(head: &[u8]) -> bool {
    kind_of(head).is_some()
}

/// The parts of a file.
pub fn outline(bytes: &[u8]) -> Result<Outline, DecodeError> {
    manicule_format_leaf::outline(bytes).map(|(_, outline)| outline)
}

/// Verifies a file as far as it alone can show.
pub fn verify(bytes: &[u8], findings: &mut Findings) {
    manicule_format_leaf::verify(bytes, findings);
}
