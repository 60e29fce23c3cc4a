//! Partition keys in the form in which Cassandra's tools print and take them.
//!
//! Callers: faces/manicule

use super::read::{LiteralError, composite_key};
use crate::types::Type;

impl Type {
    /// Reads a partition key as sstabledump takes it: a value without quotes, blobs as hexadecimal digits, parts of a composite key with
    /// colons between them, those inside after a backslash.
    pub fn read_plain_key(&self, text: &str) -> Result<Vec<u8>, LiteralError> {
        let Type::Composite(parts) = self else { return read_plain(self, text) };
        let texts = split_parts(text);
        if texts.len() != parts.len() {
            let want = format!("{} values with colons between them", parts.len());
            return Err(LiteralError { at: 0, want, got: text.to_owned() });
        }
        let read = parts.iter().zip(&texts).map(|(kind, text)| read_plain(kind, text));
        composite_key(read.collect::<Result<Vec<_>, _>>()?, text)
    }
}

fn read_plain(kind: &Type, text: &str) -> Result<Vec<u8>, LiteralError> {
    if matches!(kind, Type::Text | Type::Ascii) {
        return Ok(text.as_bytes().to_vec());
    }
    if *kind == Type::Blob {
        return kind.read_literal(&format!("0x{text}")).map(Option::unwrap_or_default);
    }
    // Times and addresses have quotes in CQL.
    let quoted = || kind.read_literal(&format!("'{}'", text.replace('\'', "''"))).ok();
    match kind.read_literal(text) {
        Ok(value) => Ok(value.unwrap_or_default()),
        Err(error) => quoted().flatten().ok_or(error),
    }
}

/// The texts between colons, backslashes before colons and other marks taken away.
fn split_parts(text: &str) -> Vec<String> {
    let (mut parts, mut chars) = (vec![String::new()], text.chars().peekable());
    while let Some(char) = chars.next() {
        let escaped = chars.next_if(|next| char == '\\' && matches!(next, ':' | '@'));
        match (char, escaped, parts.last_mut()) {
            (':', _, _) => parts.push(String::new()),
            (_, Some(mark), Some(part)) => part.push(mark),
            (char, _, Some(part)) => part.push(char),
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &Type, text: &str, want: &[u8]) {
        assert_eq!(kind.read_plain_key(text).as_deref(), Ok(want), "{text}");
    }

    #[test]
    fn keys_are_read_as_they_are_printed() {
        check(&Type::Int, "5", &[0, 0, 0, 5]);
        check(&Type::Text, "it's 5", b"it's 5");
        check(&Type::Blob, "00ff", &[0, 255]);
        check(&Type::Inet, "10.0.0.1", &[10, 0, 0, 1]);
        check(&Type::Date, "1970-01-02", &[0x80, 0, 0, 1]);
        let both = Type::Composite(vec![Type::Int, Type::Text]);
        check(&both, "4:x\\:4", b"\0\x04\0\0\0\x04\0\0\x03x:4\0");
        assert!(both.read_plain_key("4").is_err() && Type::Int.read_plain_key("five").is_err());
    }
}
