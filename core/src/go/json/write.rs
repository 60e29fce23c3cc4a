//! Strings as Go's encoder writes them.

/// Appends a string in its quotes. `<`, `>`, `&` and the line separators of Unicode are escaped
/// too, and each byte that isn't UTF-8 becomes the six characters `\ufffd`.
pub fn put_string(bytes: impl AsRef<[u8]>, out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in bytes.as_ref().utf8_chunks() {
        chunk.valid().chars().for_each(|char| put_char(char, out));
        chunk.invalid().iter().for_each(|_| out.extend_from_slice(b"\\ufffd"));
    }
    out.push(b'"');
}

#[inline]
fn put_char(char: char, out: &mut Vec<u8>) {
    let short: &[u8] = match char {
        '"' => b"\\\"",
        '\\' => b"\\\\",
        '\x08' => b"\\b",
        '\x0c' => b"\\f",
        '\n' => b"\\n",
        '\r' => b"\\r",
        '\t' => b"\\t",
        '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
            return out.extend_from_slice(format!("\\u{:04x}", u32::from(char)).as_bytes());
        }
        _ => return out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    out.extend_from_slice(short);
}
