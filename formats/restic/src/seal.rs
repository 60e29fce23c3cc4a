//! The envelope of everything that is encrypted: AES-256 in counter mode and a Poly1305 tag.
//!
//! Bytes:   | 16 IV | ciphertext | 16 tag |, docs/formats/restic.md

use std::fmt;

use aes::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes256};
use hmac::{Hmac, Mac};
use poly1305::Poly1305;
use poly1305::universal_hash::UniversalHash;
use sha2::Sha512;
use zeroize::Zeroize;

/// Length of an IV.
pub const IV_LEN: usize = 16;
/// Length of a tag.
pub(crate) const TAG_LEN: usize = 16;
/// By so much a sealed piece is longer than its plaintext.
pub const ENVELOPE_LEN: usize = IV_LEN + TAG_LEN;

/// A key that opens and seals: derived from a password, or a repository's master key. It is wiped
/// when it goes.
pub struct Key {
    encrypt: [u8; 32],
    k: [u8; 16],
    r: [u8; 16],
}

/// A key of which a part is zero throughout: no key that was made at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroKey;

impl fmt::Display for ZeroKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid key: wanted random bytes in each of its parts, got only zeros in one")
    }
}

impl std::error::Error for ZeroKey {}

/// Error of a sealed piece that can't be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// Shorter than an empty envelope: damage.
    TooShort {
        /// Its length.
        len: usize,
    },
    /// An IV of zeros, which is never written: damage.
    ZeroIv,
    /// The tag is not that of the bytes: another key, or damage.
    Unauthenticated,
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SealError::TooShort { len } => {
                write!(f, "sealed bytes too short: wanted at least {ENVELOPE_LEN}, got {len}")
            }
            SealError::ZeroIv => {
                write!(f, "nonce is invalid: wanted 16 random bytes at offset 0, got zeros")
            }
            SealError::Unauthenticated => {
                write!(f, "ciphertext verification failed: its tag is not that of its bytes")
            }
        }
    }
}

impl std::error::Error for SealError {}

impl Key {
    /// The key of 64 bytes: encrypt 32, k 16, r 16. The caller wipes them.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Key, ZeroKey> {
        let (encrypt, mac) = bytes.split_at(32);
        let (k, r) = mac.split_at(16);
        if [encrypt, k, r].iter().any(|part| part.iter().all(|byte| *byte == 0)) {
            return Err(ZeroKey);
        }
        let lengths = "64 bytes are 32, 16 and 16";
        Ok(Key {
            encrypt: encrypt.try_into().expect(lengths),
            k: k.try_into().expect(lengths),
            r: r.try_into().expect(lengths),
        })
    }

    /// The JSON of a master key, as it lies sealed in key files: with it everything of a repository
    /// can be read.
    pub fn put_json(&self, out: &mut Vec<u8>) {
        for (start, bytes) in [
            (&b"{\"mac\":{\"k\":\""[..], &self.k[..]),
            (b"\",\"r\":\"", &self.r),
            (b"\"},\"encrypt\":\"", &self.encrypt),
        ] {
            out.extend_from_slice(start);
            crate::base64::put(bytes, out);
        }
        out.extend_from_slice(b"\"}");
    }

    /// Opens an envelope and returns the plaintext, which then lies in its middle. The tag is
    /// compared first: where it differs the bytes are as they were. About 0.7 ns a byte.
    pub fn open_in_place<'a>(&self, sealed: &'a mut [u8]) -> Result<&'a mut [u8], SealError> {
        let len = sealed.len();
        let too_short = SealError::TooShort { len };
        let (iv, rest) = sealed.split_first_chunk_mut::<IV_LEN>().ok_or(too_short)?;
        let (text, tag) = rest.split_last_chunk_mut::<TAG_LEN>().ok_or(too_short)?;
        if *iv == [0; IV_LEN] {
            return Err(SealError::ZeroIv);
        }
        self.open(iv, text, tag)?;
        Ok(text)
    }

    fn open(
        &self,
        iv: &[u8; IV_LEN],
        text: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), SealError> {
        let computed = self.tag(iv, text);
        // In constant time: one word, and the compiler doesn't know that only zero matters.
        let difference = u128::from_ne_bytes(computed) ^ u128::from_ne_bytes(*tag);
        if std::hint::black_box(difference) != 0 {
            return Err(SealError::Unauthenticated);
        }
        self.apply_keystream(iv, text);
        Ok(())
    }

    /// Opens a ciphertext with its tag after it, whose IV is not stored but follows from its place.
    pub(crate) fn open_at_place<'a>(
        &self,
        iv: [u8; IV_LEN],
        sealed: &'a mut [u8],
    ) -> Result<&'a mut [u8], SealError> {
        let too_short = SealError::TooShort { len: sealed.len() };
        let (text, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().ok_or(too_short)?;
        self.open(&iv, text, tag)?;
        Ok(text)
    }

    /// Appends what [`Key::open_at_place`] opens. No IV may come twice under one key, nor the IVs
    /// of two texts so near each other that the counters of their blocks meet.
    pub(crate) fn seal_at_place(&self, iv: [u8; IV_LEN], plain: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.reserve(plain.len() + TAG_LEN);
        out.extend_from_slice(plain);
        self.apply_keystream(&iv, &mut out[start..]);
        let tag = self.tag(&iv, &out[start..]);
        out.extend_from_slice(&tag);
    }

    /// A key for another purpose, by HMAC-SHA512 of a label: what is sealed with it says nothing of
    /// this key, and none of its IVs is one of this key's.
    pub(crate) fn derive(&self, label: &[u8]) -> Key {
        let mut bytes = [0; 64];
        bytes[..32].copy_from_slice(&self.encrypt);
        bytes[32..48].copy_from_slice(&self.k);
        bytes[48..].copy_from_slice(&self.r);
        let mut mac = Hmac::<Sha512>::new_from_slice(&bytes).expect("any length is a key's");
        bytes.zeroize();
        mac.update(label);
        let mut derived: [u8; 64] = mac.finalize().into_bytes().into();
        let key = Key::from_bytes(&derived).expect("no part of a hash is all zeros");
        derived.zeroize();
        key
    }

    /// Appends the envelope of a plaintext. The IV is 16 bytes that were never used with this key:
    /// random ones.
    ///
    /// # Panics
    /// If the IV is zero throughout, which no reader accepts.
    pub fn seal(&self, iv: [u8; IV_LEN], plain: &[u8], out: &mut Vec<u8>) {
        assert_ne!(iv, [0; IV_LEN], "readers refuse an IV of zeros");
        out.reserve(plain.len() + ENVELOPE_LEN);
        out.extend_from_slice(&iv);
        let start = out.len();
        out.extend_from_slice(plain);
        self.apply_keystream(&iv, &mut out[start..]);
        let tag = self.tag(&iv, &out[start..]);
        out.extend_from_slice(&tag);
    }

    fn apply_keystream(&self, iv: &[u8; IV_LEN], text: &mut [u8]) {
        let mut stream = ctr::Ctr128BE::<Aes256>::new(&self.encrypt.into(), &(*iv).into());
        stream.apply_keystream(text);
    }

    /// The tag of a ciphertext. The IV isn't part of what is summed: its ciphertext is half of the
    /// one-time key.
    fn tag(&self, iv: &[u8; IV_LEN], text: &[u8]) -> [u8; TAG_LEN] {
        let mut pad = (*iv).into();
        Aes128::new(&self.k.into()).encrypt_block(&mut pad);
        let mut key = poly1305::Key::default();
        key[..16].copy_from_slice(&self.r);
        key[16..].copy_from_slice(&pad);
        let mut sum = Poly1305::new(&key);
        key.as_mut_slice().zeroize();
        // Whole blocks take the way that sums several at once.
        let (blocks, rest) = poly1305::Block::slice_as_chunks(text);
        sum.update(blocks);
        sum.compute_unpadded(rest).into()
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.k.zeroize();
        self.r.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key::from_bytes(&std::array::from_fn(|at| at as u8 + 1)).unwrap()
    }

    fn sealed(plain: &[u8]) -> Vec<u8> {
        let mut out = b"before".to_vec();
        key().seal(std::array::from_fn(|at| at as u8), plain, &mut out);
        out.split_off(6)
    }

    #[test]
    fn what_was_sealed_opens() {
        for len in [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 70_000] {
            let plain: Vec<u8> = (0..len).map(|at| (at * 7) as u8).collect();
            let mut bytes = sealed(&plain);
            assert_eq!(bytes.len(), len + ENVELOPE_LEN);
            assert_eq!(key().open_in_place(&mut bytes), Ok(&mut plain.clone()[..]), "{len}");
        }
    }

    #[test]
    fn a_flipped_bit_is_found_before_anything_is_decrypted() {
        let sound = sealed(b"seventeen bytes..");
        for bit in 0..sound.len() * 8 {
            let mut bytes = sound.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let flipped = bytes.clone();
            assert_eq!(key().open_in_place(&mut bytes), Err(SealError::Unauthenticated), "{bit}");
            assert_eq!(bytes, flipped);
        }
        for len in 0..sound.len() {
            let mut bytes = sound[..len].to_vec();
            let want = match len {
                0..ENVELOPE_LEN => SealError::TooShort { len },
                _ => SealError::Unauthenticated,
            };
            assert_eq!(key().open_in_place(&mut bytes), Err(want));
        }
    }

    #[test]
    fn an_iv_and_keys_of_zeros_are_refused() {
        assert_eq!(key().open_in_place(&mut [0; 40]), Err(SealError::ZeroIv));
        for zeros in [0..32, 32..48, 48..64] {
            let mut bytes = [7; 64];
            bytes[zeros.clone()].fill(0);
            assert_eq!(Key::from_bytes(&bytes).err(), Some(ZeroKey), "{zeros:?}");
            bytes[zeros.end - 1] = 1;
            assert!(Key::from_bytes(&bytes).is_ok());
        }
    }

    #[test]
    fn another_key_does_not_open() {
        let sound = sealed(b"text");
        for at in [32, 47, 48, 63] {
            let mut bytes: [u8; 64] = std::array::from_fn(|at| at as u8 + 1);
            // Poly1305 ignores some bits of r; the lowest of its first byte is none of them.
            bytes[at] ^= if at == 63 { 4 } else { 1 };
            let other = Key::from_bytes(&bytes).unwrap();
            let opened = other.open_in_place(&mut sound.clone()).map(|plain| plain.to_vec());
            assert_eq!(opened, Err(SealError::Unauthenticated), "{at}");
        }
        assert_eq!(format!("{:?}", key()), "Key(..)", "its bytes are in no message");
    }
}
