//! STR, DATATYPE and TZ give what a term is, not how its value is written best; IF and COALESCE
//! that end in a BIND keep the term, as TRIPLE and the parts of a triple term do.
//!
//! Fault: of spareval 0.2.9, where expressions see values: W3C dawg-str-1, dawg-str-2, coalesce01,
//! our golden query q28.

use oxrdf::Literal;
use oxrdf::vocab::xsd;
use spargebra::algebra::{Expression, Function, GraphPattern};

use super::functions::{DATATYPE, PARTS, STORED, STR, TZ, Uses, call};
use super::numbers::may_be_number;
use super::walk::Rewrite;
use crate::sparql::stored;

/// STR of a computed value, and its cast to a string.
const TEXT: &str = " text";

pub(in crate::sparql) struct Lexical<'u> {
    pub(in crate::sparql) uses: &'u mut Uses,
}

impl Rewrite for Lexical<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        let GraphPattern::Extend { inner, variable, expression } = pattern else { return pattern };
        let expression =
            if is_passed_on(&expression) { expression } else { self.kept(expression, true) };
        GraphPattern::Extend { inner, variable, expression }
    }

    fn expression(&mut self, expression: Expression) -> Expression {
        match expression {
            Expression::FunctionCall(function, mut arguments) if arguments.len() == 1 => {
                let argument = arguments.remove(0);
                match function {
                    Function::Str => self.seen(STR, function, argument),
                    Function::Datatype => self.seen(DATATYPE, function, argument),
                    Function::Tz => self.seen(TZ, function, argument),
                    Function::Custom(name) if name == xsd::STRING && may_be_number(&argument) => {
                        call(self.uses, TEXT, vec![argument])
                    }
                    other => Expression::FunctionCall(other, vec![argument]),
                }
            }
            other => other,
        }
    }
}

impl Lexical<'_> {
    /// A function of a term, by our own where the argument is a variable.
    fn seen(&mut self, ours: &'static str, function: Function, argument: Expression) -> Expression {
        match (argument, &function) {
            (variable @ Expression::Variable(_), _) => call(self.uses, ours, vec![variable]),
            (Expression::Literal(literal), Function::Str) => {
                Literal::new_simple_literal(literal.value()).into()
            }
            (Expression::Literal(literal), Function::Datatype) => {
                literal.datatype().into_owned().into()
            }
            (Expression::If(test, yes, no), _) => {
                let yes = self.seen(ours, function.clone(), *yes);
                let no = self.seen(ours, function, *no);
                Expression::If(test, Box::new(yes), Box::new(no))
            }
            (part @ Expression::FunctionCall(..), _) if is_part_call(&part) => {
                let part = self.kept(part, false);
                call(self.uses, ours, vec![part])
            }
            (argument, Function::Str) if may_be_number(&argument) => {
                call(self.uses, TEXT, vec![argument])
            }
            (argument, _) => Expression::FunctionCall(function, vec![argument]),
        }
    }

    /// An expression whose value becomes a term: where that is one of the store's, it passes as it
    /// is written.
    fn kept(&mut self, expression: Expression, is_whole: bool) -> Expression {
        match expression {
            Expression::If(test, yes, no) => {
                let (yes, no) = (self.kept(*yes, false), self.kept(*no, false));
                Expression::If(test, Box::new(yes), Box::new(no))
            }
            Expression::Coalesce(list) => {
                let list = list.into_iter().map(|inner| self.kept(inner, false));
                Expression::Coalesce(list.collect())
            }
            Expression::FunctionCall(Function::Triple, parts) => {
                let parts = parts.into_iter().map(|part| self.kept(part, false)).collect();
                Expression::FunctionCall(Function::Triple, parts)
            }
            Expression::FunctionCall(function, mut of) if is_part(&function) && of.len() == 1 => {
                let place = match function {
                    Function::Subject => 0,
                    Function::Predicate => 1,
                    _ => 2,
                };
                let of = match of.remove(0) {
                    variable @ Expression::Variable(_) => variable,
                    other => self.kept(other, false),
                };
                call(self.uses, PARTS[place], vec![of])
            }
            variable @ Expression::Variable(_) if !is_whole => {
                call(self.uses, STORED, vec![variable])
            }
            Expression::Literal(literal) if !is_whole => {
                match stored::as_written(literal.clone().into()) {
                    oxrdf::Term::Literal(literal) => literal.into(),
                    _ => literal.into(),
                }
            }
            other => other,
        }
    }
}

/// Whether a function gives a part of a triple term.
fn is_part(function: &Function) -> bool {
    matches!(function, Function::Subject | Function::Predicate | Function::Object)
}

fn is_part_call(expression: &Expression) -> bool {
    matches!(expression, Expression::FunctionCall(function, of) if is_part(function) && of.len() == 1)
}

/// Whether the evaluator hands on the term itself.
fn is_passed_on(expression: &Expression) -> bool {
    match expression {
        Expression::Variable(_) | Expression::NamedNode(_) | Expression::Literal(_) => true,
        Expression::Coalesce(list) => list.iter().all(is_passed_on),
        Expression::If(_, yes, no) => is_passed_on(yes) && is_passed_on(no),
        _ => false,
    }
}
