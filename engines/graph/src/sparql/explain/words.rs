//! EXPLAIN and ANALYZE, where they are written before a query as in SQL.

use std::borrow::Cow;

use super::operator::Explain;

/// Takes EXPLAIN or EXPLAIN ANALYZE off the beginning of a query. Blanks take their place, so that
/// errors name the places that the text has.
pub fn explain_words(text: &str) -> (Option<Explain>, Cow<'_, str>) {
    let Some(end) = word_end(text, 0, "EXPLAIN") else { return (None, text.into()) };
    let (explain, end) = match word_end(text, end, "ANALYZE") {
        Some(end) => (Explain::Analyze, end),
        None => (Explain::Plan, end),
    };
    let blank = |char: char| if char == '\n' { '\n' } else { ' ' };
    let query: String = text[..end].chars().map(blank).chain(text[end..].chars()).collect();
    (Some(explain), query.into())
}

/// The end of a word, if it is what comes next.
fn word_end(text: &str, from: usize, word: &str) -> Option<usize> {
    let rest = text[from..].trim_start();
    let at = text.len() - rest.len();
    let is_it = rest.get(..word.len())?.eq_ignore_ascii_case(word);
    let ends = rest[word.len()..].starts_with(|after: char| after.is_ascii_whitespace());
    (is_it && ends).then_some(at + word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Option<Explain>, query: &str) {
        assert_eq!(explain_words(text), (want, Cow::Borrowed(query)), "{text:?}");
    }

    #[test]
    fn words_become_blanks() {
        check("EXPLAIN ASK {}", Some(Explain::Plan), "        ASK {}");
        check("\nexplain\nAnalyze\tASK {}", Some(Explain::Analyze), "\n       \n       \tASK {}");
    }

    #[test]
    fn other_texts_are_left() {
        for text in ["ASK {}", "EXPLAINASK {}", "PREFIX explain: <x:> ASK {}", "explain:a", ""] {
            check(text, None, text);
        }
    }
}
