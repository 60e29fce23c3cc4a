//! Arguments of tables: declared by a table, given as texts.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::failure::Failure;
use crate::times::milliseconds;

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A text.
    Text,
    /// Texts: the argument may be given several times.
    Texts,
    /// A time: seconds since 1970, RFC 3339, or what is before now: `-2h`.
    Time,
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Number,
}

impl Takes {
    /// The word for it in documents.
    pub fn word(self) -> &'static str {
        match self {
            Takes::Text => "text",
            Takes::Texts => "texts",
            Takes::Time => "time",
            Takes::Boolean => "boolean",
            Takes::Number => "number",
        }
    }
}

/// What an argument concerns: for faces whose callers are others than who started the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concerns {
    /// What is asked of the paths, and nothing besides.
    Question,
    /// Memory and time that a call may take.
    Bounds,
    /// How a path is opened: a key, or a file with a schema. A caller who names paths may say it.
    Opening,
    /// The machine: a command that is run, a folder that is written, a file with a secret. Whoever
    /// started the program says it, and nobody else.
    Host,
}

/// An argument that a table has.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// What it concerns.
    pub concerns: Concerns,
    /// What it means, and what is so without it.
    pub about: &'static str,
}

/// Arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// What is read.
    pub paths: Vec<PathBuf>,
    /// Names and texts, in the order in which they were given.
    pub named: Vec<(String, String)>,
}

impl Arguments {
    /// Of a table that says what there may be.
    pub(super) fn check(&self, table: &str, declared: &[Argument]) -> Result<(), Failure> {
        if self.paths.is_empty() {
            return Err(Failure::asked(format!("{table} needs a path")));
        }
        for (at, (name, text)) in self.named.iter().enumerate() {
            let Some(argument) = declared.iter().find(|argument| argument.name == name) else {
                let names: Vec<&str> = declared.iter().map(|argument| argument.name).collect();
                let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(Failure::asked(format!(
                    "{table} has no argument {name}: there are {all}"
                )));
            };
            if argument.takes != Takes::Texts && self.named[..at].iter().any(|it| it.0 == *name) {
                return Err(Failure::asked(format!("argument {name} is given twice")));
            }
            match argument.takes {
                Takes::Text | Takes::Texts => {}
                Takes::Boolean => {
                    boolean(name, text)?;
                }
                Takes::Time => {
                    time(name, text)?;
                }
                Takes::Number => {
                    number(name, text)?;
                }
            }
        }
        Ok(())
    }

    /// The text of an argument that a table declares; `None`: it isn't given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(own, _)| own == name).map(|(_, text)| text.as_str())
    }

    /// All texts of one that may be given several times.
    pub fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let is = move |(own, _): &&(String, String)| own == name;
        self.named.iter().filter(is).map(|(_, text)| text.as_str())
    }

    /// Whether one that takes yes or no is given as yes.
    ///
    /// # Errors
    /// A text that is neither.
    pub fn is_set(&self, name: &str) -> Result<bool, Failure> {
        self.text(name).map_or(Ok(false), |text| boolean(name, text))
    }

    /// A number.
    ///
    /// # Errors
    /// A text that is none.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Failure> {
        self.text(name).map(|text| number(name, text)).transpose()
    }

    /// A number that isn't below 0.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, Failure> {
        let of = |number: i64| {
            let wrong = |_| Failure::asked(format!("argument {name}: {number} is below 0"));
            u64::try_from(number).map_err(wrong)
        };
        self.number(name)?.map(of).transpose()
    }

    /// A time in milliseconds since 1970.
    ///
    /// # Errors
    /// A text that is none.
    pub fn time(&self, name: &str) -> Result<Option<i64>, Failure> {
        self.text(name).map(|text| time(name, text)).transpose()
    }
}

fn boolean(name: &str, text: &str) -> Result<bool, Failure> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Failure::asked(format!("argument {name}: {text} is neither true nor false"))),
    }
}

fn number(name: &str, text: &str) -> Result<i64, Failure> {
    text.parse().map_err(|_| Failure::asked(format!("argument {name}: {text} is no number")))
}

fn time(name: &str, text: &str) -> Result<i64, Failure> {
    let before_now = || {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let span = text.strip_prefix('-')?;
        let (count, unit) = span.split_at_checked(span.len().checked_sub(1)?)?;
        let unit = match unit {
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 7 * 86_400_000,
            _ => return None,
        };
        let len = i64::from(count.parse::<u32>().ok()?).checked_mul(unit)?;
        (now.as_millis() as i64).checked_sub(len)
    };
    milliseconds(text).or_else(before_now).ok_or_else(|| {
        Failure::asked(format!(
            "argument {name}: {text} is no time: seconds since 1970, RFC 3339, a date, or -2h"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Argument] = &[
        Argument { name: "selector", takes: Takes::Texts, concerns: Concerns::Question, about: "" },
        Argument { name: "start", takes: Takes::Time, concerns: Concerns::Question, about: "" },
        Argument {
            name: "per_block",
            takes: Takes::Boolean,
            concerns: Concerns::Question,
            about: "",
        },
        Argument {
            name: "gc_grace",
            takes: Takes::Number,
            concerns: Concerns::Question,
            about: "",
        },
    ];

    fn given(named: &[(&str, &str)]) -> Arguments {
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        Arguments { paths: vec![".".into()], named: named.iter().map(own).collect() }
    }

    #[test]
    fn wrong_arguments_are_named_with_what_there_is() {
        for (named, want) in [
            (
                &[("selectr", "up")][..],
                "t has no argument selectr: there are selector, start, per_block, gc_grace",
            ),
            (&[("start", "1"), ("start", "2")], "argument start is given twice"),
            (&[("gc_grace", "1.5")], "argument gc_grace: 1.5 is no number"),
            (&[("per_block", "yes")], "argument per_block: yes is neither true nor false"),
            (
                &[("start", "soon")],
                "argument start: soon is no time: seconds since 1970, RFC 3339, a date, or -2h",
            ),
        ] {
            let error = given(named).check("t", DECLARED).unwrap_err().to_string();
            assert_eq!(error, want);
        }
        let none = Arguments::default().check("t", DECLARED).unwrap_err().to_string();
        assert_eq!(none, "t needs a path");
        assert_eq!(given(&[("selector", "a"), ("selector", "b")]).check("t", DECLARED), Ok(()));
    }

    #[test]
    fn times_are_absolute_or_before_now() {
        assert_eq!(time("start", "1970-01-01T00:00:01Z"), Ok(1000));
        let hour_ago = time("start", "-1h").unwrap();
        let now = time("start", "-0s").unwrap();
        assert!((now - hour_ago - 3_600_000).abs() < 60_000, "{hour_ago} {now}");
        for wrong in ["", "-", "-é", "-h", "-1", "h", "--1h"] {
            let is_seconds = wrong == "-1";
            assert_eq!(time("start", wrong).is_ok(), is_seconds, "{wrong:?}");
        }
    }
}
