//! Values as literals of CQL.

use manicule_core::hex;

use super::scalar::{Written, put_scalar};
use super::time::StampForm;
use crate::types::{Elements, Type, Value, quoted_name};

/// A duration of nothing, of which Cassandra prints no text.
pub(super) const ZERO_DURATION: &str = "0ns";

impl Type {
    /// Appends a value as CQL writes it, so that [`Type::read_literal`] gives it back. The empty
    /// value of types other than texts and blobs has no literal in CQL; here it is `''`. Bytes that
    /// no value of the type has are a blob's literal.
    ///
    /// Timestamps and days are those of today's calendar at all times, the year before 1 is 0, and
    /// that before it -1.
    pub fn put_literal(&self, value: Value<'_>, out: &mut String) {
        let Some(value) = value else { return out.push_str("null") };
        let kind = self.ascending();
        if value.is_empty() {
            return out.push_str(if *kind == Type::Blob { "0x" } else { "''" });
        }
        let start = out.len();
        // The sum of a counter, as literals of counters are read; shards are longer.
        let is_sum = *kind == Type::Counter && value.len() == 8;
        let kind = if is_sum { &Type::Bigint } else { kind };
        match put_scalar(kind, value, StampForm::Exact, out) {
            Written::Bare | Written::NotFinite => {}
            Written::Quoted => {
                if !matches!(kind, Type::Uuid | Type::Timeuuid | Type::LexicalUuid | Type::Duration)
                {
                    out.insert(start, '\'');
                    out.push('\'');
                } else if out.len() == start {
                    out.push_str(ZERO_DURATION);
                }
            }
            Written::No => kind.put_literal_of_parts(value, out),
        }
    }

    fn put_literal_of_parts(&self, value: &[u8], out: &mut String) {
        let start = out.len();
        let is_whole = match self {
            Type::Text | Type::Ascii => put_text(value, out),
            Type::List { element, .. } => {
                put_parts("[]", Elements::of_list(value), |_| Some(element), out)
            }
            Type::Set { element, .. } => {
                put_parts("{}", Elements::of_list(value), |_| Some(element), out)
            }
            Type::Vector { element, count } => {
                let elements = Elements::of_vector(value, *count, element.fixed_width());
                put_parts("[]", elements, |_| Some(element), out)
            }
            Type::Map { key, value: of_value, .. } => put_map([key, of_value], value, out),
            Type::Tuple { fields, .. } => {
                put_parts("()", Elements::of_tuple(value), |index| fields.get(index), out)
            }
            Type::User(user) => put_user(&user.fields, value, out),
            Type::Composite(parts) => {
                put_parts("()", Elements::of_composite(value), |index| parts.get(index), out)
            }
            _ => false,
        };
        if !is_whole {
            out.truncate(start);
            out.push_str("0x");
            hex::put(value, out);
        }
    }
}

/// A text in quotes, of which those inside are doubled; `false` if it isn't UTF-8.
fn put_text(value: &[u8], out: &mut String) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    out.push('\'');
    out.push_str(&text.replace('\'', "''"));
    out.push('\'');
    true
}

/// Parts between two brackets; whether the bytes were whole.
fn put_parts<'t>(
    brackets: &str,
    mut elements: Elements<'_>,
    kind: impl Fn(usize) -> Option<&'t Type>,
    out: &mut String,
) -> bool {
    let (open, close) = brackets.split_at(1);
    out.push_str(open);
    for (index, element) in elements.by_ref().enumerate() {
        let Some(kind) = kind(index) else { return false };
        out.push_str(if index > 0 { ", " } else { "" });
        kind.put_literal(element, out);
    }
    out.push_str(close);
    elements.is_whole()
}

fn put_map(kinds: [&Type; 2], value: &[u8], out: &mut String) -> bool {
    let mut elements = Elements::of_map(value);
    out.push('{');
    for (index, part) in elements.by_ref().enumerate() {
        let before = match (index, index % 2) {
            (0, _) => "",
            (_, 0) => ", ",
            _ => ": ",
        };
        out.push_str(before);
        kinds[index % 2].put_literal(part, out);
    }
    out.push('}');
    elements.is_whole()
}

fn put_user(fields: &[(Vec<u8>, Type)], value: &[u8], out: &mut String) -> bool {
    let mut elements = Elements::of_tuple(value);
    out.push('{');
    for (index, (name, kind)) in fields.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        out.push_str(&quoted_name(name));
        out.push_str(": ");
        kind.put_literal(elements.next().flatten(), out);
    }
    out.push('}');
    elements.next().is_none() && elements.is_whole()
}
