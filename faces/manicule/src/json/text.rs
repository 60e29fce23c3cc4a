//! Bytes as text.

use std::borrow::Cow;

/// Bytes as text: what is not valid UTF-8 is shown as `\xff`.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut shown = String::new();
            for chunk in bytes.utf8_chunks() {
                shown.push_str(chunk.valid());
                shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
            }
            Cow::Owned(shown)
        }
    }
}
