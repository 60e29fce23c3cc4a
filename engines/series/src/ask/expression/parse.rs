//! Reads expressions. Operators over numbers are computed as they are read.

use super::asked::{At, Expression, ExpressionError, Timed};
use super::functions::is_function;
use super::number::{parse_duration, parse_number};
use crate::ask::matcher::METRIC_NAME;
use crate::ask::selector::{Fault, Kind, Lexer, Selector, Token, expression, first, unquote};

/// Maximum depth of parentheses, signs and powers.
const DEPTH_MAX: u32 = 200;

/// What ended the reading.
enum Stop {
    Fault(Fault),
    Beyond { at: usize, what: String },
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

type Read<T> = Result<T, Stop>;

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        let mut parser = Parser { lexer: Lexer::new(text), depth: 0 };
        let (fault, is_beyond) = match parser.whole() {
            Ok(expression) => return Ok(expression),
            Err(Stop::Fault(fault)) => (fault, false),
            Err(Stop::Beyond { at, what }) => (Fault { at, what, is_expression: true }, true),
        };
        let placed = fault.placed(text);
        Err(ExpressionError { position: placed.position, what: placed.what, is_beyond })
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    depth: u32,
}

/// An operator between numbers.
struct Operator {
    sign: char,
    at: usize,
    /// How strongly it binds.
    strength: u32,
}

/// How strongly a sign binds: more weakly than a power.
const SIGN: u32 = 2;

impl<'t> Parser<'t> {
    fn whole(&mut self) -> Read<Expression> {
        if self.peek()?.kind == Kind::End {
            return Err(self.lexer.fault("no expression found in input".to_owned()).into());
        }
        let read = self.operators(1)?;
        let token = self.lexer.outside()?;
        match token.kind {
            Kind::End => Ok(read),
            _ => Err(expression(&token).into()),
        }
    }

    fn peek(&self) -> Read<Token<'t>> {
        let mut lexer = self.lexer;
        Ok(lexer.outside()?)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH_MAX {
            return Err(self.lexer.fault("expression nested too deeply".to_owned()).into());
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Operands with operators between them that bind at least so strongly.
    fn operators(&mut self, strength: u32) -> Read<Expression> {
        let mut left = self.operand()?;
        while let Some(operator) = self.operator(strength)? {
            let over_series = || {
                let what = format!("operator {} over series", operator.sign);
                Stop::Beyond { at: operator.at, what }
            };
            let Expression::Number(one) = left else { return Err(over_series()) };
            // A power binds from the right, the others from the left.
            let next = operator.strength + u32::from(operator.sign != '^');
            let right = self.deeper(|parser| parser.operators(next))?;
            let Expression::Number(other) = right else { return Err(over_series()) };
            left = Expression::Number(computed(one, operator.sign, other));
        }
        Ok(left)
    }

    /// Goes past the operator that follows, if it binds at least so strongly.
    fn operator(&mut self, strength: u32) -> Read<Option<Operator>> {
        if self.lexer.has(')') {
            return Ok(None);
        }
        let token = self.peek()?;
        let own = match (token.kind, token.text) {
            (Kind::Operator, "+" | "-") => 1,
            (Kind::Operator, "*" | "/" | "%") => SIGN,
            (Kind::Operator, "^") => 3,
            (Kind::Operator, text) if text != "@" => return Err(beyond(&token, "operator")),
            (Kind::Reserved(_) | Kind::Forbidden(_), text)
                if matches!(
                    text.to_ascii_lowercase().as_str(),
                    "and" | "or" | "unless" | "atan2"
                ) =>
            {
                return Err(beyond(&token, "operator"));
            }
            _ => return Ok(None),
        };
        if own < strength {
            return Ok(None);
        }
        self.lexer.outside()?;
        let sign = token.text.chars().next().unwrap_or_default();
        Ok(Some(Operator { sign, at: token.at, strength: own }))
    }

    fn operand(&mut self) -> Read<Expression> {
        let token = self.peek()?;
        match token.kind {
            Kind::Operator if matches!(token.text, "+" | "-") => {
                self.lexer.outside()?;
                match (self.deeper(|parser| parser.operators(SIGN + 1))?, token.text) {
                    (Expression::Number(number), "-") => Ok(Expression::Number(-number)),
                    (read, "+") => Ok(read),
                    _ => Err(Stop::Beyond { at: token.at, what: "a sign over series".to_owned() }),
                }
            }
            Kind::Mark if token.text == "(" => self.parentheses(),
            Kind::Number | Kind::Duration => {
                self.lexer.outside()?;
                Ok(Expression::Number(number_of(&token)?))
            }
            Kind::String => {
                self.lexer.outside()?;
                Ok(Expression::String(unquote(token.text)))
            }
            _ => self.selector(&token),
        }
    }

    fn parentheses(&mut self) -> Read<Expression> {
        self.lexer.outside()?;
        let read = self.deeper(|parser| parser.operators(1))?;
        if !self.lexer.takes(')') {
            return Err(self.lexer.fault("unclosed left parenthesis".to_owned()).into());
        }
        match read {
            // Modifiers and ranges belong to the selector itself.
            Expression::Instant(_) | Expression::Range(..) if self.lexer.has('[') => {
                let what = "ranges only allowed for vector selectors".to_owned();
                Err(self.lexer.fault(what).into())
            }
            read => Ok(read),
        }
    }

    fn selector(&mut self, token: &Token<'t>) -> Read<Expression> {
        if token.is_metric() {
            self.refuse_call()?;
        }
        let (selector, rest) = first(self.lexer)?;
        self.lexer = rest;
        check(&selector, token)?;
        let mut timed = Timed { selector, offset: 0, at: None };
        let range = self.range()?;
        self.modifiers(&mut timed)?;
        Ok(match range {
            None => Expression::Instant(timed),
            Some(range) => Expression::Range(timed, range),
        })
    }

    /// A name with parentheses after it, or an aggregation's words, is no selector.
    fn refuse_call(&self) -> Read<()> {
        let mut lexer = self.lexer;
        let name = lexer.outside()?;
        let is_call = lexer.has('(');
        match name.kind {
            Kind::Aggregator if is_call => Err(beyond(&name, "aggregation")),
            Kind::Aggregator => match lexer.outside() {
                Ok(word) if matches!(word.text, "by" | "without") => {
                    Err(beyond(&name, "aggregation"))
                }
                _ => Ok(()),
            },
            _ if is_call && is_function(name.text) => Err(beyond(&name, "function")),
            _ if is_call => {
                let what = format!("unknown function with name {:?}", name.text);
                Err(Fault { at: name.at, what, is_expression: false }.into())
            }
            _ => Ok(()),
        }
    }

    /// The range that follows, in milliseconds.
    fn range(&mut self) -> Read<Option<i64>> {
        if !self.lexer.takes('[') {
            return Ok(None);
        }
        let begin = self.peek()?.at;
        let range = self.duration()?;
        if self.lexer.has(':') {
            return Err(Stop::Beyond { at: begin, what: "a subquery".to_owned() });
        }
        if !self.lexer.takes(']') {
            return Err(self.lexer.fault("unclosed left bracket".to_owned()).into());
        }
        if range <= 0 {
            let what = "duration must be greater than 0".to_owned();
            return Err(Fault { at: begin, what, is_expression: false }.into());
        }
        Ok(Some(range))
    }

    /// `offset` and `@`, in any order.
    fn modifiers(&mut self, timed: &mut Timed) -> Read<()> {
        let mut has_offset = false;
        loop {
            if self.lexer.has(')') {
                return Ok(());
            }
            let token = self.peek()?;
            let word = token.text.to_ascii_lowercase();
            let twice = |what: &str| {
                let what = format!("{what} may not be set multiple times");
                Stop::Fault(Fault { at: token.at, what, is_expression: false })
            };
            match (token.kind, word.as_str()) {
                (Kind::Reserved(_), "offset") if has_offset => return Err(twice("offset")),
                (Kind::Reserved(_), "offset") => {
                    self.lexer.outside()?;
                    (timed.offset, has_offset) = (self.signed_duration()?, true);
                }
                (Kind::Reserved(_), "smoothed" | "anchored") => {
                    return Err(beyond(&token, "modifier"));
                }
                (Kind::Operator, "@") if timed.at.is_some() => {
                    return Err(twice("@ <timestamp>"));
                }
                (Kind::Operator, "@") => {
                    self.lexer.outside()?;
                    timed.at = Some(self.at()?);
                }
                (Kind::Mark, "[") => {
                    let what = "no modifiers allowed before range".to_owned();
                    return Err(Fault { at: token.at, what, is_expression: false }.into());
                }
                _ => return Ok(()),
            }
        }
    }

    fn at(&mut self) -> Read<At> {
        let minus = self.sign()?;
        let token = self.lexer.outside()?;
        match (token.kind, token.text.to_ascii_lowercase().as_str()) {
            (Kind::Reserved(_), word @ ("start" | "end")) if !minus => {
                if !(self.lexer.takes('(') && self.lexer.takes(')')) {
                    return Err(self.lexer.fault("expected \"()\"".to_owned()).into());
                }
                Ok(if word == "start" { At::Start } else { At::End })
            }
            (Kind::Number | Kind::Duration, _) => {
                let number = number_of(&token)? * if minus { -1.0 } else { 1.0 };
                let time = (number * 1000.0).round();
                // Go refuses what its integers don't hold, and what is no number.
                let is_held = time.abs() < i64::MAX as f64;
                if !is_held {
                    let what = format!("timestamp out of bounds for @ modifier: {number}");
                    return Err(Fault { at: token.at, what, is_expression: false }.into());
                }
                Ok(At::Time(time as i64))
            }
            _ => Err(expression(&token).into()),
        }
    }

    /// Goes past a sign; says whether it was a minus.
    fn sign(&mut self) -> Read<bool> {
        let token = self.peek()?;
        let is_sign = token.kind == Kind::Operator && matches!(token.text, "+" | "-");
        if is_sign {
            self.lexer.outside()?;
        }
        Ok(is_sign && token.text == "-")
    }

    fn signed_duration(&mut self) -> Read<i64> {
        let minus = self.sign()?;
        Ok(self.duration()? * if minus { -1 } else { 1 })
    }

    /// A duration, or a number of seconds.
    fn duration(&mut self) -> Read<i64> {
        let token = self.lexer.outside()?;
        let milliseconds = number_of(&token)? * 1000.0;
        let fault =
            |what: &str| Fault { at: token.at, what: what.to_owned(), is_expression: false };
        let is_held = milliseconds.abs() < i64::MAX as f64 / 1e6;
        if !is_held {
            return Err(fault("duration out of range").into());
        }
        Ok(milliseconds.round() as i64)
    }
}

fn computed(left: f64, sign: char, right: f64) -> f64 {
    match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        '%' => left % right,
        _ => left.powf(right),
    }
}

/// The number that a token is; of a duration its seconds.
fn number_of(token: &Token<'_>) -> Read<f64> {
    let number = match token.kind {
        Kind::Number => parse_number(token.text),
        Kind::Duration => parse_duration(token.text).map(|duration| duration as f64 / 1000.0),
        _ => return Err(expression(token).into()),
    };
    let what = || format!("bad number or duration syntax: {:?}", token.text);
    let fault = || Fault { at: token.at, what: what(), is_expression: false };
    number.ok_or_else(|| fault().into())
}

fn beyond(token: &Token<'_>, kind: &str) -> Stop {
    Stop::Beyond { at: token.at, what: format!("{kind} {}", token.text) }
}

/// What Prometheus refuses of selectors in queries.
fn check(selector: &Selector, token: &Token<'_>) -> Read<()> {
    let fault = |what: &str| {
        Stop::Fault(Fault { at: token.at, what: what.to_owned(), is_expression: false })
    };
    if selector.matchers().iter().all(|matcher| matcher.matches_empty()) {
        return Err(fault("vector selector must contain at least one non-empty matcher"));
    }
    let mut names = selector.matchers().iter().rev();
    let is_name = |name: &[u8]| name == METRIC_NAME.as_bytes();
    if token.is_metric() && names.by_ref().skip(1).any(|matcher| is_name(matcher.name())) {
        return Err(fault("metric name must not be set twice"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An expression in short.
    fn shown(text: &str) -> String {
        match Expression::parse(text) {
            Ok(Expression::Number(number)) => format!("{number}"),
            Ok(Expression::String(string)) => format!("{:?}", String::from_utf8_lossy(&string)),
            Ok(Expression::Instant(timed)) => of(&timed),
            Ok(Expression::Range(timed, range)) => format!("{}[{range}]", of(&timed)),
            Err(error) => error.to_string(),
        }
    }

    fn of(timed: &Timed) -> String {
        let at = timed.at.map_or(String::new(), |at| format!(" {at:?}"));
        let offset = if timed.offset == 0 { String::new() } else { format!(" {}", timed.offset) };
        format!("{}{at}{offset}", timed.selector)
    }

    #[test]
    fn selectors_have_ranges_and_modifiers() {
        for (text, want) in [
            ("up", "up"),
            ("(up)", "up"),
            (" ( ( up{a=\"b\"} ) ) # no more", "up{a=\"b\"}"),
            ("{\"a b\"}", "{__name__=\"a b\"}"),
            ("up[5m]", "up[300000]"),
            ("up[300]", "up[300000]"),
            ("(up[5m] offset 1m)", "up 60000[300000]"),
            ("up offset -5m", "up -300000"),
            ("up @ 1.5 offset 1m", "up Time(1500) 60000"),
            ("up offset 1m @ start()", "up Start 60000"),
            ("up{} @ end( )", "up End"),
            ("up @ -1", "up Time(-1000)"),
            ("sum", "sum"),
            ("+up", "up"),
            ("offset offset 1s", "offset 1000"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn numbers_are_computed() {
        for (text, want) in [
            ("1+1", "2"),
            ("-1/0", "-inf"),
            ("-2^2", "-4"),
            ("2^3^2", "512"),
            ("2*3+4*-5", "-14"),
            ("(1+2)*3", "9"),
            ("10-4-3", "3"),
            ("7%4", "3"),
            ("1h", "3600"),
            ("\"a\\n\"", "\"a\\n\""),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn what_is_more_is_said_to_be() {
        for (text, want) in [
            ("rate(up[5m])", "1:1: PromQL beyond selectors: function rate"),
            ("sum by (job) (up)", "1:1: PromQL beyond selectors: aggregation sum"),
            ("sum(up)", "1:1: PromQL beyond selectors: aggregation sum"),
            ("up + on(job) up", "1:4: PromQL beyond selectors: operator + over series"),
            ("1 + up", "1:3: PromQL beyond selectors: operator + over series"),
            ("up + 1", "1:4: PromQL beyond selectors: operator + over series"),
            ("up == 1", "1:4: PromQL beyond selectors: operator =="),
            ("up and up", "1:4: PromQL beyond selectors: operator and"),
            ("-up", "1:1: PromQL beyond selectors: a sign over series"),
            ("up[5m:1m]", "1:4: PromQL beyond selectors: a subquery"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn errors_are_where_prometheus_finds_them() {
        for (text, want) in [
            ("", "unknown position: parse error: no expression found in input"),
            ("up{", "1:4: parse error: unexpected end of input inside braces"),
            ("up[5m", "1:6: parse error: unclosed left bracket"),
            ("up{a=\"b\"}[0s]", "1:11: parse error: duration must be greater than 0"),
            ("nofunc(up)", "1:1: parse error: unknown function with name \"nofunc\""),
            (
                "{job=~\".*\"}",
                "1:1: parse error: vector selector must contain at least one non-empty matcher",
            ),
            ("up{__name__=\"a\"}", "1:1: parse error: metric name must not be set twice"),
            ("up up", "1:4: parse error: unexpected identifier \"up\""),
            ("(up", "1:4: parse error: unclosed left parenthesis"),
            ("up)", "1:3: parse error: unexpected right parenthesis ')'"),
            ("1 +", "1:4: parse error: unexpected end of input"),
            ("up @ inf", "1:6: parse error: timestamp out of bounds for @ modifier: inf"),
            ("up offset 1m offset 1m", "1:14: parse error: offset may not be set multiple times"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
        let deep = "(".repeat(1 << 20);
        assert!(shown(&deep).contains("nested too deeply"));
        assert!(shown(&"-".repeat(1 << 20)).contains("nested too deeply"));
        assert!(shown(&"1^".repeat(1 << 20)).contains("nested too deeply"));
    }
}
