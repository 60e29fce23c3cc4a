//! Tokens of a text, as the classifier of go-enry counts them.
//!
//! Seven steps, each over what the one before left: shebangs (which stay), tags, literals and
//! comments (which give none), punctuation, words, operators, and single characters. The tokens are
//! in the order of the steps.

use manicule_core::go;
use manicule_format_zoekt::runes;
use regex::bytes::Regex;

/// Number of bytes of a text that are looked at.
const TOKENIZED_LEN: usize = 100_000;

/// White space as the regexes have it.
const SPACE: &str = r"[\t\n\f\r ]";

/// The regexes of the steps.
pub(super) struct Tokenizer {
    shebang: Regex,
    tag: Regex,
    comment_in_tag: Regex,
    attribute: Regex,
    /// Literals and comments, in the order in which they go.
    dropped: [Regex; 4],
    punctuation: Regex,
    word: Regex,
    operator: Regex,
}

/// The tokens, back to back in one text.
#[derive(Default)]
pub(super) struct Tokens {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Tokens {
    fn push(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.text.extend_from_slice(part));
        self.ends.push(self.text.len());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Tokenizer {
    pub(super) fn new() -> Tokenizer {
        let regex = |source: &str| {
            let source = source.replace(r"\s", SPACE).replace(r"\w", "[0-9A-Za-z_]");
            let flagged = format!("(?s-u){source}");
            Regex::new(&flagged).expect("the regexes of tokens are right")
        };
        Tokenizer {
            shebang: regex(
                r"(?m)^#!(?:/\w+)*/(?:(\w+)|\w+(?:\s*\w+=\w+\s*)*\s*(\w+))(?:\s*-\w+\s*)*$",
            ),
            tag: regex(r#"</?[^\t\n\f\r <>=0-9"']+(?:\s.*?/?>|>)"#),
            comment_in_tag: regex(r"<!--.*?-->"),
            attribute: regex(r"\s+(\w+=)|\s+([^\t\n\f\r >]+)"),
            dropped: [
                regex(r#"".*?"|'.*?'"#),
                regex(r#"/\*.*?\*/|<!--.*?-->|\{-.*?-\}|\(\*.*?\*\)|""".*?"""|'''.*?'''"#),
                regex(r#"(?m)(?://|--|\#|%|")\s[^\n]*$"#),
                regex(
                    r"(?:0x[0-9A-Fa-f][0-9A-Fa-f.]*|[0-9][0-9.]*)(?:[uU][lL]{0,2}|(?:[eE][-+][0-9]*)?[fFlL]*)",
                ),
            ],
            punctuation: regex(r"[;{}()\[\]]"),
            word: regex(r"[0-9A-Za-z_.@#/*]+"),
            operator: regex(r"<<?|\+|-|\*|/|%|&&?|\|\|?"),
        }
    }

    /// The tokens of a text.
    pub(super) fn tokens(&self, content: &[u8]) -> Tokens {
        let content = &content[..content.len().min(TOKENIZED_LEN)];
        let mut tokens = Tokens::default();
        self.shebangs(content, &mut tokens);
        let mut text = self.without_tags(content, &mut tokens);
        for dropped in &self.dropped {
            text = taken_out(dropped, &text, |_| {});
        }
        for step in [&self.punctuation, &self.word, &self.operator] {
            text = taken_out(step, &text, |token| tokens.push(&[token]));
        }
        for word in go::fields(&text) {
            let starts = || runes(word).map(|(at, _)| at);
            let ends = starts().skip(1).chain([word.len()]);
            starts().zip(ends).for_each(|(start, end)| tokens.push(&[&word[start..end]]));
        }
        tokens
    }

    fn shebangs(&self, content: &[u8], tokens: &mut Tokens) {
        if memchr::memmem::find(content, b"#!").is_none() {
            return;
        }
        for found in self.shebang.captures_iter(content) {
            let named = found.get(1).or(found.get(2)).map_or(&b""[..], |name| name.as_bytes());
            tokens.push(&[b"SHEBANG#!", named]);
        }
    }

    fn without_tags(&self, content: &[u8], tokens: &mut Tokens) -> Vec<u8> {
        taken_out(&self.tag, content, |tag| {
            if self.comment_in_tag.is_match(tag) {
                return;
            }
            // The name goes as far as it can: what ends it is white space or the tag's own end.
            let is_end = |byte: &u8| b"\t\n\x0c\r >".contains(byte);
            let name_end = tag.iter().position(is_end).unwrap_or(tag.len());
            tokens.push(&[&tag[..name_end], b">"]);
            for found in self.attribute.captures_iter(tag) {
                match (found.get(1), found.get(2)) {
                    (Some(key), _) => tokens.push(&[key.as_bytes()]),
                    (None, Some(other)) => {
                        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                        let words = other.as_bytes().split(|byte| !is_word(byte));
                        let words = words.filter(|word| !word.is_empty());
                        words.for_each(|word| tokens.push(&[word]));
                    }
                    (None, None) => {}
                }
            }
        })
    }
}

/// A text with a space in place of each match.
fn taken_out(regex: &Regex, text: &[u8], mut hear: impl FnMut(&[u8])) -> Vec<u8> {
    let mut left = Vec::with_capacity(text.len());
    let mut at = 0;
    for found in regex.find_iter(text) {
        hear(found.as_bytes());
        left.extend_from_slice(&text[at..found.start()]);
        left.push(b' ');
        at = found.end();
    }
    left.extend_from_slice(&text[at..]);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let tokens = Tokenizer::new().tokens(text.as_bytes());
        let got: Vec<&str> = tokens.iter().map(|token| str::from_utf8(token).unwrap()).collect();
        assert_eq!(got, want, "{text:?}");
    }

    #[test]
    fn words_come_before_operators_and_characters() {
        check("a + b(c);", &["(", ")", ";", "a", "b", "c", "+"]);
        check("x <<= y && ~é", &["x", "y", "<<", "&&", "=", "~", "é"]);
    }

    #[test]
    fn literals_and_comments_give_nothing() {
        check("a = \"x\ny\" + 'z' // all of it\nb", &["a", "b", "+", "="]);
        check("/* a\nb */ c {- d -} # e\nf 0x1fUL 3.5e-7f", &["c", "f"]);
        check("#include x", &["#include", "x"]);
    }

    #[test]
    fn tags_give_their_name_and_attributes() {
        check("<a href=\"x\" checked>", &["<a>", "href=", "checked"]);
        check("<br/></p>", &["<br/>", "</p>"]);
        check("<b <!-- c --> >", &[">"]);
    }

    #[test]
    fn shebangs_count_twice() {
        check("#!/bin/bash\n", &["SHEBANG#!bash", "#", "/bin/bash", "!"]);
        check(
            "#!/usr/bin/env A=b perl -w\n",
            &["SHEBANG#!perl", "#", "/usr/bin/env", "A", "b", "perl", "w", "-", "!", "="],
        );
    }

    #[test]
    fn a_limit_ends_the_text() {
        let text = format!("{}b", "a ".repeat(TOKENIZED_LEN / 2));
        assert_eq!(Tokenizer::new().tokens(text.as_bytes()).iter().count(), TOKENIZED_LEN / 2);
    }
}
