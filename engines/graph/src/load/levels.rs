//! How deep the parts of a document lie inside each other. The parser of JSON-LD calls itself for
//! each level of values, and reads what is inside once more for each; that of XML looks at all
//! levels for each; and a triple term that is dropped calls itself for each one inside it.

use std::fmt;
use std::io::{self, Read};

use super::fault::Fault;
use super::format::Syntax;
use crate::stack::with_stack;

/// Maximum number of levels of a document.
const LEVELS_MAX: u32 = 1000;
/// Maximum number of levels of elements: oxrdfxml 0.2.5 looks through all of them for the version
/// that each is of, which takes minutes at 100,000. Two of them make a triple term.
const ELEMENTS_MAX: u32 = 4000;
/// Stack for that many.
const STACK_LEN: usize = 96 << 20;

/// Calls the parser, on a stack for as many levels as [`Leveled`] lets through.
pub(super) fn on_stack<R>(work: impl FnOnce() -> R) -> io::Result<R> {
    with_stack(STACK_LEN, work)
}

/// Bytes of a document whose levels are counted.
pub(super) struct Leveled<R> {
    bytes: R,
    of: Of,
    /// The line and the character of it that comes next, from 1.
    line: u64,
    column: u64,
}

/// What is counted.
enum Of {
    Json(Values),
    Turtle(Ends),
    Xml(Tags),
}

/// The place from which on there are too many.
#[derive(Debug)]
struct TooDeep {
    max: u32,
    what: &'static str,
    line: u64,
    column: u64,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} levels of {} inside each other", self.max, self.what)
    }
}

impl std::error::Error for TooDeep {}

impl TooDeep {
    fn fault(&self) -> Fault {
        Fault { line: self.line, column: self.column, what: self.to_string() }
    }
}

/// The fault that an error of reading is, if it says that there are too many levels.
pub(super) fn too_deep(error: &io::Error) -> Option<Fault> {
    Some(error.get_ref()?.downcast_ref::<TooDeep>()?.fault())
}

impl<R> Leveled<R> {
    pub(super) fn new(bytes: R, syntax: Syntax) -> Leveled<R> {
        let of = match syntax {
            Syntax::JsonLd => Of::Json(Values::default()),
            Syntax::RdfXml => Of::Xml(Tags::default()),
            Syntax::NTriples | Syntax::NQuads | Syntax::Turtle | Syntax::TriG => {
                Of::Turtle(Ends::default())
            }
        };
        Leveled { bytes, of, line: 1, column: 1 }
    }

    fn pass(&mut self, byte: u8) -> Result<(), TooDeep> {
        let (levels, max, what) = match &mut self.of {
            Of::Json(values) => (values.pass(byte), LEVELS_MAX, "values"),
            Of::Turtle(ends) => (ends.pass(byte), LEVELS_MAX, "triple terms"),
            Of::Xml(tags) => (tags.pass(byte), ELEMENTS_MAX, "elements"),
        };
        if levels > max {
            return Err(TooDeep { max, what, line: self.line, column: self.column });
        }
        // Bytes that continue a character are no characters.
        self.column += u64::from(byte & 0xc0 != 0x80);
        if byte == b'\n' {
            (self.line, self.column) = (self.line + 1, 1);
        }
        Ok(())
    }
}

impl<R: Read> Read for Leveled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.bytes.read(buffer)?;
        let passed = buffer[..len].iter().try_for_each(|byte| self.pass(*byte));
        passed.map_err(|deep| io::Error::new(io::ErrorKind::InvalidData, deep))?;
        Ok(len)
    }
}

/// Values of JSON inside each other.
#[derive(Default)]
struct Values {
    levels: u32,
    is_text: bool,
    is_escaped: bool,
}

impl Values {
    fn pass(&mut self, byte: u8) -> u32 {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_text => self.is_escaped = true,
            b'"' => self.is_text = !self.is_text,
            b'{' | b'[' if !self.is_text => self.levels += 1,
            b'}' | b']' if !self.is_text => self.levels = self.levels.saturating_sub(1),
            _ => {}
        }
        self.levels
    }
}

/// Ends of triple terms, as the family of Turtle writes them, with nothing but space and comments
/// between them. An object comes last, so those inside each other end so; and what begins before
/// needn't be known.
#[derive(Default)]
struct Ends {
    count: u32,
    /// Bytes of an end that have come.
    begun: usize,
    is_comment: bool,
}

impl Ends {
    #[inline]
    fn pass(&mut self, byte: u8) -> u32 {
        const END: &[u8] = b")>>";
        match byte {
            b'\n' | b'\r' if self.is_comment => self.is_comment = false,
            _ if self.is_comment => {}
            byte if byte == END[self.begun] => {
                self.begun += 1;
                if self.begun == END.len() {
                    (self.begun, self.count) = (0, self.count + 1);
                }
            }
            b' ' | b'\t' | b'\n' | b'\r' => self.begun = 0,
            b'#' if self.count > 0 => self.is_comment = true,
            _ => (self.begun, self.count) = (usize::from(byte == END[0]), 0),
        }
        self.count
    }
}

/// An error if triple terms of a line lie too deep inside each other.
pub(super) fn check_line(line: &[u8]) -> Result<(), Fault> {
    let mut ends = Ends::default();
    let is_deep = line.iter().any(|byte| ends.pass(*byte) > LEVELS_MAX);
    let deep = TooDeep { max: LEVELS_MAX, what: "triple terms", line: 0, column: 1 };
    if is_deep { Err(deep.fault()) } else { Ok(()) }
}

/// Elements of XML inside each other.
#[derive(Default)]
struct Tags {
    levels: u32,
    inside: Inside,
    /// The last bytes.
    last: [u8; 7],
}

/// What a byte of XML is in.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Text,
    Tag {
        quote: Option<u8>,
    },
    Comment,
    CData,
    Instruction,
    Doctype {
        quote: Option<u8>,
        brackets: u32,
    },
    /// A comment in a document type.
    DoctypeComment {
        brackets: u32,
    },
}

impl Tags {
    fn pass(&mut self, byte: u8) -> u32 {
        use Inside as I;
        self.last.rotate_left(1);
        self.last[6] = byte;
        let ends_with = |end: &[u8]| self.last.ends_with(end);
        let quoted = |quote: Option<u8>| match (quote, byte) {
            (None, b'"' | b'\'') => Some(byte),
            (Some(quote), byte) if quote == byte => None,
            (quote, _) => quote,
        };
        self.inside = match self.inside {
            I::Text if byte == b'<' => I::Tag { quote: None },
            I::Text => I::Text,
            I::Tag { quote: None } if byte == b'>' => {
                // Of an element without content.
                self.levels = self.levels.saturating_sub((self.last[5] == b'/').into());
                I::Text
            }
            I::Tag { .. } if ends_with(b"<!--") => I::Comment,
            I::Tag { .. } if ends_with(b"[CDATA[") => I::CData,
            I::Tag { .. } if ends_with(b"<?") => I::Instruction,
            I::Tag { .. } if ends_with(b"<!D") => I::Doctype { quote: None, brackets: 0 },
            I::Tag { quote } => {
                if self.last[5] == b'<' {
                    self.levels = match byte {
                        b'/' => self.levels.saturating_sub(1),
                        b'!' => self.levels,
                        _ => self.levels + 1,
                    };
                }
                I::Tag { quote: quoted(quote) }
            }
            I::Comment if ends_with(b"-->") => I::Text,
            I::CData if ends_with(b"]]>") => I::Text,
            I::Instruction if ends_with(b"?>") => I::Text,
            I::DoctypeComment { brackets } if ends_with(b"-->") => {
                I::Doctype { quote: None, brackets }
            }
            I::Doctype { quote: None, brackets } => match byte {
                b'>' if brackets == 0 => I::Text,
                b'[' => I::Doctype { quote: None, brackets: brackets + 1 },
                b']' => I::Doctype { quote: None, brackets: brackets.saturating_sub(1) },
                _ if ends_with(b"<!--") => I::DoctypeComment { brackets },
                _ => I::Doctype { quote: quoted(None), brackets },
            },
            I::Doctype { quote, brackets } => I::Doctype { quote: quoted(quote), brackets },
            same => same,
        };
        self.levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_outside_of_texts() {
        let read = |text: &str| {
            let mut out = Vec::new();
            Leveled::new(text.as_bytes(), Syntax::JsonLd).read_to_end(&mut out)
        };
        let deep = |count| format!("{}\"\\\"[[[{{\"{}", "[".repeat(count), "]".repeat(count));
        assert!(read(&deep(1000)).is_ok() && read(&"[]{}".repeat(2000)).is_ok());
        let error = read(&format!("\n[\"ä\",{}", deep(1000))).expect_err("too deep");
        let fault = too_deep(&error).expect("a fault");
        let want = "2:1005: more than 1000 levels of values inside each other";
        assert_eq!(fault.to_string(), want);
        assert!(too_deep(&io::Error::other("x")).is_none());
    }

    #[test]
    fn triple_terms_inside_each_other_end_together() {
        let levels = |text: &str| {
            let mut ends = Ends::default();
            text.bytes().map(|byte| ends.pass(byte)).max()
        };
        assert_eq!(levels(":s :p <<( :a :b <<( :c :d :e )>> )>> ."), Some(2));
        assert_eq!(levels("<<( :a :b 1 )>>)>>\n # )>> 2\n)>>, <<( :c :d :e )>>"), Some(3));
        assert_eq!(levels("<< :a :b <x:>>> >> :p ')>' , '> )>>'"), Some(1));
        assert!(check_line(")>> ".repeat(1000).as_bytes()).is_ok());
        let fault = check_line(")>> ".repeat(1001).as_bytes()).expect_err("too deep");
        assert_eq!(fault.what, "more than 1000 levels of triple terms inside each other");
    }

    #[test]
    fn elements_are_counted_outside_of_comments_and_texts() {
        let levels = |text: &str| {
            let mut tags = Tags::default();
            text.bytes().map(|byte| tags.pass(byte)).max()
        };
        assert_eq!(levels("<?xml ?><a b='>/>'><b/><c>x</c><d/><d /></a>"), Some(2));
        assert_eq!(levels("<a><b></b> <!-- <c><c> --> </a><a><![CDATA[<b><b>]]></a>"), Some(2));
        let doctype = "<!DOCTYPE a [ <!-- ' --> <!ENTITY b \"<!-- >\"> ]><a><b></b></a><c></c>";
        assert_eq!(levels(doctype), Some(2));
    }
}
