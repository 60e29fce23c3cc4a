//! Whether two answers are the same: as bags or in order, terms exactly or by value, blank nodes up
//! to renaming.

use std::collections::HashMap;

use oxrdf::vocab::xsd;
use oxrdf::{Literal, Term};

/// Whether the order of rows counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// Rows as a bag.
    Bag,
    /// Rows in their order.
    Exact,
}

/// A row: terms, or nothing.
pub type Cells = Vec<Option<Term>>;

/// What of a term has to be the same.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Key {
    Unbound,
    Blank(String),
    Text(String),
}

/// Compares two lists of rows; columns for which `by_value` holds are compared by the value of
/// numbers.
///
/// # Errors
/// What differs, in words.
pub fn compare_rows(
    want: &[Cells],
    got: &[Cells],
    order: Compare,
    by_value: &[bool],
) -> Result<(), String> {
    let keys = |rows: &[Cells]| -> Vec<Vec<Key>> {
        rows.iter()
            .map(|row| {
                let columns = row.iter().enumerate();
                columns
                    .flat_map(|(at, cell)| keys_of(cell.as_ref(), by_value.get(at) == Some(&true)))
                    .collect()
            })
            .collect()
    };
    let (want_keys, got_keys) = (keys(want), keys(got));
    if want.len() == got.len() && are_same(&want_keys, &got_keys, order) {
        return Ok(());
    }
    let missing = |some: &[Vec<Key>], others: &[Vec<Key>], rows: &[Cells]| {
        let at = (0..some.len()).find(|at| !others.iter().any(|row| is_like(&some[*at], row)));
        at.map_or_else(|| "none".to_owned(), |at| format!("{:?}", rows[at]))
    };
    Err(format!(
        "{} rows wanted, {} got; first that is missing: {}; first that is too much: {}",
        want.len(),
        got.len(),
        missing(&want_keys, &got_keys, want),
        missing(&got_keys, &want_keys, got),
    ))
}

/// Whether two terms are the same, language tags without regard to case; by value if they are
/// numbers and `by_value` says so.
pub fn compare_terms(left: &Term, right: &Term, by_value: bool) -> bool {
    keys_of(Some(left), by_value) == keys_of(Some(right), by_value)
}

/// The keys of a cell: of a triple term those of its parts, so that blank nodes are found there.
fn keys_of(term: Option<&Term>, by_value: bool) -> Vec<Key> {
    let Some(Term::Triple(triple)) = term else { return vec![key(term, by_value)] };
    let subject = Term::from(triple.subject.clone());
    let predicate = triple.predicate.to_string();
    let mut keys = vec![Key::Text("<<(".to_owned()), key(Some(&subject), by_value)];
    keys.push(Key::Text(predicate));
    keys.extend(keys_of(Some(&triple.object), by_value));
    keys
}

fn key(term: Option<&Term>, by_value: bool) -> Key {
    match term {
        None => Key::Unbound,
        Some(Term::BlankNode(node)) => Key::Blank(node.as_str().to_owned()),
        Some(Term::NamedNode(node)) => Key::Text(node.to_string()),
        Some(Term::Literal(literal)) => Key::Text(match literal.language() {
            Some(tag) => {
                let (tag, direction) = (tag.to_lowercase(), literal.direction());
                format!("{:?}@{tag} {direction:?}", literal.value())
            }
            None => value(literal).filter(|_| by_value).unwrap_or_else(|| literal.to_string()),
        }),
        Some(Term::Triple(triple)) => unreachable!("it has keys of its own: {triple}"),
    }
}

/// Integers of all kinds.
const WHOLE: [&str; 7] =
    ["integer", "int", "long", "short", "byte", "nonNegativeInteger", "unsignedInt"];

fn value(literal: &Literal) -> Option<String> {
    let kind = literal.datatype().as_str().strip_prefix("http://www.w3.org/2001/XMLSchema#")?;
    let kind = if WHOLE.contains(&kind) { "integer" } else { kind };
    if literal.datatype() == xsd::BOOLEAN {
        let text = literal.value();
        return Some(format!("{kind} {}", ["1", "true"].contains(&text)));
    }
    if !["integer", "decimal", "float", "double"].contains(&kind) {
        return None;
    }
    let number: f64 = literal.value().parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(format!("{kind} {number:.9e}"))
}

/// Equal but for the names of blank nodes.
fn is_like(left: &[Key], right: &[Key]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|pair| match pair {
            (Key::Blank(_), Key::Blank(_)) => true,
            (left, right) => left == right,
        })
}

fn are_same(want: &[Vec<Key>], got: &[Vec<Key>], order: Compare) -> bool {
    let has_blank = want.iter().flatten().any(|key| matches!(key, Key::Blank(_)));
    if !has_blank {
        let (mut want, mut got) = (want.to_vec(), got.to_vec());
        if order == Compare::Bag {
            want.sort_unstable();
            got.sort_unstable();
        }
        return want == got;
    }
    let mut matching = Matching::default();
    for (at, row) in want.iter().enumerate() {
        let all = 0..got.len();
        let near = all.filter(|other| order == Compare::Bag || *other == at);
        matching.candidates.push(near.filter(|other| is_like(row, &got[*other])).collect());
    }
    let mut todo: Vec<usize> = (0..want.len()).collect();
    todo.sort_by_key(|at| matching.candidates[*at].len());
    matching.used = vec![false; got.len()];
    matching.place(&todo, want, got)
}

/// A search for a renaming of blank nodes.
#[derive(Default)]
struct Matching {
    /// Rows that each wanted row can be.
    candidates: Vec<Vec<usize>>,
    used: Vec<bool>,
    forth: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Matching {
    fn place(&mut self, todo: &[usize], want: &[Vec<Key>], got: &[Vec<Key>]) -> bool {
        let Some((at, rest)) = todo.split_first() else { return true };
        for other in self.candidates[*at].clone() {
            if self.used[other] {
                continue;
            }
            let Some(named) = self.rename(&want[*at], &got[other]) else { continue };
            self.used[other] = true;
            if self.place(rest, want, got) {
                return true;
            }
            self.used[other] = false;
            self.forget(named);
        }
        false
    }

    /// Enters the nodes of a pair of rows; the new ones come back, or nothing if they contradict
    /// the earlier ones.
    fn rename(&mut self, want: &[Key], got: &[Key]) -> Option<Vec<(String, String)>> {
        let mut named = Vec::new();
        for pair in want.iter().zip(got) {
            let (Key::Blank(left), Key::Blank(right)) = pair else { continue };
            match (self.forth.get(left), self.back.get(right)) {
                (None, None) => {
                    self.forth.insert(left.clone(), right.clone());
                    self.back.insert(right.clone(), left.clone());
                    named.push((left.clone(), right.clone()));
                }
                (Some(known), _) if known == right => {}
                _ => {
                    self.forget(named);
                    return None;
                }
            }
        }
        Some(named)
    }

    fn forget(&mut self, named: Vec<(String, String)>) {
        for (left, right) in named {
            self.forth.remove(&left);
            self.back.remove(&right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::BlankNode;

    fn row(cells: &[&str]) -> Cells {
        let cell = |text: &&str| match text.strip_prefix("_:") {
            Some(label) => Term::from(BlankNode::new_unchecked(label)),
            None => Term::from(Literal::new_simple_literal(*text)),
        };
        cells.iter().map(|text| Some(cell(text))).collect()
    }

    fn check(want: &[&[&str]], got: &[&[&str]], order: Compare, is_same: bool) {
        let rows = |rows: &[&[&str]]| rows.iter().map(|cells| row(cells)).collect::<Vec<_>>();
        let outcome = compare_rows(&rows(want), &rows(got), order, &[]);
        assert_eq!(outcome.is_ok(), is_same, "{want:?} {got:?}: {outcome:?}");
    }

    #[test]
    fn bags_count_copies_and_forget_order() {
        check(&[&["a"], &["b"]], &[&["b"], &["a"]], Compare::Bag, true);
        check(&[&["a"], &["b"]], &[&["b"], &["a"]], Compare::Exact, false);
        check(&[&["a"], &["a"]], &[&["a"]], Compare::Bag, false);
    }

    #[test]
    fn nodes_are_renamed_one_to_one() {
        check(&[&["_:x", "_:y"]], &[&["_:y", "_:x"]], Compare::Bag, true);
        check(&[&["_:x", "_:y"]], &[&["_:a", "_:a"]], Compare::Bag, false);
        check(&[&["_:x", "a"], &["_:x", "b"]], &[&["_:1", "b"], &["_:1", "a"]], Compare::Bag, true);
        check(
            &[&["_:x", "a"], &["_:x", "b"]],
            &[&["_:1", "b"], &["_:2", "a"]],
            Compare::Bag,
            false,
        );
    }
}
