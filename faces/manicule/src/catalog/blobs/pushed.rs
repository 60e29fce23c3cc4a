//! Conditions that are tested before a row is made.

use crate::answer::{Cell, Question, Test, Value};
use crate::blobs::Id;

use super::columns::digits;

/// The tests of a column.
#[derive(Debug)]
pub(super) struct Tests(Vec<Test>);

impl Tests {
    /// Takes those of a question, which asks them no more.
    pub(super) fn of(question: &mut Question, at: usize) -> Tests {
        let mut tests = Vec::new();
        question.push(at, |test| {
            tests.push(test.clone());
            true
        });
        Tests(tests)
    }

    pub(super) fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    pub(super) fn admit(&self, cell: Cell<'_>) -> bool {
        self.0.iter().all(|test| test.fulfils(cell) == Some(true))
    }

    pub(super) fn admit_text(&self, text: &str) -> bool {
        self.admit(Cell::Text(text))
    }

    pub(super) fn admit_id(&self, id: &Id) -> bool {
        !self.is_any() || self.admit_text(digits(&id.digits()))
    }

    /// Whether a path may fulfil them that begins with a folder, which ends with a slash.
    pub(super) fn may_admit_below(&self, folder: &str) -> bool {
        self.0.iter().all(|test| match test {
            Test::In(values) => values.iter().any(|value| match value {
                Value::Text(path) => path.starts_with(folder),
                _ => false,
            }),
            Test::Like(pattern) => {
                let start = pattern.split(['%', '_']).next().unwrap_or_default();
                start.starts_with(folder)
                    || start.len() < pattern.len() && folder.starts_with(start)
            }
            _ => true,
        })
    }

    /// The texts that one of them names one by one, if one does.
    pub(super) fn named(&self) -> Option<Vec<&str>> {
        self.0.iter().find_map(|test| match test {
            Test::In(values) => values.iter().map(text).collect(),
            _ => None,
        })
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_entered_on_the_way_and_below() {
        let like = |pattern: &str| Tests(vec![Test::Like(pattern.to_owned())]);
        let is = |path: &str| Tests(vec![Test::In(vec![Value::Text(path.to_owned())])]);
        for (tests, folder, want) in [
            (like("/a/b%"), "/a/", true),
            (like("/a/b%"), "/a/bc/", true),
            (like("/a/b%"), "/a/c/", false),
            (like("/a/b%"), "/ab/", false),
            (like("%b"), "/c/", true),
            (like("/a_c"), "/abc/", true),
            // Nothing below a folder is the text without a wildcard.
            (like("/a"), "/a/", false),
            (is("/a/b"), "/a/", true),
            (is("/a/b"), "/a/b/", false),
            (Tests(vec![Test::Not(Box::new(Test::Like("/a%".to_owned())))]), "/a/", true),
        ] {
            assert_eq!(tests.may_admit_below(folder), want, "{tests:?} {folder}");
        }
    }
}
