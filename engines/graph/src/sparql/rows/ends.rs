//! Paths of no step and of steps backwards begin at literals too: equality of where they begin
//! stays one of values.
//!
//! Fault: of sparopt 0.3.9, which takes it that the subject of a path is no literal, and compares
//! terms instead (random queries).

use std::collections::BTreeSet;

use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression as Path};
use spargebra::term::TermPattern;

use super::super::rewrite::walk::{Rewrite, rewrite};
use super::functions::{Uses, VALUE, call};

/// Hides from the optimiser which variables are compared.
pub(super) fn compare_values(pattern: GraphPattern, uses: &mut Uses) -> GraphPattern {
    let mut starts = Starts(BTreeSet::new());
    let pattern = rewrite(pattern, &mut starts);
    if starts.0.is_empty() {
        return pattern;
    }
    rewrite(pattern, &mut Hidden { starts: starts.0, uses })
}

/// The variables at which paths begin that may have no step, or one from the object of a triple to
/// its subject.
struct Starts(BTreeSet<String>);

impl Rewrite for Starts {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        if let GraphPattern::Path { subject: TermPattern::Variable(variable), path, .. } = &pattern
            && !begins_at_subject(path)
        {
            self.0.insert(variable.as_str().to_owned());
        }
        pattern
    }
}

/// Whether the first step of a path is from the subject of a triple.
fn begins_at_subject(path: &Path) -> bool {
    match path {
        Path::NamedNode(_) | Path::NegatedPropertySet(_) => true,
        Path::Reverse(_) | Path::ZeroOrMore(_) | Path::ZeroOrOne(_) => false,
        Path::OneOrMore(path) | Path::Sequence(path, _) => begins_at_subject(path),
        Path::Alternative(one, other) => begins_at_subject(one) && begins_at_subject(other),
    }
}

struct Hidden<'u> {
    starts: BTreeSet<String>,
    uses: &'u mut Uses,
}

impl Hidden<'_> {
    fn side(&mut self, side: Expression) -> Expression {
        match side {
            Expression::Variable(variable) if self.starts.contains(variable.as_str()) => {
                call(self.uses, VALUE, vec![variable.into()])
            }
            other => other,
        }
    }
}

impl Rewrite for Hidden<'_> {
    fn expression(&mut self, expression: Expression) -> Expression {
        match expression {
            Expression::Equal(left, right) => {
                let [left, right] = [left, right].map(|side| Box::new(self.side(*side)));
                Expression::Equal(left, right)
            }
            Expression::In(value, list) => {
                let list = list.into_iter().map(|one| self.side(one)).collect();
                Expression::In(Box::new(self.side(*value)), list)
            }
            other => other,
        }
    }
}
