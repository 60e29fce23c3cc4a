//! Functions of our own that take the place of the evaluator's: named as no query can name one.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use oxrdf::vocab::xsd;
use oxrdf::{Literal, NamedNode, Term};
use oxsdatatypes::DateTime;
use spareval::QueryEvaluator;
use spargebra::algebra::{Expression, Function, GraphPattern};

use super::walk::{Rewrite, Visit, rewrite, rewrite_one, visit, visit_expression};
use crate::sparql::number::FUNCTIONS;
use crate::sparql::session::LastRead;
use crate::sparql::stored;

/// A variable's term, as it is written.
pub(in crate::sparql) const STORED: &str = " stored";
/// STR of a variable.
pub(in crate::sparql) const STR: &str = " str";
/// DATATYPE of a variable.
pub(in crate::sparql) const DATATYPE: &str = " datatype";
/// TZ of a variable.
pub(in crate::sparql) const TZ: &str = " tz";

/// SUBJECT, PREDICATE and OBJECT of a variable, by their places: terms as they are written.
pub(in crate::sparql) const PARTS: [&str; 3] = [" subject", " predicate", " object"];

/// Functions that a query needs.
pub(crate) type Uses = BTreeSet<&'static str>;

/// Notes that a function is needed.
pub(in crate::sparql) fn use_function(uses: &mut Uses, name: &'static str) {
    uses.insert(name);
}

/// A call of a function of ours.
pub(in crate::sparql) fn call(
    uses: &mut Uses,
    name: &'static str,
    arguments: Vec<Expression>,
) -> Expression {
    use_function(uses, name);
    Expression::FunctionCall(Function::Custom(NamedNode::new_unchecked(name)), arguments)
}

/// Whether one of the functions looks at stored terms.
pub(crate) fn look_at_stored(uses: &Uses) -> bool {
    [STORED, STR, DATATYPE, TZ].iter().chain(&PARTS).any(|name| uses.contains(name))
}

/// Whether an expression has the same value whenever it is computed.
pub(in crate::sparql) fn is_repeatable(expression: &Expression) -> bool {
    use Function as F;
    !contains(expression, |part| {
        matches!(part, Expression::FunctionCall(F::Rand | F::Uuid | F::StrUuid | F::BNode, _))
    })
}

/// A pattern with the time in place of NOW, which is one for the whole query.
pub(in crate::sparql) fn with_time(pattern: GraphPattern) -> GraphPattern {
    struct Now(Option<Literal>);
    impl Rewrite for Now {
        fn expression(&mut self, expression: Expression) -> Expression {
            match expression {
                Expression::FunctionCall(Function::Now, _) => {
                    let now = || DateTime::now().to_string();
                    let of = || Literal::new_typed_literal(now(), xsd::DATE_TIME);
                    Expression::Literal(self.0.get_or_insert_with(of).clone())
                }
                other => other,
            }
        }
    }
    struct HasNow(bool);
    impl Visit for HasNow {
        fn expression(&mut self, expression: &Expression) {
            self.0 |= matches!(expression, Expression::FunctionCall(Function::Now, _));
        }
    }
    let mut has_now = HasNow(false);
    visit(&pattern, &mut has_now);
    if has_now.0 { rewrite(pattern, &mut Now(None)) } else { pattern }
}

/// Whether an expression has an EXISTS inside.
pub(in crate::sparql) fn has_exists(expression: &Expression) -> bool {
    contains(expression, |part| matches!(part, Expression::Exists(_)))
}

/// An expression some parts of which are replaced.
pub(in crate::sparql) fn replaced(
    expression: Expression,
    by: &mut dyn FnMut(&Expression) -> Option<Expression>,
) -> Expression {
    struct InPlace<'b>(&'b mut dyn FnMut(&Expression) -> Option<Expression>);
    impl Rewrite for InPlace<'_> {
        fn expression(&mut self, expression: Expression) -> Expression {
            (self.0)(&expression).unwrap_or(expression)
        }
    }
    rewrite_one(expression, &mut InPlace(by))
}

/// Whether a part of an expression is of some kind.
pub(in crate::sparql) fn contains(
    expression: &Expression,
    is_it: impl Fn(&Expression) -> bool,
) -> bool {
    struct Parts<F>(F, bool);
    impl<F: Fn(&Expression) -> bool> Visit for Parts<F> {
        fn expression(&mut self, expression: &Expression) {
            self.1 |= (self.0)(expression);
        }
    }
    let mut parts = Parts(is_it, false);
    visit_expression(expression, &mut parts);
    parts.1
}

/// An evaluator that knows the functions.
pub(crate) fn evaluator(uses: &Uses, last: &LastRead) -> QueryEvaluator {
    let mut evaluator = QueryEvaluator::new();
    for name in uses {
        evaluator = with_function(evaluator, name, last);
    }
    evaluator
}

fn with_function(evaluator: QueryEvaluator, name: &str, last: &LastRead) -> QueryEvaluator {
    let of_stored = |function| of_stored(function, last);
    let iri = NamedNode::new_unchecked(name);
    match name {
        STORED => evaluator
            .with_custom_function(iri, of_stored(|term| Some(stored::as_written(term.clone())))),
        STR => evaluator.with_custom_function(
            iri,
            of_stored(|term| stored::lexical_form(term).and_then(simple)),
        ),
        DATATYPE => evaluator.with_custom_function(iri, of_stored(datatype)),
        TZ => evaluator
            .with_custom_function(iri, of_stored(|term| stored::zone(term).and_then(simple))),
        name if PARTS.contains(&name) => {
            let parts: [fn(&Term) -> Option<Term>; 3] = [
                |term| written_part(term, 0),
                |term| written_part(term, 1),
                |term| written_part(term, 2),
            ];
            let place = PARTS.iter().position(|own| *own == name).unwrap_or_default();
            evaluator.with_custom_function(iri, of_stored(parts[place]))
        }
        _ => match FUNCTIONS.iter().find(|(own, _)| *own == name) {
            Some((_, function)) => evaluator.with_custom_function(iri, *function),
            None => evaluator,
        },
    }
}

/// A function of the stored form of what was read last, or of its argument.
pub(in crate::sparql) fn of_stored(
    function: fn(&Term) -> Option<Term>,
    last: &LastRead,
) -> impl Fn(&[Term]) -> Option<Term> + Send + Sync + 'static {
    let last = last.clone();
    move |arguments| {
        let stored = last.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (stored, arguments.first()) {
            (Some(stored), _) => function(&stored),
            (None, argument) => function(&stored::undo(argument?.clone())),
        }
    }
}

fn simple(text: &str) -> Option<Term> {
    Some(Literal::new_simple_literal(text).into())
}

fn datatype(term: &Term) -> Option<Term> {
    match term {
        Term::Literal(literal) => Some(literal.datatype().into_owned().into()),
        Term::NamedNode(_) | Term::BlankNode(_) | Term::Triple(_) => None,
    }
}

/// A part of a triple term, to be taken as it is written.
fn written_part(term: &Term, place: usize) -> Option<Term> {
    stored::part(term, place).map(stored::as_written)
}
