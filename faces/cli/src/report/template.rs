//! Templates of text.
//!
//! ```text
//! {name}            a text as it is, digits, words with commas between; several lines begin below each other
//! {name noun}       1 noun, 2 nouns
//! {name,}           1,234; also {name, noun}
//! {name:B}          bytes with a unit; ms, s, us: a time since 1970; safe: a text without control characters
//! {name:>9.1}       right in 9 columns (< is left), with 1 decimal; after a unit also
//! [name?one|other]  one where the name stands for something, else the other, which may be left out
//! ```
//! A line of which nothing but blanks remains is left out.

use std::fmt::Write as _;

use manicule::times::utc;
use serde_json::Value as Json;

use crate::units::{grouped, human_len, plural};

/// What the names of a template stand for.
pub(super) trait Names {
    /// Texts that begin below each other, if a name stands for such.
    fn texts(&self, name: &str) -> Option<Vec<String>>;

    /// A value; with dots in the name, of a field of a field.
    fn value(&self, name: &str) -> &Json;
}

/// Text by a template, without the end of its last line.
pub(super) fn fill(template: &str, names: &dyn Names) -> String {
    let mut filler = Filler { rest: template, names, out: String::new() };
    filler.part(true);
    debug_assert_eq!(filler.rest, "", "brackets of {template:?} match");
    filler.write("\n");
    filler.out.pop();
    filler.out
}

struct Filler<'t> {
    rest: &'t str,
    names: &'t dyn Names,
    out: String,
}

impl Filler<'_> {
    /// Fills up to the end of the template or of a part of a group.
    fn part(&mut self, is_shown: bool) {
        loop {
            let end = self.rest.find(['{', '[', '|', ']']).unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at(end);
            if is_shown {
                self.write(text);
            }
            self.rest = rest;
            if let Some(rest) = rest.strip_prefix('{') {
                let (place, rest) = rest.split_once('}').unwrap_or((rest, ""));
                self.rest = rest;
                if is_shown {
                    self.place(place);
                }
            } else if let Some(rest) = rest.strip_prefix('[') {
                let (name, rest) = rest.split_once('?').unwrap_or((rest, ""));
                self.rest = rest;
                self.group(name, is_shown);
            } else {
                return;
            }
        }
    }

    /// Fills one of the parts of a group.
    fn group(&mut self, name: &str, is_shown: bool) {
        let has = is_shown && self.has(name);
        self.part(has);
        if let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            self.part(is_shown && !has);
        }
        self.rest = self.rest.strip_prefix(']').unwrap_or("");
    }

    /// Writes a text of the template. Lines of blanks don't stay.
    fn write(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            self.out += piece;
            if piece.ends_with('\n') {
                let start = self.out[..self.out.len() - 1].rfind('\n').map_or(0, |at| at + 1);
                if self.out[start..].trim().is_empty() {
                    self.out.truncate(start);
                }
            }
        }
    }

    fn place(&mut self, place: &str) {
        let (what, layout) = place.split_once(':').unwrap_or((place, ""));
        let (name, noun) = what.split_once(' ').unwrap_or((what, ""));
        if let Some(texts) = self.names.texts(name) {
            return self.below_each_other(&texts);
        }
        let (name, has_commas) = name.strip_suffix(',').map_or((name, false), |name| (name, true));
        let value = self.names.value(name);
        let unit_len = layout.find(['<', '>', '.']).unwrap_or(layout.len());
        let (unit, layout) = layout.split_at(unit_len);
        let (width, decimals) = layout.split_once('.').unwrap_or((layout, ""));
        let count = value.as_u64().unwrap_or(0);
        let mut text = match value.as_f64() {
            _ if has_commas => grouped(count),
            Some(number) if !decimals.is_empty() => {
                format!("{number:.*}", decimals.parse().unwrap_or(0))
            }
            _ => shown(value, unit),
        };
        if !noun.is_empty() {
            let _ = write!(text, " {}", plural(count, noun));
        }
        let columns = width.trim_start_matches(['<', '>']).parse().unwrap_or(0);
        let _ = if width.starts_with('<') {
            write!(self.out, "{text:<columns$}")
        } else {
            write!(self.out, "{text:>columns$}")
        };
    }

    /// Writes texts below each other, each of their lines from this column on.
    fn below_each_other(&mut self, texts: &[String]) {
        let start = self.out.rfind('\n').map_or(0, |at| at + 1);
        let indent = " ".repeat(self.out[start..].chars().count());
        self.out += &texts.join("\n").replace('\n', &format!("\n{indent}"));
    }

    /// Whether a name stands for something: not for null, false, 0 or nothing.
    fn has(&self, name: &str) -> bool {
        if let Some(texts) = self.names.texts(name) {
            return !texts.is_empty();
        }
        match self.names.value(name) {
            Json::Null => false,
            Json::Bool(is_so) => *is_so,
            Json::Number(number) => number.as_u64() != Some(0),
            Json::String(text) => !text.is_empty(),
            Json::Array(list) => !list.is_empty(),
            Json::Object(_) => true,
        }
    }
}

/// A value in a unit.
fn shown(value: &Json, unit: &str) -> String {
    let number = || value.as_i64().unwrap_or(0);
    match (unit, value) {
        ("B", _) => human_len(value.as_u64().unwrap_or(0)),
        ("ms", _) => utc(number()),
        ("s", _) => utc(number().saturating_mul(1000)),
        ("us", _) => utc(number().div_euclid(1000)),
        ("safe", Json::String(text)) if text.chars().any(char::is_control) => format!("{text:?}"),
        (_, Json::String(text)) => text.clone(),
        (_, Json::Array(words)) => {
            words.iter().map(|word| shown(word, unit)).collect::<Vec<_>>().join(", ")
        }
        (_, Json::Null | Json::Bool(_)) => String::new(),
        (_, Json::Number(number)) if number.is_f64() => {
            number.as_f64().unwrap_or_default().to_string()
        }
        (_, value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Fields(Json);

    impl Names for Fields {
        fn texts(&self, name: &str) -> Option<Vec<String>> {
            match name {
                "rows" => Some(vec!["a\nb".to_owned(), "c".to_owned()]),
                "nothing" => Some(Vec::new()),
                _ => None,
            }
        }

        fn value(&self, name: &str) -> &Json {
            &self.0[name]
        }
    }

    #[track_caller]
    fn check(template: &str, want: &str) {
        let fields = json!({
            "one": 1, "many": 1234, "none": 0, "part": 0.256, "yes": true, "words": ["a", "b"],
            "name": "n", "odd": "a\x1bb",
        });
        assert_eq!(fill(template, &Fields(fields)), want);
    }

    #[test]
    fn a_name_is_its_value() {
        check("{name}, {words}, {many}{yes}{null}.", "n, a, b, 1234.");
    }

    #[test]
    fn a_noun_follows_its_number() {
        check("{one sample}, {many, copy}, {none time}", "1 sample, 1,234 copies, 0 times");
    }

    #[test]
    fn numbers_have_units_decimals_and_columns() {
        check("{many:B>8}{name:>3}", "  1.2 KB  n");
        check("{part:<6.2}.{many,:>6}", "0.26  . 1,234");
        check("{one:ms} {one:s}", "1970-01-01T00:00:00.001Z 1970-01-01T00:00:01Z");
        check("{odd:safe}", "\"a\\u{1b}b\"");
    }

    #[test]
    fn a_part_needs_what_it_speaks_of() {
        check("[one?{one}, [none?some|none][null?, {null}]|other]", "1, none");
        check("[none?a\n[one?b]|c]", "c");
        check("[yes?yes|no] [nothing?yes|no] [rows?yes|no]", "yes no yes");
    }

    #[test]
    fn lines_begin_below_each_other() {
        check("rows {rows}\n  {nothing}\n[none?gone]\nend", "rows a\n     b\n     c\nend");
    }
}
