//! Conditions as a text: `value = 'up' AND series >= 10 AND name LIKE 'node_%'`.

use super::condition::{Condition, Test, Value};
use crate::failure::Failure;

/// Reads conditions that are joined by AND: `=`, `<>`, `<`, `<=`, `>`, `>=`, BETWEEN, IN, LIKE, IS
/// NULL, each with NOT. Texts are in single quotes, names of columns in double ones where they need
/// some.
///
/// # Errors
/// Text that is no condition, with its place.
pub fn conditions(text: &str) -> Result<Vec<Condition>, Failure> {
    let mut tokens = Tokens { text, at: 0 };
    let mut conditions = Vec::new();
    if tokens.peek()?.is_none() {
        return Ok(conditions);
    }
    loop {
        conditions.extend(condition(&mut tokens)?);
        match tokens.next()? {
            None => return Ok(conditions),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("and") => {}
            Some(_) => return Err(tokens.wanted("AND, or the end")),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Quoted(String),
    Text(String),
    Number(&'t str),
    Sign(&'t str),
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

const SIGNS: [&str; 11] = ["<>", "!=", "<=", ">=", "==", "=", "<", ">", "(", ")", ","];

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Result<Option<Token<'t>>, Failure> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let ends = |admitted: fn(char) -> bool| rest.find(|c| !admitted(c)).unwrap_or(rest.len());
        let (token, len) = match first {
            '\'' | '"' => {
                let (text, len) =
                    quoted(rest, first).ok_or_else(|| self.wanted("a closing quote"))?;
                (if first == '"' { Token::Quoted(text) } else { Token::Text(text) }, len)
            }
            '0'..='9' | '-' | '+' | '.' => {
                let len = ends(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
                (Token::Number(&rest[..len]), len)
            }
            _ if first.is_alphabetic() || first == '_' => {
                let len = ends(|c| c.is_alphanumeric() || c == '_');
                (Token::Word(&rest[..len]), len)
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| self.wanted("a condition"))?;
                (Token::Sign(sign), sign.len())
            }
        };
        self.at += len;
        Ok(Some(token))
    }

    fn peek(&mut self) -> Result<Option<Token<'t>>, Failure> {
        let at = self.at;
        let token = self.next();
        self.at = at;
        token
    }

    /// Takes a keyword if it comes.
    fn takes(&mut self, keyword: &str) -> Result<bool, Failure> {
        let comes =
            matches!(self.peek()?, Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        if comes {
            self.next()?;
        }
        Ok(comes)
    }

    fn takes_sign(&mut self, sign: &str) -> Result<(), Failure> {
        match self.next()? {
            Some(Token::Sign(found)) if found == sign => Ok(()),
            _ => Err(self.wanted(sign)),
        }
    }

    fn value(&mut self) -> Result<Value, Failure> {
        Ok(match self.next()? {
            Some(Token::Text(text)) => Value::Text(text),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("true") => Value::Boolean(true),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("false") => Value::Boolean(false),
            Some(Token::Number(number)) => match (number.parse(), number.parse()) {
                (Ok(int), _) => Value::Int(int),
                (_, Ok(float)) => Value::Float(float),
                _ => return Err(self.wanted("a number")),
            },
            _ => {
                return Err(
                    self.wanted("a value: a number, a text in single quotes, true or false")
                );
            }
        })
    }

    fn wanted(&self, what: &str) -> Failure {
        let (text, before) = (self.text, self.text[..self.at].trim_end());
        let place = if before.is_empty() {
            "at its beginning".to_owned()
        } else {
            format!("after {before}")
        };
        Failure::asked(format!("condition {text}: {what} is expected {place}"))
    }
}

/// A text in quotes, a doubled one standing for one; and the length of all.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        if char != quote {
            inner.push(char);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            inner.push(quote);
        } else {
            return Some((inner, at + 1));
        }
    }
    None
}

fn condition(tokens: &mut Tokens<'_>) -> Result<Vec<Condition>, Failure> {
    let column = match tokens.next()? {
        Some(Token::Word(word)) => word.to_owned(),
        Some(Token::Quoted(name)) => name,
        _ => return Err(tokens.wanted("the name of a column")),
    };
    let of = |test| Condition { column: column.clone(), test };
    let not = |is_not, test| if is_not { Test::Not(Box::new(test)) } else { test };
    if tokens.takes("is")? {
        let is_not = tokens.takes("not")?;
        return if tokens.takes("null")? {
            Ok(vec![of(not(is_not, Test::IsNull))])
        } else {
            Err(tokens.wanted("NULL"))
        };
    }
    let is_not = tokens.takes("not")?;
    if tokens.takes("like")? {
        let Value::Text(pattern) = tokens.value()? else { return Err(tokens.wanted("a text")) };
        return Ok(vec![of(not(is_not, Test::Like(pattern)))]);
    }
    if tokens.takes("in")? {
        tokens.takes_sign("(")?;
        let mut values = vec![tokens.value()?];
        while tokens.peek()? == Some(Token::Sign(",")) {
            tokens.next()?;
            values.push(tokens.value()?);
        }
        tokens.takes_sign(")")?;
        return Ok(vec![of(not(is_not, Test::In(values)))]);
    }
    if is_not {
        return Err(tokens.wanted("LIKE or IN"));
    }
    if tokens.takes("between")? {
        let low = tokens.value()?;
        if !tokens.takes("and")? {
            return Err(tokens.wanted("AND"));
        }
        return Ok(vec![of(Test::Above(low, true)), of(Test::Below(tokens.value()?, true))]);
    }
    let Some(Token::Sign(sign)) = tokens.next()? else {
        return Err(tokens.wanted("=, <>, <, <=, >, >=, BETWEEN, IN, LIKE or IS"));
    };
    let value = tokens.value()?;
    Ok(vec![of(match sign {
        "=" | "==" => Test::In(vec![value]),
        "<>" | "!=" => Test::Not(Box::new(Test::In(vec![value]))),
        "<" => Test::Below(value, false),
        "<=" => Test::Below(value, true),
        ">" => Test::Above(value, false),
        ">=" => Test::Above(value, true),
        _ => return Err(tokens.wanted("=, <>, <, <=, >, >=")),
    })])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_sql_has_them() {
        let read = |text| {
            let all = conditions(text).unwrap().into_iter();
            all.map(|it| (it.column, it.test)).collect::<Vec<_>>()
        };
        let text = |text: &str| Value::Text(text.to_owned());
        let not = |test| Test::Not(Box::new(test));
        for (written, want) in [
            ("", vec![]),
            ("a = 'it''s'", vec![("a", Test::In(vec![text("it's")]))]),
            (
                "a<>-3 and b>=1.5",
                vec![
                    ("a", not(Test::In(vec![Value::Int(-3)]))),
                    ("b", Test::Above(Value::Float(1.5), true)),
                ],
            ),
            (
                "\"a b\" NOT IN (1, 2)",
                vec![("a b", not(Test::In(vec![Value::Int(1), Value::Int(2)])))],
            ),
            ("a IS NOT NULL AND b is null", vec![("a", not(Test::IsNull)), ("b", Test::IsNull)]),
            (
                "t BETWEEN '2024-01-01' AND '2024-02-01' AND x = true",
                vec![
                    ("t", Test::Above(text("2024-01-01"), true)),
                    ("t", Test::Below(text("2024-02-01"), true)),
                    ("x", Test::In(vec![Value::Boolean(true)])),
                ],
            ),
            ("a LIKE 'x%'", vec![("a", Test::Like("x%".to_owned()))]),
        ] {
            let want: Vec<_> = want.into_iter().map(|(a, b)| (a.to_owned(), b)).collect();
            assert_eq!(read(written), want, "{written}");
        }
    }

    #[test]
    fn an_error_says_what_is_expected_and_where() {
        for (written, want) in [
            ("= 3", "the name of a column is expected after ="),
            ("a", "=, <>, <, <=, >, >=, BETWEEN, IN, LIKE or IS is expected after a"),
            (
                "a = b",
                "a value: a number, a text in single quotes, true or false is expected after a = b",
            ),
            ("a = 1 b", "AND, or the end is expected after a = 1 b"),
            ("a = 'x", "a closing quote is expected after a ="),
            ("a IN 1", "( is expected after a IN 1"),
            ("a = 1x", "a number is expected after a = 1x"),
            ("?", "a condition is expected at its beginning"),
        ] {
            let error = conditions(written).unwrap_err().to_string();
            assert_eq!(error, format!("condition {written}: {want}"));
        }
    }
}
