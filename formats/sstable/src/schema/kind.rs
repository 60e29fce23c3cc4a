//! Types as CQL names them, read with the user-defined types of the file.
//!
//! Bytes:   `name`, `'class'`, `frozen<type>`, `list<type>`, `set<type>`, `map<type, type>`, `tuple<type, ..>`, `vector<type, number>`

use super::error::SchemaError;
use super::tokens::Token;
use super::words::Words;
use crate::types::{TYPE_DEPTH_MAX, Type, UserType};

/// User-defined types that the file has had so far.
#[derive(Debug, Default)]
pub(super) struct UserTypes {
    types: Vec<Declared>,
}

/// A type that the file has declared.
#[derive(Debug)]
struct Declared {
    keyspace: Option<String>,
    name: String,
    fields: Vec<(Vec<u8>, Type)>,
}

impl UserTypes {
    /// Reads a type after `CREATE TYPE`. One whose fields can't be read is not known.
    pub(super) fn read(
        &mut self,
        keyspace: Option<&str>,
        words: &mut Words<'_>,
    ) -> Result<(), SchemaError> {
        words.takes_words(&["if", "not", "exists"]);
        let (own, name) = words.full_name("name of a type")?;
        let own = own.or_else(|| keyspace.map(str::to_owned));
        words.expect('(', "'('")?;
        let mut fields = Vec::new();
        loop {
            let field = words.name("name of a field")?;
            fields.push((field.into_bytes(), self.kind(own.as_deref(), words)?));
            if !words.takes(',') {
                break;
            }
        }
        words.expect(')', "',' or ')'")?;
        self.types.push(Declared { keyspace: own, name, fields });
        Ok(())
    }

    /// Reads the type of a column.
    pub(super) fn kind(
        &self,
        keyspace: Option<&str>,
        words: &mut Words<'_>,
    ) -> Result<Type, SchemaError> {
        self.nested(keyspace, words, 1)
    }

    fn nested(
        &self,
        keyspace: Option<&str>,
        words: &mut Words<'_>,
        depth: usize,
    ) -> Result<Type, SchemaError> {
        if depth > TYPE_DEPTH_MAX {
            return Err(words.error("types that nest at most 32 deep"));
        }
        if let Some(Token::Text(class)) = words.peek() {
            let kind = Type::parse(class).map_err(|_| words.error("name of a class"))?;
            words.next();
            return Ok(kind);
        }
        let unknown = words.error("a type that CQL or the file has");
        let is_quoted = matches!(words.peek(), Some(Token::Name(_)));
        let (own, name) = words.full_name("name of a type")?;
        if own.is_some() || is_quoted {
            return self.user(own.as_deref().or(keyspace), &name).ok_or(unknown);
        }
        if let Some(kind) = simple(&name) {
            return Ok(kind);
        }
        let mut parts = Vec::new();
        let is_generic = matches!(&*name, "frozen" | "list" | "set" | "map" | "tuple" | "vector");
        if !is_generic {
            return self.user(keyspace, &name).ok_or(unknown);
        }
        words.expect('<', "'<'")?;
        parts.push(self.nested(keyspace, words, depth + 1)?);
        if name == "vector" {
            words.expect(',', "','")?;
            let error = words.error("number of elements");
            let count = words.name("number of elements")?.parse().map_err(|_| error)?;
            words.expect('>', "'>'")?;
            let element = Box::new(frozen_part(parts.swap_remove(0)));
            return Ok(Type::Vector { element, count });
        }
        while words.takes(',') {
            parts.push(self.nested(keyspace, words, depth + 1)?);
        }
        words.expect('>', "',' or '>'")?;
        let count = parts.len();
        let mut parts = parts.into_iter();
        let mut part = || parts.next().map(frozen_part).map(Box::new);
        let kind = match (&*name, count) {
            ("tuple", _) => {
                let fields = parts.map(thawed).collect();
                return Ok(Type::Tuple { fields, is_frozen: false });
            }
            ("frozen", 1) => return Ok(frozen(parts.next().unwrap_or(Type::Empty))),
            ("list", 1) => part().map(|element| Type::List { element, is_frozen: false }),
            ("set", 1) => part().map(|element| Type::Set { element, is_frozen: false }),
            ("map", 2) => {
                part().zip(part()).map(|(key, value)| Type::Map { key, value, is_frozen: false })
            }
            _ => None,
        };
        kind.ok_or(unknown)
    }

    /// The type of a name: of the keyspace, or of none that is named.
    fn user(&self, keyspace: Option<&str>, name: &str) -> Option<Type> {
        let is_of = |declared: &&Declared| {
            let own = declared.keyspace.as_deref();
            declared.name == name && (own.is_none() || own == keyspace)
        };
        let Declared { keyspace: own, fields, .. } = self.types.iter().rev().find(is_of)?;
        let keyspace = own.as_deref().or(keyspace).unwrap_or_default().to_owned();
        let fields = fields.iter().map(|(name, kind)| (name.clone(), frozen_part(kind.clone())));
        let (name, fields) = (name.as_bytes().to_vec(), fields.collect());
        Some(Type::User(Box::new(UserType { keyspace, name, fields, is_frozen: false })))
    }
}

/// A part of something that isn't frozen itself: it is one cell, so that it is frozen if it has
/// parts.
fn frozen_part(kind: Type) -> Type {
    if kind.is_complex() { frozen(kind) } else { kind }
}

/// A frozen type, inside which nothing is said to be frozen: all is.
fn frozen(kind: Type) -> Type {
    match thawed(kind) {
        Type::List { element, .. } => Type::List { element, is_frozen: true },
        Type::Set { element, .. } => Type::Set { element, is_frozen: true },
        Type::Map { key, value, .. } => Type::Map { key, value, is_frozen: true },
        Type::User(mut user) => {
            user.is_frozen = true;
            Type::User(user)
        }
        other => other,
    }
}

/// A type without the word frozen anywhere.
fn thawed(kind: Type) -> Type {
    let part = |part: Box<Type>| Box::new(thawed(*part));
    let is_frozen = false;
    match kind {
        Type::List { element, .. } => Type::List { element: part(element), is_frozen },
        Type::Set { element, .. } => Type::Set { element: part(element), is_frozen },
        Type::Map { key, value, .. } => Type::Map { key: part(key), value: part(value), is_frozen },
        Type::Tuple { fields, .. } => {
            Type::Tuple { fields: fields.into_iter().map(thawed).collect(), is_frozen }
        }
        Type::User(mut user) => {
            user.is_frozen = false;
            user.fields =
                user.fields.into_iter().map(|(name, kind)| (name, thawed(kind))).collect();
            Type::User(user)
        }
        Type::Vector { element, count } => Type::Vector { element: part(element), count },
        other => other,
    }
}

fn simple(name: &str) -> Option<Type> {
    Some(match name {
        "ascii" => Type::Ascii,
        "bigint" => Type::Bigint,
        "blob" => Type::Blob,
        "boolean" => Type::Boolean,
        "counter" => Type::Counter,
        "date" => Type::Date,
        "decimal" => Type::Decimal,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "float" => Type::Float,
        "inet" => Type::Inet,
        "int" => Type::Int,
        "smallint" => Type::Smallint,
        "text" | "varchar" => Type::Text,
        "time" => Type::Time,
        "timestamp" => Type::Timestamp,
        "timeuuid" => Type::Timeuuid,
        "tinyint" => Type::Tinyint,
        "uuid" => Type::Uuid,
        "varint" => Type::Varint,
        _ => return None,
    })
}
