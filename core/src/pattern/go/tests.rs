//! Tests of Go's expressions. The table of real Go's answers is read in engines/series.

use super::*;

fn describe(expression: &str) -> String {
    match Regex::new(expression) {
        Err(error) => error.to_string(),
        Ok(regex) => match regex.accepts() {
            Accepts::Everything => "everything".to_owned(),
            Accepts::NonEmpty => "non-empty".to_owned(),
            Accepts::Values(values) => {
                let values = values.iter().map(|v| v.escape_ascii().to_string());
                format!("= {}", values.collect::<Vec<_>>().join(" "))
            }
            Accepts::Prefix(prefix) => format!("{}...", prefix.escape_ascii()),
            Accepts::Some { prefix } => format!("some {}", prefix.escape_ascii()),
        },
    }
}

#[track_caller]
fn check(expression: &str, want: &str) {
    assert_eq!(describe(expression), want, "{expression}");
}

#[test]
fn a_few_values_are_told() {
    check("foo", "= foo");
    check("b|a|b", "= a b");
    check("api-(1|2|3)", "= api-1 api-2 api-3");
    check("foo(bar)?", "= foo foobar");
    check("^(foo|bar)$", "= bar foo");
    check("^foo|bar$", "= bar foo");
    check("a{2,3}", "= aa aaa");
    check("", "= ");
    check("(?i)a-1", "= A-1 a-1");
    check("\\x{D800}", "= ");
}

#[test]
fn anchors_inside_of_a_value_are_left_to_the_automaton() {
    check("a$b", "some ab");
    check("(^a)*", "some ");
}
