//! Queries as they are understood, and those that are refused.

use super::*;

/// A query as it was understood: atoms as their regexes, with `(?i)` before those that fold.
fn shown(query: &Query) -> String {
    fn list(parts: &[Expr], between: &str, query: &Query) -> String {
        let parts: Vec<String> = parts.iter().map(|part| show(part, query)).collect();
        format!("({})", parts.join(between))
    }
    fn show(expr: &Expr, query: &Query) -> String {
        let atom = |number: &usize| query.atoms[*number].regex.as_str();
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::All(parts) => list(parts, " & ", query),
            Expr::Any(parts) => list(parts, " | ", query),
            Expr::Not(inner) => format!("!{}", show(inner, query)),
            Expr::Content(number) => format!("c:{}", atom(number)),
            Expr::Name(number) => format!("f:{}", atom(number)),
            Expr::Symbol(number) => format!("sym:{}", atom(number)),
            Expr::Language(Language::Known(name)) => format!("lang:{name}"),
            Expr::Language(Language::Other(name)) => format!("lang:?{name}"),
            Expr::Repository(OfRepository::Name(regex)) => format!("repo:{}", regex.as_str()),
            Expr::Repository(OfRepository::Flag { key, is_set }) => format!("{key}:{is_set}"),
            Expr::Repository(OfRepository::Field { name, regex }) => {
                format!("{name}:{}", regex.as_str())
            }
            Expr::Repository(other) => format!("{other:?}"),
            Expr::Branch(text) => format!("branch:{text}"),
            Expr::Unshown(inner) => format!("name({})", show(inner, query)),
            Expr::InRepository(inner) => format!("repository({})", show(inner, query)),
        }
    }
    show(&query.expr, query)
}

#[track_caller]
fn check(text: &str, want: &str) {
    assert_eq!(shown(&parse(text).expect(text)), want, "{text}");
}

#[track_caller]
fn check_error(text: &str, at: usize, what: &str) {
    let error = parse(text).expect_err(text);
    assert!(error.at == at && error.what.contains(what), "{text}: {error}");
}

#[test]
fn words_side_by_side_are_all_wanted() {
    check("c:a c:b", "(c:a & c:b)");
    check("c:a c:b or c:c c:d", "((c:a & c:b) | (c:c & c:d))");
    check("c:a (c:b or c:c)", "(c:a & (c:b | c:c))");
    check("c:a and", "(c:a & (f:and | c:and))");
}

#[test]
fn a_word_without_a_prefix_may_be_in_the_name() {
    check("ab", "(f:ab | c:ab)");
    check("regex:ab", "(f:ab | c:ab)");
    check("x:ab", "(f:x:ab | c:x:ab)");
}

#[test]
fn minus_negates_what_follows() {
    check("-c:a", "!c:a");
    check("c:a -(c:b or c:c)", "(c:a & !(c:b | c:c))");
    check("c:a-b", "c:a\\-b");
}

#[test]
fn parentheses_without_blanks_belong_to_the_regex() {
    check("c:(a|b)c", "c:(?:a|b)c");
    check("(a|b)", "(f:(?:a|b) | c:(?:a|b))");
    check("(c:a c:b)", "(c:a & c:b)");
    check("c:x(a b)", "c:x(?:a b)");
    check("()", "true");
    check("( )", "true");
}

#[test]
fn quotes_keep_blanks_and_take_backslashes() {
    check("c:\"a b\"", "c:a b");
    check("c:\"a\\\\.b\"", "c:a\\.b");
    check("c:a\\ b", "c:a b");
    check("\"c:a\"", "(f:c:a | c:c:a)");
    check("\"or\" c:a", "((f:or | c:or) & c:a)");
}

#[test]
fn case_holds_for_its_list() {
    let folds = |text: &str| -> Vec<bool> {
        let query = parse(text).expect(text);
        query.atoms.iter().map(|atom| atom.regex.is_match(b"AB")).collect()
    };
    assert_eq!(folds("c:ab"), [true]);
    assert_eq!(folds("c:Ab"), [false]);
    assert_eq!(folds("c:ab case:yes"), [false]);
    assert_eq!(folds("c:Ab case:no"), [true]);
    assert_eq!(folds("case:yes (case:no c:ab) c:ab"), [true, false]);
    assert_eq!(folds("case:yes (c:ab c:ab)"), [false, false]);
    assert_eq!(folds("c:ab case:no case:yes"), [false]);
}

#[test]
fn filters_and_constants() {
    check("lang:Go c:a", "(lang:Go & c:a)");
    check("lang:golang c:a", "(lang:Go & c:a)");
    check("lang:wolfram lang:mathematica", "(lang:Mathematica & lang:Mathematica)");
    check("lang:\"No Such\"", "lang:?no_such");
    check("sym:a", "sym:a");
    check("b:main c:a branch:", "(branch:main & c:a)");
    check("archived:yes fork:no", "(archived:true & fork:false)");
    check("meta.team:^l", "team:^l");
    check("lang: c:a", "false");
    check("r:^k c:a", "(repo:^k & c:a)");
    check("file:", "true");
    check("-file:", "false");
    check("c:a or file:", "true");
}

#[test]
fn types_wrap_their_list_and_the_lowest_wins() {
    check("type:file c:a", "name(c:a)");
    check("c:a t:filename c:b", "name((c:a & c:b))");
    check("c:a type:repo", "repository(c:a)");
    check("type:repo type:file c:a", "name(c:a)");
    check("type:file type:filematch c:a", "c:a");
    check("c:a (c:b type:repo)", "(c:a & repository(c:b))");
    check("type:file file:", "true");
    check("-(type:repo c:a)", "!repository(c:a)");
}

#[test]
fn errors_say_where() {
    check_error("", 0, "asks for nothing");
    check_error("a or", 2, "behind");
    check_error("or", 0, "before");
    check_error("a -", 2, "behind");
    check_error("a (b c", 2, "not closed");
    check_error("(a", 0, "not closed");
    check_error("a)", 1, "closes nothing");
    check_error("a \"b", 2, "not closed");
    check_error("a\nb", 1, "one line");
    check_error("a case:maybe", 2, "yes, no or auto");
    check_error("a sym:", 2, "needs the name of a symbol");
    check_error("a type:nope", 2, "filename, file, filematch or repo");
    check_error("a fork:maybe", 2, "fork: takes yes or no");
    check_error("a meta.x:b[", 10, "not closed");
    check_error("a x{1001}", 3, "1000");
    check_error("a b[", 3, "not closed");
    check_error("a b\\", 3, "backslash");
}

#[test]
fn nesting_has_a_limit() {
    let minus = |count: usize| format!("{}a", "-".repeat(count));
    let groups = |count: usize| format!("{}a b{}", "(".repeat(count), ")".repeat(count));
    assert!(parse(&minus(DEPTH_MAX)).is_ok() && parse(&groups(DEPTH_MAX)).is_ok());
    for deep in [minus(101), minus(65_000), groups(101), groups(30_000)] {
        check_error(&deep, 101, "nest deeper than 100");
    }
    check_error(&"-(".repeat(30_000), 1, "not closed");
    let mixed = format!("{}a b{}", "-(".repeat(30_000), ")".repeat(30_000));
    check_error(&mixed, 101, "nest deeper than 100");
}

#[test]
fn a_wrong_regex_is_shown_as_it_was_written() {
    let whole = |text: &str| parse(text).expect_err(text).to_string();
    for (text, want) in [
        ("a c:x\\p{Nosuch}y", "query, at byte 5: `\\p{Nosuch}`: Unicode property not found"),
        (
            "c:\"a b\"[z-a]",
            "query, at byte 8: `z-a`: invalid character class range, the start must be <= the end",
        ),
        ("c:é\\d(a*", "query, at byte 6: this parenthesis is not closed"),
        ("r:a\\pX", "query, at byte 3: `\\pX`: Unicode property not found"),
        ("c:a(?P<n", "query, at byte 3: this parenthesis is not closed"),
        ("c:a**", "query, at byte 4: `*` repeats a repeat; put it in parentheses"),
        ("c:ab|+", "query, at byte 5: `+` has nothing to repeat"),
        (
            "c:(\\pL{1000}){1000}",
            "query, at byte 2: with this regex the query takes more than 600000 states",
        ),
    ] {
        assert_eq!(whole(text), want, "{text}");
    }
    let many = "\\pL{60} ".repeat(1000);
    assert!(whole(&many).ends_with("takes more than 600000 states"), "{}", whole(&many));
    let deep = format!("c:x{}a{}", "(".repeat(300), ")".repeat(300));
    assert_eq!(whole(&deep), "query, at byte 252: groups and repeats nest deeper than 250");
    let long = format!("c:a{{{}}}", "7".repeat(60_000));
    assert!(whole(&long).len() < 200, "{}", whole(&long));
}

#[test]
fn nothing_is_needed_of_what_stands_for_bad_bytes() {
    let need = |text: &str| parse(text).expect(text).atoms[0].need.to_string();
    assert_eq!(need("case:yes c:caf\u{fffd}xyz"), "\"caf\" & \"xyz\"");
    assert_eq!(need("case:yes c:日本"), "\"日本\"");
    assert_eq!(need("case:yes c:[^a]xyz"), "\"xyz\"");
}
