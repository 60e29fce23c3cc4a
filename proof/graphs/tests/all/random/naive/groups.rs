//! GROUP BY and its aggregates.

use std::collections::BTreeSet;

use oxrdf::vocab::xsd;
use oxrdf::{Literal, Term, Variable};
use spargebra::algebra::{AggregateExpression, AggregateFunction};

use super::Row;
use super::values::{number, order_key, sum_of, text, value};

/// One row for each combination of the keys' values; without keys, one row of all.
pub(super) fn grouped(
    rows: &[Row],
    keys: &[Variable],
    aggregates: &[(Variable, AggregateExpression)],
) -> Vec<Row> {
    let mut groups: Vec<(Row, Vec<&Row>)> = Vec::new();
    if keys.is_empty() {
        groups.push((Row::new(), Vec::new()));
    }
    for row in rows {
        let name = |key: &Variable| key.as_str().to_owned();
        let bound = |key: &Variable| Some((name(key), row.get(key.as_str())?.clone()));
        let own: Row = keys.iter().filter_map(bound).collect();
        match groups.iter_mut().find(|(key, _)| *key == own) {
            Some((_, members)) => members.push(row),
            None => groups.push((own, vec![row])),
        }
    }
    for (key, members) in &mut groups {
        for (variable, aggregate) in aggregates {
            if let Some(term) = computed(aggregate, members) {
                key.insert(variable.as_str().to_owned(), term);
            }
        }
    }
    groups.into_iter().map(|(key, _)| key).collect()
}

fn computed(aggregate: &AggregateExpression, rows: &[&Row]) -> Option<Term> {
    let count = |count: usize| Some(Literal::from(count as i64).into());
    let (name, expression, distinct) = match aggregate {
        AggregateExpression::CountSolutions { distinct: false } => return count(rows.len()),
        AggregateExpression::CountSolutions { distinct: true } => {
            // Of variables that the query names.
            let named = |row: &&Row| {
                let cells = row.iter().filter(|(name, _)| !name.starts_with("_:"));
                cells.map(|(name, term)| format!("{name} {term}")).collect::<Vec<_>>()
            };
            return count(rows.iter().map(named).collect::<BTreeSet<_>>().len());
        }
        AggregateExpression::FunctionCall { name, expr, distinct } => (name, expr, *distinct),
    };
    let values: Vec<Option<Term>> = rows.iter().map(|row| value(expression, row)).collect();
    if *name == AggregateFunction::Count {
        let bound = values.iter().flatten();
        return count(if distinct {
            bound.map(Term::to_string).collect::<BTreeSet<_>>().len()
        } else {
            bound.count()
        });
    }
    if *name == AggregateFunction::Sample {
        return values.into_iter().flatten().next();
    }
    // An error in one row is one of the whole.
    let values: Vec<Term> = values.into_iter().collect::<Option<_>>()?;
    let key = |term: &&Term| order_key(Some(term));
    match name {
        AggregateFunction::Min => values.iter().min_by_key(key).cloned(),
        AggregateFunction::Max => values.iter().max_by_key(key).cloned(),
        AggregateFunction::Sum => sum(&values).map(Term::from),
        AggregateFunction::Avg if values.is_empty() => count(0),
        AggregateFunction::Avg => {
            let (hundredfold, _) = number(&sum(&values)?.into())?;
            let average = hundredfold as f64 / 100.0 / values.len() as f64;
            Some(Literal::new_typed_literal(average.to_string(), xsd::DECIMAL).into())
        }
        AggregateFunction::GroupConcat { separator } => {
            let mut texts: Vec<&str> = values.iter().map(text).collect::<Option<_>>()?;
            let mut seen = BTreeSet::new();
            texts.retain(|text| !distinct || seen.insert(*text));
            let separator = separator.as_deref().unwrap_or(" ");
            Some(Literal::new_simple_literal(texts.join(separator)).into())
        }
        other => panic!("the random queries have none: {other:?}"),
    }
}

fn sum(values: &[Term]) -> Option<Literal> {
    values.iter().try_fold(Literal::from(0), |sum, value| sum_of(&sum.into(), value))
}
