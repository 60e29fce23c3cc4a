//! Cursors of pages: how far an answer has come, and of which question it was.

use manicule::Failure;
use serde_json::{Map, Value};

/// Arguments that may differ from page to page.
const OF_PAGE: [&str; 2] = ["cursor", "budget"];

/// Place in the answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    question: u64,
    /// Number of results before it.
    pub(crate) skipped: u64,
}

impl Cursor {
    /// Where the page of a call begins: at its cursor, else at the first result.
    ///
    /// # Errors
    /// A text that is no cursor, or one of another question.
    pub(crate) fn of(tool: &str, arguments: &Map<String, Value>) -> Result<Cursor, Failure> {
        let question = question(tool, arguments);
        let first = Cursor { question, skipped: 0 };
        let Some(given) = arguments.get("cursor") else { return Ok(first) };
        let wrong = || {
            Failure::asked(
                "this is no cursor of this question: give `next` of its last answer, and all other \
                 arguments as they were",
            )
        };
        let (skipped, own) =
            given.as_str().and_then(|text| text.split_once('-')).ok_or_else(wrong)?;
        let skipped = skipped.parse().map_err(|_| wrong())?;
        let is_same = u64::from_str_radix(own, 16) == Ok(question);
        is_same.then_some(Cursor { skipped, ..first }).ok_or_else(wrong)
    }

    /// The text of the page after this number of further results.
    pub(crate) fn next(self, count: u64) -> String {
        format!("{}-{:016x}", self.skipped.saturating_add(count), self.question)
    }
}

/// FNV-1a of a question: the same in every process.
fn question(tool: &str, arguments: &Map<String, Value>) -> u64 {
    let fold = |hash: u64, bytes: &[u8]| {
        bytes
            .iter()
            .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let kept = arguments.iter().filter(|(name, _)| !OF_PAGE.contains(&name.as_str()));
    kept.fold(fold(0xcbf2_9ce4_8422_2325, tool.as_bytes()), |hash, (name, value)| {
        let hash = fold(fold(hash, &[0]), name.as_bytes());
        fold(hash, value.to_string().as_bytes())
    })
}
