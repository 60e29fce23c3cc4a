//! A line of an answer of universal-ctags: a JSON object, whose type says what it is.

use std::borrow::Cow;

use serde::Deserialize;

/// A definition that ctags reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tag<'l> {
    pub(super) name: Cow<'l, str>,
    /// Number of its line, from 1 on.
    pub(super) line: i64,
    pub(super) kind: Cow<'l, str>,
    pub(super) parent: Cow<'l, str>,
    pub(super) parent_kind: Cow<'l, str>,
}

/// Meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply<'l> {
    /// A blank line, or an error after which ctags goes on.
    Nothing,
    Greeting,
    Tag(Tag<'l>),
    Complete,
}

/// The fields of a line. Others are passed over.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields<'l> {
    #[serde(borrow, rename = "_type")]
    kind_of_reply: Cow<'l, str>,
    #[serde(borrow)]
    name: Cow<'l, str>,
    line: i64,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow)]
    scope: Cow<'l, str>,
    #[serde(borrow, rename = "scopeKind")]
    scope_kind: Cow<'l, str>,
    #[serde(borrow)]
    message: Cow<'l, str>,
    fatal: bool,
}

/// Decodes a line, which is without its end. The error is what ctags can't go on after, or what it
/// said instead of an answer.
pub(super) fn decode(line: &[u8]) -> Result<Reply<'_>, String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Ok(Reply::Nothing);
    }
    // Checked at once, a line takes half the time of one whose texts are checked one by one.
    if let Ok(text) = str::from_utf8(line) {
        return reply(text);
    }
    // Bytes that are not valid UTF-8 count as U+FFFD.
    Ok(match reply(&String::from_utf8_lossy(line))? {
        Reply::Tag(tag) => Reply::Tag(tag.into_owned()),
        Reply::Nothing => Reply::Nothing,
        Reply::Greeting => Reply::Greeting,
        Reply::Complete => Reply::Complete,
    })
}

fn reply(text: &str) -> Result<Reply<'_>, String> {
    let fields = serde_json::from_str::<Fields<'_>>(text);
    let fields = fields.map_err(|_| format!("it said {:?}", cut(text)))?;
    match &*fields.kind_of_reply {
        "tag" => Ok(Reply::Tag(Tag {
            name: fields.name,
            line: fields.line,
            kind: fields.kind,
            parent: fields.scope,
            parent_kind: fields.scope_kind,
        })),
        "completed" => Ok(Reply::Complete),
        "program" => Ok(Reply::Greeting),
        "error" if fields.fatal => Err(cut(&fields.message)),
        "error" => Ok(Reply::Nothing),
        other => Err(format!("it gave a reply of the type {:?}", cut(other))),
    }
}

/// As much of a text as a message shows.
fn cut(text: &str) -> String {
    text.chars().take(120).collect()
}

impl Tag<'_> {
    fn into_owned(self) -> Tag<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Tag {
            name: owned(self.name),
            line: self.line,
            kind: owned(self.kind),
            parent: owned(self.parent),
            parent_kind: owned(self.parent_kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &[u8], want: Result<Reply<'_>, &str>) {
        let got = decode(line);
        assert_eq!(got, want.map_err(str::to_owned), "{}", line.escape_ascii());
    }

    fn tag(name: &str) -> Tag<'_> {
        Tag { name: name.into(), ..Tag::default() }
    }

    #[test]
    fn a_tag_has_a_name_a_line_a_kind_and_a_parent() {
        let line = br#"{"_type":"tag","name":"a","line":7,"kind":"k","scope":"p","scopeKind":"q","x":[{}]}"#;
        let (kind, parent, parent_kind) = ("k".into(), "p".into(), "q".into());
        let want = Tag { line: 7, kind, parent, parent_kind, ..tag("a") };
        check(line, Ok(Reply::Tag(want)));
        check(br#"{"_type":"tag"}"#, Ok(Reply::Tag(tag(""))));
    }

    #[test]
    fn names_may_have_escapes_and_bytes_of_no_character() {
        check(br#"{"_type":"tag","name":"\u00e9\n"}"#, Ok(Reply::Tag(tag("é\n"))));
        check(b"{\"_type\":\"tag\",\"name\":\"a\xff\"}", Ok(Reply::Tag(tag("a\u{fffd}"))));
        check(b"{\"_type\":\"tag\",\"name\":\"a\",\"x\":\"\xff\"}", Ok(Reply::Tag(tag("a"))));
    }

    #[test]
    fn an_answer_has_an_end_and_may_have_warnings() {
        check(b"\r", Ok(Reply::Nothing));
        check(br#"{"_type":"error","message":"mind the gap"}"#, Ok(Reply::Nothing));
        check(b"{\"_type\":\"completed\",\"command\":\"generate-tags\"}\r", Ok(Reply::Complete));
        check(br#"{"_type":"program","name":"Universal Ctags"}"#, Ok(Reply::Greeting));
    }

    #[test]
    fn what_is_no_answer_is_quoted_in_part() {
        check(br#"{"_type":"error","message":"no memory","fatal":true}"#, Err("no memory"));
        check(br#"{"_type":"what"}"#, Err("it gave a reply of the type \"what\""));
        check(br#"{"name":"a"}"#, Err("it gave a reply of the type \"\""));
        check(b"Exuberant\tCtags \xff", Err("it said \"Exuberant\\tCtags \u{fffd}\""));
        let long = "x".repeat(500);
        check(long.as_bytes(), Err(&format!("it said {:?}", &long[..120])));
    }
}
