//! Passwords as restic takes them from files, commands and variables.

/// The password that a file or the output of a command holds: without a byte order mark, UTF-16
/// with one converted, without white space at both ends. Passwords are bytes; nothing else of them
/// is changed.
///
/// ```
/// use manicule::blobs::password::of_file;
///
/// assert_eq!(of_file(b"  secret word\n"), b"secret word");
/// assert_eq!(of_file(b"\xff\xfea\0\xdf\0"), "aß".as_bytes());
/// ```
pub fn of_file(bytes: &[u8]) -> Vec<u8> {
    let text = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
        [0xff, 0xfe, rest @ ..] => from_utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => from_utf_16(rest, u16::from_be_bytes),
        _ => bytes.to_vec(),
    };
    match str::from_utf8(&text) {
        Ok(text) => text.trim().as_bytes().to_vec(),
        Err(_) => text.trim_ascii().to_vec(),
    }
}

fn from_utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (units, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16_lossy(&units).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_white_space_at_the_ends_are_no_part_of_a_password() {
        let rows: &[(&[u8], &[u8])] = &[
            (b"", b""),
            (b"secret", b"secret"),
            (b"\xef\xbb\xbfsecret\r\n", b"secret"),
            (b"\xfe\xff\0a\0 \0b\0\n", b"a b"),
            ("\u{a0}blank \u{2003}".as_bytes(), b"blank"),
            (b" \xff bytes \t", b"\xff bytes"),
        ];
        for (file, want) in rows {
            assert_eq!(of_file(file), *want, "{file:?}");
        }
    }
}
