//! Reports: what a command found, once, as fields for programs and as text for people.
//!
//! The text comes from a template, which looks as the text does; a name in it is that of a field:
//! see [`template`].

mod template;

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::print::Print;
use template::Names;

/// A JSON object of a struct's fields: `field`; `name = field` where programs know it by another
/// name; `name: value` for what is no field.
macro_rules! fields {
    ($of:expr => $($name:ident $(= $field:ident)? $(: $value:expr)?),* $(,)?) => {
        serde_json::json!({
            $((stringify!($name)): $crate::report::fields!(@ $of, $name $(= $field)? $(: $value)?)),*
        })
    };
    (@ $of:expr, $name:ident) => { $of.$name };
    (@ $of:expr, $name:ident = $field:ident) => { $of.$field };
    (@ $of:expr, $name:ident : $value:expr) => { $value };
}
pub(crate) use fields;

/// What was found of one thing.
#[derive(Debug)]
pub(crate) struct Report {
    template: &'static str,
    fields: Json,
    /// What the template's names mean before they mean fields: other reports below each other, the
    /// last that were added first, and values.
    lines: Vec<(&'static str, Vec<Report>)>,
    text: Json,
}

impl Report {
    /// A report of these fields.
    pub(crate) fn new(template: &'static str, fields: Json) -> Report {
        Report { template, fields, lines: Vec::new(), text: json!({}) }
    }

    /// Adds values to the text alone.
    pub(crate) fn text(mut self, values: Json) -> Report {
        add(&mut self.text, values);
        self
    }

    /// Adds lines to the text alone.
    pub(crate) fn lines(
        mut self,
        name: &'static str,
        reports: impl IntoIterator<Item = Report>,
    ) -> Report {
        self.lines.insert(0, (name, reports.into_iter().collect()));
        self
    }

    /// Truncates the lines that were added last to `max`; `more` is the number of those left out.
    pub(crate) fn at_most(mut self, max: usize) -> Report {
        let lines = self.lines.first_mut().map(|(_, lines)| lines);
        let more = lines.as_ref().map_or(0, |lines| lines.len().saturating_sub(max));
        lines.into_iter().for_each(|lines| lines.truncate(max));
        self.text(json!({ "more": more }))
    }

    /// Prints the report as a JSON object of a type, or as text.
    pub(crate) fn print(self, kind: &str, is_json: bool, out: &mut Print) -> io::Result<()> {
        if is_json {
            return out.row(kind, self.fields);
        }
        out.write_all((self.as_text() + "\n").as_bytes())
    }

    /// The text, without the end of its last line.
    fn as_text(&self) -> String {
        template::fill(self.template, self)
    }
}

impl Names for Report {
    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let (_, lines) = self.lines.iter().find(|(own, _)| *own == name)?;
        Some(lines.iter().map(Report::as_text).collect())
    }

    fn value(&self, name: &str) -> &Json {
        let (first, others) = name.split_once('.').unwrap_or((name, ""));
        let found = self.text.get(first).or_else(|| self.fields.get(first));
        debug_assert!(found.is_some(), "{name} of {:?} is in {}", self.template, self.fields);
        let mut others = others.split('.').filter(|name| !name.is_empty());
        let found = found.and_then(|found| others.try_fold(found, |found, name| found.get(name)));
        found.unwrap_or(&Json::Null)
    }
}

/// Adds the fields of an object to another.
fn add(fields: &mut Json, more: Json) {
    if let (Json::Object(fields), Json::Object(more)) = (fields, more) {
        fields.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_people_are_given_the_same() {
        struct Dot {
            x_count: u64,
            len: u64,
        }
        let dots =
            [Dot { x_count: 1, len: 5 }, Dot { x_count: 2, len: 2000 }, Dot { x_count: 3, len: 0 }];
        let dot = |dot: &Dot| {
            let fields = fields!(dot => x = x_count, len, y: dot.x_count * 2);
            Report::new("{x}, {y}: {len:B}", fields).text(json!({ "y": "two" }))
        };
        let all = json!({ "dots": dots.iter().map(|own| dot(own).fields).collect::<Vec<_>>() });
        let report = Report::new("dots {dots}\nand {more}: {last}", all)
            .lines("last", dots.last().map(dot))
            .lines("dots", dots.iter().map(dot))
            .at_most(2);
        assert_eq!(report.fields["dots"][2], json!({ "x": 3, "len": 0, "y": 6 }));
        let text = "dots 1, two: 5 B\n     2, two: 2.0 KB\nand 1: 3, two: 0 B";
        assert_eq!(report.as_text(), text);
    }
}
