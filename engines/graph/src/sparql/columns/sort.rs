//! ORDER BY, and the order of terms that it shares with MIN and MAX.
//!
//! Callers: columns/evaluate, columns/aggregate

use std::cmp::Ordering;

use spargebra::algebra::OrderExpression;

use super::super::order_key::order_key;
use super::groups::Groups;
use super::state::Columns;
use super::stop::Outcome;
use super::table::{Table, UNBOUND, gathered};
use crate::Id;
use crate::term::inline::exact_value;
use crate::view::View;

/// A term as it is compared.
enum Key {
    Unbound,
    /// An exact number, as far as no other one of the same value is compared with it.
    Number(i128),
    Text(String),
}

impl<V: View> Columns<'_, '_, V> {
    /// The rows of a table in order; those that are equal stay in theirs.
    pub(super) fn sorted(&self, table: Table, keys: &[OrderExpression]) -> Outcome<Table> {
        let mut ranks = Vec::with_capacity(keys.len());
        for key in keys {
            let (expression, is_descending) = key_of(key);
            let mut column = self.ranks(&self.values(expression, &table)?)?;
            if is_descending {
                column.iter_mut().for_each(|rank| *rank = u32::MAX - *rank);
            }
            ranks.push(column);
        }
        let mut rows: Vec<u32> = (0..table.row_count as u32).collect();
        match &ranks[..] {
            [one] => rows.sort_by_key(|row| one[*row as usize]),
            [one, two] => rows.sort_by_key(|row| (one[*row as usize], two[*row as usize])),
            _ => rows.sort_by(|a, b| {
                let at = |row: u32| ranks.iter().map(move |column| column[row as usize]);
                at(*a).cmp(at(*b))
            }),
        }
        Ok(table.rows(&rows))
    }

    /// The place of each id's term among the distinct ones, in the order of ORDER BY.
    pub(super) fn ranks(&self, ids: &[u64]) -> Outcome<Vec<u32>> {
        let groups = Groups::of(&[ids], ids.len());
        let distinct = gathered(ids, &groups.first_rows);
        // One that isn't an exact number needs all texts: numbers are compared with what they are written like.
        let is_exact = |id: &u64| *id == UNBOUND || exact_value(Id(*id)).is_some();
        let all_exact = distinct.iter().all(is_exact);
        let mut keys = Vec::with_capacity(distinct.len());
        for id in &distinct {
            keys.push(match exact_value(Id(*id)) {
                _ if *id == UNBOUND => Key::Unbound,
                Some((value, _)) if all_exact => Key::Number(value),
                _ => Key::Text(order_key(&self.ids.term(*id)?)),
            });
        }
        let mut order: Vec<u32> = (0..distinct.len() as u32).collect();
        let mut failed = None;
        order.sort_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            match (&keys[a], &keys[b]) {
                (Key::Unbound, other) | (other, Key::Unbound) => {
                    let is_first = matches!(keys[a], Key::Unbound);
                    match other {
                        Key::Unbound => Ordering::Equal,
                        _ if is_first => Ordering::Less,
                        _ => Ordering::Greater,
                    }
                }
                (Key::Number(one), Key::Number(other)) if one != other => one.cmp(other),
                (Key::Text(one), Key::Text(other)) => one.cmp(other),
                // The same value, written otherwise.
                _ => match (self.ids.term(distinct[a]), self.ids.term(distinct[b])) {
                    (Ok(one), Ok(other)) => order_key(&one).cmp(&order_key(&other)),
                    (Err(stop), _) | (_, Err(stop)) => {
                        failed = Some(stop);
                        Ordering::Equal
                    }
                },
            }
        });
        if let Some(stop) = failed {
            return Err(stop);
        }
        let mut ranks = vec![0; distinct.len()];
        for (rank, at) in order.iter().enumerate() {
            ranks[*at as usize] = rank as u32;
        }
        Ok(groups.of_rows.iter().map(|group| ranks[*group as usize]).collect())
    }
}

/// The expression of a key of ORDER BY, and whether it descends.
pub(super) fn key_of(key: &OrderExpression) -> (&spargebra::algebra::Expression, bool) {
    match key {
        OrderExpression::Asc(expression) => (expression, false),
        OrderExpression::Desc(expression) => (expression, true),
    }
}
