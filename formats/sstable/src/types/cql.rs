//! Types as CQL names them.
//!
//! Bytes:   docs/formats/sstable.md, Names of types

use super::name::quoted_name;
use super::{Type, UserType};

impl Type {
    /// The name in CQL: `frozen<map<int, text>>`. Without one, the class in quotes. Descending
    /// order is no part of it.
    pub fn cql(&self) -> String {
        let mut out = String::new();
        self.put_cql(Frozen::No, &mut out);
        out
    }

    /// The name of a user-defined type's field, which is frozen where it has parts.
    pub(crate) fn cql_of_field(&self) -> String {
        let mut out = String::new();
        self.put_cql(Frozen::Must, &mut out);
        out
    }

    fn put_cql(&self, place: Frozen, out: &mut String) {
        if let Type::Reversed(inner) = self {
            return inner.put_cql(place, out);
        }
        let is_frozen = match self {
            Type::List { is_frozen, .. }
            | Type::Set { is_frozen, .. }
            | Type::Map { is_frozen, .. } => *is_frozen || place == Frozen::Must,
            Type::User(user) => user.is_frozen || place == Frozen::Must,
            Type::Tuple { .. } => true,
            _ => false,
        };
        if !is_frozen || place == Frozen::Already {
            return self.put_bare(place, out);
        }
        out.push_str("frozen<");
        self.put_bare(Frozen::Already, out);
        out.push('>');
    }

    fn put_bare(&self, place: Frozen, out: &mut String) {
        let inner = if place == Frozen::Already { place } else { Frozen::Must };
        match self {
            Type::List { element, .. } => put_many("list", [&**element], inner, out),
            Type::Set { element, .. } => put_many("set", [&**element], inner, out),
            Type::Map { key, value, .. } => put_many("map", [&**key, &**value], inner, out),
            Type::Tuple { fields, .. } => put_many("tuple", fields, inner, out),
            Type::User(user) => {
                let UserType { name, .. } = &**user;
                out.push_str(&quoted_name(name));
            }
            Type::Vector { element, count } => {
                put_many("vector", [&**element], inner, out);
                out.pop();
                out.push_str(&format!(", {count}>"));
            }
            Type::Composite(_) | Type::Custom(_) | Type::Empty => {
                out.push_str(&format!("'{}'", self.to_string().replace('\'', "''")));
            }
            simple => out.push_str(simple_name(simple)),
        }
    }
}

/// Whether the place of a type makes it frozen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frozen {
    /// A column's type: as its name says.
    No,
    /// Inside a collection that isn't frozen: it can only be frozen, and CQL wants that written.
    Must,
    /// Inside something frozen: nothing is written.
    Already,
}

fn put_many<'a>(
    name: &str,
    kinds: impl IntoIterator<Item = &'a Type>,
    place: Frozen,
    out: &mut String,
) {
    out.push_str(name);
    for (index, kind) in kinds.into_iter().enumerate() {
        out.push_str(if index == 0 { "<" } else { ", " });
        kind.put_cql(place, out);
    }
    out.push('>');
}

fn simple_name(kind: &Type) -> &'static str {
    match kind {
        Type::Ascii => "ascii",
        Type::Bigint => "bigint",
        Type::Blob => "blob",
        Type::Boolean => "boolean",
        Type::Counter => "counter",
        Type::Date => "date",
        Type::Decimal => "decimal",
        Type::Double => "double",
        Type::Duration => "duration",
        Type::Float => "float",
        Type::Inet => "inet",
        Type::Int => "int",
        Type::LegacyTimestamp | Type::Timestamp => "timestamp",
        Type::LexicalUuid | Type::Uuid => "uuid",
        Type::Smallint => "smallint",
        Type::Text => "text",
        Type::Time => "time",
        Type::Timeuuid => "timeuuid",
        Type::Tinyint => "tinyint",
        Type::Varint => "varint",
        other => unreachable!("{other:?} has parameters or no name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_in_a_schema() {
        let check = |class: &str, want: &str| {
            assert_eq!(Type::parse(class).map(|kind| kind.cql()), Ok(want.to_owned()));
        };
        check("ReversedType(TimestampType)", "timestamp");
        check("ListType(Int32Type)", "list<int>");
        check("FrozenType(ListType(Int32Type))", "frozen<list<int>>");
        check("TupleType(Int32Type,UTF8Type)", "frozen<tuple<int, text>>");
        check(
            "ListType(TupleType(Int32Type,ListType(UTF8Type)))",
            "list<frozen<tuple<int, list<text>>>>",
        );
        check("MapType(UTF8Type,FrozenType(UserType(ks,61646472)))", "map<text, frozen<addr>>");
        check("FrozenType(MapType(Int32Type,SetType(UTF8Type)))", "frozen<map<int, set<text>>>");
        check("UserType(ks,41b2)", "\"A\u{fffd}\"");
        check("VectorType(VectorType(ShortType , 2) , 3)", "vector<vector<smallint, 2>, 3>");
        check("ListType(VectorType(Int32Type , 2))", "list<vector<int, 2>>");
        check("EmptyType", "'org.apache.cassandra.db.marshal.EmptyType'");
        check("com.example.T(a=>b)", "'com.example.T(a=>b)'");
    }
}
