//! Types as names of classes, the way their writers print them.
//!
//! Bytes:   docs/formats/sstable.md, Names of types

use std::fmt;

use manicule_core::hex;

use super::parse::PACKAGE;
use super::{Type, UserType};

/// The full name of the class, as a header has it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_frozen = match self {
            Type::List { is_frozen, .. }
            | Type::Set { is_frozen, .. }
            | Type::Map { is_frozen, .. }
            | Type::Tuple { is_frozen, .. } => *is_frozen,
            Type::User(user) => user.is_frozen,
            _ => false,
        };
        if is_frozen {
            write!(f, "{PACKAGE}FrozenType(")?;
        }
        match self {
            Type::List { element, .. } => write!(f, "{PACKAGE}ListType({element})")?,
            Type::Set { element, .. } => write!(f, "{PACKAGE}SetType({element})")?,
            Type::Map { key, value, .. } => write!(f, "{PACKAGE}MapType({key},{value})")?,
            Type::Tuple { fields, .. } => put_many(f, "TupleType", fields)?,
            Type::User(user) => put_user(f, user)?,
            Type::Reversed(inner) => write!(f, "{PACKAGE}ReversedType({inner})")?,
            Type::Composite(parts) => put_many(f, "CompositeType", parts)?,
            Type::Vector { element, count } => {
                write!(f, "{PACKAGE}VectorType({element} , {count})")?
            }
            Type::Custom(name) => f.write_str(name)?,
            simple => write!(f, "{PACKAGE}{}", simple_name(simple))?,
        }
        if is_frozen { f.write_str(")") } else { Ok(()) }
    }
}

fn put_many(f: &mut fmt::Formatter<'_>, name: &str, kinds: &[Type]) -> fmt::Result {
    write!(f, "{PACKAGE}{name}(")?;
    for (index, kind) in kinds.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(f, "{comma}{kind}")?;
    }
    f.write_str(")")
}

fn put_user(f: &mut fmt::Formatter<'_>, user: &UserType) -> fmt::Result {
    write!(f, "{PACKAGE}UserType({},{}", user.keyspace, hex::encode(&user.name))?;
    for (name, kind) in &user.fields {
        write!(f, ",{}:{kind}", hex::encode(name))?;
    }
    f.write_str(")")
}

fn simple_name(kind: &Type) -> &'static str {
    match kind {
        Type::Ascii => "AsciiType",
        Type::Bigint => "LongType",
        Type::Blob => "BytesType",
        Type::Boolean => "BooleanType",
        Type::Counter => "CounterColumnType",
        Type::Date => "SimpleDateType",
        Type::Decimal => "DecimalType",
        Type::Double => "DoubleType",
        Type::Duration => "DurationType",
        Type::Empty => "EmptyType",
        Type::Float => "FloatType",
        Type::Inet => "InetAddressType",
        Type::Int => "Int32Type",
        Type::LegacyTimestamp => "DateType",
        Type::LexicalUuid => "LexicalUUIDType",
        Type::Smallint => "ShortType",
        Type::Text => "UTF8Type",
        Type::Time => "TimeType",
        Type::Timestamp => "TimestampType",
        Type::Timeuuid => "TimeUUIDType",
        Type::Tinyint => "ByteType",
        Type::Uuid => "UUIDType",
        Type::Varint => "IntegerType",
        other => unreachable!("{other:?} has parameters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_they_were_read() {
        let simple = [
            "AsciiType",
            "LongType",
            "BytesType",
            "BooleanType",
            "CounterColumnType",
            "SimpleDateType",
            "DecimalType",
            "DoubleType",
            "DurationType",
            "EmptyType",
            "FloatType",
            "InetAddressType",
            "Int32Type",
            "DateType",
            "LexicalUUIDType",
            "ShortType",
            "UTF8Type",
            "TimeType",
            "TimestampType",
            "TimeUUIDType",
            "ByteType",
            "UUIDType",
            "IntegerType",
        ];
        let nested = [
            "@FrozenType(@MapType(@Int32Type,@SetType(@UTF8Type)))",
            "@ListType(@FrozenType(@TupleType(@Int32Type,@Int32Type)))",
            "@ReversedType(@CompositeType(@Int32Type,@UTF8Type))",
            "@UserType(ks,61,62:@FrozenType(@UserType(ks,c3a9)),63:@VectorType(@FloatType , 3))",
            "com.example.T(a=>b)",
        ];
        let simple = simple.iter().map(|name| format!("@{name}"));
        for name in simple.chain(nested.map(str::to_owned)) {
            let name = name.replace('@', PACKAGE);
            assert_eq!(Type::parse(&name).map(|kind| kind.to_string()), Ok(name));
        }
    }
}
