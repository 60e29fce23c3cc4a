//! Functions of our own that take the place of the evaluator's: named as no query can name one.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, Literal, NamedNode, Term};
use oxsdatatypes::DateTime;
use spareval::{AggregateFunctionAccumulator, QueryEvaluator};
use spargebra::algebra::{Expression, Function, GraphPattern};

use super::walk::{Rewrite, rewrite, rewrite_one};
use crate::sparql::number::{FUNCTIONS, Sum};
use crate::sparql::order_key::order_key;
use crate::sparql::session::LastRead;
use crate::sparql::stored;

/// SUM of numbers of any length.
pub(super) const SUM: &str = " sum";
/// AVG of them.
pub(super) const MEAN: &str = " mean";

/// A variable's term, as it is written.
pub(super) const STORED: &str = " stored";
/// STR of a variable.
pub(super) const STR: &str = " str";
/// DATATYPE of a variable.
pub(super) const DATATYPE: &str = " datatype";
/// TZ of a variable.
pub(super) const TZ: &str = " tz";
/// A number for each solution.
pub(super) const ROW: &str = " row";
/// BNODE of a solution's number and a string.
pub(super) const NODE: &str = " node";
/// The key by which a value is sorted.
pub(super) const KEY: &str = " key";
/// The key by which a variable's term is sorted.
pub(super) const STORED_KEY: &str = " stored key";
/// The value of a variable.
pub(super) const VALUE: &str = " value";
/// MIN of stored terms.
pub(super) const MIN: &str = " min";
/// MAX of stored terms.
pub(super) const MAX: &str = " max";

/// Functions that a query needs.
pub(crate) type Uses = BTreeSet<&'static str>;

/// Notes that a function is needed.
pub(super) fn use_function(uses: &mut Uses, name: &'static str) {
    uses.insert(name);
}

/// A call of a function of ours.
pub(super) fn call(uses: &mut Uses, name: &'static str, arguments: Vec<Expression>) -> Expression {
    use_function(uses, name);
    Expression::FunctionCall(Function::Custom(NamedNode::new_unchecked(name)), arguments)
}

/// Whether an expression is a call of one of ours.
pub(super) fn is_call(expression: &Expression, name: &str) -> bool {
    matches!(expression, Expression::FunctionCall(Function::Custom(custom), _) if custom.as_str() == name)
}

/// Whether one of the functions looks at stored terms.
pub(crate) fn look_at_stored(uses: &Uses) -> bool {
    [STORED, STR, DATATYPE, TZ, STORED_KEY].iter().any(|name| uses.contains(name))
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
    rewrite(pattern, &mut Now(None))
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
    impl<F: Fn(&Expression) -> bool> Rewrite for Parts<F> {
        fn expression(&mut self, expression: Expression) -> Expression {
            self.1 |= (self.0)(&expression);
            expression
        }
    }
    let mut parts = Parts(is_it, false);
    rewrite_one(expression.clone(), &mut parts);
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
    let of_stored = |function: fn(&Term) -> Option<Term>| {
        let last = last.clone();
        move |arguments: &[Term]| {
            let stored = last.lock().unwrap_or_else(PoisonError::into_inner).take();
            function(stored.as_ref().or(arguments.first())?)
        }
    };
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
        STORED_KEY => evaluator.with_custom_function(
            iri,
            of_stored(|term| Some(Literal::new_simple_literal(order_key(term)).into())),
        ),
        KEY => evaluator.with_custom_function(iri, |arguments| {
            Some(Literal::new_simple_literal(order_key(arguments.first()?)).into())
        }),
        ROW => {
            let rows = AtomicU64::new(0);
            evaluator.with_custom_function(iri, move |_| {
                Some(Literal::new_simple_literal(rows.fetch_add(1, Relaxed).to_string()).into())
            })
        }
        NODE => evaluator.with_custom_function(iri, named_nodes()),
        VALUE => evaluator.with_custom_function(iri, |arguments| arguments.first().cloned()),
        MIN | MAX => {
            let is_max = name == MAX;
            evaluator.with_custom_aggregate_function(iri, move || {
                Box::new(Extreme { is_max, best: None })
            })
        }
        SUM | MEAN => {
            let is_mean = name == MEAN;
            evaluator.with_custom_aggregate_function(iri, move || Box::new(Sum::new(is_mean)))
        }
        _ => {
            let ours = FUNCTIONS.iter().find(|(own, _)| *own == name);
            let (_, function) = ours.expect("it is one of the functions above or of these");
            evaluator.with_custom_function(iri, *function)
        }
    }
}

fn simple(text: &str) -> Option<Term> {
    Some(Literal::new_simple_literal(text).into())
}

fn datatype(term: &Term) -> Option<Term> {
    match term {
        Term::Literal(literal) => Some(literal.datatype().into_owned().into()),
        Term::NamedNode(_) | Term::BlankNode(_) => None,
    }
}

/// BNODE: nodes by the number of a solution and a string, which itself is numbered.
fn named_nodes() -> impl Fn(&[Term]) -> Option<Term> + Send + Sync + 'static {
    let strings: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    move |arguments| {
        let [Term::Literal(row), Term::Literal(string)] = arguments else { return None };
        if string.datatype() != oxrdf::vocab::xsd::STRING {
            return None;
        }
        let mut strings = strings.lock().unwrap_or_else(PoisonError::into_inner);
        let count = strings.len();
        let string = *strings.entry(string.value().to_owned()).or_insert(count);
        Some(BlankNode::new_unchecked(format!("r{}s{string}", row.value())).into())
    }
}

/// MIN or MAX by the order of ORDER BY.
struct Extreme {
    is_max: bool,
    best: Option<(String, Term)>,
}

impl AggregateFunctionAccumulator for Extreme {
    fn accumulate(&mut self, element: Term) {
        let element = stored::undo(element);
        let key = order_key(&element);
        let is_better = match &self.best {
            None => true,
            Some((best, _)) if self.is_max => key > *best,
            Some((best, _)) => key < *best,
        };
        if is_better {
            self.best = Some((key, element));
        }
    }

    fn finish(&mut self) -> Option<Term> {
        self.best.take().map(|(_, term)| stored::as_written(term))
    }
}
