//! Kinds of symbols: how much the declaration of each is worth, language by language.

/// Factors of a language, for groups of kinds.
type Factors = &'static [(&'static [&'static str], f64)];

const CLASS: &[&str] = &["class", "classes"];
const STRUCT: &[&str] = &["struct"];
const ENUM: &[&str] = &["enum"];
const INTERFACE: &[&str] = &["interface"];
const TYPE: &[&str] = &["type"];
const FUNCTION: &[&str] = &["function", "func"];
const METHOD: &[&str] = &["method"];
const FIELD: &[&str] = &["field", "member"];
const CONSTANT: &[&str] = &["constant", "const"];
const VARIABLE: &[&str] = &["var", "variable"];
const ALIAS: &[&str] = &["alias"];
const TYPE_ALIAS: &[&str] = &["typealias", "talias", "typdef"];
const ENUM_CONSTANT: &[&str] = &["enumerator", "enumconstant", "enummember"];
const ACCESSOR: &[&str] = &["accessor", "setter", "getter"];

/// Those of any language, but for what the language's own say.
const ANY: Factors = &[
    (CLASS, 10.0),
    (STRUCT, 9.5),
    (ENUM, 9.0),
    (INTERFACE, 8.0),
    (TYPE, 8.0),
    (FUNCTION, 7.0),
    (METHOD, 7.0),
    (FIELD, 5.5),
    (CONSTANT, 5.0),
    (VARIABLE, 4.0),
];

/// Any other kind's.
const OTHER: f64 = 1.0;

fn of_language(language: &str) -> Factors {
    match language {
        "Java" => &[
            (CLASS, 10.0),
            (ENUM, 9.0),
            (INTERFACE, 8.0),
            (METHOD, 7.0),
            (FIELD, 6.0),
            (ENUM_CONSTANT, 5.0),
        ],
        "Kotlin" => &[
            (CLASS, 10.0),
            (INTERFACE, 9.0),
            (METHOD, 8.0),
            (TYPE_ALIAS, 7.0),
            (CONSTANT, 6.0),
            (VARIABLE, 5.0),
        ],
        "Go" => &[
            (INTERFACE, 10.0),
            (TYPE, 9.0),
            (STRUCT, 9.0),
            (TYPE_ALIAS, 9.0),
            (FUNCTION, 8.0),
            (METHOD, 8.0),
            (FIELD, 7.0),
            (CONSTANT, 6.0),
            (VARIABLE, 5.0),
        ],
        "C++" => &[
            (CLASS, 10.0),
            (ENUM, 9.0),
            (FUNCTION, 8.0),
            (STRUCT, 7.0),
            (&["union"], 6.0),
            (TYPE_ALIAS, 5.0),
            (FIELD, 4.0),
            (VARIABLE, 3.0),
        ],
        "Scala" => &[
            (CLASS, 10.0),
            (INTERFACE, 9.0),
            (&["object"], 8.0),
            (FUNCTION, 7.0),
            (TYPE, 6.0),
            (VARIABLE, 5.0),
            (&["package"], 4.0),
        ],
        "Python" => &[
            (CLASS, 10.0),
            (FUNCTION, 8.0),
            (METHOD, 8.0),
            (FIELD, 4.0),
            (VARIABLE, 3.0),
            (&["local"], 2.0),
        ],
        "Ruby" => &[
            (CLASS, 10.0),
            (METHOD, 9.0),
            (ALIAS, 8.0),
            (&["module"], 7.0),
            (&["singletonmethod"], 6.0),
            (CONSTANT, 5.0),
            (ACCESSOR, 4.0),
        ],
        "PHP" => &[
            (CLASS, 10.0),
            (INTERFACE, 9.0),
            (FUNCTION, 8.0),
            (&["trait"], 7.0),
            (&["define"], 6.0),
            (&["namespace"], 5.0),
            (ALIAS, 4.0),
            (VARIABLE, 3.0),
            (&["local"], 3.0),
        ],
        "GraphQL" => &[(TYPE, 10.0)],
        "Markdown" => &[(&["chapter"], 4.0), (&["section"], 3.0), (&["subsection"], 2.0)],
        _ => &[],
    }
}

/// Factor of a symbol of a document.
pub(super) fn factor(language: &str, file_name: &[u8], symbol: &[u8], kind: &[u8]) -> f64 {
    let kind = kind.to_ascii_lowercase();
    let among = |factors: Factors| {
        let is_own = |kinds: &[&str]| kinds.iter().any(|own| own.as_bytes() == kind);
        factors.iter().find(|(kinds, _)| is_own(kinds)).map(|(_, factor)| *factor)
    };
    let factor = among(of_language(language)).or_else(|| among(ANY)).unwrap_or(OTHER);
    if language != "Go" {
        return factor;
    }
    let first = String::from_utf8_lossy(&symbol[..symbol.len().min(4)]).chars().next();
    let exported = if first.is_some_and(char::is_uppercase) { 0.5 } else { 0.0 };
    let of_test = if file_name.ends_with(b"_test.go") { 0.8 } else { 1.0 };
    (factor + exported) * of_test
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_own_factors_and_those_of_all() {
        for (language, kind, want) in [
            ("C", "function", 7.0),
            ("C", "Struct", 9.5),
            ("C", "label", 1.0),
            ("C++", "struct", 7.0),
            ("Java", "struct", 9.5),
            ("Python", "local", 2.0),
            ("GraphQL", "type", 10.0),
            ("GraphQL", "enum", 9.0),
        ] {
            assert_eq!(factor(language, b"f", b"x", kind.as_bytes()), want, "{language} {kind}");
        }
    }

    #[test]
    fn go_weighs_exported_names_and_tests() {
        assert_eq!(factor("Go", b"a.go", b"main", b"package"), 1.0);
        assert_eq!(factor("Go", b"a.go", b"Hang", b"func"), 8.5);
        assert_eq!(factor("Go", b"a.go", "Übung".as_bytes(), b"func"), 8.5);
        assert_eq!(factor("Go", b"a_test.go", b"TestHang", b"func"), 8.5 * 0.8);
        assert_eq!(factor("Go", b"a.go", b"x", b"methodSpec"), 1.0);
    }
}
