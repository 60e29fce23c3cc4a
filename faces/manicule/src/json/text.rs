//! Bytes as text.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::ser::SerializeMap;

use super::Report;

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

/// Bytes as ripgrep has them: UTF-8 as `text`, what is not as `bytes` in base64.
#[derive(Clone, Copy, Debug)]
pub struct TextOrBytes<'t>(pub &'t [u8]);

impl Report for TextOrBytes<'_> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        match str::from_utf8(self.0) {
            Ok(text) => to.serialize_entry("text", text),
            Err(_) => to.serialize_entry("bytes", &BASE64_STANDARD.encode(self.0)),
        }
    }
}
