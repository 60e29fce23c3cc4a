//! Text from files for people.

use std::borrow::Cow;

/// Text from a file for people: what isn't text as `\xff`, what a terminal would take for a command
/// escaped.
pub(crate) fn shown(bytes: &[u8]) -> Cow<'_, str> {
    // Without a way out of the loop, many bytes are compared at once.
    let is_plain = bytes.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'));
    if is_plain && let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if char.is_control() { out.extend(char.escape_default()) } else { out.push(char) }
        }
        out.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    Cow::Owned(out)
}
