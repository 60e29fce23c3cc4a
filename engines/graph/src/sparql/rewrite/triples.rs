//! Triple terms with variables inside: what is there is bound to a variable, which is taken apart.
//! One without variables is a constant like others.
//!
//! `?r rdf:reifies <<( ?s :p ?o )>>` becomes `?r rdf:reifies ?t`, of whose solutions those
//! stay where `?t` is a triple term with the predicate `:p`, with `?s` and `?o` as its subject and
//! object.

use oxrdf::{NamedOrBlankNode, Term, Triple, Variable};
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::variables::{Fresh, Variables, in_scope};
use super::walk::Rewrite;

/// The term that a place of a pattern has; none if there is a variable or a blank node, be it
/// inside.
pub(in crate::sparql) fn constant(term: &TermPattern) -> Option<Term> {
    Some(match term {
        TermPattern::NamedNode(node) => node.clone().into(),
        TermPattern::Literal(literal) => literal.clone().into(),
        TermPattern::Triple(triple) => {
            let NamedNodePattern::NamedNode(predicate) = triple.predicate.clone() else {
                return None;
            };
            let subject = NamedOrBlankNode::try_from(constant(&triple.subject)?).ok()?;
            Triple { subject, predicate, object: constant(&triple.object)? }.into()
        }
        TermPattern::Variable(_) | TermPattern::BlankNode(_) => return None,
    })
}

/// Takes triple terms with variables apart.
pub(in crate::sparql) struct Triples<'f> {
    pub(in crate::sparql) fresh: &'f mut Fresh,
}

impl Rewrite for Triples<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Bgp { patterns } if patterns.iter().any(has_open) => {
                let (open, plain): (Vec<_>, Vec<_>) = patterns.into_iter().partition(has_open);
                let mut parts: Vec<GraphPattern> =
                    open.into_iter().map(|triple| self.opened(triple)).collect();
                if !plain.is_empty() {
                    parts.push(GraphPattern::Bgp { patterns: plain });
                }
                let join = |left, right| GraphPattern::Join {
                    left: Box::new(left),
                    right: Box::new(right),
                };
                parts.into_iter().reduce(join).unwrap_or_default()
            }
            GraphPattern::Path { mut subject, path, mut object } => {
                let ends = [&mut subject, &mut object];
                let open: Vec<_> = ends.into_iter().filter_map(|end| self.taken(end)).collect();
                self.apart(GraphPattern::Path { subject, path, object }, open)
            }
            other => other,
        }
    }
}

fn is_open(term: &TermPattern) -> bool {
    matches!(term, TermPattern::Triple(_)) && constant(term).is_none()
}

fn has_open(triple: &TriplePattern) -> bool {
    is_open(&triple.subject) || is_open(&triple.object)
}

/// A variable, and the triple term that it is bound to.
type Open = (Variable, TriplePattern);

impl Triples<'_> {
    fn opened(&mut self, mut triple: TriplePattern) -> GraphPattern {
        let ends = [&mut triple.subject, &mut triple.object];
        let open: Vec<_> = ends.into_iter().filter_map(|end| self.taken(end)).collect();
        self.apart(GraphPattern::Bgp { patterns: vec![triple] }, open)
    }

    /// Puts a variable in place of a triple term with variables.
    fn taken(&mut self, term: &mut TermPattern) -> Option<Open> {
        if !is_open(term) {
            return None;
        }
        let variable = self.fresh.next("triple");
        match std::mem::replace(term, TermPattern::Variable(variable.clone())) {
            TermPattern::Triple(triple) => Some((variable, *triple)),
            _ => unreachable!("a triple term alone is open"),
        }
    }

    /// A pattern whose variables are to be triple terms.
    fn apart(&mut self, pattern: GraphPattern, open: Vec<Open>) -> GraphPattern {
        let mut bound = in_scope(&pattern);
        open.into_iter().fold(pattern, |pattern, (variable, triple)| {
            self.parts(pattern, &variable, triple, &mut bound)
        })
    }

    fn parts(
        &mut self,
        pattern: GraphPattern,
        variable: &Variable,
        triple: TriplePattern,
        bound: &mut Variables,
    ) -> GraphPattern {
        let of = |function| {
            Expression::FunctionCall(function, vec![Expression::Variable(variable.clone())])
        };
        let expr = of(Function::IsTriple);
        let pattern = GraphPattern::Filter { expr, inner: Box::new(pattern) };
        let predicate = match triple.predicate {
            NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
            NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
        };
        let parts = [
            (Function::Subject, triple.subject),
            (Function::Predicate, predicate),
            (Function::Object, triple.object),
        ];
        parts.into_iter().fold(pattern, |inner, (function, part)| {
            let extended = |inner, variable: &Variable| GraphPattern::Extend {
                inner: Box::new(inner),
                variable: variable.clone(),
                expression: of(function),
            };
            match part {
                TermPattern::Variable(own) if bound.insert(own.as_str().to_owned()) => {
                    extended(inner, &own)
                }
                TermPattern::Triple(triple) => {
                    let own = self.fresh.next("triple");
                    let inner = extended(inner, &own);
                    self.parts(inner, &own, *triple, bound)
                }
                TermPattern::BlankNode(_) => unreachable!("blank nodes became variables"),
                other => {
                    let own = self.fresh.next("part");
                    let same = match other {
                        TermPattern::NamedNode(node) => node.into(),
                        TermPattern::Literal(literal) => literal.into(),
                        TermPattern::Variable(other) => other.into(),
                        TermPattern::Triple(_) | TermPattern::BlankNode(_) => {
                            unreachable!("they have arms of their own")
                        }
                    };
                    let inner = Box::new(extended(inner, &own));
                    let expr = Expression::SameTerm(Box::new(own.into()), Box::new(same));
                    GraphPattern::Filter { expr, inner }
                }
            }
        })
    }
}
