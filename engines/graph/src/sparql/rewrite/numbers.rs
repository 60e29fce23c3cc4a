//! Numbers that the evaluator's datatypes don't hold: where an operator has no value, it is
//! computed again by functions that know numbers of any length (sparql/number). What fits is
//! computed as ever. Casts to numbers are always ours.
//!
//! Faults: of spareval 0.2.9, whose integers have 64 bits and decimals 18 digits after the point; a
//! double becomes a decimal by a product that rounds, so that 1e20 is 99999999999999997748.8 and
//! 443374291400670784e0 another integer.

use oxrdf::Literal;
use oxrdf::vocab::xsd;
use spareval::ExpressionTerm;
use spargebra::algebra::{
    AggregateExpression, Expression, Function, GraphPattern, OrderExpression,
};

use super::functions::{Uses, call};
use super::walk::{Children, Rewrite, expression_inside};

/// Maximum number of expressions that are there twice inside each other: each doubles what is
/// inside of it. What is deeper is the evaluator's alone.
const TWICE_MAX: u32 = 4;

pub(in crate::sparql) struct Numbers<'u> {
    pub(in crate::sparql) uses: &'u mut Uses,
}

impl Rewrite for Numbers<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        use GraphPattern as P;
        let mut of = Whole { uses: self.uses, twice: 0 };
        match pattern {
            P::Filter { expr, inner } => P::Filter { expr: of.truth(expr), inner },
            P::LeftJoin { left, right, expression } => {
                let expression = expression.map(|expression| of.truth(expression));
                P::LeftJoin { left, right, expression }
            }
            P::Extend { inner, variable, expression } => {
                P::Extend { inner, variable, expression: of.value(expression) }
            }
            P::OrderBy { inner, expression } => {
                let keys = expression.into_iter().map(|key| match key {
                    OrderExpression::Asc(key) => OrderExpression::Asc(of.value(key)),
                    OrderExpression::Desc(key) => OrderExpression::Desc(of.value(key)),
                });
                P::OrderBy { inner, expression: keys.collect() }
            }
            P::Group { inner, variables, aggregates } => {
                let aggregates = aggregates
                    .into_iter()
                    .map(|(variable, aggregate)| (variable, of.aggregate(aggregate)))
                    .collect();
                P::Group { inner, variables, aggregates }
            }
            other => other,
        }
    }
}

/// How much is known of what an expression gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// No number.
    None,
    /// A number that the evaluator has, if it is one.
    Fits,
    /// Perhaps one that it doesn't have.
    Any,
}

fn size(expression: &Expression) -> Size {
    use Expression as E;
    match expression {
        E::NamedNode(_) => Size::None,
        E::Literal(literal) => size_of_literal(literal),
        E::Variable(_) => Size::Any,
        E::Add(..) | E::Subtract(..) | E::Multiply(..) | E::Divide(..) => Size::Any,
        E::UnaryPlus(_) | E::UnaryMinus(_) | E::If(..) | E::Coalesce(_) => Size::Any,
        E::FunctionCall(function, _) => size_of_function(function),
        _ => Size::None,
    }
}

/// Whether an expression may give a number whose text isn't known before.
pub(in crate::sparql) fn may_be_number(expression: &Expression) -> bool {
    size(expression) == Size::Any
}

fn size_of_literal(literal: &Literal) -> Size {
    use ExpressionTerm as T;
    match ExpressionTerm::from(oxrdf::Term::from(literal.clone())) {
        T::IntegerLiteral(_) | T::DecimalLiteral(_) | T::FloatLiteral(_) | T::DoubleLiteral(_) => {
            Size::Fits
        }
        T::OtherTypedLiteral { .. } => Size::Any,
        _ => Size::None,
    }
}

fn size_of_function(function: &Function) -> Size {
    use Function as F;
    match function {
        F::Abs | F::Ceil | F::Floor | F::Round | F::Custom(_) => Size::Any,
        F::StrLen | F::Year | F::Month | F::Day | F::Hours | F::Minutes | F::Seconds | F::Rand => {
            Size::Fits
        }
        _ => Size::None,
    }
}

/// Whether an operator on some expressions may have to do with numbers that the evaluator doesn't
/// have.
fn may_be_beyond(one: &Expression, other: &Expression) -> bool {
    let sizes = [size(one), size(other)];
    !sizes.contains(&Size::None) && sizes.contains(&Size::Any)
}

/// The function of ours that an operator or a function has, and what it is of; `Err` gives other
/// expressions back.
fn ours(expression: Expression) -> Result<(&'static str, Vec<Expression>), Expression> {
    use Expression as E;
    Ok(match expression {
        E::Add(one, other) => (" add", vec![*one, *other]),
        E::Subtract(one, other) => (" subtract", vec![*one, *other]),
        E::Multiply(one, other) => (" multiply", vec![*one, *other]),
        E::Divide(one, other) => (" divide", vec![*one, *other]),
        E::UnaryMinus(one) => (" minus", vec![*one]),
        E::UnaryPlus(one) => (" plus", vec![*one]),
        E::Equal(one, other) => (" equal", vec![*one, *other]),
        E::Less(one, other) => (" less", vec![*one, *other]),
        E::LessOrEqual(one, other) => (" less or equal", vec![*one, *other]),
        E::Greater(one, other) => (" greater", vec![*one, *other]),
        E::GreaterOrEqual(one, other) => (" greater or equal", vec![*one, *other]),
        E::In(one, list) => (" in", std::iter::once(*one).chain(list).collect()),
        E::FunctionCall(function, list) => match of_function(&function).filter(|_| list.len() == 1)
        {
            Some(name) => (name, list),
            None => return Err(E::FunctionCall(function, list)),
        },
        other => return Err(other),
    })
}

fn of_function(function: &Function) -> Option<&'static str> {
    use Function as F;
    Some(match function {
        F::Abs => " abs",
        F::Ceil => " ceil",
        F::Floor => " floor",
        F::Round => " round",
        F::Custom(name) if *name == xsd::BOOLEAN => " boolean",
        _ => return of_cast(function),
    })
}

/// The function of ours that a cast to a number has.
fn of_cast(function: &Function) -> Option<&'static str> {
    let Function::Custom(name) = function else { return None };
    Some(match name.as_ref() {
        xsd::INTEGER => " integer",
        xsd::DECIMAL => " decimal",
        xsd::DOUBLE => " double",
        xsd::FLOAT => " float",
        _ => return None,
    })
}

/// Whether an operator or function has one of ours, and may need it.
fn needs_ours(expression: &Expression) -> bool {
    use Expression as E;
    match expression {
        E::Add(one, other)
        | E::Subtract(one, other)
        | E::Multiply(one, other)
        | E::Divide(one, other) => size(one) != Size::None && size(other) != Size::None,
        E::UnaryMinus(one) | E::UnaryPlus(one) => size(one) != Size::None,
        E::Equal(one, other)
        | E::Less(one, other)
        | E::LessOrEqual(one, other)
        | E::Greater(one, other)
        | E::GreaterOrEqual(one, other) => may_be_beyond(one, other),
        E::In(one, list) => list.iter().any(|other| may_be_beyond(one, other)),
        E::FunctionCall(function, list) => match &list[..] {
            [one] => of_function(function).is_some() && size(one) == Size::Any,
            _ => false,
        },
        _ => false,
    }
}

/// Replaces operators in whole expressions.
struct Whole<'u> {
    uses: &'u mut Uses,
    /// Number of expressions around that are there twice.
    twice: u32,
}

impl Whole<'_> {
    /// An expression whose value is asked for.
    fn value(&mut self, expression: Expression) -> Expression {
        use Expression as E;
        match expression {
            E::If(test, yes, no) => {
                let test = Box::new(self.truth(*test));
                E::If(test, Box::new(self.value(*yes)), Box::new(self.value(*no)))
            }
            E::And(..) | E::Or(..) | E::Not(_) => self.truth(expression),
            E::FunctionCall(Function::IsNumeric, list) => {
                let list = list.into_iter().map(|one| self.value(one)).collect();
                call(self.uses, " numeric", list)
            }
            E::FunctionCall(function, mut list) if list.len() == 1 => match of_cast(&function) {
                Some(name) => {
                    let one = self.value(list.remove(0));
                    call(self.uses, name, vec![one])
                }
                None => self.twice(E::FunctionCall(function, list)),
            },
            other => self.twice(other),
        }
    }

    /// An expression by the evaluator's operators, and by ours where those have no value.
    fn twice(&mut self, expression: Expression) -> Expression {
        use Expression as E;
        match expression {
            expression if needs_ours(&expression) && self.twice < TWICE_MAX => {
                self.twice += 1;
                let own = expression_inside(expression.clone(), &mut Operands(self));
                let ours = self.ours(expression);
                self.twice -= 1;
                E::Coalesce(vec![own, ours])
            }
            other => expression_inside(other, &mut Operands(self)),
        }
    }

    /// An expression whose effective boolean value is asked for.
    fn truth(&mut self, expression: Expression) -> Expression {
        use Expression as E;
        match expression {
            E::And(one, other) => E::And(Box::new(self.truth(*one)), Box::new(self.truth(*other))),
            E::Or(one, other) => E::Or(Box::new(self.truth(*one)), Box::new(self.truth(*other))),
            E::Not(one) => E::Not(Box::new(self.truth(*one))),
            expression if size(&expression) == Size::Any && self.twice < TWICE_MAX => {
                let is_if = matches!(expression, E::If(..) | E::Coalesce(_));
                let value = self.value(expression);
                if is_if {
                    return call(self.uses, " truth", vec![value]);
                }
                let not = |inner| E::Not(Box::new(inner));
                let ours = call(self.uses, " truth", vec![value.clone()]);
                E::Coalesce(vec![not(not(value)), ours])
            }
            other => self.value(other),
        }
    }

    /// An operator by our function, and so those that it is of.
    fn ours(&mut self, expression: Expression) -> Expression {
        match ours(expression) {
            Ok((name, list)) => {
                let list = list.into_iter().map(|one| self.ours(one)).collect();
                call(self.uses, name, list)
            }
            Err(other) => self.value(other),
        }
    }

    fn aggregate(&mut self, aggregate: AggregateExpression) -> AggregateExpression {
        let AggregateExpression::FunctionCall { name, expr, distinct } = aggregate else {
            return aggregate;
        };
        AggregateExpression::FunctionCall { name, expr: self.value(expr), distinct }
    }
}

/// What an operator of the evaluator's own is of: operators in it stay too.
struct Operands<'w, 'u>(&'w mut Whole<'u>);

impl Children for Operands<'_, '_> {
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern {
        // It was rewritten before.
        pattern
    }

    fn child_expression(&mut self, expression: Expression) -> Expression {
        let is_cast = matches!(&expression, Expression::FunctionCall(function, _) if of_cast(function).is_some());
        if self.0.twice > 0 && !is_cast && needs_ours(&expression) {
            return expression_inside(expression, self);
        }
        self.0.value(expression)
    }
}
