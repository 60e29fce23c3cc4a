//! Columns as a table declares them.

use std::borrow::Cow;

/// Type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A number of 64 bits with a sign.
    Int,
    /// A double.
    Float,
    /// UTF-8.
    Text,
    /// UTF-8 of which there are few different ones: a dictionary.
    Word,
    /// Bytes.
    Bytes,
    /// Milliseconds since 1970, UTC.
    Millis,
    /// Microseconds since 1970, UTC.
    Micros,
    /// A list.
    List(&'static Kind),
    /// Texts by texts, in their order.
    Map,
    /// Named parts.
    Struct(&'static [Field]),
}

impl Kind {
    /// The word for it in documents.
    pub fn word(self) -> String {
        match self {
            Kind::Boolean => "boolean".to_owned(),
            Kind::Int => "int64".to_owned(),
            Kind::Float => "float64".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Word => "dictionary of text".to_owned(),
            Kind::Bytes => "bytes".to_owned(),
            Kind::Millis => "timestamp (ms, UTC)".to_owned(),
            Kind::Micros => "timestamp (us, UTC)".to_owned(),
            Kind::List(item) => format!("list of {}", item.word()),
            Kind::Map => "map of text to text".to_owned(),
            Kind::Struct(fields) => {
                let parts = fields.iter().map(|field| {
                    let mark = if field.may_be_null { "?" } else { "" };
                    format!("{}{mark} {}", field.name, field.kind.word())
                });
                format!("struct ({})", parts.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Type of its values.
    pub kind: Kind,
    /// What its values are.
    pub about: &'static str,
    /// Whether a value may lack.
    pub may_be_null: bool,
    /// Whether its values take reading that no other column needs.
    pub is_dear: bool,
}

impl Field {
    /// A column in which no value lacks.
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Field {
        let name = Cow::Borrowed(name);
        Field { name, kind, about, may_be_null: false, is_dear: false }
    }

    /// One in which values may lack.
    #[must_use]
    pub const fn or_null(mut self) -> Field {
        self.may_be_null = true;
        self
    }

    /// One whose values take reading that no other column needs.
    #[must_use]
    pub const fn dear(mut self) -> Field {
        self.is_dear = true;
        self
    }

    /// One of another name.
    #[must_use]
    pub fn named(mut self, name: String) -> Field {
        self.name = Cow::Owned(name);
        self
    }
}
