//! Replacement templates: the contents of groups put into texts such as `$1-${name}`.

use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::{Hir, Look};

use super::error::SyntaxError;
use super::judge::{NFA_BYTES_MAX, as_text};
use super::parse::{self, Groups};

/// An expression `^(?s:EXPR)$` with its groups.
#[derive(Clone, Debug)]
pub struct Replace {
    regex: meta::Regex,
    names: Vec<Option<String>>,
}

/// A text with places for groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    /// The first of these groups that holds something.
    Groups(Vec<usize>),
}

impl Replace {
    /// Reads and compiles an expression.
    pub fn new(expression: &str) -> Result<Replace, SyntaxError> {
        let (hir, names) = parse::parse_groups(expression, Groups::Capture)?;
        let whole = Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)]);
        let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(NFA_BYTES_MAX));
        let regex = meta::Builder::new().configure(config).build_from_hir(&whole);
        let regex = regex.map_err(|_| SyntaxError::new("expression too large", expression))?;
        Ok(Replace { regex, names })
    }

    /// A template for the groups of this expression: `$1`, `${1}`, `$name`, `${name}`, and `$$` for
    /// a dollar. What names no group stands for nothing, as Go has it.
    pub fn template(&self, text: &str) -> Template {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            push_text(&mut parts, before);
            rest = after;
            if let Some(after) = rest.strip_prefix('$') {
                push_text(&mut parts, "$");
                rest = after;
            } else if let Some((name, after)) = group_name(rest) {
                parts.push(Part::Groups(self.groups(name)));
                rest = after;
            } else {
                push_text(&mut parts, "$");
            }
        }
        push_text(&mut parts, rest);
        Template { parts }
    }

    /// The groups that a name or number stands for; 0 is the whole.
    fn groups(&self, name: &str) -> Vec<usize> {
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let has_zero_before = name.len() > 1 && name.starts_with('0');
            let number = name.parse().ok().filter(|number| *number <= self.names.len());
            return number.filter(|_| !has_zero_before).into_iter().collect();
        }
        let named = self.names.iter().enumerate().filter(|(_, of)| of.as_deref() == Some(name));
        named.map(|(at, _)| at + 1).collect()
    }

    /// The templates filled with what the groups hold, if the whole value matches.
    pub fn apply<const N: usize>(
        &self,
        value: &[u8],
        templates: [&Template; N],
    ) -> Option<[Vec<u8>; N]> {
        let mut captures = self.regex.create_captures();
        if self.search(value, &mut captures) {
            return Some(templates.map(|template| template.fill(value, &captures)));
        }
        let text = as_text(value)?;
        let found = self.search(text.as_bytes(), &mut captures);
        found.then(|| templates.map(|template| template.fill(text.as_bytes(), &captures)))
    }

    fn search(&self, value: &[u8], captures: &mut Captures) -> bool {
        self.regex.search_captures(&Input::new(value).anchored(Anchored::Yes), captures);
        captures.is_match()
    }
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

/// The name of a group after a dollar, and what follows it.
fn group_name(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{').unwrap_or(text);
    let is_name = |char: char| char == '_' || char.is_alphanumeric();
    let (name, rest) = inner.split_at(inner.find(|char| !is_name(char)).unwrap_or(inner.len()));
    let rest = if inner.len() < text.len() { rest.strip_prefix('}')? } else { rest };
    (!name.is_empty()).then_some((name, rest))
}

impl Template {
    fn fill(&self, value: &[u8], captures: &Captures) -> Vec<u8> {
        let mut filled = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.extend_from_slice(text.as_bytes()),
                Part::Groups(groups) => {
                    let span = groups.iter().find_map(|group| captures.get_group(*group));
                    filled.extend_from_slice(span.map_or(&[], |span| &value[span.start..span.end]));
                }
            }
        }
        filled
    }
}
