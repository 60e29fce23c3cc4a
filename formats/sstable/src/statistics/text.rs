//! Clustering bounds as sstablemetadata prints them.

use super::fields::ClusteringBounds;
use crate::prefix::{PrefixBuf, PrefixKind};
use crate::types::{PlainForm, Type};

/// Clustering bounds as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundsText {
    /// `[-3, 0]`, and the greatest likewise.
    Values {
        /// Smallest.
        min: String,
        /// Greatest.
        max: String,
    },
    /// `[0:b1, 9:b0)`.
    Slice(String),
}

impl ClusteringBounds {
    /// The bounds of a table whose clustering columns have these types.
    pub fn text(&self, types: &[Type], form: PlainForm) -> BoundsText {
        match self {
            ClusteringBounds::Values { min, max } => BoundsText::Values {
                min: values_text(min, types, form),
                max: values_text(max, types, form),
            },
            ClusteringBounds::Slice { types, start, end } => {
                BoundsText::Slice(slice_text(types, [start, end], form))
            }
        }
    }
}

fn values_text(values: &[Vec<u8>], types: &[Type], form: PlainForm) -> String {
    let mut out = "[".to_owned();
    for (index, (value, kind)) in values.iter().zip(types).enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        kind.put_plain(value, form, &mut out);
    }
    out.push(']');
    out
}

fn slice_text(types: &[Type], [start, end]: [&PrefixBuf; 2], form: PlainForm) -> String {
    let is_exclusive = |bound: &PrefixBuf| {
        let kind = bound.as_prefix().kind;
        matches!(kind, PrefixKind::ExclusiveStart | PrefixKind::ExclusiveEnd)
    };
    let mut out = (if is_exclusive(start) { "(" } else { "[" }).to_owned();
    put_components(types, start, form, &mut out);
    out.push_str(", ");
    put_components(types, end, form, &mut out);
    out.push(if is_exclusive(end) { ')' } else { ']' });
    out
}

fn put_components(types: &[Type], bound: &PrefixBuf, form: PlainForm, out: &mut String) {
    for (index, (value, kind)) in bound.as_prefix().values(types).zip(types).enumerate() {
        out.push_str(if index > 0 { ":" } else { "" });
        match value {
            Some(value) => kind.put_plain(value, form, out),
            None => out.push_str("null"),
        }
    }
}
