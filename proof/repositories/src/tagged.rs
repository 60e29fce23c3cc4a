//! The source of every pseudo-random byte of a generated repository: SHA-256 over a name, a seed
//! and a number.
//!
//! Bytes:   | 8 name, filled up with zeros | 8 seed, little-endian | 8 number, little-endian |, hashed

use sha2::{Digest, Sha256};

/// Hashes of one seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tagged {
    pub(crate) seed: u64,
}

impl Tagged {
    /// The 32 bytes of number `n` under a name of at most 8 bytes.
    pub(crate) fn bytes(self, name: &str, n: u64) -> [u8; 32] {
        let mut input = [0; 24];
        input[..name.len()].copy_from_slice(name.as_bytes());
        input[8..16].copy_from_slice(&self.seed.to_le_bytes());
        input[16..].copy_from_slice(&n.to_le_bytes());
        Sha256::digest(input).into()
    }

    /// Twice as many bytes: of the numbers 0 and 1.
    pub(crate) fn double(self, name: &str) -> [u8; 64] {
        let mut out = [0; 64];
        out[..32].copy_from_slice(&self.bytes(name, 0));
        out[32..].copy_from_slice(&self.bytes(name, 1));
        out
    }
}
