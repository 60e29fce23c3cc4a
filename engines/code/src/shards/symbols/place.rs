//! Tags of a document found in its text: ctags tells lines and names, a shard holds bytes.

use super::list::{Symbol, Symbols, count_runes};
use super::words::Words;

/// A definition that ctags reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::shards) struct Tag {
    pub(in crate::shards) name: String,
    /// Number of its line, from 1 on.
    pub(in crate::shards) line: i64,
    pub(in crate::shards) kind: String,
    pub(in crate::shards) parent: String,
    pub(in crate::shards) parent_kind: String,
}

/// The symbols of a document: each tag at the first place in its line that has its name. Tags that
/// are not there, and those that overlap an earlier one of the list, are left out.
pub(in crate::shards) fn place(tags: &[Tag], content: &[u8]) -> Symbols {
    if tags.is_empty() {
        return Symbols::default();
    }
    let line_ends: Vec<usize> = memchr::memchr_iter(b'\n', content).collect();
    let mut words = Words::default();
    let mut list: Vec<Symbol> = Vec::with_capacity(tags.len());
    for tag in tags {
        let Some((start, end)) = found(tag, content, &line_ends) else { continue };
        let at = list.partition_point(|other| other.start < start);
        let before = at.checked_sub(1).map(|before| list[before]);
        let overlaps = before.is_some_and(|before| before.end > start)
            || list.get(at).is_some_and(|after| after.start < end);
        if overlaps {
            continue;
        }
        let [kind, parent, parent_kind] =
            [&tag.kind, &tag.parent, &tag.parent_kind].map(|word| words.number(word.as_bytes()));
        let (start_rune, end_rune) = (start, end);
        list.insert(at, Symbol { start, end, start_rune, end_rune, kind, parent, parent_kind });
    }
    count_runes(&mut list, content);
    Symbols { list: list.into(), words: words.list.into() }
}

/// First and last byte of a tag's name.
fn found(tag: &Tag, content: &[u8], line_ends: &[usize]) -> Option<(u32, u32)> {
    let line = usize::try_from(tag.line).ok()?.checked_sub(1)?;
    let start = match line.checked_sub(1) {
        None => 0,
        Some(before) => line_ends.get(before)? + 1,
    };
    let end = line_ends.get(line).copied().unwrap_or(content.len());
    let at = start + memchr::memmem::find(&content[start..end], tag.name.as_bytes())?;
    Some((at as u32, (at + tag.name.len()) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(name: &str, line: i64) -> Tag {
        Tag { name: name.to_owned(), line, kind: "k".to_owned(), ..Tag::default() }
    }

    fn spans(tags: &[Tag], content: &str) -> Vec<(u32, u32)> {
        place(tags, content.as_bytes()).list.iter().map(|s| (s.start, s.end)).collect()
    }

    #[test]
    fn a_tag_stands_where_its_line_first_has_its_name() {
        let content = "int a;\nint b, bb;\nlast";
        let tags = [tag("last", 3), tag("bb", 2), tag("b", 2), tag("a", 1)];
        assert_eq!(spans(&tags, content), [(4, 5), (11, 12), (14, 16), (18, 22)]);
    }

    #[test]
    fn tags_that_are_not_there_are_left_out() {
        let tags = [tag("a", 0), tag("a", -3), tag("b", 1), tag("a", 3), tag("a", i64::MAX)];
        assert_eq!(spans(&tags, "a\na\n"), []);
        // The empty rest after the last line end is a line.
        assert_eq!(spans(&[tag("", 3)], "a\na\n"), [(4, 4)]);
        assert_eq!(spans(&[tag("", 4)], "a\na\n"), []);
    }

    #[test]
    fn the_first_of_two_that_overlap_stays() {
        assert_eq!(
            spans(&[tag("bcd", 1), tag("abc", 1), tag("de", 1), tag("a", 1)], "abcde"),
            [(0, 1), (1, 4)]
        );
        assert_eq!(spans(&[tag("b", 1), tag("abc", 1), tag("b", 1)], "abc"), [(1, 2)]);
        assert_eq!(spans(&[tag("ab", 1), tag("c", 1)], "abc"), [(0, 2), (2, 3)]);
    }

    #[test]
    fn runes_are_counted_where_a_text_has_more_than_ascii() {
        let symbols = place(&[tag("ß", 2), tag("c", 2), tag("é", 1)], "aé\nß日c".as_bytes());
        let runes: Vec<_> = symbols.list.iter().map(|s| (s.start_rune, s.end_rune)).collect();
        assert_eq!(runes, [(1, 2), (3, 4), (5, 6)]);
    }

    #[test]
    fn words_are_held_once() {
        let tags = [("a", "x", "y"), ("b", "y", "x")].map(|(name, kind, parent)| Tag {
            kind: kind.to_owned(),
            parent: parent.to_owned(),
            ..tag(name, 1)
        });
        let symbols = place(&tags, b"ab");
        assert_eq!(symbols.words.len(), 3);
        let words = |symbol: &Symbol| [symbol.kind, symbol.parent, symbol.parent_kind];
        let said = |number: u32| String::from_utf8(symbols.word(number).to_vec()).unwrap();
        let said: Vec<_> = symbols.list.iter().map(|symbol| words(symbol).map(said)).collect();
        assert_eq!(said, [["x", "y", ""], ["y", "x", ""]]);
    }
}
