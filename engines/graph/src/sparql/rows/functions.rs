//! Functions that take the place of the evaluator's where it evaluates a whole query.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use oxrdf::{BlankNode, Literal, NamedNode, Term};
use spareval::{AggregateFunctionAccumulator, QueryEvaluator};
use spargebra::algebra::{Expression, Function};

use super::super::order_key::order_key;
use super::super::rewrite::functions::{self, of_stored};
pub(super) use super::super::rewrite::functions::{STORED, Uses, call, use_function};
use super::super::session::LastRead;
use super::super::stored;
use super::sum::Sum;

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
/// SUM of numbers of any length.
pub(super) const SUM: &str = " sum";
/// AVG of them.
pub(super) const MEAN: &str = " mean";

/// Whether an expression is a call of one of ours.
pub(super) fn is_call(expression: &Expression, name: &str) -> bool {
    matches!(expression, Expression::FunctionCall(Function::Custom(custom), _) if custom.as_str() == name)
}

/// Whether one of the functions looks at stored terms.
pub(super) fn look_at_stored(uses: &Uses) -> bool {
    functions::look_at_stored(uses) || uses.contains(STORED_KEY)
}

/// An evaluator that knows the functions.
pub(super) fn evaluator(uses: &Uses, last: &LastRead) -> QueryEvaluator {
    let evaluator = functions::evaluator(uses, last);
    uses.iter().fold(evaluator, |evaluator, name| with_function(evaluator, name, last))
}

fn with_function(evaluator: QueryEvaluator, name: &str, last: &LastRead) -> QueryEvaluator {
    let iri = NamedNode::new_unchecked(name);
    match name {
        STORED_KEY => evaluator.with_custom_function(
            iri,
            of_stored(|term| Some(Literal::new_simple_literal(order_key(term)).into()), last),
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
        _ => evaluator,
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
