//! Values as Cassandra's tools print keys and bounds: without quotes.

use manicule_core::hex;

use super::scalar::{Written, put_scalar};
use super::time::StampForm;
use crate::Version;
use crate::types::{Elements, Type};

/// How timestamps are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainForm {
    /// `2017-07-14 02:40Z`: tools of 3.11.
    Old,
    /// `2017-07-14T02:40:00.000Z`: from 4.0 on.
    New,
}

impl PlainForm {
    /// The form of the tools that a version came with.
    pub fn of(version: Version) -> PlainForm {
        let is_old = version.letters().starts_with('m');
        if is_old { PlainForm::Old } else { PlainForm::New }
    }
}

impl Type {
    /// Appends a value. Blobs, collections, counters and unknown classes are hexadecimal digits;
    /// fields of tuples and parts of composite keys have a colon between them, null is `@`.
    pub fn put_plain(&self, value: &[u8], form: PlainForm, out: &mut String) {
        let kind = self.ascending();
        let stamp = match form {
            PlainForm::Old => StampForm::Minutes,
            PlainForm::New => StampForm::Joined,
        };
        if value.is_empty() || put_scalar(kind, value, stamp, out) != Written::No {
            return;
        }
        match kind {
            Type::Text | Type::Ascii => out.push_str(&String::from_utf8_lossy(value)),
            Type::Tuple { fields, .. } => {
                put_parts(Elements::of_tuple(value), |index| fields.get(index), form, out);
            }
            Type::User(user) => {
                let kind = |index: usize| user.fields.get(index).map(|(_, kind)| kind);
                put_parts(Elements::of_tuple(value), kind, form, out);
            }
            Type::Composite(parts) => {
                put_parts(Elements::of_composite(value), |index| parts.get(index), form, out);
            }
            _ => hex::put(value, out),
        }
    }
}

/// Parts with colons between them. Those that are in a part have a backslash.
fn put_parts<'t>(
    elements: Elements<'_>,
    kind: impl Fn(usize) -> Option<&'t Type>,
    form: PlainForm,
    out: &mut String,
) {
    for (index, part) in elements.enumerate() {
        if index > 0 {
            out.push(':');
        }
        let Some(part) = part else {
            out.push('@');
            continue;
        };
        let mut text = String::new();
        match kind(index) {
            Some(kind) => kind.put_plain(part, form, &mut text),
            None => hex::put(part, &mut text),
        }
        out.push_str(&text.replace(':', "\\:").replace('@', "\\@"));
    }
}
