//! Key files: restic's verdicts about changed ones, limits, and hostile bytes. Keys that are cheap
//! to derive are made here.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use manicule_format_restic::{Key, KeyError, KeyFile, KeyLimits, SealError};
use serde_json::{Value, json};

const PASSWORD: &[u8] = b"password";
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 64 << 20, work_max: 1 << 20 };

/// A repository's key as its key files have it.
fn master() -> Value {
    let part = |byte: u8, len: usize| BASE64_STANDARD.encode(vec![byte; len]);
    json!({ "mac": { "k": part(2, 16), "r": part(3, 16) }, "encrypt": part(1, 32) })
}

/// A key file for a master key, with parameters that cost nothing.
fn key_file(master: &[u8], n: u64, r: u32, p: u32, salt: &[u8]) -> Value {
    let mut derived = [0; 64];
    let params = scrypt::Params::new(n.ilog2() as u8, r, p).unwrap();
    scrypt::scrypt(PASSWORD, salt, &params, &mut derived).unwrap();
    let mut data = Vec::new();
    Key::from_bytes(&derived).unwrap().seal([9; 16], master, &mut data);
    json!({
        "created": "2026-11-21T11:09:08.123456789Z", "username": "root", "hostname": "golden",
        "kdf": "scrypt", "N": n, "r": r, "p": p,
        "salt": BASE64_STANDARD.encode(salt), "data": BASE64_STANDARD.encode(data),
    })
}

fn cheap(master: &Value) -> Value {
    key_file(master.to_string().as_bytes(), 16, 8, 1, &[5; 64])
}

fn open(file: &Value) -> Result<Vec<u8>, KeyError> {
    let key = KeyFile::parse(file.to_string().as_bytes())?.open(PASSWORD, &LIMITS)?;
    let mut shown = Vec::new();
    key.seal([1; 16], b"plaintext", &mut shown);
    Ok(shown)
}

/// What the master key makes of the same plaintext.
fn want() -> Vec<u8> {
    let bytes: [u8; 64] = std::array::from_fn(|at| [1, 1, 2, 3][at / 16]);
    let mut shown = Vec::new();
    Key::from_bytes(&bytes).unwrap().seal([1; 16], b"plaintext", &mut shown);
    shown
}

/// A key file with some fields changed.
fn with(changes: Value) -> Value {
    let mut file = cheap(&master());
    for (name, value) in changes.as_object().unwrap() {
        file[name] = value.clone();
    }
    file
}

#[test]
fn keys_that_restic_accepts() {
    let plain = cheap(&master());
    let mut nameless = plain.clone();
    for name in ["created", "username", "hostname"] {
        nameless.as_object_mut().unwrap().remove(name);
    }
    let file = KeyFile::parse(nameless.to_string().as_bytes()).unwrap();
    assert_eq!((&file.created, &file.username, &file.hostname), (&None, &None, &None));
    for (name, file) in [
        ("plain", plain),
        ("names absent", nameless),
        ("unknown fields", with(json!({ "later": [{}], "label": "x" }))),
        ("r = 1, p = 3", key_file(master().to_string().as_bytes(), 64, 1, 3, &[5; 64])),
    ] {
        assert_eq!(open(&file), Ok(want()), "{name}");
    }
    let text =
        cheap(&master()).to_string().replace("\"N\"", "\"n\"").replace("\"salt\"", "\"SALT\"");
    assert_eq!(open(&serde_json::from_str(&text).unwrap()), Ok(want()), "names in another case");
}

#[test]
fn keys_that_restic_refuses() {
    let cost = |file: &Value| match open(file) {
        Err(KeyError::Cost { want, .. }) => want,
        other => panic!("{other:?}"),
    };
    for n in [0, 1, 3, 6, -16] {
        assert_eq!(cost(&with(json!({ "N": n }))), "N to be a power of two above 1");
    }
    for (name, number) in [("r", 0), ("p", 0), ("r", -8)] {
        assert_eq!(cost(&with(json!({ name: number }))), "r and p to be at least 1");
    }
    for (name, number) in [("p", 1_i64 << 30), ("r", 1 << 30), ("p", i64::MAX), ("r", i64::MAX)] {
        assert_eq!(cost(&with(json!({ name: number }))), "r * p below 2^30");
    }
    assert_eq!(
        open(&with(json!({ "kdf": "argon2" }))),
        Err(KeyError::Kdf(Some("argon2".to_owned())))
    );
    assert_eq!(open(&with(json!({ "kdf": null }))), Err(KeyError::Kdf(None)));
}

#[test]
fn wrong_passwords_and_damage_are_told_apart() {
    let file = KeyFile::parse(cheap(&master()).to_string().as_bytes()).unwrap();
    for password in [&b""[..], b"Password", b"password "] {
        let error = file.open(password, &LIMITS).map(drop);
        assert_eq!(error, Err(KeyError::WrongPassword));
    }
    let data = BASE64_STANDARD.decode(cheap(&master())["data"].as_str().unwrap()).unwrap();
    for len in 0..data.len() {
        let cut = BASE64_STANDARD.encode(&data[..len]);
        let want = match len {
            0..32 => KeyError::Sealed(SealError::TooShort { len }),
            _ => KeyError::WrongPassword,
        };
        assert_eq!(open(&with(json!({ "data": cut }))), Err(want), "{len}");
    }
    let zero_iv = BASE64_STANDARD.encode([0; 40]);
    assert_eq!(open(&with(json!({ "data": zero_iv }))), Err(KeyError::Sealed(SealError::ZeroIv)));
    let short_salt = key_file(master().to_string().as_bytes(), 16, 8, 1, &[5; 32]);
    assert_eq!(open(&short_salt), Err(KeyError::Salt { len: 32 }));
    assert_eq!(open(&with(json!({ "salt": null }))), Err(KeyError::Salt { len: 0 }));
}

#[test]
fn master_keys_that_are_none_are_refused() {
    let zeros = |len: usize| BASE64_STANDARD.encode(vec![0; len]);
    for (name, change) in [
        ("encrypt", json!(zeros(32))),
        ("mac", json!({ "k": zeros(16), "r": BASE64_STANDARD.encode([3; 16]) })),
        ("mac", json!({ "k": BASE64_STANDARD.encode([3; 16]), "r": zeros(16) })),
        ("mac", json!(null)),
    ] {
        let mut master = master();
        master[name] = change;
        assert!(matches!(open(&cheap(&master)), Err(KeyError::Zero(_))), "{master}");
    }
    for (name, change) in [
        ("encrypt", json!(zeros(31))),
        ("encrypt", json!(null)),
        ("encrypt", json!("?")),
        ("mac", json!([])),
        ("mac", json!({ "k": zeros(17) })),
    ] {
        let mut master = master();
        master[name] = change;
        assert!(matches!(open(&cheap(&master)), Err(KeyError::Master(_))), "{master}");
    }
    let not_json = key_file(b"not json", 16, 8, 1, &[5; 64]);
    assert!(matches!(open(&not_json), Err(KeyError::Master(_))));
}

#[test]
fn what_a_key_may_cost_is_checked_before_it_is_derived() {
    let open = |n: u64, r: i64, p: i64, limits: &KeyLimits| {
        let file = with(json!({ "N": n, "r": r, "p": p }));
        let file = KeyFile::parse(file.to_string().as_bytes()).unwrap();
        file.open(PASSWORD, limits).map(drop)
    };
    let limits = KeyLimits { memory_bytes_max: 128 * 8 * 17, work_max: 16 * 8 };
    assert_eq!(open(16, 8, 1, &limits), Ok(()));
    for (n, r, p) in [(32, 8, 1), (16, 9, 1), (16, 8, 2), (1 << 62, 1, 1), (1 << 40, 1 << 20, 1)] {
        let error = open(n, r, p, &limits).unwrap_err();
        assert!(matches!(error, KeyError::Limit { .. }), "{error}");
    }
    let less_work = KeyLimits { work_max: 127, ..limits };
    let error = open(16, 8, 1, &less_work).unwrap_err().to_string();
    let want = "key file: wanted scrypt with at most 17408 bytes of memory and N * r * p at most 127, got N = 16, r = 8, p = 1";
    assert_eq!(error, want);
    // Whatever the limits, sizes that can't be computed with are refused.
    let all = KeyLimits { memory_bytes_max: u64::MAX, work_max: u64::MAX };
    for (n, r) in [(1 << 62, 1 << 29), (1 << 58, 1 << 20)] {
        assert!(open(n, r, 1, &all).is_err());
    }
}

#[test]
fn files_that_are_cut_or_no_key_files_are_errors() {
    let text = cheap(&master()).to_string();
    for len in 0..text.len() {
        assert!(matches!(KeyFile::parse(&text.as_bytes()[..len]), Err(KeyError::Json(_))), "{len}");
    }
    for text in ["not json", "[]", "{\"N\":1.5}", "{\"salt\":\"?\"}", "{\"salt\":[]}", "{}{}"] {
        assert!(matches!(KeyFile::parse(text.as_bytes()), Err(KeyError::Json(_))), "{text}");
    }
    // Nothing is derived from a file without fields.
    let empty = KeyFile::parse(b"{}").unwrap();
    assert_eq!(empty.open(PASSWORD, &LIMITS).map(drop), Err(KeyError::Kdf(None)));
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 0x11;
        if let Ok(file) = KeyFile::parse(&bytes) {
            let _ = file.open(PASSWORD, &LIMITS);
        }
    }
}
