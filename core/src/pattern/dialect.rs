//! Dialects of the caller's matcher, and the syntax tree that it would read.
//!
//! The tree is built exactly as ripgrep's `grep-regex` builds its own: all patterns in one text,
//! each in a group of its own. Reading them one by one would be nearer to the eye and wrong in a
//! corner: in `(?x)a #` the comment swallows what is joined after it.

use regex_syntax::ast::{self, Ast, ClassSetItem};
use regex_syntax::hir::{Hir, translate::TranslatorBuilder};

/// Dialect of the caller's matcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Regexes, or texts that stand for themselves.
    pub syntax: Syntax,
    /// Equality of letters.
    pub case: Case,
    /// Whether `.`, `\w`, `(?i)` and so on speak about code points; otherwise about bytes.
    pub unicode: bool,
    /// Whether `^` and `$` match at the lines of a text. ripgrep: always.
    pub multi_line: bool,
    /// Whether `.` matches a newline, too.
    pub dot_matches_new_line: bool,
    /// Whether `\r\n` ends a line, too.
    pub crlf: bool,
    /// Whether `\141` is a letter; otherwise it's a back reference, which is an error.
    pub octal: bool,
}

/// Syntax of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// In the syntax of Rust's `regex`.
    Regex,
    /// Literal text.
    Fixed,
}

/// Equality of letters.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Case {
    /// Each letter only to itself.
    #[default]
    Sensitive,
    /// Each letter to its other cases.
    Insensitive,
    /// Insensitive if the patterns have a literal and none in upper case, as ripgrep's
    /// `--smart-case` has it. `Insensitive` isn't a safe stand-in: `B[^a]` matches "BA", and
    /// `(?i)B[^a]` doesn't.
    Smart,
}

impl Dialect {
    /// ripgrep without flags.
    pub const RIPGREP: Dialect = Dialect {
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        unicode: true,
        multi_line: true,
        dot_matches_new_line: false,
        crlf: false,
        octal: false,
    };

    /// The patterns as one tree.
    pub(super) fn parse(&self, patterns: &[&str]) -> Result<Hir, Box<regex_syntax::Error>> {
        let fixed = self.syntax == Syntax::Fixed;
        if patterns.is_empty() || fixed && self.case == Case::Sensitive {
            let texts = patterns.iter().map(|text| Hir::literal(text.as_bytes()));
            return Ok(Hir::alternation(texts.collect()));
        }
        let group = |text: &&str| match self.syntax {
            Syntax::Fixed => format!("(?:{})", regex_syntax::escape(text)),
            Syntax::Regex => format!("(?:{text})"),
        };
        let joined = patterns.iter().map(group).collect::<Vec<_>>().join("|");
        let parsed = ast::parse::ParserBuilder::new()
            .nest_limit(NEST_LIMIT)
            .octal(self.octal)
            .build()
            .parse(&joined);
        let ast = parsed.map_err(|error| Box::new(error.into()))?;
        let translated = TranslatorBuilder::new()
            .utf8(false)
            .case_insensitive(self.folds(&ast))
            .multi_line(self.multi_line)
            .dot_matches_new_line(self.dot_matches_new_line)
            .crlf(self.crlf)
            .unicode(self.unicode)
            .build()
            .translate(&joined, &ast);
        translated.map_err(|error| Box::new(error.into()))
    }

    fn folds(&self, ast: &Ast) -> bool {
        match self.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => match ast::visit(ast, Letters { any: false, upper: false }) {
                Ok(letters) => letters.any && !letters.upper,
                Err(never) => match never {},
            },
        }
    }
}

/// As deep as ripgrep lets groups nest.
const NEST_LIMIT: u32 = 250;

/// Literals of a syntax tree: `\pL` and `\S` are none.
struct Letters {
    any: bool,
    upper: bool,
}

impl Letters {
    fn see(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.upper |= literal.c.is_uppercase();
    }
}

impl ast::Visitor for Letters {
    type Output = Letters;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Letters, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = ast {
            self.see(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(literal) => self.see(literal),
            ClassSetItem::Range(range) => {
                self.see(&range.start);
                self.see(&range.end);
            }
            _ => {}
        }
        Ok(())
    }
}
