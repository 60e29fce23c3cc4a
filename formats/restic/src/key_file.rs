//! Key files: the master key of a repository, sealed with a key that is derived from a password.
//!
//! Bytes:   JSON in the clear: created, username, hostname, kdf, N, r, p, salt, data, docs/formats/restic.md

use std::fmt;

use manicule_core::go::json::{Json, JsonError, Text};
use zeroize::Zeroizing;

use crate::base64;
use crate::seal::{Key, SealError, ZeroKey};

/// The only function for deriving keys.
const KDF: &str = "scrypt";
/// Length of a salt; restic takes no other.
const SALT_LEN: usize = 64;
/// scrypt's own bound of r * p.
const R_P_END: u128 = 1 << 30;

/// A key file. Opening it derives a key, which takes some 0.5 s and the memory that it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFile {
    /// When it was made, as it is written there; rustic leaves this and the next two out.
    pub created: Option<String>,
    /// Who made it.
    pub username: Option<String>,
    /// Where.
    pub hostname: Option<String>,
    /// What its key costs to derive.
    pub cost: KeyCost,
    kdf: Option<String>,
    salt: Vec<u8>,
    data: Vec<u8>,
}

/// The parameters of scrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyCost {
    /// Number of blocks that are kept: a power of two.
    pub n: i64,
    /// Length of a block, in 128 bytes.
    pub r: i64,
    /// Number of times that it is done.
    pub p: i64,
}

/// Limits of what deriving a key from a foreign file may cost.
///
/// rustic writes N = 131072, r = 8, p = 1: 128 MiB and 2^20. restic stays at 60 MB, with p up to
/// 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimits {
    /// Maximum number of bytes: 128 * r * (N + p).
    pub memory_bytes_max: u64,
    /// Maximum of N * r * p, to which the time is proportional: some 0.4 µs each.
    pub work_max: u64,
}

/// Error of a key file that isn't one, or that a password doesn't open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The password doesn't open this key. Another key of the repository may still be opened by it.
    WrongPassword,
    /// It isn't the JSON that a key file is.
    Json(JsonError),
    /// Another function for deriving keys, or none.
    Kdf(Option<String>),
    /// A salt of another length.
    Salt {
        /// Its length in bytes.
        len: usize,
    },
    /// A parameter of scrypt that scrypt rules out.
    Cost {
        /// What is wrong: the parameter and what scrypt wants of it.
        want: &'static str,
        /// The parameters.
        got: KeyCost,
    },
    /// More than the caller's limits.
    Limit {
        /// The limit.
        want: KeyLimits,
        /// The parameters.
        got: KeyCost,
    },
    /// The sealed master key is damaged.
    Sealed(SealError),
    /// What the password opened isn't a master key.
    Master(JsonError),
    /// A part of the key, or of the master key, is zero.
    Zero(ZeroKey),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::WrongPassword => write!(f, "wrong password: it does not open this key"),
            KeyError::Json(error) => write!(f, "key file: {error}"),
            KeyError::Kdf(got) => {
                write!(
                    f,
                    "key file: kdf: wanted {KDF:?}, got {:?}",
                    got.as_deref().unwrap_or_default()
                )
            }
            KeyError::Salt { len } => {
                write!(f, "key file: length of the salt: wanted {SALT_LEN} bytes, got {len}")
            }
            KeyError::Cost { want, got } => write!(f, "key file: wanted {want}, got {got}"),
            KeyError::Limit { want, got } => write!(
                f,
                "key file: wanted scrypt with at most {} bytes of memory and N * r * p at most {}, got {got}",
                want.memory_bytes_max, want.work_max
            ),
            KeyError::Sealed(error) => write!(f, "key file: data: {error}"),
            KeyError::Master(error) => write!(f, "master key: {error}"),
            KeyError::Zero(error) => write!(f, "master key: {error}"),
        }
    }
}

impl std::error::Error for KeyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            KeyError::Json(error) | KeyError::Master(error) => Some(error),
            KeyError::Sealed(error) => Some(error),
            KeyError::Zero(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for KeyCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "N = {}, r = {}, p = {}", self.n, self.r, self.p)
    }
}

impl KeyCost {
    /// Bytes of memory that deriving takes: 128 * r * (N + p).
    pub fn memory_bytes(&self) -> u128 {
        128 * wide(self.r) * (wide(self.n) + wide(self.p))
    }

    /// N * r * p, to which the time is proportional.
    pub fn work(&self) -> u128 {
        wide(self.n).saturating_mul(wide(self.r) * wide(self.p))
    }

    fn check(&self, limits: &KeyLimits) -> Result<scrypt::Params, KeyError> {
        let refused = |want| Err(KeyError::Cost { want, got: *self });
        if self.n <= 1 || !wide(self.n).is_power_of_two() {
            return refused("N to be a power of two above 1");
        }
        if self.r < 1 || self.p < 1 {
            return refused("r and p to be at least 1");
        }
        if wide(self.r) * wide(self.p) >= R_P_END {
            return refused("r * p below 2^30");
        }
        let is_within = self.memory_bytes() <= limits.memory_bytes_max.into()
            && self.work() <= limits.work_max.into();
        if !is_within {
            return Err(KeyError::Limit { want: *limits, got: *self });
        }
        let params = scrypt::Params::new(self.n.ilog2() as u8, self.r as u32, self.p as u32);
        params.or_else(|_| refused("parameters whose memory can be addressed"))
    }
}

/// Negative numbers are refused before anything is computed with them.
fn wide(parameter: i64) -> u128 {
    parameter.max(0) as u128
}

impl KeyFile {
    /// Reads a key file. Nothing is derived yet, and the parameters may be anything.
    pub fn parse(bytes: &[u8]) -> Result<KeyFile, KeyError> {
        let mut key = KeyFile {
            created: None,
            username: None,
            hostname: None,
            cost: KeyCost { n: 0, r: 0, p: 0 },
            kdf: None,
            salt: Vec::new(),
            data: Vec::new(),
        };
        key.read(bytes).map_err(KeyError::Json)?;
        Ok(key)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), JsonError> {
        const FIELDS: [&str; 9] =
            ["created", "username", "hostname", "kdf", "N", "r", "p", "salt", "data"];
        let mut json = Json::new(bytes);
        if json.object()? {
            while let Some(field) = json.field()? {
                self.read_field(field.among(&FIELDS), &mut json)?;
            }
        }
        json.end()
    }

    fn read_field(&mut self, name: Option<&str>, json: &mut Json<'_>) -> Result<(), JsonError> {
        match name {
            Some("created") => set_text(json, &mut self.created)?,
            Some("username") => set_text(json, &mut self.username)?,
            Some("hostname") => set_text(json, &mut self.hostname)?,
            Some("kdf") => set_text(json, &mut self.kdf)?,
            Some("N") => self.cost.n = json.i64()?.unwrap_or(self.cost.n),
            Some("r") => self.cost.r = json.i64()?.unwrap_or(self.cost.r),
            Some("p") => self.cost.p = json.i64()?.unwrap_or(self.cost.p),
            Some("salt") => self.salt = byte_string(json)?.to_vec(),
            Some("data") => self.data = byte_string(json)?.to_vec(),
            _ => json.skip()?,
        }
        Ok(())
    }

    /// Derives a key from a password, whose bytes are taken as they are, and opens the master key
    /// with it.
    ///
    /// What the derivation may cost is checked first. [`KeyError::WrongPassword`] says that another
    /// key or password may do; every other error is the file's own.
    pub fn open(&self, password: &[u8], limits: &KeyLimits) -> Result<Key, KeyError> {
        if self.kdf.as_deref() != Some(KDF) {
            return Err(KeyError::Kdf(self.kdf.clone()));
        }
        if self.salt.len() != SALT_LEN {
            return Err(KeyError::Salt { len: self.salt.len() });
        }
        let params = self.cost.check(limits)?;
        // Before the half second, not after it.
        if self.data.len() < crate::seal::ENVELOPE_LEN {
            return Err(KeyError::Sealed(SealError::TooShort { len: self.data.len() }));
        }
        let mut derived = Zeroizing::new([0; 64]);
        scrypt::scrypt(password, &self.salt, &params, &mut *derived)
            .expect("64 bytes are a length that scrypt gives");
        let key = Key::from_bytes(&derived).map_err(KeyError::Zero)?;
        let mut data = Zeroizing::new(self.data.clone());
        match key.open_in_place(&mut data) {
            Ok(plain) => master_key(plain),
            Err(SealError::Unauthenticated) => Err(KeyError::WrongPassword),
            Err(error) => Err(KeyError::Sealed(error)),
        }
    }
}

/// `{"mac":{"k":"<base64 16>","r":"<base64 16>"},"encrypt":"<base64 32>"}`
fn master_key(plain: &[u8]) -> Result<Key, KeyError> {
    let mut bytes = Zeroizing::new([0; 64]);
    read_master(plain, &mut bytes).map_err(KeyError::Master)?;
    Key::from_bytes(&bytes).map_err(KeyError::Zero)
}

fn read_master(plain: &[u8], bytes: &mut [u8; 64]) -> Result<(), JsonError> {
    let (encrypt, mac) = bytes.split_at_mut(32);
    let mut json = Json::new(plain);
    if json.object()? {
        while let Some(field) = json.field()? {
            match field.among(&["mac", "encrypt"]) {
                Some("mac") => read_mac(&mut json, mac)?,
                Some("encrypt") => set_part(&mut json, encrypt, "32 bytes in base64")?,
                _ => json.skip()?,
            }
        }
    }
    json.end()
}

fn read_mac(json: &mut Json<'_>, mac: &mut [u8]) -> Result<(), JsonError> {
    let (k, r) = mac.split_at_mut(16);
    if !json.object()? {
        return Ok(());
    }
    while let Some(field) = json.field()? {
        match field.among(&["k", "r"]) {
            Some("k") => set_part(json, k, "16 bytes in base64")?,
            Some("r") => set_part(json, r, "16 bytes in base64")?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// Reads a part of a key, which has to be as long as its place. Its bytes are in no message.
fn set_part(json: &mut Json<'_>, part: &mut [u8], want: &'static str) -> Result<(), JsonError> {
    let at = json.at();
    let bytes = byte_string(json)?;
    if bytes.len() != part.len() {
        return Err(JsonError::new(at, want, format!("{} bytes", bytes.len())));
    }
    part.copy_from_slice(&bytes);
    Ok(())
}

/// Bytes in base64, wiped when they go; `null` is none.
fn byte_string(json: &mut Json<'_>) -> Result<Zeroizing<Vec<u8>>, JsonError> {
    Ok(Zeroizing::new(base64::field(json)?.unwrap_or_default()))
}

fn set_text(json: &mut Json<'_>, place: &mut Option<String>) -> Result<(), JsonError> {
    if let Some(text) = json.string()? {
        *place = Some(owned(text));
    }
    Ok(())
}

fn owned(text: Text<'_>) -> String {
    text.decode().into_owned()
}
