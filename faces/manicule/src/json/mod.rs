//! Reports as JSON, the same for each face: what `--json` prints, without the type of a line.
//!
//! Reports are mostly structs of the engines, which know no faces. So they don't implement
//! [`Serialize`]; [`Json`] of a [`Report`] does:
//!
//! ```
//! use manicule::json::Json;
//! use manicule::series::diff::DiffSums;
//!
//! let sums = DiffSums { same: 2, only_left: 1, ..DiffSums::default() };
//! let json = serde_json::to_value(Json(&sums))?;
//! assert_eq!(json["only_a"], 1);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Names are in snake_case, lengths are in bytes, times as the format keeps them, and a path or
//! text that is not valid UTF-8 has U+FFFD, or `\xff` where [`text`] says so.

mod text;

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

pub use text::{TextOrBytes, text};

/// What is a JSON object for programs.
pub trait Report {
    /// Serialises its entries.
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error>;
}

impl<R: Report> Report for &R {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        (*self).entries(to)
    }
}

/// No entries without one.
impl<R: Report> Report for Option<R> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        self.as_ref().map_or(Ok(()), |report| report.entries(to))
    }
}

/// A report, or a reference to one, as an object.
#[derive(Clone, Copy, Debug)]
pub struct Json<R>(pub R);

impl<R: Report> Serialize for Json<R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        self.0.entries(&mut map)?;
        map.end()
    }
}

/// Counts by their names, as `fields` of a struct that `counts!` declares lists them.
#[derive(Clone, Copy, Debug)]
pub struct Counts<'c>(pub &'c [(&'static str, u64)]);

impl Report for Counts<'_> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        self.0.iter().try_for_each(|(name, count)| to.serialize_entry(name, count))
    }
}

/// An entry that is left out where there is no value.
pub(crate) struct Entry<V>(pub(crate) &'static str, pub(crate) Option<V>);

impl<V: Serialize> Report for Entry<V> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        self.1.as_ref().map_or(Ok(()), |value| to.serialize_entry(self.0, value))
    }
}

/// An object with a key for each of several values.
pub(crate) struct Keyed<I>(pub(crate) I);

impl<K: Serialize, V: Serialize, I: Iterator<Item = (K, V)> + Clone> Serialize for Keyed<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.clone())
    }
}

/// A value by its `Display`.
pub(crate) struct Shown<D>(pub(crate) D);

impl<D: fmt::Display> Serialize for Shown<D> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

/// Reports as a list.
pub(crate) fn list<R: Report>(reports: impl IntoIterator<Item = R>) -> Vec<Json<R>> {
    reports.into_iter().map(Json).collect()
}

/// A report, or null.
pub(crate) fn part<R: Report>(report: &Option<R>) -> Option<Json<&R>> {
    report.as_ref().map(Json)
}

/// The JSON of a struct: entries `field`; `name = field` where programs know it by another name;
/// `name: value` for what is no field. After a semicolon reports whose entries are among these.
macro_rules! report {
    ($of:ident: $type:ty {
        $($name:ident $(= $field:ident)? $(: $value:expr)?),* $(,)? $(; $($part:expr),* $(,)?)?
    }) => {
        impl $crate::json::Report for $type {
            fn entries<M: serde::ser::SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
                let $of = self;
                $(to.serialize_entry(
                    stringify!($name),
                    $crate::json::report!(@ $of, $name $(= $field)? $(: $value)?),
                )?;)*
                $($($crate::json::Report::entries(&$part, to)?;)*)?
                Ok(())
            }
        }
    };
    (@ $of:ident, $name:ident) => { &$of.$name };
    (@ $of:ident, $name:ident = $field:ident) => { &$of.$field };
    (@ $of:ident, $name:ident : $value:expr) => { &$value };
}
pub(crate) use report;

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    struct Dot {
        x_count: u64,
        len: u64,
        why: Option<&'static str>,
        next: Option<Box<Dot>>,
    }

    report!(dot: Dot {
        x = x_count, len, twice: dot.x_count * 2, next: part(&dot.next.as_deref());
        Entry("why", dot.why), Counts(&[("steps", 3)]),
    });

    #[test]
    fn a_report_is_an_object_of_its_entries() {
        let last = Dot { x_count: 2, len: 0, why: Some("end"), next: None };
        let dot = Dot { x_count: 1, len: 5, why: None, next: Some(Box::new(last)) };
        let last = json!({ "x": 2, "len": 0, "twice": 4, "next": null, "why": "end", "steps": 3 });
        let want = json!({ "x": 1, "len": 5, "twice": 2, "next": last, "steps": 3 });
        assert_eq!(to_value(Json(&dot)).unwrap(), want);
        assert_eq!(to_value(list([&dot])).unwrap(), json!([want]));
    }

    #[test]
    fn texts_and_keys_are_made_while_they_are_written() {
        let keyed = Keyed([("a", Shown(1.5)), ("b", Shown(2.0))].iter().map(|(k, v)| (k, v)));
        assert_eq!(to_value(keyed).unwrap(), json!({ "a": "1.5", "b": "2" }));
    }
}
