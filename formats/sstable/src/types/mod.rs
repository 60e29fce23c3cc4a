//! Types of columns and keys: names of Cassandra's classes, widths, names in CQL, order of values.
//!
//! Bytes:   docs/formats/sstable.md, Types

mod class;
mod compare;
mod cql;
mod elements;
mod name;
mod number;
mod parse;
mod parts;
mod text;

pub(crate) use compare::compare_values;
pub use elements::{Elements, Value};
pub use name::quoted_name;
pub(crate) use name::quoted_name_of;
pub use parse::TypeError;
pub use parts::Parts;
pub use text::{
    LiteralError, PlainForm, put_instant, put_instant_micros, put_json_string, read_values,
};

/// Greatest depth to which types nest: `list<list<int>>` is 3 deep.
pub const TYPE_DEPTH_MAX: usize = 32;

/// Type of a column, a key, a part of one.
///
/// `is_frozen`: written inside FrozenType(...), so that a value is one cell. Inside a frozen type
/// the inner ones are frozen whatever they say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `ascii`.
    Ascii,
    /// `bigint`.
    Bigint,
    /// `blob`.
    Blob,
    /// `boolean`.
    Boolean,
    /// `counter`.
    Counter,
    /// `date`.
    Date,
    /// `decimal`.
    Decimal,
    /// `double`.
    Double,
    /// `duration`.
    Duration,
    /// The values of compact tables without columns.
    Empty,
    /// `float`.
    Float,
    /// `inet`.
    Inet,
    /// `int`.
    Int,
    /// A `timestamp` of old tables, ordered by its bytes: DateType.
    LegacyTimestamp,
    /// A `uuid` of old tables: LexicalUUIDType.
    LexicalUuid,
    /// `smallint`.
    Smallint,
    /// `text`.
    Text,
    /// `time`.
    Time,
    /// `timestamp`.
    Timestamp,
    /// `timeuuid`.
    Timeuuid,
    /// `tinyint`.
    Tinyint,
    /// `uuid`.
    Uuid,
    /// `varint`.
    Varint,
    /// `list`.
    List {
        /// Type of its elements.
        element: Box<Type>,
        /// Whether a value is one cell.
        is_frozen: bool,
    },
    /// `set`.
    Set {
        /// Type of its elements.
        element: Box<Type>,
        /// Whether a value is one cell.
        is_frozen: bool,
    },
    /// `map`.
    Map {
        /// Type of its keys.
        key: Box<Type>,
        /// Type of its values.
        value: Box<Type>,
        /// Whether a value is one cell.
        is_frozen: bool,
    },
    /// `tuple`: one cell with or without FrozenType.
    Tuple {
        /// Types of its fields.
        fields: Vec<Type>,
        /// Whether it is written inside FrozenType.
        is_frozen: bool,
    },
    /// A user-defined type.
    User(Box<UserType>),
    /// A clustering column in descending order.
    Reversed(Box<Type>),
    /// A partition key of several columns.
    Composite(Vec<Type>),
    /// `vector`.
    Vector {
        /// Type of its elements.
        element: Box<Type>,
        /// Number of its elements.
        count: u32,
    },
    /// Any other class, with its parameters as they are written. Its values are bytes.
    Custom(String),
}

/// A user-defined type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserType {
    /// Its keyspace.
    pub keyspace: String,
    /// Its name in bytes of UTF-8.
    pub name: Vec<u8>,
    /// Names and types of its fields.
    pub fields: Vec<(Vec<u8>, Type)>,
    /// Whether a value is one cell.
    pub is_frozen: bool,
}

impl Type {
    /// Length in bytes of each value that isn't empty, if it is the same for all: then none is
    /// stored in Data.db.
    ///
    /// Trap: tinyint, smallint, date and time have values of one length, which is stored all the
    /// same.
    #[inline]
    pub fn fixed_width(&self) -> Option<usize> {
        match self {
            Type::Empty => Some(0),
            Type::Boolean => Some(1),
            Type::Int | Type::Float => Some(4),
            Type::Bigint | Type::Double | Type::Timestamp | Type::LegacyTimestamp => Some(8),
            Type::Uuid | Type::Timeuuid | Type::LexicalUuid => Some(16),
            Type::Reversed(inner) => inner.fixed_width(),
            Type::Vector { element, count } => {
                element.fixed_width()?.checked_mul(usize::try_from(*count).ok()?)
            }
            _ => None,
        }
    }

    /// Whether a value is many cells, each with a path.
    #[inline]
    pub fn is_complex(&self) -> bool {
        match self {
            Type::List { is_frozen, .. }
            | Type::Set { is_frozen, .. }
            | Type::Map { is_frozen, .. } => !is_frozen,
            Type::User(user) => !user.is_frozen,
            _ => false,
        }
    }

    /// The type without descending order.
    pub fn ascending(&self) -> &Type {
        match self {
            Type::Reversed(inner) => inner.ascending(),
            other => other,
        }
    }

    /// Types of a partition key's columns.
    pub fn key_parts(&self) -> &[Type] {
        match self {
            Type::Composite(parts) => parts,
            single => std::slice::from_ref(single),
        }
    }

    /// Length in bytes that every value has that isn't empty, stored or not.
    pub(crate) fn value_len(&self) -> Option<usize> {
        match self {
            Type::Tinyint => Some(1),
            Type::Smallint => Some(2),
            Type::Date => Some(4),
            Type::Time => Some(8),
            Type::Reversed(inner) => inner.value_len(),
            other => other.fixed_width(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_and_dates_have_a_length() {
        let check = |name: &str, want: Option<usize>| {
            let kind = Type::parse(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(kind.fixed_width(), want, "{name}");
        };
        for name in
            ["ByteType", "ShortType", "SimpleDateType", "TimeType", "UTF8Type", "CounterColumnType"]
        {
            check(name, None);
        }
        for (name, width) in [
            ("EmptyType", 0),
            ("BooleanType", 1),
            ("Int32Type", 4),
            ("FloatType", 4),
            ("LongType", 8),
            ("DateType", 8),
            ("ReversedType(TimestampType)", 8),
            ("LexicalUUIDType", 16),
        ] {
            check(name, Some(width));
        }
        check("VectorType(FloatType , 3)", Some(12));
        check("VectorType(VectorType(LongType , 2) , 2)", Some(32));
        check("VectorType(ShortType , 3)", None);
        assert_eq!(Type::Smallint.value_len(), Some(2));
    }

    #[test]
    fn collections_are_complex_unless_frozen() {
        let check = |name: &str, want: bool| {
            assert_eq!(Type::parse(name).map(|kind| kind.is_complex()), Ok(want), "{name}");
        };
        check("ListType(Int32Type)", true);
        check("FrozenType(ListType(Int32Type))", false);
        check("MapType(Int32Type,FrozenType(ListType(Int32Type)))", true);
        check("UserType(ks,61,62:Int32Type)", true);
        check("FrozenType(UserType(ks,61,62:Int32Type))", false);
        check("TupleType(Int32Type)", false);
        check("VectorType(Int32Type , 2)", false);
    }
}
