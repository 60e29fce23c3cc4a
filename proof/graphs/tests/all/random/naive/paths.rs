//! Property paths as sets of pairs, by the definitions of the recommendation.

use oxrdf::Term;
use spargebra::algebra::PropertyPathExpression as Path;

/// Two ends of a path.
pub(super) type Ends = (Term, Term);

/// The pairs of ends that a path connects, as a bag.
pub(super) fn pairs(path: &Path, triples: &[[Term; 3]], nodes: &[Term]) -> Vec<Ends> {
    let of = |path| pairs(path, triples, nodes);
    match path {
        Path::NamedNode(name) => {
            let is_it = |triple: &&[Term; 3]| triple[1] == Term::from(name.clone());
            triples.iter().filter(is_it).map(|[s, _, o]| (s.clone(), o.clone())).collect()
        }
        Path::NegatedPropertySet(names) => {
            let is_it = |triple: &&[Term; 3]| {
                !names.iter().any(|name| triple[1] == Term::from(name.clone()))
            };
            triples.iter().filter(is_it).map(|[s, _, o]| (s.clone(), o.clone())).collect()
        }
        Path::Reverse(path) => of(path).into_iter().map(|(start, end)| (end, start)).collect(),
        Path::Sequence(first, second) => composed(&of(first), &of(second)),
        Path::Alternative(one, other) => [of(one), of(other)].concat(),
        Path::ZeroOrOne(path) => set([itself(nodes), of(path)].concat()),
        Path::OneOrMore(path) => closure(set(of(path))),
        Path::ZeroOrMore(path) => set([itself(nodes), closure(set(of(path)))].concat()),
    }
}

fn itself(nodes: &[Term]) -> Vec<Ends> {
    nodes.iter().map(|node| (node.clone(), node.clone())).collect()
}

fn composed(first: &[Ends], second: &[Ends]) -> Vec<Ends> {
    let mut all = Vec::new();
    for (start, middle) in first {
        for (other, end) in second {
            if middle == other {
                all.push((start.clone(), end.clone()));
            }
        }
    }
    all
}

fn set(mut pairs: Vec<Ends>) -> Vec<Ends> {
    pairs.sort_by_key(|(start, end)| (start.to_string(), end.to_string()));
    pairs.dedup();
    pairs
}

fn closure(steps: Vec<Ends>) -> Vec<Ends> {
    let mut all = steps.clone();
    loop {
        let next = set([all.clone(), composed(&all, &steps)].concat());
        if next.len() == all.len() {
            return next;
        }
        all = next;
    }
}
