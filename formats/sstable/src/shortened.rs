//! Foreign texts in errors.

/// Text of an error: the first bytes of a longer one.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    const LEN_MAX: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LEN_MAX)]);
    if bytes.len() > LEN_MAX { format!("{text}..") } else { text.into_owned() }
}
