//! A plan as EXPLAIN and ANALYZE print it: the same tree, the latter with what each operator did.

use std::fmt;

use oxrdf::Variable;
use spargebra::algebra::AggregateExpression;

use super::super::super::explain::{Done, Operator as Shown, in_short};
use super::super::count::factor::Times;
use super::super::state::Traced;
use super::estimate::Estimates;
use super::operator::{
    Computed, Counted, Exists, Filter, Group, Join, Leaf, Operator, Plan, Source,
};

/// Makes operators that people read.
pub(in crate::sparql) struct Show<'s> {
    pub(in crate::sparql) estimates: &'s Estimates,
    /// What the operators did, by their numbers; none of a plan that was not run.
    pub(in crate::sparql) trace: Option<&'s [Traced]>,
}

impl Show<'_> {
    /// An operator and those that it reads.
    pub(in crate::sparql) fn operator(&self, plan: &Plan<'_>) -> Shown {
        use Operator as O;
        let number = plan.number;
        match &plan.operator {
            O::Join(join) => self.join(number, join),
            O::Filter { inner, filter } => {
                let mut inside = vec![self.operator(inner)];
                inside.extend(filter.exists.iter().map(|exists| self.exists(exists)));
                self.shown(number, "filter", &filter.expression, inside)
            }
            O::LeftJoin { sides, filter } => {
                let mut inside = self.sides(sides);
                inside.extend(filter.iter().map(|filter| self.filter(filter)));
                self.shown(number, "left join", &"", inside)
            }
            O::Union(sides) => self.shown(number, "union", &"", self.sides(sides)),
            O::Minus(sides) => self.shown(number, "minus", &"", self.sides(sides)),
            O::Lateral(lateral) => {
                let names = lateral.parameters.iter().map(|name| format!("?{name}"));
                self.shown(number, "lateral", &list(names), self.sides(&lateral.sides))
            }
            O::Values { variables, .. } => {
                self.shown(number, "values", &list(*variables), Vec::new())
            }
            O::Extend { inner, computed } => {
                let of = |one: &Computed<'_>| format!("{} -> {}", one.expression, one.variable);
                self.shown(number, "extend", &list(computed.iter().map(of)), self.inside(inner))
            }
            O::Project { inner, names } => {
                let names = names.iter().map(|name| format!("?{name}"));
                self.shown(number, "project", &list(names), self.inside(inner))
            }
            O::Distinct(inner) => self.shown(number, "distinct", &"", self.inside(inner)),
            O::Sort { inner, keys } => {
                let keys = list(keys.iter().map(|own| own.key));
                self.shown(number, "sort", &keys, self.inside(inner))
            }
            O::Slice { inner, start, length } => {
                self.shown(number, "slice", &of_slice(*start, *length), self.inside(inner))
            }
            O::Group(group) => self.group(number, group),
            O::Count { counted, group } => {
                self.shown(number, "count", &of_group(group), vec![self.counted(counted)])
            }
            O::Path(path) => {
                let detail = format!("{} {} {}", path.subject, path.path, path.object);
                self.shown(number, "path", &detail, Vec::new())
            }
            O::EachGraph { name, inner, .. } => {
                self.shown(number, "each graph", name, self.inside(inner))
            }
        }
    }

    fn group(&self, number: usize, group: &Group<'_>) -> Shown {
        let inside = match (&group.inner, &group.index) {
            (Some(inner), _) => self.inside(inner),
            (None, Some(index)) => {
                let (name, detail) = ("pattern".to_owned(), in_short(&index.pattern.text));
                vec![Shown { name, detail, ..Shown::default() }]
            }
            (None, None) => Vec::new(),
        };
        self.shown(number, "group", &of_group(group), inside)
    }

    fn inside(&self, inner: &Plan<'_>) -> Vec<Shown> {
        vec![self.operator(inner)]
    }

    fn sides(&self, sides: &[Plan<'_>; 2]) -> Vec<Shown> {
        sides.iter().map(|side| self.operator(side)).collect()
    }

    /// A join, its parts in the order in which they are expected to be taken; of one pattern alone
    /// that pattern.
    fn join(&self, number: usize, join: &Join<'_>) -> Shown {
        if let Some(leaf) = join.lone() {
            return self.leaf(leaf);
        }
        let patterns = join.patterns.iter().map(|leaf| (leaf.number, self.leaf(leaf)));
        let early = join.early.iter().map(|part| (part.number, self.operator(part)));
        let mut parts: Vec<(usize, Shown)> = early.chain(patterns).collect();
        parts.sort_by_key(|(number, _)| self.estimates.turn(*number));
        let mut inside: Vec<Shown> = parts.into_iter().map(|(_, part)| part).collect();
        inside.extend(join.late.iter().map(|part| self.operator(part)));
        inside.extend(join.filters.iter().map(|filter| self.filter(filter)));
        self.shown(number, "join", &"", inside)
    }

    fn leaf(&self, leaf: &Leaf<'_>) -> Shown {
        let mut shown = self.shown(leaf.number, "pattern", leaf.triple, Vec::new());
        shown.way = match self.trace {
            Some(_) => self.traced(leaf.number).and_then(|done| done.way.clone()),
            None => self.estimates.way(leaf.number).cloned(),
        };
        let looked_up =
            shown.way.as_ref().is_some_and(|way| way.ends_with("scan") || way.ends_with("look-up"));
        if let Some(done) = shown.done.as_mut().filter(|_| looked_up) {
            done.quads = Some(done.rows);
        }
        shown
    }

    fn filter(&self, filter: &Filter<'_>) -> Shown {
        let inside = filter.exists.iter().map(|exists| self.exists(exists)).collect();
        self.shown(filter.number, "filter", &filter.expression, inside)
    }

    fn exists(&self, exists: &Exists<'_>) -> Shown {
        let mut inside = vec![self.operator(&exists.inner)];
        inside.extend(exists.filter.iter().map(|filter| self.filter(filter)));
        let names = exists.parameters.iter().flatten().map(|name| format!("?{name}"));
        let detail = match &exists.parameters {
            Some(_) => format!("for each {}", list(names)),
            None => String::new(),
        };
        Shown { name: "exists".to_owned(), detail, inside, ..Shown::default() }
    }

    /// Rows that are counted, with what they are multiplied by.
    fn counted(&self, counted: &Counted<'_>) -> Shown {
        let mut inside = Vec::new();
        let (name, detail) = match &counted.of {
            Source::Sum(parts) => {
                inside.extend(parts.iter().map(|part| self.counted(part)));
                ("union", "")
            }
            Source::Quads(pattern, filters) => {
                inside.extend(filters.iter().map(|filter| self.filter(filter)));
                ("pattern", &*pattern.text)
            }
        };
        for factor in &counted.factors {
            let name = match factor.times {
                Times::Each => "times",
                Times::AtLeastOne => "times, at least 1",
                Times::IfAny => "if any",
                Times::IfNone => "if none",
            };
            let detail = factor.key.iter().map(|key| format!("by ?{key}")).collect();
            let rows = vec![self.counted(&factor.rows)];
            inside.push(Shown { name: name.to_owned(), detail, inside: rows, ..Shown::default() });
        }
        self.shown(counted.number, name, &detail, inside)
    }

    fn traced(&self, number: usize) -> Option<&Traced> {
        self.trace?.get(number).filter(|done| done.threads > 0)
    }

    fn shown(
        &self,
        number: usize,
        name: &str,
        detail: &dyn fmt::Display,
        inside: Vec<Shown>,
    ) -> Shown {
        let done = self.traced(number);
        Shown {
            name: name.to_owned(),
            detail: in_short(&detail.to_string()),
            estimate: self.estimates.rows(number),
            way: done.and_then(|done| done.way.clone()),
            done: done.map(|done| Done {
                rows: done.rows,
                quads: None,
                bytes: Some(done.len),
                time_ns: done.time_ns,
                threads: done.threads,
            }),
            inside,
        }
    }
}

fn list(all: impl IntoIterator<Item = impl fmt::Display>) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(", ")
}

fn of_slice(start: usize, length: Option<usize>) -> String {
    let limit = length.map(|length| format!("LIMIT {length}"));
    let offset = (start > 0).then(|| format!("OFFSET {start}"));
    limit.into_iter().chain(offset).collect::<Vec<_>>().join(" ")
}

fn of_group(group: &Group<'_>) -> String {
    let of = |(variable, aggregate): &(Variable, AggregateExpression)| {
        format!("{aggregate} -> {variable}")
    };
    let keys = group.variables.iter().map(Variable::to_string);
    list(keys.chain(group.aggregates.iter().map(of)))
}
