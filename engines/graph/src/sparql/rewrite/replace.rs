//! REPLACE of a pattern that matches the empty text is an error, as XPath's fn:replace says; and so
//! is a pattern that is no regex, once for all rows.
//!
//! Faults: of spareval 0.2.9, which puts the replacement between all characters, and compiles for
//! each row what can't be compiled.

use oxrdf::Literal;
use spargebra::algebra::{Expression, Function};

use super::functions::{Uses, call};
use super::walk::Rewrite;
use crate::sparql::regexes::{is_no_regex, matches_nothing, regex};

/// A function that has no value.
const ERROR: &str = " error";

pub(in crate::sparql) struct Replace<'u> {
    pub(in crate::sparql) uses: &'u mut Uses,
}

impl Rewrite for Replace<'_> {
    fn expression(&mut self, expression: Expression) -> Expression {
        let Expression::FunctionCall(function @ (Function::Regex | Function::Replace), mut list) =
            expression
        else {
            return expression;
        };
        let flags = if function == Function::Regex { 2 } else { 3 };
        if list.get(1).is_some_and(|pattern| is_no_regex(pattern, list.get(flags))) {
            return call(self.uses, ERROR, Vec::new());
        }
        if function == Function::Regex {
            return Expression::FunctionCall(function, list);
        }
        let [_, pattern, _, ..] = &list[..] else {
            return Expression::FunctionCall(Function::Replace, list);
        };
        let is_literal = |one: &Expression| matches!(one, Expression::Literal(_));
        if is_literal(pattern) && list.get(3).is_none_or(is_literal) {
            return match regex(pattern, list.get(3)) {
                Some(regex) if matches_nothing(&regex) => call(self.uses, ERROR, Vec::new()),
                _ => Expression::FunctionCall(Function::Replace, list),
            };
        }
        let mut tested = vec![Literal::new_simple_literal("").into(), pattern.clone()];
        tested.extend(list.get(3).cloned());
        let test = Expression::FunctionCall(Function::Regex, tested);
        let error = call(self.uses, ERROR, Vec::new());
        let text = list.remove(0);
        list.insert(0, Expression::If(Box::new(test), Box::new(error), Box::new(text)));
        Expression::FunctionCall(Function::Replace, list)
    }
}

#[cfg(test)]
mod tests {
    use spargebra::SparqlParser;

    use super::*;
    use crate::sparql::rewrite::walk::rewrite;

    #[test]
    fn what_is_no_regex_is_an_error_before_any_row() {
        for (expression, is_error) in [
            ("REGEX(?o, \"(\")", true),
            ("REGEX(?o, \"a\", \"y\")", true),
            ("REPLACE(?o, \"(\", \"b\")", true),
            ("REPLACE(?o, \"a*\", \"b\")", true),
            ("REGEX(?o, \"(a)\", \"i\")", false),
            ("REGEX(?o, ?o)", false),
            ("REPLACE(?o, \"a\", \"b\")", false),
        ] {
            let text = format!("SELECT * {{ ?s ?p ?o FILTER({expression}) }}");
            let query = SparqlParser::new().parse_query(&text).expect("a query");
            let spargebra::Query::Select { pattern, .. } = query else { panic!("{text}") };
            let mut uses = Uses::new();
            rewrite(pattern, &mut Replace { uses: &mut uses });
            assert_eq!(uses.contains(ERROR), is_error, "{expression}");
        }
    }
}
