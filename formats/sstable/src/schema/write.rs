//! A schema as CQL from the header of an SSTable.

use crate::header::{Column, Header};
use crate::types::{Type, UserType, quoted_name};

/// Names that a header doesn't have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyNames {
    /// The keyspace.
    pub keyspace: String,
    /// The table.
    pub table: String,
    /// Columns of the partition key.
    pub partition_key: Vec<String>,
    /// Clustering columns.
    pub clustering: Vec<String>,
}

impl KeyNames {
    /// Names for want of others: `key`, `key2`, .., `column1`, `column2`, ..
    pub fn invented(header: &Header, keyspace: &str, table: &str) -> KeyNames {
        let key =
            |number: usize| if number == 1 { "key".to_owned() } else { format!("key{number}") };
        KeyNames {
            keyspace: keyspace.to_owned(),
            table: table.to_owned(),
            partition_key: (1..=header.key.key_parts().len()).map(key).collect(),
            clustering: (1..=header.clustering.len())
                .map(|number| format!("column{number}"))
                .collect(),
        }
    }
}

/// Appends the types and the table, each statement on lines of its own. Of compression, compaction
/// and other options a header has nothing.
///
/// # Panics
/// If there are fewer names than columns of the key.
pub fn put_schema(header: &Header, names: &KeyNames, out: &mut String) {
    put_user_types(header, out);
    let KeyNames { keyspace, table, partition_key, clustering } = names;
    let name = |text: &str| quoted_name(text.as_bytes());
    out.push_str(&format!("CREATE TABLE {}.{} (\n", name(keyspace), name(table)));
    for (text, kind) in partition_key.iter().zip(header.key.key_parts()) {
        out.push_str(&format!("    {} {},\n", name(text), kind.cql()));
    }
    for (index, kind) in header.clustering.iter().enumerate() {
        out.push_str(&format!("    {} {},\n", name(&clustering[index]), kind.cql()));
    }
    put_columns(&header.statics, " static", out);
    put_columns(&header.regulars, "", out);
    let quoted = |names: &[String]| names.iter().map(|text| name(text)).collect::<Vec<_>>();
    let mut key = quoted(&partition_key[..header.key.key_parts().len()]).join(", ");
    if header.key.key_parts().len() > 1 {
        key = format!("({key})");
    }
    let clustering = quoted(&clustering[..header.clustering.len()]);
    let all = [&[key][..], &clustering].concat().join(", ");
    out.push_str(&format!("    PRIMARY KEY ({all})\n)"));
    put_order(header, &clustering, out);
    out.push_str(";\n");
}

fn put_columns(columns: &[Column], suffix: &str, out: &mut String) {
    for Column { name, kind } in columns {
        out.push_str(&format!("    {} {}{suffix},\n", quoted_name(name), kind.cql()));
    }
}

/// The order of clustering columns, if one descends.
fn put_order(header: &Header, names: &[String], out: &mut String) {
    let is_descending = |kind: &Type| matches!(kind, Type::Reversed(_));
    if !header.clustering.iter().any(is_descending) {
        return;
    }
    let columns = header.clustering.iter().zip(names);
    let order = columns
        .map(|(kind, name)| format!("{name} {}", if is_descending(kind) { "DESC" } else { "ASC" }));
    let order: Vec<_> = order.collect();
    out.push_str(&format!(" WITH CLUSTERING ORDER BY ({})", order.join(", ")));
}

/// Each user-defined type once, those that others need before them.
fn put_user_types(header: &Header, out: &mut String) {
    let columns = header.statics.iter().chain(&header.regulars).map(|column| &column.kind);
    let (mut all, mut seen) = (Vec::new(), Vec::new());
    for kind in header.key.key_parts().iter().chain(&header.clustering).chain(columns) {
        add_user_types(kind, &mut all);
    }
    all.iter().for_each(|user| put_once(user, &all, &mut seen, out));
}

/// Adds the user-defined types in a type.
fn add_user_types<'t>(kind: &'t Type, all: &mut Vec<&'t UserType>) {
    match kind {
        Type::List { element: inner, .. }
        | Type::Set { element: inner, .. }
        | Type::Vector { element: inner, .. }
        | Type::Reversed(inner) => add_user_types(inner, all),
        Type::Map { key, value, .. } => {
            add_user_types(key, all);
            add_user_types(value, all);
        }
        Type::Tuple { fields, .. } | Type::Composite(fields) => {
            fields.iter().for_each(|kind| add_user_types(kind, all));
        }
        Type::User(user) => {
            user.fields.iter().for_each(|(_, kind)| add_user_types(kind, all));
            all.push(user);
        }
        _ => {}
    }
}

/// A type with the fields of the longest of its name, which grew since others were written, after
/// those that it needs.
fn put_once<'t>(
    user: &'t UserType,
    all: &[&'t UserType],
    seen: &mut Vec<(&'t str, &'t [u8])>,
    out: &mut String,
) {
    let name = |user: &'t UserType| (user.keyspace.as_str(), user.name.as_slice());
    if seen.contains(&name(user)) {
        return;
    }
    seen.push(name(user));
    let of_name = all.iter().copied().filter(|other| name(other) == name(user));
    let longest = of_name.max_by_key(|other| other.fields.len()).unwrap_or(user);
    let mut inner = Vec::new();
    longest.fields.iter().for_each(|(_, kind)| add_user_types(kind, &mut inner));
    inner.into_iter().for_each(|user| put_once(user, all, seen, out));
    put_user_type(longest, out);
}

fn put_user_type(user: &UserType, out: &mut String) {
    let keyspace = quoted_name(user.keyspace.as_bytes());
    out.push_str(&format!("CREATE TYPE {keyspace}.{} (", quoted_name(&user.name)));
    for (index, (name, kind)) in user.fields.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        out.push_str(&format!("{comma}\n    {} {}", quoted_name(name), kind.cql_of_field()));
    }
    out.push_str("\n);\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Version;

    #[test]
    fn user_types_have_all_fields_and_come_before_what_needs_them() {
        let column = |name: &str, class: &str| Column {
            name: name.as_bytes().to_vec(),
            kind: Type::parse(class).expect(class),
        };
        let inner = "UserType(ks,69,6e:Int32Type)";
        let header = Header {
            version: Version::Me,
            base_timestamp: 0,
            base_deletion_time: 0,
            base_ttl: 0,
            key: Type::Int,
            clustering: Vec::new(),
            statics: Vec::new(),
            regulars: vec![
                column("dropped", "FrozenType(UserType(ks,6f,61:Int32Type))"),
                column("order", &format!("FrozenType(UserType(ks,6f,61:Int32Type,62:{inner}))")),
            ],
        };
        let mut cql = String::new();
        put_schema(&header, &KeyNames::invented(&header, "ks", "t"), &mut cql);
        let want = "CREATE TYPE ks.i (\n    n int\n);\n\nCREATE TYPE ks.o (\n    a int,\n    b frozen<i>\n);\n\n\
            CREATE TABLE ks.t (\n    key int,\n    dropped frozen<o>,\n    \"order\" frozen<o>,\n    PRIMARY KEY (key)\n);\n";
        assert_eq!(cql, want);
    }
}
