//! Reading any text as a key file, and opening it, gives a value or an error within the limits; the
//! same for configs, and for what a password opens instead of a master key. A key that was opened
//! seals and opens.
//!
//! Seeds:
//! `mkdir -p corpus/restic_key && tar -xf ../proof/golden/blobs/keys.tar.zst -C corpus/restic_key --strip-components=3
//! --wildcards './repo/keys/*' && printf
//! '{"mac":{"k":"AgICAgICAgICAgICAgICAg==","r":"AwMDAwMDAwMDAwMDAwMDAw=="},"encrypt":'\
//! '"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="}' > corpus/restic_key/master`

#![no_main]

use arbitrary::Arbitrary;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use libfuzzer_sys::fuzz_target;
use manicule_format_restic::{Config, Key, KeyError, KeyFile, KeyLimits};

const PASSWORD: &[u8] = b"password";
const SALT: [u8; 64] = [5; 64];

/// What a key may cost here: so little that thousands are derived in a second.
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 17, work_max: 1 << 9 };

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    n: i64,
    r: i64,
    p: i64,
    salt: &'a [u8],
    data: &'a [u8],
}

fuzz_target!(|bytes: &[u8]| {
    file(bytes);
    let _ = Config::parse(bytes);
    master(bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let Input { n, r, p, salt, data } = input;
    // Escapes give any character, so that base64 with line breaks and without padding occurs.
    let text = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\u{byte:04x}")).collect::<String>();
    file(key_file([n, r, p], &text(salt), &text(data)).as_bytes());
});

fn key_file([n, r, p]: [i64; 3], salt: &str, data: &str) -> String {
    format!(
        "{{\"kdf\":\"scrypt\",\"N\":{n},\"r\":{r},\"p\":{p},\"salt\":\"{salt}\",\"data\":\"{data}\"}}"
    )
}

/// These bytes in place of a master key, sealed with the password's key.
fn master(plain: &[u8]) {
    let mut derived = [0; 64];
    let params = scrypt::Params::new(1, 1, 1).expect("the cheapest parameters");
    scrypt::scrypt(PASSWORD, &SALT, &params, &mut derived).expect("64 bytes");
    let mut sealed = Vec::new();
    Key::from_bytes(&derived).expect("a key").seal([9; 16], plain, &mut sealed);
    let [salt, data] = [&SALT[..], &sealed].map(|bytes| BASE64_STANDARD.encode(bytes));
    let opened = file(key_file([2, 1, 1], &salt, &data).as_bytes());
    let is_answer = matches!(opened, Some(Ok(()) | Err(KeyError::Master(_) | KeyError::Zero(_))));
    assert!(is_answer, "{opened:?}");
}

fn file(bytes: &[u8]) -> Option<Result<(), KeyError>> {
    let file = KeyFile::parse(bytes).ok()?;
    let opened = file.open(PASSWORD, &LIMITS);
    Some(opened.map(|key| {
        let mut sealed = Vec::new();
        key.seal([1; 16], b"plaintext", &mut sealed);
        assert_eq!(key.open_in_place(&mut sealed), Ok(&mut b"plaintext".to_vec()[..]));
    }))
}
