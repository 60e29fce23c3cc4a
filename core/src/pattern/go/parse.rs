//! Reads an expression in Go's syntax and makes the tree of `regex-syntax` that means the same.
//!
//! What differs from Rust's own syntax: `\b \d \w \s` speak of ASCII, `\Q..\E` and octal numbers
//! exist, in brackets `&&`, `--`, `~~` and a second bracket are plain characters, a `{` that begins
//! no count is one too, a repeat can't be repeated, repeats go to 1000 also when nested. Groups
//! capture only for who asks what they hold.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, Dot, Hir, HirKind, Look, Repetition,
};

use super::class;
use super::error::SyntaxError;

/// The most that a repeat, or repeats of repeats together, may count to.
const REPEAT_MAX: u32 = 1000;
/// Maximum depth of nested expressions. All that looks at their trees recurses as deep.
const HEIGHT_MAX: u32 = 1000;
pub(super) const TOO_DEEP: &str = "expression nests too deeply, by more than 1000 levels";
/// Instructions that Go's program of an expression may have: 128 MiB of 40 bytes.
const SIZE_MAX: u64 = (128 << 20) / 40;
/// Borders of classes that an expression may have: 128 MiB of 4 bytes.
const BORDERS_MAX: usize = (128 << 20) / 4;

/// Flags set by `(?imsU)`.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    /// `i`: letters are equal to their other cases.
    pub(super) folds: bool,
    /// `m`: `^` and `$` match at lines.
    by_line: bool,
    /// `s`: a dot matches a newline. Set from the start, as Prometheus has it.
    dot_is_all: bool,
    /// `U`: repeats take as little as they can, and those with a question mark as much.
    is_lazy: bool,
}

/// A part of the tree, with what the limits have to know of it.
struct Piece {
    hir: Hir,
    height: u32,
    size: u64,
    /// Number of times that its innermost part is repeated by counts.
    copies: u32,
}

impl Piece {
    fn leaf(hir: Hir) -> Piece {
        Piece { hir, height: 1, size: 1, copies: 1 }
    }
}

/// State of a group being read.
struct Group {
    /// The flags that hold again after it.
    flags: Flags,
    /// Its number, if Go captures it.
    capture: Option<u32>,
    /// The alternatives that are finished.
    alternatives: Vec<Piece>,
    /// The pieces of the one that isn't.
    pieces: Vec<Piece>,
}

impl Group {
    fn new(flags: Flags, capture: Option<u32>) -> Group {
        Group { flags, capture, alternatives: Vec::new(), pieces: Vec::new() }
    }
}

/// The tree of an expression; its groups capture nothing.
pub(super) fn parse(text: &str) -> Result<Hir, SyntaxError> {
    Ok(parse_groups(text, Groups::Plain)?.0)
}

/// Whether groups of the tree capture what they hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Groups {
    Plain,
    Capture,
}

/// The tree of an expression, and the names of its groups, of the first one at 0.
pub(super) fn parse_groups(
    text: &str,
    captures: Groups,
) -> Result<(Hir, Vec<Option<String>>), SyntaxError> {
    let flags = Flags { folds: false, by_line: false, dot_is_all: true, is_lazy: false };
    // A newline or a wide class may be repeated byte by byte unless someone asks where he stands:
    // inside of a character `\B` would find a place.
    let bytewise = !text.contains("\\B");
    let groups = vec![Group::new(flags, None)];
    let names = Vec::new();
    let mut parser =
        Parser { text, rest: text, flags, groups, captures, names, borders: 0, bytewise };
    parser.run()?;
    parser.close_alternative()?;
    let whole = parser.groups.pop().expect("the outermost group stays until here");
    if !parser.groups.is_empty() {
        return Err(SyntaxError::new("missing closing )", text));
    }
    Ok((parser.alternation(whole.alternatives)?.hir, parser.names))
}

struct Parser<'p> {
    text: &'p str,
    rest: &'p str,
    flags: Flags,
    /// The open groups; the first is the expression itself.
    groups: Vec<Group>,
    captures: Groups,
    /// Of the groups that capture.
    names: Vec<Option<String>>,
    /// Borders of classes so far.
    borders: usize,
    bytewise: bool,
}

impl<'p> Parser<'p> {
    fn run(&mut self) -> Result<(), SyntaxError> {
        // From where a repeat that was just read begins.
        let mut last_repeat: Option<&str> = None;
        while let Some(char) = self.rest.chars().next() {
            let before = self.rest;
            let mut repeat = None;
            match char {
                '(' => self.open_group()?,
                ')' => self.close_group()?,
                '|' => {
                    self.skip(1);
                    self.close_alternative()?;
                }
                '^' if self.flags.by_line => self.look(Look::StartLF, 1)?,
                '^' => self.look(Look::Start, 1)?,
                '$' if self.flags.by_line => self.look(Look::EndLF, 1)?,
                '$' => self.look(Look::End, 1)?,
                '.' => self.dot()?,
                '[' => {
                    let (class, rest) = class::brackets(self.rest, self.flags.folds)?;
                    self.rest = rest;
                    self.class(class)?;
                }
                '*' | '+' | '?' => {
                    self.skip(1);
                    let (min, max) = match char {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    self.repeat(min, max, None, before, last_repeat)?;
                    repeat = Some(before);
                }
                '{' => match count(self.rest) {
                    None => self.char('{')?,
                    Some((min, max, rest)) => {
                        self.rest = rest;
                        let is_large = min > REPEAT_MAX || max.is_some_and(|max| max > REPEAT_MAX);
                        if is_large || max.is_some_and(|max| min > max) {
                            return Err(self.error("invalid repeat count", before));
                        }
                        let counted = max.unwrap_or(min);
                        self.repeat(min, max, Some(counted), before, last_repeat)?;
                        repeat = Some(before);
                    }
                },
                '\\' => self.escape()?,
                _ => self.char(char)?,
            }
            last_repeat = repeat;
        }
        Ok(())
    }

    fn skip(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }

    /// An error about the text from `start` up to what is still to be read.
    fn error(&self, what: &'static str, start: &str) -> SyntaxError {
        SyntaxError::new(what, &start[..start.len() - self.rest.len()])
    }

    /// Takes a character that stands for itself.
    fn char(&mut self, char: char) -> Result<(), SyntaxError> {
        self.skip(char.len_utf8());
        self.literal(u32::from(char))
    }

    fn literal(&mut self, code: u32) -> Result<(), SyntaxError> {
        match char::from_u32(code) {
            // Half of a pair: no value holds it.
            None => self.push(Piece::leaf(Hir::fail())),
            Some(char) if self.flags.folds => {
                let mut class = class::one(char);
                class::fold(&mut class);
                self.push(Piece::leaf(Hir::class(Class::Unicode(class))))
            }
            Some(char) => {
                let bytes = char.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
                self.push(Piece::leaf(Hir::literal(bytes)))
            }
        }
    }

    fn look(&mut self, look: Look, len: usize) -> Result<(), SyntaxError> {
        self.skip(len);
        self.push(Piece::leaf(Hir::look(look)))
    }

    fn dot(&mut self) -> Result<(), SyntaxError> {
        self.skip(1);
        let dot = if self.flags.dot_is_all { Dot::AnyChar } else { Dot::AnyCharExceptLF };
        self.push(Piece::leaf(Hir::dot(dot)))
    }

    fn class(&mut self, class: ClassUnicode) -> Result<(), SyntaxError> {
        self.borders += 2 * class.ranges().len();
        if self.borders > BORDERS_MAX {
            return Err(SyntaxError::new("expression too large", self.text));
        }
        self.push(Piece::leaf(Hir::class(Class::Unicode(class))))
    }

    fn group(&mut self) -> &mut Group {
        self.groups.last_mut().expect("the outermost group stays until the end")
    }

    fn push(&mut self, piece: Piece) -> Result<(), SyntaxError> {
        self.within_limits(&piece)?;
        self.group().pieces.push(piece);
        Ok(())
    }

    fn within_limits(&self, piece: &Piece) -> Result<(), SyntaxError> {
        if piece.size > SIZE_MAX {
            return Err(SyntaxError::new("expression too large", self.text));
        }
        if piece.height > HEIGHT_MAX {
            return Err(SyntaxError::new(TOO_DEEP, self.text));
        }
        Ok(())
    }

    /// Syntax that begins with an open parenthesis: a group, or flags for the rest of the one
    /// around.
    fn open_group(&mut self) -> Result<(), SyntaxError> {
        let start = self.rest;
        if !start.starts_with("(?") {
            self.skip(1);
            self.open_capture(None);
            return Ok(());
        }
        let name_at = match start.as_bytes() {
            [_, _, b'P', b'<', _, ..] => 4,
            [_, _, b'<', _, ..] => 3,
            _ => return self.flags(start),
        };
        let Some(end) = start.find('>') else {
            return Err(SyntaxError::new("invalid named capture", start));
        };
        let name = start.get(name_at..end).unwrap_or_default();
        self.skip(end + 1);
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(self.error("invalid named capture", start));
        }
        self.open_capture(Some(name.to_owned()));
        Ok(())
    }

    fn open_capture(&mut self, name: Option<String>) {
        self.names.push(name);
        self.groups.push(Group::new(self.flags, Some(self.names.len() as u32)));
    }

    /// `(?flags)` or `(?flags:`.
    fn flags(&mut self, start: &'p str) -> Result<(), SyntaxError> {
        self.skip(2);
        let mut flags = self.flags;
        let mut on = true;
        let mut is_bare_minus = false;
        while let Some(char) = self.rest.chars().next() {
            self.skip(char.len_utf8());
            match char {
                'i' => flags.folds = on,
                'm' => flags.by_line = on,
                's' => flags.dot_is_all = on,
                'U' => flags.is_lazy = on,
                '-' if on => {
                    on = false;
                    is_bare_minus = true;
                    continue;
                }
                ':' | ')' if !is_bare_minus => {
                    if char == ':' {
                        self.groups.push(Group::new(self.flags, None));
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
            is_bare_minus = false;
        }
        Err(self.error("invalid or unsupported Perl syntax", start))
    }

    fn close_alternative(&mut self) -> Result<(), SyntaxError> {
        let pieces = std::mem::take(&mut self.group().pieces);
        let piece = join(pieces, Hir::concat, 0);
        self.within_limits(&piece)?;
        self.group().alternatives.push(piece);
        Ok(())
    }

    fn alternation(&self, alternatives: Vec<Piece>) -> Result<Piece, SyntaxError> {
        let splits = alternatives.len() as u64 - 1;
        let piece = join(alternatives, Hir::alternation, splits);
        self.within_limits(&piece)?;
        Ok(piece)
    }

    fn close_group(&mut self) -> Result<(), SyntaxError> {
        if self.groups.len() == 1 {
            return Err(SyntaxError::new("unexpected )", self.text));
        }
        self.skip(1);
        self.close_alternative()?;
        let group = self.groups.pop().expect("two groups are open");
        self.flags = group.flags;
        let mut piece = self.alternation(group.alternatives)?;
        if let Some(index) = group.capture {
            piece.height += 1;
            piece.size += 2;
            if self.captures == Groups::Capture {
                piece.hir = Hir::capture(Capture { index, name: None, sub: Box::new(piece.hir) });
            }
        }
        self.push(piece)
    }

    /// Repeats the last piece. `counted` is what the nested limit counts, of a repeat in braces.
    fn repeat(
        &mut self,
        min: u32,
        max: Option<u32>,
        counted: Option<u32>,
        start: &str,
        last_repeat: Option<&str>,
    ) -> Result<(), SyntaxError> {
        let is_turned = self.rest.starts_with('?');
        if is_turned {
            self.skip(1);
        }
        if let Some(last_repeat) = last_repeat {
            return Err(self.error("invalid nested repetition operator", last_repeat));
        }
        let Some(piece) = self.group().pieces.pop() else {
            return Err(self.error("missing argument to repetition operator", start));
        };
        let size = match (counted, max) {
            (_, None) if min == 0 => 2 + piece.size,
            (_, None) => 1 + u64::from(min) * piece.size,
            (None, Some(_)) => 1 + piece.size,
            (Some(_), Some(max)) => u64::from(max) * piece.size + u64::from(max - min),
        };
        let copies = match counted {
            Some(0) if max == Some(0) => 1,
            counted => piece.copies.saturating_mul(counted.unwrap_or(1).max(1)),
        };
        let greedy = self.flags.is_lazy == is_turned;
        let hir = repeated(piece.hir, min, max, greedy, self.bytewise);
        let height = piece.height + 1;
        let repeat = Piece { hir, height, size: size.max(1), copies };
        self.within_limits(&repeat)?;
        if counted.is_some_and(|counted| counted >= 2) && copies > REPEAT_MAX {
            return Err(self.error("invalid repeat count", start));
        }
        self.group().pieces.push(repeat);
        Ok(())
    }

    /// An escape that begins with a backslash, outside of brackets.
    fn escape(&mut self) -> Result<(), SyntaxError> {
        match self.rest.as_bytes().get(1) {
            Some(b'A') => return self.look(Look::Start, 2),
            Some(b'z') => return self.look(Look::End, 2),
            Some(b'b') => return self.look(Look::WordAscii, 2),
            Some(b'B') => return self.look(Look::WordAsciiNegate, 2),
            Some(b'C') => return Err(SyntaxError::new("invalid escape sequence", "\\C")),
            Some(b'Q') => return self.quotation(),
            _ => {}
        }
        if let Some((class, rest)) = class::escaped(self.rest, self.flags.folds)? {
            self.rest = rest;
            return self.class(class);
        }
        let (code, rest) = class::escaped_char(self.rest)?;
        self.rest = rest;
        self.literal(code)
    }

    /// `\Q`: what follows stands for itself, up to `\E` or to the end.
    fn quotation(&mut self) -> Result<(), SyntaxError> {
        self.skip(2);
        let (quoted, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
        for char in quoted.chars() {
            self.literal(u32::from(char))?;
        }
        self.rest = rest;
        Ok(())
    }
}

/// Pieces as one; `links` is what joining them adds to Go's program.
fn join(mut pieces: Vec<Piece>, how: fn(Vec<Hir>) -> Hir, links: u64) -> Piece {
    if pieces.len() == 1 {
        return pieces.pop().expect("one piece");
    }
    let height = 1 + pieces.iter().map(|piece| piece.height).max().unwrap_or(0);
    let size = pieces.iter().map(|piece| piece.size).sum::<u64>() + links;
    let copies = pieces.iter().map(|piece| piece.copies).max().unwrap_or(1);
    let hir = how(pieces.into_iter().map(|piece| piece.hir).collect());
    Piece { hir, height, size: size.max(1), copies }
}

/// The count at the start of the text: at least, at most, and the rest. A number too large for Go
/// is too large here.
fn count(text: &str) -> Option<(u32, Option<u32>, &str)> {
    let len = text[1..].bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
    let (inner, rest) = text[1..].split_at(len);
    let rest = rest.strip_prefix('}')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let has_zero_before = text.len() > 1 && text.starts_with('0');
        (is_number && !has_zero_before).then(|| text.parse().unwrap_or(u32::MAX))
    };
    let (min, max) = match inner.split_once(',') {
        None => (number(inner)?, Some(number(inner)?)),
        Some((min, "")) => (number(min)?, None),
        Some((min, max)) => (number(min)?, Some(number(max)?)),
    };
    Some((min, max, rest))
}

/// The repeat of a tree. A class that holds all of what is not ASCII is repeated without end byte
/// by byte, which takes one state of an automaton rather than ten: between two characters it ends
/// where the next piece begins anyway.
fn repeated(hir: Hir, min: u32, max: Option<u32>, greedy: bool, bytewise: bool) -> Hir {
    let bytes = match (hir.kind(), max) {
        (HirKind::Class(Class::Unicode(class)), None) if bytewise => wide_bytes(class),
        _ => None,
    };
    let rep =
        |hir: Hir, min, max| Hir::repetition(Repetition { min, max, greedy, sub: Box::new(hir) });
    match bytes {
        None => rep(hir, min, max),
        Some(bytes) => {
            let tail = rep(Hir::class(Class::Bytes(bytes)), 0, None);
            Hir::concat(vec![rep(hir, min, Some(min)), tail])
        }
    }
}

/// The bytes of a class that holds everything from U+0080 on.
fn wide_bytes(class: &ClassUnicode) -> Option<ClassBytes> {
    let last = class.ranges().last()?;
    if u32::from(last.start()) > 0x80 || last.end() != char::MAX {
        return None;
    }
    let ranges = class.ranges().iter().map(|range| {
        let end = u8::try_from(u32::from(range.end())).ok().filter(u8::is_ascii);
        ClassBytesRange::new(u32::from(range.start()) as u8, end.unwrap_or(0xff))
    });
    Some(ClassBytes::new(ranges))
}
