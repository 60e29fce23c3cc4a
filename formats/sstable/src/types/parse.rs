//! Names of classes into types.
//!
//! Bytes:   name [ '(' param { ',' param } ')' ], docs/formats/sstable.md, Names of types

use std::fmt;

use manicule_core::hex;

use super::{TYPE_DEPTH_MAX, Type, UserType};
use crate::shortened::shortened;

/// Package of Cassandra's types; names without a dot are of it too.
pub(super) const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

/// Name of a type that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// Place in the name, in bytes.
    pub at: usize,
    /// What was wanted there.
    pub want: &'static str,
    /// What is there, shortened.
    pub got: String,
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TypeError { at, want, got } = self;
        write!(f, "type name at byte {at}: wanted {want}, got {got:?}")
    }
}

impl std::error::Error for TypeError {}

impl Type {
    /// Reads the name of a class with its parameters. Any class is accepted, as [`Type::Custom`] if
    /// it isn't known.
    pub fn parse(text: &str) -> Result<Type, TypeError> {
        let mut parser = Parser { text, at: 0 };
        let kind = parser.kind(1)?;
        parser.blanks();
        if parser.at < text.len() {
            return Err(parser.error("the end"));
        }
        Ok(kind)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, want: &'static str) -> TypeError {
        let got = shortened(&self.text.as_bytes()[self.at..]);
        TypeError { at: self.at, want, got }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) {
            self.at += 1;
        }
    }

    /// Takes `byte` if it is next after blanks.
    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8, want: &'static str) -> Result<(), TypeError> {
        if self.takes(byte) { Ok(()) } else { Err(self.error(want)) }
    }

    /// The next word: a name, a number, a keyspace.
    fn word(&mut self, want: &'static str) -> Result<&'a str, TypeError> {
        self.blanks();
        let rest = &self.text[self.at..];
        let is_end =
            |byte: u8| matches!(byte, b'(' | b')' | b',' | b':' | b'=' | b' ' | b'\t' | b'\n');
        let len = rest.bytes().position(is_end).unwrap_or(rest.len());
        if len == 0 {
            return Err(self.error(want));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    fn hex(&mut self, want: &'static str) -> Result<Vec<u8>, TypeError> {
        self.blanks();
        let start = self.at;
        // An empty name is no digits at all.
        let word = if matches!(self.peek(), Some(b',' | b':')) { "" } else { self.word(want)? };
        let bytes = hex::decode(word);
        bytes.ok_or_else(|| TypeError { at: start, want, got: shortened(word.as_bytes()) })
    }

    fn kind(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.blanks();
        if depth > TYPE_DEPTH_MAX {
            return Err(self.error("types that nest at most 32 deep"));
        }
        let start = self.at;
        let name = self.word("name of a type")?;
        let short = name.strip_prefix(PACKAGE).unwrap_or(name);
        if let Some(simple) = simple(short) {
            return Ok(simple);
        }
        match short {
            "FrozenType" => Ok(frozen(self.one(depth)?)),
            "ReversedType" => Ok(Type::Reversed(Box::new(self.one(depth)?))),
            "ListType" => Ok(Type::List { element: Box::new(self.one(depth)?), is_frozen: false }),
            "SetType" => Ok(Type::Set { element: Box::new(self.one(depth)?), is_frozen: false }),
            "MapType" => self.map(depth),
            "TupleType" => Ok(Type::Tuple { fields: self.many(depth)?, is_frozen: false }),
            "CompositeType" => Ok(Type::Composite(self.many(depth)?)),
            "UserType" => self.user(depth),
            "VectorType" => self.vector(depth),
            _ => self.custom(start),
        }
    }

    /// The one parameter.
    fn one(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.expect(b'(', "'('")?;
        let kind = self.kind(depth + 1)?;
        self.expect(b')', "')'")?;
        Ok(kind)
    }

    fn many(&mut self, depth: usize) -> Result<Vec<Type>, TypeError> {
        let mut kinds = Vec::new();
        self.expect(b'(', "'('")?;
        if self.takes(b')') {
            return Ok(kinds);
        }
        loop {
            kinds.push(self.kind(depth + 1)?);
            if !self.takes(b',') {
                break;
            }
        }
        self.expect(b')', "',' or ')'")?;
        Ok(kinds)
    }

    fn map(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.expect(b'(', "'('")?;
        let key = Box::new(self.kind(depth + 1)?);
        self.expect(b',', "','")?;
        let value = Box::new(self.kind(depth + 1)?);
        self.expect(b')', "')'")?;
        Ok(Type::Map { key, value, is_frozen: false })
    }

    fn user(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.expect(b'(', "'('")?;
        let keyspace = self.word("keyspace of a user type")?.to_owned();
        self.expect(b',', "','")?;
        let name = self.hex("name of a user type in hex")?;
        let mut fields = Vec::new();
        while self.takes(b',') {
            let field = self.hex("name of a field in hex")?;
            self.expect(b':', "':'")?;
            fields.push((field, self.kind(depth + 1)?));
        }
        self.expect(b')', "',' or ')'")?;
        Ok(Type::User(Box::new(UserType { keyspace, name, fields, is_frozen: false })))
    }

    fn vector(&mut self, depth: usize) -> Result<Type, TypeError> {
        self.expect(b'(', "'('")?;
        let element = Box::new(self.kind(depth + 1)?);
        self.expect(b',', "','")?;
        self.blanks();
        let start = self.at;
        let word = self.word("number of elements")?;
        let got = || shortened(word.as_bytes());
        let count = word.parse();
        let count =
            count.map_err(|_| TypeError { at: start, want: "number of elements", got: got() })?;
        self.expect(b')', "')'")?;
        Ok(Type::Vector { element, count })
    }

    /// The rest of a class that isn't known: its parameters up to the bracket that closes them.
    fn custom(&mut self, start: usize) -> Result<Type, TypeError> {
        let end_of_name = self.at;
        if !self.takes(b'(') {
            return Ok(Type::Custom(self.text[start..end_of_name].to_owned()));
        }
        let mut open = 1_usize;
        while open > 0 {
            match self.peek() {
                Some(b'(') => open += 1,
                Some(b')') => open -= 1,
                Some(_) => {}
                None => return Err(self.error("')'")),
            }
            self.at += 1;
        }
        Ok(Type::Custom(self.text[start..self.at].to_owned()))
    }
}

fn simple(name: &str) -> Option<Type> {
    Some(match name {
        "AsciiType" => Type::Ascii,
        "LongType" => Type::Bigint,
        "BytesType" => Type::Blob,
        "BooleanType" => Type::Boolean,
        "CounterColumnType" => Type::Counter,
        "SimpleDateType" => Type::Date,
        "DecimalType" => Type::Decimal,
        "DoubleType" => Type::Double,
        "DurationType" => Type::Duration,
        "EmptyType" => Type::Empty,
        "FloatType" => Type::Float,
        "InetAddressType" => Type::Inet,
        "Int32Type" => Type::Int,
        "DateType" => Type::LegacyTimestamp,
        "LexicalUUIDType" => Type::LexicalUuid,
        "ShortType" => Type::Smallint,
        "UTF8Type" => Type::Text,
        "TimeType" => Type::Time,
        "TimestampType" => Type::Timestamp,
        "TimeUUIDType" => Type::Timeuuid,
        "ByteType" => Type::Tinyint,
        "UUIDType" => Type::Uuid,
        "IntegerType" => Type::Varint,
        _ => return None,
    })
}

/// The type inside FrozenType. Of a simple one that says nothing.
fn frozen(mut kind: Type) -> Type {
    match &mut kind {
        Type::List { is_frozen, .. }
        | Type::Set { is_frozen, .. }
        | Type::Map { is_frozen, .. }
        | Type::Tuple { is_frozen, .. } => *is_frozen = true,
        Type::User(user) => user.is_frozen = true,
        _ => {}
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_package_and_without() {
        let check = |text: &str, want: Type| assert_eq!(Type::parse(text), Ok(want), "{text}");
        check("Int32Type", Type::Int);
        check(" org.apache.cassandra.db.marshal.Int32Type ", Type::Int);
        check("FrozenType(UTF8Type)", Type::Text);
        check("com.example.Int32Type", Type::Custom("com.example.Int32Type".to_owned()));
        let dynamic = "DynamicCompositeType(a=>UTF8Type,b=>X(Y))";
        check(dynamic, Type::Custom(dynamic.to_owned()));
        check(
            "MapType( Int32Type , FrozenType(SetType(UTF8Type)))",
            Type::Map {
                key: Box::new(Type::Int),
                value: Box::new(Type::Set { element: Box::new(Type::Text), is_frozen: true }),
                is_frozen: false,
            },
        );
        check(
            "UserType(ks,61c3a9,:Int32Type,62:ByteType)",
            Type::User(Box::new(UserType {
                keyspace: "ks".to_owned(),
                name: "aé".as_bytes().to_vec(),
                fields: vec![(Vec::new(), Type::Int), (b"b".to_vec(), Type::Tinyint)],
                is_frozen: false,
            })),
        );
        check(
            "CompositeType(Int32Type,ReversedType(UTF8Type))",
            Type::Composite(vec![Type::Int, Type::Reversed(Box::new(Type::Text))]),
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let check = |text: &str, want: &str| {
            let error = Type::parse(text).expect_err(text).to_string();
            assert_eq!(error, format!("type name at byte {want}"));
        };
        check("", "0: wanted name of a type, got \"\"");
        check("ListType", "8: wanted '(', got \"\"");
        check("ListType(Int32Type", "18: wanted ')', got \"\"");
        check("MapType(Int32Type)", "17: wanted ',', got \")\"");
        check("Int32Type)", "9: wanted the end, got \")\"");
        check("UserType(ks,6,61:Int32Type)", "12: wanted name of a user type in hex, got \"6\"");
        check("VectorType(Int32Type , x)", "23: wanted number of elements, got \"x\"");
        check("X(a", "3: wanted ')', got \"\"");
    }

    #[test]
    fn types_nest_to_a_depth_and_no_deeper() {
        let nested = |depth: usize| {
            format!("{}Int32Type{}", "ListType(".repeat(depth - 1), ")".repeat(depth - 1))
        };
        assert!(Type::parse(&nested(TYPE_DEPTH_MAX)).is_ok());
        let error = Type::parse(&nested(TYPE_DEPTH_MAX + 1)).expect_err("too deep");
        assert_eq!((error.at, error.want), (288, "types that nest at most 32 deep"));
        assert!(Type::parse(&nested(100_000)).is_err());
    }
}
