//! GROUP_CONCAT: each distinct value is read once.

use std::collections::HashMap;

use oxrdf::{Literal, Term};

use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::groups::Groups;
use super::super::table::rows::UNBOUND;
use super::aggregate::distinct;
use crate::view::View;

/// Number of values between two looks at the time and the memory.
const VALUES_PER_LOOK: usize = 1 << 12;

impl<V: View> Columns<'_, '_, V> {
    /// The values of each group as one string, in the order in which they came; none of a group
    /// with a value that STR has no string of.
    pub(in crate::sparql) fn joined(
        &self,
        values: &[u64],
        groups: &[u32],
        count: usize,
        separator: &str,
        is_distinct: bool,
    ) -> Outcome<Vec<u64>> {
        let (texts, of_values) = self.texts(values)?;
        let (groups, of_values) = if is_distinct {
            distinct(groups, &of_values, &self.meter)?
        } else {
            (groups.to_vec(), of_values)
        };
        let mut joined: Vec<Option<String>> = vec![Some(String::new()); count];
        let (mut is_begun, mut len) = (vec![false; count], 0);
        for (at, (group, text)) in groups.iter().zip(of_values).enumerate() {
            let group = *group as usize;
            let Some(Some(text)) = texts.get(text as usize) else {
                joined[group] = None;
                continue;
            };
            if let Some(joined) = &mut joined[group] {
                let between = if is_begun[group] { separator } else { "" };
                joined.extend([between, text]);
                len += between.len() + text.len();
            }
            is_begun[group] = true;
            if at % VALUES_PER_LOOK == 0 {
                self.meter.check(len / size_of::<u64>())?;
            }
        }
        let id = |text: Option<String>| {
            self.meter.check(len / size_of::<u64>())?;
            // It may be joined with the view's terms, or compared with a constant.
            let Some(text) = text else { return Ok(UNBOUND) };
            let term = Literal::new_simple_literal(text).into();
            self.meter.computed(&term)?;
            self.ids.id(&term)
        };
        joined.into_iter().map(id).collect()
    }

    /// The distinct strings of values, none in place of one for those that have none, and the
    /// number of each value's.
    fn texts(&self, values: &[u64]) -> Outcome<(Vec<Option<String>>, Vec<u64>)> {
        let ids = Groups::of(&[values], values.len(), &self.meter)?;
        let mut numbers: HashMap<Option<String>, u64> = HashMap::new();
        let (mut of_ids, mut len) = (Vec::with_capacity(ids.count()), 0);
        for (at, row) in ids.first_rows.iter().enumerate() {
            let text = match values[*row as usize] {
                UNBOUND => None,
                id => match self.ids.term(id)? {
                    Term::NamedNode(node) => Some(node.into_string()),
                    Term::Literal(literal) => Some(literal.destruct().0),
                    Term::BlankNode(_) | Term::Triple(_) => None,
                },
            };
            len += text.as_ref().map_or(0, String::len);
            let next = numbers.len() as u64;
            of_ids.push(*numbers.entry(text).or_insert(next));
            if at % VALUES_PER_LOOK == 0 {
                self.meter.check(len / size_of::<u64>())?;
            }
        }
        let mut texts = vec![None; numbers.len()];
        numbers.into_iter().for_each(|(text, number)| texts[number as usize] = text);
        Ok((texts, ids.of_rows.iter().map(|id| of_ids[*id as usize]).collect()))
    }
}
