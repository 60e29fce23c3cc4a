//! Values as other programs write them, without the quotes of CQL: fields of CSV, strings of JSON,
//! and partition keys as Cassandra's tools print and take them.

use super::read::LiteralError;
use super::read_simple::read_simple;
use crate::shortened::shortened;
use crate::types::Type;

impl Type {
    /// Reads a partition key as sstabledump takes it: a value without quotes, blobs as hexadecimal
    /// digits, parts of a composite key with colons between them, those inside after a backslash.
    pub fn read_plain_key(&self, text: &str) -> Result<Vec<u8>, LiteralError> {
        let Type::Composite(parts) = self else { return read_plain(self, text) };
        let texts = split_parts(text);
        if texts.len() != parts.len() {
            let want = format!("{} values with colons between them", parts.len());
            return Err(LiteralError { at: 0, want, got: text.to_owned() });
        }
        let read = parts.iter().zip(&texts).map(|(kind, text)| read_plain(kind, text));
        self.key_of_values(&read.collect::<Result<Vec<_>, _>>()?, text)
    }
}

impl Type {
    /// Reads a field: text as it is; numbers, times, addresses and ids as in CQL without quotes;
    /// blobs as `0x00ff`; what has parts as CQL writes it. An empty field is the empty value, also
    /// of a type that has none: an SSTable may hold it.
    pub fn read_field(&self, text: &str) -> Result<Vec<u8>, LiteralError> {
        let value = match self.ascending() {
            Type::Text => Some(text.as_bytes().to_vec()),
            _ if text.is_empty() => Some(Vec::new()),
            Type::Ascii => Some(text.as_bytes().to_vec()),
            Type::List { .. }
            | Type::Set { .. }
            | Type::Map { .. }
            | Type::Vector { .. }
            | Type::Tuple { .. }
            | Type::User(_) => return self.read_literal(text).map(Option::unwrap_or_default),
            simple => read_simple(simple, text),
        };
        value.filter(|value| value.is_empty() || self.holds(value)).ok_or_else(|| LiteralError {
            at: 0,
            want: self.cql(),
            got: shortened(text.as_bytes()),
        })
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
    fn fields_are_read_without_quotes() {
        let check = |name: &str, text: &str, want: Option<&[u8]>| {
            let kind = Type::parse(name).expect(name);
            assert_eq!(kind.read_field(text).ok().as_deref(), want, "{name} {text}");
        };
        check("UTF8Type", "it's", Some(b"it's"));
        check("UTF8Type", "", Some(b""));
        check("Int32Type", "", Some(b""));
        check("Int32Type", "-1", Some(&[255; 4]));
        check("Int32Type", "1.5", None);
        check("Int32Type", "0x01", None);
        check("BytesType", "0x01ff", Some(&[1, 255]));
        check("BytesType", "01ff", None);
        check("AsciiType", "é", None);
        check("TimestampType", "1970-01-01T00:00:01Z", Some(&[0, 0, 0, 0, 0, 0, 3, 232]));
        check("TimeType", "00:00:01", Some(&[0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0]));
        check("SetType(Int32Type)", "{2}", Some(&[0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2]));
        check("SetType(Int32Type)", "2", None);
        check("FrozenType(SetType(Int32Type))", "", Some(b""));
        check("ShortType", "", Some(b""));
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
