//! Operators of a plan, and what they are made of.

use std::rc::Rc;

use manicule_format_leaf::Role;
use oxrdf::Variable;
use spargebra::algebra::{
    AggregateExpression, Expression, Function, GraphPattern, OrderExpression,
    PropertyPathExpression,
};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

use super::super::super::rewrite::{Variables, in_scope, of_expression};
use super::super::count::factor::Times;
use super::super::scan::quads::QuadPattern;
use super::super::state::GraphOf;
use super::super::table::ids::LookUp;

/// An operator, with those that it reads.
pub(in crate::sparql) struct Plan<'q> {
    /// Its number among the operators of the query.
    pub(in crate::sparql) number: usize,
    /// The part of the algebra whose solutions it gives.
    pub(in crate::sparql) pattern: &'q GraphPattern,
    /// The variable of the graph that it is in.
    pub(in crate::sparql) graph: Option<String>,
    pub(in crate::sparql) operator: Operator<'q>,
}

/// Two operators whose rows are put together.
pub(in crate::sparql) type Sides<'q> = Box<[Plan<'q>; 2]>;

pub(in crate::sparql) enum Operator<'q> {
    Join(Join<'q>),
    Filter {
        inner: Box<Plan<'q>>,
        filter: Filter<'q>,
    },
    LeftJoin {
        sides: Sides<'q>,
        filter: Option<Filter<'q>>,
    },
    Union(Sides<'q>),
    Minus(Sides<'q>),
    Lateral(Lateral<'q>),
    Values {
        variables: &'q [Variable],
        rows: &'q [Vec<Option<GroundTerm>>],
    },
    Extend {
        inner: Box<Plan<'q>>,
        computed: Vec<Computed<'q>>,
    },
    Project {
        inner: Box<Plan<'q>>,
        names: Vec<String>,
    },
    Distinct(Box<Plan<'q>>),
    Sort {
        inner: Box<Plan<'q>>,
        keys: Vec<SortKey<'q>>,
    },
    Slice {
        inner: Box<Plan<'q>>,
        start: usize,
        length: Option<usize>,
    },
    Group(Box<Group<'q>>),
    /// Groups of which nothing but the number of their rows is asked.
    Count {
        counted: Counted<'q>,
        group: Box<Group<'q>>,
    },
    Path(Path<'q>),
    /// What is evaluated in each graph of a name on its own: the parameter stands for the graph.
    EachGraph {
        name: &'q NamedNodePattern,
        parameter: String,
        inner: Box<Plan<'q>>,
    },
}

/// Number of quads from which the rows of one pattern are given as they are read.
const SCANNED_MIN: u64 = 8192;

impl Plan<'_> {
    /// The variables of its rows.
    pub(in crate::sparql) fn names(&self) -> Vec<String> {
        match &self.operator {
            Operator::Project { names, .. } => names.clone(),
            Operator::Distinct(inner)
            | Operator::Sort { inner, .. }
            | Operator::Slice { inner, .. } => inner.names(),
            _ => {
                let mut names = in_scope(self.pattern);
                names.extend(self.graph.clone());
                names.into_iter().collect()
            }
        }
    }

    /// Whether it is nothing but one long scan.
    pub(in crate::sparql) fn is_long_scan(&self) -> bool {
        match &self.operator {
            Operator::Join(join) => {
                let quads = join.lone().and_then(|leaf| leaf.quads.as_ref());
                quads.is_some_and(|quads| quads.count >= SCANNED_MIN)
            }
            Operator::Project { inner, .. } => {
                matches!(inner.operator, Operator::Join(_)) && inner.is_long_scan()
            }
            _ => false,
        }
    }

    /// Whether the first row can't come before all have been seen.
    pub(in crate::sparql) fn needs_all(&self) -> bool {
        use Operator as O;
        match &self.operator {
            O::Sort { .. } | O::Group(_) | O::Count { .. } => true,
            O::Project { inner, .. }
            | O::Extend { inner, .. }
            | O::Filter { inner, .. }
            | O::Distinct(inner) => inner.needs_all(),
            _ => false,
        }
    }
}

/// Two parts, the second of which is evaluated for each row of the first.
pub(in crate::sparql) struct Lateral<'q> {
    pub(in crate::sparql) sides: Sides<'q>,
    /// The variables of the row that are parameters of the second part.
    pub(in crate::sparql) parameters: Variables,
}

/// A computed column.
pub(in crate::sparql) struct Computed<'q> {
    pub(in crate::sparql) variable: &'q Variable,
    pub(in crate::sparql) expression: &'q Expression,
    pub(in crate::sparql) look_up: LookUp,
    pub(in crate::sparql) exists: Vec<Exists<'q>>,
}

/// A key of ORDER BY.
pub(in crate::sparql) struct SortKey<'q> {
    pub(in crate::sparql) key: &'q OrderExpression,
    pub(in crate::sparql) exists: Vec<Exists<'q>>,
}

/// A property path in a graph.
pub(in crate::sparql) struct Path<'q> {
    pub(in crate::sparql) subject: &'q TermPattern,
    pub(in crate::sparql) path: &'q PropertyPathExpression,
    pub(in crate::sparql) object: &'q TermPattern,
    pub(in crate::sparql) graph: GraphOf,
}

/// A filter of the rows of an operator.
pub(in crate::sparql) struct Filter<'q> {
    pub(in crate::sparql) number: usize,
    pub(in crate::sparql) expression: &'q Expression,
    /// The variables that it names, those inside of EXISTS left out.
    pub(in crate::sparql) variables: Variables,
    /// All variables that it looks at, the one of its graph included.
    pub(in crate::sparql) names: Variables,
    /// Whether ids mostly decide it.
    pub(in crate::sparql) is_by_ids: bool,
    pub(in crate::sparql) exists: Vec<Exists<'q>>,
}

impl<'q> Filter<'q> {
    /// A filter without EXISTS.
    pub(in crate::sparql) fn plain(number: usize, expression: &'q Expression) -> Filter<'q> {
        let mut variables = Variables::new();
        of_expression(expression, &mut variables);
        let (names, is_by_ids) = (variables.clone(), is_by_ids(expression));
        Filter { number, expression, variables, names, is_by_ids, exists: Vec::new() }
    }

    /// The plan of an EXISTS of the expression.
    pub(in crate::sparql) fn exists(&self, pattern: &GraphPattern) -> Option<&Exists<'q>> {
        self.exists.iter().find(|exists| std::ptr::eq(exists.pattern, pattern))
    }
}

/// An EXISTS: whether a row has a partner among the solutions of a pattern.
pub(in crate::sparql) struct Exists<'q> {
    /// The pattern, as the expression has it.
    pub(in crate::sparql) pattern: &'q GraphPattern,
    /// What the solutions are of: the pattern, or what its own filter is of that sees the row too.
    pub(in crate::sparql) inner: Plan<'q>,
    /// The filter of a row together with a solution.
    pub(in crate::sparql) filter: Option<Box<Filter<'q>>>,
    /// The variable of the graph that it is in.
    pub(in crate::sparql) graph: Option<String>,
    /// The variables of the row that are parameters of the pattern, where it is evaluated for
    /// each of their values; none where once does for all rows.
    pub(in crate::sparql) parameters: Option<Variables>,
}

/// What is joined. The patterns and the parts that come early are joined in the order that the run
/// finds best.
#[derive(Default)]
pub(in crate::sparql) struct Join<'q> {
    pub(in crate::sparql) patterns: Vec<Leaf<'q>>,
    /// Parts that are made before: they are small, or nothing could make them smaller.
    pub(in crate::sparql) early: Vec<Plan<'q>>,
    /// Parts that are made when the rows of the patterns are there, whose values make them smaller.
    pub(in crate::sparql) late: Vec<Plan<'q>>,
    pub(in crate::sparql) filters: Vec<Filter<'q>>,
}

/// A triple pattern of a join.
pub(in crate::sparql) struct Leaf<'q> {
    pub(in crate::sparql) number: usize,
    pub(in crate::sparql) triple: &'q TriplePattern,
    /// None where a constant of it isn't in the store: it has no solution.
    pub(in crate::sparql) quads: Option<QuadPattern>,
}

impl<'q> Join<'q> {
    /// The pattern that is all of it.
    pub(in crate::sparql) fn lone(&self) -> Option<&Leaf<'q>> {
        let is_lone = self.early.is_empty() && self.late.is_empty() && self.filters.is_empty();
        match &self.patterns[..] {
            [leaf] if is_lone => Some(leaf),
            _ => None,
        }
    }

    /// Whether a pattern of it can't have a solution.
    pub(in crate::sparql) fn is_void(&self) -> bool {
        self.patterns.iter().any(|leaf| leaf.quads.is_none())
    }
}

/// Groups of rows.
pub(in crate::sparql) struct Group<'q> {
    /// What is grouped; none of rows that are counted without being made, and where the index has
    /// the count.
    pub(in crate::sparql) inner: Option<Box<Plan<'q>>>,
    pub(in crate::sparql) variables: &'q [Variable],
    pub(in crate::sparql) aggregates: &'q [(Variable, AggregateExpression)],
    /// The EXISTS of each aggregate's expression.
    pub(in crate::sparql) exists: Vec<Vec<Exists<'q>>>,
    /// The columns that are asked for.
    pub(in crate::sparql) wanted: Variables,
    /// The variables of a row that a user sees: distinct rows are counted by them.
    pub(in crate::sparql) row: Variables,
    /// Where an index may have the counts.
    pub(in crate::sparql) index: Option<IndexCounts>,
}

/// Counts of the quads of a pattern, which the view may have.
pub(in crate::sparql) struct IndexCounts {
    pub(in crate::sparql) pattern: QuadPattern,
    pub(in crate::sparql) wanted: Vec<Wanted>,
}

/// What is counted of a group.
pub(in crate::sparql) enum Wanted {
    /// Its quads.
    Quads,
    /// The distinct ids at a place.
    Ids(Role),
}

impl Group<'_> {
    /// The names of the columns that it gives.
    pub(in crate::sparql) fn names(&self) -> Vec<String> {
        let results = self.aggregates.iter().map(|(variable, _)| variable);
        self.variables.iter().chain(results).map(|name| name.as_str().to_owned()).collect()
    }
}

/// Rows to be counted.
pub(in crate::sparql) struct Counted<'p> {
    /// Its number among the operators of the plan.
    pub(in crate::sparql) number: usize,
    pub(in crate::sparql) of: Source<'p>,
    pub(in crate::sparql) factors: Vec<Rc<Factor<'p>>>,
}

pub(in crate::sparql) enum Source<'p> {
    /// The quads of a pattern that pass filters, times the factors.
    Quads(QuadPattern, Vec<Rc<Filter<'p>>>),
    /// The rows of all of these, which have the factors themselves.
    Sum(Vec<Counted<'p>>),
}

/// What rows are multiplied by: the number of rows that others have, for a key or in all.
pub(in crate::sparql) struct Factor<'p> {
    pub(in crate::sparql) key: Option<String>,
    pub(in crate::sparql) rows: Counted<'p>,
    pub(in crate::sparql) times: Times,
}

impl Counted<'_> {
    /// Number of quads that are scanned, about.
    pub(in crate::sparql) fn row_count(&self) -> u64 {
        let own = match &self.of {
            Source::Quads(pattern, _) => pattern.count,
            Source::Sum(parts) => parts.iter().map(Counted::row_count).sum(),
        };
        self.factors.iter().fold(own, |sum, factor| sum.saturating_add(factor.rows.row_count()))
    }

    /// Number of rows that the part with the fewest has, of those that all have to agree with.
    pub(super) fn least(&self) -> u64 {
        let own = match &self.of {
            Source::Quads(pattern, _) => pattern.count,
            Source::Sum(parts) => parts.iter().map(Counted::least).sum(),
        };
        let is_needed = |factor: &&Rc<Factor<'_>>| factor.times == Times::Each;
        let others = self.factors.iter().filter(is_needed).map(|factor| factor.rows.least());
        others.fold(own, u64::min)
    }
}

/// Whether a filter compares variables and constants, so that ids mostly decide it: there is
/// nothing to be gained from having all rows at once.
pub(in crate::sparql) fn is_by_ids(filter: &Expression) -> bool {
    use Expression as E;
    let is_plain =
        |side: &Expression| matches!(side, E::Variable(_) | E::NamedNode(_) | E::Literal(_));
    match filter {
        E::And(left, right) | E::Or(left, right) => is_by_ids(left) && is_by_ids(right),
        E::Not(inner) => is_by_ids(inner),
        E::Bound(_) => true,
        E::FunctionCall(
            Function::IsIri | Function::IsBlank | Function::IsLiteral | Function::IsTriple,
            of,
        ) => matches!(of[..], [E::Variable(_)]),
        E::SameTerm(left, right)
        | E::Equal(left, right)
        | E::Less(left, right)
        | E::LessOrEqual(left, right)
        | E::Greater(left, right)
        | E::GreaterOrEqual(left, right) => is_plain(left) && is_plain(right),
        _ => false,
    }
}
