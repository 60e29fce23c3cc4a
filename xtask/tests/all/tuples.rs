//! The parts of a parameter have names: those of a struct's fields, or of parameters of their own.
//! A caller of `f((3, 4))` says nothing about either number.
//!
//! Read without a parser: after each `fn` and its name, the list in parentheses. Lists of pairs and
//! what closures take are not held to it.

use xtask::{blank_comments_and_strings, expect_none, files, text};

/// The rooms where it holds.
const ROOMS: &[&str] = &["core/", "formats/", "io/", "engines/", "faces/"];

/// Whether a file is product code.
fn is_held(name: &str) -> bool {
    let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
    ROOMS.iter().any(|room| name.starts_with(room)) && name.ends_with(".rs") && !is_test
}

/// The source up to the module of its unit tests. Single items of tests may come before.
fn without_test_module(source: &str) -> &str {
    let is_module = |at: &usize| {
        let next = source[*at..].lines().nth(1).unwrap_or_default();
        next.contains("mod ") && next.ends_with('{')
    };
    let mut tests = source.match_indices("#[cfg(test)]").map(|(at, _)| at);
    tests.find(is_module).map_or(source, |at| &source[..at])
}

/// Length of what lies before the comma or the closing bracket that belongs to none of the brackets
/// in it.
fn part_len(code: &str) -> usize {
    let (mut depth, mut before) = (0, ' ');
    for (at, char) in code.char_indices() {
        match char {
            // Of an arrow it is no bracket.
            '>' if before == '-' => {}
            ',' | ')' | ']' | '}' | '>' if depth == 0 => return at,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        before = char;
    }
    code.len()
}

/// Parts between commas, up to the closing bracket.
fn parts(mut code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    loop {
        let (part, rest) = code.split_at(part_len(code));
        parts.extend(Some(part.trim()).filter(|part| !part.is_empty()));
        match rest.strip_prefix(',') {
            Some(rest) => code = rest,
            None => return parts,
        }
    }
}

/// The parameters of a function, from the text after its `fn`; none if it isn't one with a name.
fn parameters(code: &str) -> Vec<&str> {
    let code = code.trim_start_matches(|char: char| char.is_alphanumeric() || char == '_');
    let list = match code.strip_prefix('<') {
        // Its generics may have commas.
        Some(mut rest) => loop {
            rest = &rest[part_len(rest)..];
            match rest.strip_prefix(',') {
                Some(next) => rest = next,
                None => break rest.strip_prefix('>').unwrap_or_default(),
            }
        },
        None => code,
    };
    list.strip_prefix('(').map(parts).unwrap_or_default()
}

/// Whether a type is a tuple: by itself, behind a reference, or as what an `Option` holds.
fn is_tuple(kind: &str) -> bool {
    let mut kind = kind.trim();
    while let Some(inner) = kind
        .strip_prefix("Option<")
        .or_else(|| kind.strip_prefix('&'))
        .or_else(|| kind.strip_prefix("mut "))
        .or_else(|| {
            kind.strip_prefix('\'').and_then(|rest| rest.split_once(' ')).map(|pair| pair.1)
        })
    {
        kind = inner.trim_start();
    }
    kind.strip_prefix('(').is_some_and(|inner| parts(inner).len() > 1)
}

/// The tuples among the parameters of all functions, each with its line.
fn tuples(source: &str) -> Vec<(usize, String)> {
    let code = blank_comments_and_strings(without_test_module(source));
    let mut tuples = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word = code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        for parameter in parameters(&code[at + 3..]).into_iter().filter(|_| !is_word) {
            if parameter.split_once(": ").is_some_and(|(_, kind)| is_tuple(kind)) {
                let line = code[..at].matches('\n').count() + 1;
                tuples.push((line, parameter.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
        }
    }
    tuples
}

#[test]
fn parts_of_parameters_have_names() {
    let mut faults = Vec::new();
    for name in files().iter().filter(|name| is_held(name)) {
        for (line, parameter) in tuples(&text(name).unwrap_or_default()) {
            faults.push(format!("{name}:{line}: {parameter}"));
        }
    }
    expect_none("tuples as parameters: name their parts by a struct or by two parameters", &faults);
}

#[track_caller]
fn check(source: &str, want: &[&str]) {
    let found: Vec<String> = tuples(source).into_iter().map(|(_, parameter)| parameter).collect();
    assert_eq!(found, want, "{source}");
}

#[test]
fn tuples_are_found_behind_references_and_in_options() {
    check("fn f(a: u8, b: (u8, u8)) {}", &["b: (u8, u8)"]);
    check(
        "pub fn f<A, B: Fn(A) -> (u8, u8)>(\n    a: &'a mut (A, B),\n) {}",
        &["a: &'a mut (A, B)"],
    );
    check("fn f(a: Option<&(u8, u8)>) {}", &["a: Option<&(u8, u8)>"]);
    check("fn f((a, b): (u8, u8)) {}", &["(a, b): (u8, u8)"]);
}

#[test]
fn lists_of_pairs_and_closures_are_none() {
    check("fn f(a: &[(u8, u8)], b: impl Fn((u8, u8)), c: ()) -> (u8, u8) {}", &[]);
    check("fn f(a: &(dyn Fn(u8, u8) + Sync)) { |a: (u8, u8)| a; }", &[]);
    check("// fn f(a: (u8, u8))\n#[cfg(test)]\nmod tests {\n    fn f(a: (u8, u8)) {}\n}", &[]);
}
