//! Columns as a table declares them.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// Length in bytes of a UUID.
pub(super) const UUID_LEN: usize = 16;

/// What a type is made of: declared for good, or made of a schema.
#[derive(Debug)]
pub enum Held<T: ?Sized + 'static> {
    /// Declared.
    Static(&'static T),
    /// Made.
    Shared(Arc<T>),
}

impl<T: ?Sized> Clone for Held<T> {
    fn clone(&self) -> Self {
        match self {
            Held::Static(held) => Held::Static(held),
            Held::Shared(held) => Held::Shared(Arc::clone(held)),
        }
    }
}

impl<T: ?Sized> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Held::Static(held) => held,
            Held::Shared(held) => held,
        }
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Held<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Type of a column's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A number of 8 bits with a sign.
    Int8,
    /// A number of 16 bits with a sign.
    Int16,
    /// A number of 32 bits with a sign.
    Int32,
    /// A number of 64 bits with a sign.
    Int,
    /// A float of 32 bits.
    Float32,
    /// A double.
    Float,
    /// A decimal number of up to 38 digits, with its scale: how many stand behind the point.
    Decimal(u8),
    /// UTF-8.
    Text,
    /// UTF-8 of which there are few different ones: a dictionary.
    Word,
    /// Bytes.
    Bytes,
    /// A UUID.
    Uuid,
    /// Days since 1970.
    Date,
    /// Nanoseconds of a day.
    Time,
    /// Milliseconds since 1970, UTC.
    Millis,
    /// Microseconds since 1970, UTC.
    Micros,
    /// Microseconds since 1970 of a clock whose zone isn't known.
    LocalMicros,
    /// A list of items.
    List(Held<Field>),
    /// A list of items, of as many in each row.
    FixedList(Held<Field>, i32),
    /// Values by keys, in their order: the fields of both.
    Map(Held<[Field]>),
    /// Named parts.
    Struct(Held<[Field]>),
}

static TEXT_ITEM: Field = Field::new("item", Kind::Text, "").or_null();

static TEXT_PAIR: [Field; 2] =
    [Field::new("key", Kind::Text, ""), Field::new("value", Kind::Text, "").or_null()];

impl Kind {
    /// A list of texts.
    pub const TEXTS: Kind = Kind::List(Held::Static(&TEXT_ITEM));
    /// Texts by texts.
    pub const TEXT_MAP: Kind = Kind::Map(Held::Static(&TEXT_PAIR));

    /// Whether it is a number, of any width.
    pub(super) fn is_number(&self) -> bool {
        matches!(
            self,
            Kind::Int8
                | Kind::Int16
                | Kind::Int32
                | Kind::Int
                | Kind::Float32
                | Kind::Float
                | Kind::Decimal(_)
        )
    }

    /// The word for it in documents.
    pub fn word(&self) -> String {
        let word = match self {
            Kind::Boolean => "boolean",
            Kind::Int8 => "int8",
            Kind::Int16 => "int16",
            Kind::Int32 => "int32",
            Kind::Int => "int64",
            Kind::Float32 => "float32",
            Kind::Float => "float64",
            Kind::Text => "text",
            Kind::Word => "dictionary of text",
            Kind::Bytes => "bytes",
            Kind::Uuid => "uuid",
            Kind::Date => "date",
            Kind::Time => "time (ns)",
            Kind::Millis => "timestamp (ms, UTC)",
            Kind::Micros => "timestamp (us, UTC)",
            Kind::LocalMicros => "timestamp (us)",
            Kind::Decimal(scale) => return format!("decimal (38, {scale})"),
            Kind::List(item) => return format!("list of {}", item.kind.word()),
            Kind::FixedList(item, count) => return format!("{count} times {}", item.kind.word()),
            Kind::Map(pair) => {
                return format!("map of {} to {}", pair[0].kind.word(), pair[1].kind.word());
            }
            Kind::Struct(fields) => {
                let parts = fields.iter().map(|field| {
                    let mark = if field.may_be_null { "?" } else { "" };
                    format!("{}{mark} {}", field.name, field.kind.word())
                });
                return format!("struct ({})", parts.collect::<Vec<_>>().join(", "));
            }
        };
        word.to_owned()
    }
}

/// A note on a column for other programs: its key and its text.
pub type Note = (&'static str, Arc<str>);

/// A column of a table, or a part of one.
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
    /// What else other programs are told of it, such as its type in the schema.
    pub note: Option<Note>,
}

impl Field {
    /// A column in which no value lacks.
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Field {
        let name = Cow::Borrowed(name);
        Field { name, kind, about, may_be_null: false, is_dear: false, note: None }
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

    /// One with a note.
    #[must_use]
    pub fn noted(mut self, note: Note) -> Field {
        self.note = Some(note);
        self
    }
}
