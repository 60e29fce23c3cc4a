//! Rows of CSV: RFC 4180, and whether a field was in quotes, as nothing is null and `""` an empty
//! text.
//!
//! No library tells the two apart.

use std::io::BufRead;
use std::path::Path;

use manicule_core::watch::Meter;
use manicule_rows::RowsError;

use super::call::WriteCall;
use super::lines::{at_place, read_line};
use super::slots::{Field, Slots, TakeFields};
use crate::rows::error::Error;

/// Reads the rows of a file.
pub(super) fn read(
    path: &Path,
    input: &mut dyn BufRead,
    call: &WriteCall,
    slots: &Slots,
    meter: &Meter<'_>,
    take: TakeFields<'_>,
) -> Result<(), Error> {
    let mut records =
        Records { path, input, delimiter: call.delimiter, line: Vec::new(), count: 0 };
    let mut texts = Vec::new();
    let mut list = None;
    if let Some(names) = &call.names {
        let found = slots.list(names.iter().map(String::as_str));
        list = Some(found.map_err(|error| at_place(path, "names".to_owned(), error))?);
    }
    let mut steps = meter.steps();
    loop {
        let first_line = records.count + 1;
        let place = || format!("line {first_line}");
        if !records.next(&mut texts).map_err(|error| match error {
            RecordError::Read(error) => error,
            RecordError::Wrong(why) => {
                Error::Input { file: path.to_owned(), place: place(), why: why.to_owned() }
            }
        })? {
            return Ok(());
        }
        steps.add(records.line.len() as u64)?;
        // An empty line at the end, as editors leave them.
        if let [Text { text, is_quoted: false }] = &texts[..]
            && text.is_empty()
            && list.as_ref().is_some_and(|list: &Vec<_>| list.len() > 1)
        {
            continue;
        }
        let Some(list) = &list else {
            let found = slots.list(texts.iter().map(|text| text.text.as_str()));
            list = Some(found.map_err(|error| at_place(path, place(), error))?);
            continue;
        };
        row(&texts, list, slots, take).map_err(|error| at_place(path, place(), error))?;
    }
}

fn row(
    texts: &[Text],
    list: &[Option<usize>],
    slots: &Slots,
    take: TakeFields<'_>,
) -> Result<(), RowsError> {
    if texts.len() != list.len() {
        let why = format!("it has {} fields, and there are {} names", texts.len(), list.len());
        return Err(RowsError::Unwritable { why });
    }
    let mut fields = slots.fields();
    for (slot, Text { text, is_quoted }) in list.iter().zip(texts) {
        let Some(slot) = *slot else { continue };
        fields[slot] = if text.is_empty() && !is_quoted {
            Field::Null
        } else {
            let value = slots.kind(slot).read_field(text);
            Field::Value(value.map_err(|error| slots.wrong(slot, error))?.into())
        };
    }
    take(&fields)
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Text {
    text: String,
    is_quoted: bool,
}

/// The records of a file.
struct Records<'r> {
    path: &'r Path,
    input: &'r mut dyn BufRead,
    delimiter: u8,
    /// The lines of the present one.
    line: Vec<u8>,
    /// Number of lines that were read.
    count: u64,
}

enum RecordError {
    Read(Error),
    Wrong(&'static str),
}

impl Records<'_> {
    /// Reads the next record; `false` at the end.
    fn next(&mut self, texts: &mut Vec<Text>) -> Result<bool, RecordError> {
        self.line.clear();
        loop {
            let is_more =
                read_line(self.path, self.input, &mut self.line).map_err(RecordError::Read)?;
            if !is_more {
                return if self.line.is_empty() {
                    Ok(false)
                } else {
                    Err(RecordError::Wrong("a quote is never closed"))
                };
            }
            self.count += 1;
            // In quotes a line goes on.
            if self.line.iter().filter(|byte| **byte == b'"').count() % 2 == 0 {
                break;
            }
        }
        let wrong = RecordError::Wrong;
        let line = str::from_utf8(&self.line).map_err(|_| wrong("it isn't UTF-8"))?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        // What some programs begin a file with.
        let line = if self.count == 1 { line.trim_start_matches('\u{feff}') } else { line };
        split(line, self.delimiter, texts).map(|()| true).map_err(wrong)
    }
}

/// Splits a record into its fields.
fn split(line: &str, delimiter: u8, texts: &mut Vec<Text>) -> Result<(), &'static str> {
    let mut count = 0;
    let mut rest = line;
    loop {
        if count == texts.len() {
            texts.push(Text::default());
        }
        let Text { text, is_quoted } = &mut texts[count];
        text.clear();
        count += 1;
        *is_quoted = rest.starts_with('"');
        if *is_quoted {
            rest = &rest[1..];
            loop {
                let len = rest.find('"').ok_or("a quote is never closed")?;
                text.push_str(&rest[..len]);
                rest = &rest[len + 1..];
                if !rest.starts_with('"') {
                    break;
                }
                text.push('"');
                rest = &rest[1..];
            }
        }
        let len = rest.bytes().position(|byte| byte == delimiter);
        let field = &rest[..len.unwrap_or(rest.len())];
        if *is_quoted && !field.is_empty() {
            return Err("something follows the quote that closes a field");
        }
        text.push_str(field);
        match len {
            Some(len) => rest = &rest[len + 1..],
            None => break,
        }
    }
    texts.truncate(count);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_and_unquoted() {
        let check = |line: &str, want: Result<&[(&str, bool)], &str>| {
            let mut texts = vec![Text { text: "old".to_owned(), is_quoted: true }; 2];
            let got = split(line, b',', &mut texts).map(|()| texts);
            let want = want.map(|want| {
                let text = |(text, is_quoted): &(&str, bool)| Text {
                    text: (*text).to_owned(),
                    is_quoted: *is_quoted,
                };
                want.iter().map(text).collect::<Vec<_>>()
            });
            assert_eq!(got, want, "{line}");
        };
        check("a,b", Ok(&[("a", false), ("b", false)]));
        check(",\"\",", Ok(&[("", false), ("", true), ("", false)]));
        check("\"a,\"\"b\"\"\nc\"", Ok(&[("a,\"b\"\nc", true)]));
        check("", Ok(&[("", false)]));
        check("a\"b", Ok(&[("a\"b", false)]));
        check("\"a\"b", Err("something follows the quote that closes a field"));
        check("\"a", Err("a quote is never closed"));
    }

    #[test]
    fn records_go_over_lines() {
        let mut input = "\u{feff}a,b\r\n\"x\ny\",\n\"".as_bytes();
        let path = Path::new("t.csv");
        let (line, delimiter) = (Vec::new(), b',');
        let mut records = Records { path, input: &mut input, delimiter, line, count: 0 };
        let mut texts = Vec::new();
        assert!(matches!(records.next(&mut texts), Ok(true)));
        assert_eq!((&*texts[0].text, &*texts[1].text), ("a", "b"));
        assert!(matches!(records.next(&mut texts), Ok(true)));
        assert_eq!((&*texts[0].text, &*texts[1].text, records.count), ("x\ny", "", 3));
        assert!(matches!(records.next(&mut texts), Err(RecordError::Wrong(_))));
        assert!(matches!(records.next(&mut texts), Ok(false)));
    }
}
