//! A schema as CQL from the header of an SSTable.
//!
//! Callers: engines/rows

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

/// Appends the types and the table, each statement on lines of its own. Of compression, compaction and other options a header
/// has nothing.
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
    let mut seen: Vec<(&str, &[u8])> = Vec::new();
    for kind in header.key.key_parts().iter().chain(&header.clustering).chain(columns) {
        put_types_of(kind, &mut seen, out);
    }
}

fn put_types_of<'t>(kind: &'t Type, seen: &mut Vec<(&'t str, &'t [u8])>, out: &mut String) {
    match kind {
        Type::List { element: inner, .. }
        | Type::Set { element: inner, .. }
        | Type::Vector { element: inner, .. }
        | Type::Reversed(inner) => put_types_of(inner, seen, out),
        Type::Map { key, value, .. } => {
            put_types_of(key, seen, out);
            put_types_of(value, seen, out);
        }
        Type::Tuple { fields, .. } | Type::Composite(fields) => {
            fields.iter().for_each(|kind| put_types_of(kind, seen, out));
        }
        Type::User(user) => {
            user.fields.iter().for_each(|(_, kind)| put_types_of(kind, seen, out));
            let name = (user.keyspace.as_str(), user.name.as_slice());
            if !seen.contains(&name) {
                seen.push(name);
                put_user_type(user, out);
            }
        }
        _ => {}
    }
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
