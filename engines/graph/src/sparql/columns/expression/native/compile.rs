//! Expressions as nodes: those of one variable whose functions are all known here.

use std::cmp::Ordering;

use memchr::memmem::Finder;
use oxrdf::vocab::xsd;
use oxrdf::{Literal, Term};
use spargebra::algebra::{Expression, Function};

use super::node::{Arithmetic, Cast, Compare, Kind, Node, Search};
use super::value::Value;
use crate::sparql::regexes::{is_no_regex, matches_nothing, regex};

/// Id of constants, which are no blank nodes: those alone have it looked at.
const NO_ID: u64 = 0;

/// The node of an expression of one variable, other variables being unbound; none if a function
/// isn't known here.
pub(in crate::sparql) fn compile(expression: &Expression, variable: &str) -> Option<Node> {
    use Expression as E;
    let inner = |expression: &Expression| compile(expression, variable).map(Box::new);
    let all = |list: &[Expression]| -> Option<Vec<Node>> {
        list.iter().map(|one| compile(one, variable)).collect()
    };
    let ordered = |one: &Expression, other: &Expression, is: fn(Ordering) -> bool| {
        Some(Node::Compare(Compare::Order(is), inner(one)?, inner(other)?))
    };
    let integers = |by, one: &Expression, other: &Expression| {
        let (one, other) = (compile(one, variable)?, compile(other, variable)?);
        let are_integers = is_integer(&one) && is_integer(&other);
        are_integers.then(|| Node::Arithmetic(by, Box::new(one), Box::new(other)))
    };
    Some(match expression {
        E::Variable(own) if own.as_str() == variable => Node::Variable,
        E::Variable(_) => Node::Error,
        E::Bound(own) if own.as_str() == variable => Node::Bound,
        E::Bound(_) => constant(&Literal::from(false).into()),
        E::NamedNode(node) => constant(&node.clone().into()),
        E::Literal(literal) => constant(&literal.clone().into()),
        E::And(one, other) => Node::And(inner(one)?, inner(other)?),
        E::Or(one, other) => Node::Or(inner(one)?, inner(other)?),
        E::Not(one) => Node::Not(inner(one)?),
        E::Equal(one, other) => Node::Compare(Compare::Equal, inner(one)?, inner(other)?),
        E::Less(one, other) => ordered(one, other, Ordering::is_lt)?,
        E::LessOrEqual(one, other) => ordered(one, other, Ordering::is_le)?,
        E::Greater(one, other) => ordered(one, other, Ordering::is_gt)?,
        E::GreaterOrEqual(one, other) => ordered(one, other, Ordering::is_ge)?,
        E::In(one, list) if !list.is_empty() => Node::In(inner(one)?, all(list)?),
        E::Add(one, other) => integers(Arithmetic::Add, one, other)?,
        E::Subtract(one, other) => integers(Arithmetic::Subtract, one, other)?,
        E::Multiply(one, other) => integers(Arithmetic::Multiply, one, other)?,
        E::If(test, yes, no) => Node::If(inner(test)?, inner(yes)?, inner(no)?),
        E::Coalesce(list) => Node::Coalesce(all(list)?),
        E::FunctionCall(function, arguments) => match (field_of(function), &arguments[..]) {
            (Some(place), [argument]) => match as_time(argument) {
                Some(date) => Node::Field(place, inner(date)?, true),
                None => Node::Field(place, inner(argument)?, false),
            },
            _ => called(function, arguments, all(arguments)?)?,
        },
        _ => return None,
    })
}

fn constant(term: &Term) -> Node {
    Node::Constant(Value::of_term(NO_ID, term), term.clone())
}

/// Whether a node gives integers, if anything.
fn is_integer(node: &Node) -> bool {
    matches!(
        node,
        Node::Constant(Value::Integer(_), _)
            | Node::StrLen(_)
            | Node::Field(..)
            | Node::Arithmetic(..)
            | Node::Cast(Cast::Integer, _)
    )
}

/// The place of the field of a date that a function gives.
fn field_of(function: &Function) -> Option<usize> {
    use Function as F;
    let all = [F::Year, F::Month, F::Day, F::Hours, F::Minutes];
    all.iter().position(|one| one == function)
}

/// What a date with a time is made of.
fn as_time(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::FunctionCall(Function::Custom(name), arguments) if *name == xsd::DATE_TIME => {
            arguments.first().filter(|_| arguments.len() == 1)
        }
        _ => None,
    }
}

/// A function of some arguments, whose nodes are there.
fn called(function: &Function, arguments: &[Expression], nodes: Vec<Node>) -> Option<Node> {
    use Function as F;
    if let F::Concat = function {
        return Some(Node::Concat(nodes));
    }
    let count = nodes.len();
    let mut nodes = nodes.into_iter().map(Box::new);
    let mut next = || nodes.next();
    let one = next()?;
    let search = |search, text, wanted: Box<Node>| {
        let finder = match &*wanted {
            Node::Constant(Value::Text(text), _) => Some(Finder::new(text.as_bytes()).into_owned()),
            _ => None,
        };
        Node::Search(search, text, wanted, finder)
    };
    Some(match function {
        F::IsIri => Node::Is(Kind::Iri, one),
        F::IsBlank => Node::Is(Kind::Blank, one),
        F::IsLiteral => Node::Is(Kind::Literal, one),
        F::IsTriple => Node::Is(Kind::Triple, one),
        F::IsNumeric => Node::Is(Kind::Numeric, one),
        F::Subject => Node::Part(0, one),
        F::Predicate => Node::Part(1, one),
        F::Object => Node::Part(2, one),
        // What STR and DATATYPE give of the parts of an IF is another rule's business.
        F::Str | F::Datatype if matches!(*one, Node::If(..) | Node::Constant(..)) => return None,
        F::Str => Node::Str(one),
        F::Datatype => Node::Datatype(one),
        F::Lang => Node::Lang(one),
        F::LangMatches => Node::LangMatches(one, next()?),
        F::StrLen => Node::StrLen(one),
        F::UCase => Node::Upper(one),
        F::LCase => Node::Lower(one),
        F::Contains => search(Search::Contains, one, next()?),
        F::StrStarts => search(Search::Starts, one, next()?),
        F::StrEnds => search(Search::Ends, one, next()?),
        F::StrBefore => search(Search::Before, one, next()?),
        F::StrAfter => search(Search::After, one, next()?),
        F::SubStr => Node::Substring(one, next()?, next()),
        F::Regex if is_no_regex(&arguments[1], arguments.get(2)) => Node::Error,
        F::Regex => Node::Regex(one, regex(&arguments[1], arguments.get(2))?),
        F::Replace if is_no_regex(&arguments[1], arguments.get(3)) => Node::Error,
        F::Replace => {
            let regex = regex(&arguments[1], arguments.get(3))?;
            if matches_nothing(&regex) {
                return Some(Node::Error);
            }
            next()?;
            Node::Replace(one, regex, next()?)
        }
        F::Custom(name) if count == 1 && *name == xsd::INTEGER => Node::Cast(Cast::Integer, one),
        F::Custom(name) if count == 1 && *name == xsd::STRING => Node::Cast(Cast::Text, one),
        _ => return None,
    })
}
