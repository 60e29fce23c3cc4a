//! Tags of a document found in its text: ctags tells lines and names, a shard holds bytes.

use super::list::{Symbol, Symbols, count_runes};
use super::reply::Tag;
use super::words::Words;

/// Finds the tags of a document, one by one, as ctags reports them: each at the first place in its
/// line that has its name. Tags that are not there, and those that overlap an earlier one, are left
/// out.
pub(super) struct Placer<'c> {
    content: &'c [u8],
    /// The ends of its lines, once there is a tag.
    line_ends: Option<Vec<usize>>,
    words: Words,
    list: Vec<Symbol>,
}

impl<'c> Placer<'c> {
    pub(super) fn new(content: &'c [u8]) -> Self {
        Placer { content, line_ends: None, words: Words::default(), list: Vec::new() }
    }

    pub(super) fn add(&mut self, tag: &Tag<'_>) {
        let ends = || memchr::memchr_iter(b'\n', self.content).collect();
        let line_ends = self.line_ends.get_or_insert_with(ends);
        let Some((start, end)) = found(tag, self.content, line_ends) else { return };
        let at = self.list.partition_point(|other| other.start < start);
        let before = at.checked_sub(1).map(|before| self.list[before]);
        let overlaps = before.is_some_and(|before| before.end > start)
            || self.list.get(at).is_some_and(|after| after.start < end);
        if overlaps {
            return;
        }
        let [kind, parent, parent_kind] = [&tag.kind, &tag.parent, &tag.parent_kind]
            .map(|word| self.words.number(word.as_bytes()));
        let (start_rune, end_rune) = (start, end);
        let symbol = Symbol { start, end, start_rune, end_rune, kind, parent, parent_kind };
        self.list.insert(at, symbol);
    }

    /// The symbols, by their start.
    pub(super) fn finish(mut self) -> Symbols {
        count_runes(&mut self.list, self.content);
        Symbols { list: self.list.into(), words: self.words.list.into() }
    }
}

/// First and last byte of a tag's name.
fn found(tag: &Tag<'_>, content: &[u8], line_ends: &[usize]) -> Option<(u32, u32)> {
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

    fn tag(name: &str, line: i64) -> Tag<'_> {
        Tag { name: name.into(), line, kind: "k".into(), ..Tag::default() }
    }

    fn place(tags: &[Tag<'_>], content: &[u8]) -> Symbols {
        let mut placer = Placer::new(content);
        tags.iter().for_each(|tag| placer.add(tag));
        placer.finish()
    }

    fn spans(tags: &[Tag<'_>], content: &str) -> Vec<(u32, u32)> {
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
            kind: kind.into(),
            parent: parent.into(),
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
