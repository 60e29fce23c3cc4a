//! REPLACE of a pattern that matches the empty text is an error, as XPath's fn:replace says.
//!
//! Fault: of spareval 0.2.9, which puts the replacement between all characters.
//! Callers: rewrite

use oxrdf::Literal;
use spargebra::algebra::{Expression, Function};

use super::functions::{Uses, call};
use super::walk::Rewrite;
use crate::sparql::regexes::{matches_nothing, regex};

/// A function that has no value.
const ERROR: &str = " error";

pub(super) struct Replace<'u> {
    pub(super) uses: &'u mut Uses,
}

impl Rewrite for Replace<'_> {
    fn expression(&mut self, expression: Expression) -> Expression {
        let Expression::FunctionCall(Function::Replace, mut list) = expression else {
            return expression;
        };
        let [_, pattern, _, ..] = &list[..] else {
            return Expression::FunctionCall(Function::Replace, list);
        };
        let is_literal = |one: &Expression| matches!(one, Expression::Literal(_));
        if is_literal(pattern) && list.get(3).is_none_or(is_literal) {
            return match regex(pattern, list.get(3)) {
                Some(regex) if matches_nothing(&regex) => call(self.uses, ERROR, Vec::new()),
                _ => Expression::FunctionCall(Function::Replace, list),
            };
        }
        let mut tested = vec![Literal::new_simple_literal("").into(), pattern.clone()];
        tested.extend(list.get(3).cloned());
        let test = Expression::FunctionCall(Function::Regex, tested);
        let error = call(self.uses, ERROR, Vec::new());
        let text = list.remove(0);
        list.insert(0, Expression::If(Box::new(test), Box::new(error), Box::new(text)));
        Expression::FunctionCall(Function::Replace, list)
    }
}
