//! Relabelling rules from YAML, as they stand in `prometheus.yml`.

use std::fmt;

use saphyr::{ScalarStyle, Yaml, YamlLoader};
use saphyr_parser::{Event, Parser, SpannedEventReceiver};

use super::{Action, Relabel, RelabelError, RelabelRule};

/// Keys that a list of rules may stand under; it may also stand alone.
const LIST_KEYS: [&str; 3] = ["relabel_configs", "metric_relabel_configs", "write_relabel_configs"];

/// Maximum depth of lists and fields in each other; `prometheus.yml` needs ten. The loader has no
/// limit of its own, and what it makes is dropped by a call for each level.
const DEPTH_MAX: usize = 50;
/// Maximum number of lists, fields and texts that aliases stand for. Each may also add its own
/// levels to those around it.
const ALIASED_MAX: usize = 10_000;

/// Error of a text that holds no rules.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not valid YAML; the message has line and column.
    Yaml(String),
    /// It is no list of rules.
    NoList,
    /// A rule is none.
    Rule {
        /// Its number, from 1.
        number: usize,
        /// Reason.
        source: RelabelError,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Yaml(what) => out.write_str(what),
            ConfigError::NoList => write!(
                out,
                "no relabelling rules: they are a list, or one under {}",
                LIST_KEYS.join(", ")
            ),
            ConfigError::Rule { number, source } => write!(out, "rule {number}: {source}"),
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConfigError::Yaml(_) | ConfigError::NoList => None,
            ConfigError::Rule { source, .. } => Some(source),
        }
    }
}

impl Relabel {
    /// The rules of a text: a YAML list, alone or under `relabel_configs`, `metric_relabel_configs`
    /// or `write_relabel_configs`.
    pub fn from_yaml(text: &str) -> Result<Vec<Relabel>, ConfigError> {
        let documents = documents(text)?;
        let [document] = &documents[..] else { return Err(ConfigError::NoList) };
        let mut rules = Vec::new();
        for (at, rule) in list(document).ok_or(ConfigError::NoList)?.iter().enumerate() {
            let rule = read_rule(rule).and_then(|rule| Relabel::new(&rule));
            rules.push(rule.map_err(|source| ConfigError::Rule { number: at + 1, source })?);
        }
        Ok(rules)
    }
}

/// Contents of a text, one level after the other, so that no nesting is too deep for the stack.
fn documents(text: &str) -> Result<Vec<Yaml<'_>>, ConfigError> {
    let mut loader: YamlLoader<'_, Yaml<'_>> = YamlLoader::default();
    // 0123 is a text like any other here.
    loader.early_parse(false);
    loader.alias_limit(ALIASED_MAX);
    let mut parser = Parser::new_from_str(text);
    let mut depth = 0usize;
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| ConfigError::Yaml(error.to_string()))?;
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth -= 1,
            _ => {}
        }
        if depth > DEPTH_MAX {
            let (line, column) = (span.start.line(), span.start.col() + 1);
            let what = format!("lists and fields nest deeper than {DEPTH_MAX}");
            return Err(ConfigError::Yaml(format!("{what} at line {line} column {column}")));
        }
        loader.on_event(event, span);
    }
    match loader.error() {
        Some(error) => Err(ConfigError::Yaml(error.to_string())),
        None => Ok(loader.into_documents()),
    }
}

fn list<'d, 'y>(document: &'d Yaml<'y>) -> Option<&'d Vec<Yaml<'y>>> {
    match document {
        Yaml::Sequence(rules) => Some(rules),
        Yaml::Mapping(fields) => fields.iter().find_map(|(key, rules)| match rules {
            Yaml::Sequence(rules) if LIST_KEYS.contains(&scalar(key)?.as_str()) => Some(rules),
            _ => None,
        }),
        _ => None,
    }
}

/// A scalar as it is written; nothing for null.
fn scalar(yaml: &Yaml<'_>) -> Option<String> {
    match yaml {
        Yaml::Representation(text, ScalarStyle::Plain, None)
            if matches!(&text[..], "" | "~" | "null" | "Null" | "NULL") =>
        {
            None
        }
        Yaml::Representation(text, _, _) => Some(text.to_string()),
        _ => None,
    }
}

fn wrong(what: String) -> RelabelError {
    RelabelError::Fields(what)
}

fn read_rule(yaml: &Yaml<'_>) -> Result<RelabelRule, RelabelError> {
    let Yaml::Mapping(fields) = yaml else {
        return Err(wrong("it has no fields such as source_labels and action".to_owned()));
    };
    let mut rule = RelabelRule::default();
    for (key, value) in fields {
        let key = scalar(key).unwrap_or_default();
        let text = || match value {
            Yaml::Sequence(_) | Yaml::Mapping(_) => {
                Err(wrong(format!("{key} is a list or has fields; a text is wanted")))
            }
            _ => Ok(scalar(value)),
        };
        match &key[..] {
            "source_labels" => rule.source_labels = names(value)?,
            "separator" => rule.separator = text()?,
            "regex" => rule.regex = text()?,
            "target_label" => rule.target_label = text()?.unwrap_or_default(),
            "replacement" => rule.replacement = text()?,
            "modulus" => {
                let text = text()?.unwrap_or_default();
                let number = text.parse();
                rule.modulus =
                    number.map_err(|_| wrong(format!("modulus {text:?} is no number")))?;
            }
            "action" => rule.action = Some(action(&text()?.unwrap_or_default())?),
            _ => return Err(wrong(format!("field {key} not found in type relabel.Config"))),
        }
    }
    Ok(rule)
}

fn names(yaml: &Yaml<'_>) -> Result<Option<Vec<String>>, RelabelError> {
    match (yaml, scalar(yaml)) {
        (Yaml::Sequence(names), _) => {
            let names: Option<Vec<String>> = names.iter().map(scalar).collect();
            names.map(Some).ok_or_else(|| wrong("source_labels is no list of names".to_owned()))
        }
        (Yaml::Representation(..), None) => Ok(None),
        _ => Err(wrong("source_labels is no list of names".to_owned())),
    }
}

fn action(text: &str) -> Result<Action, RelabelError> {
    let lower = text.to_lowercase();
    let found = Action::ALL.into_iter().find(|action| action.as_str() == lower);
    found.ok_or_else(|| wrong(format!("unknown relabel action {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::super::Labels;
    use super::*;

    /// Result of rules for `a=1,b=2`, or their error.
    #[track_caller]
    fn check(yaml: &str, want: &str) {
        let got = match Relabel::from_yaml(yaml) {
            Err(error) => error.to_string(),
            Ok(rules) => {
                let labels = [("__name__", "Up"), ("a", "x-1"), ("b", "x-1"), ("c", "y")];
                let mut labels: Labels = labels.into_iter().collect();
                if !rules.iter().all(|rule| !rule.apply(&mut labels).dropped) {
                    "dropped".to_owned()
                } else {
                    let labels = labels.iter();
                    let labels = labels.map(|(name, value)| {
                        format!("{}={}", name.escape_ascii(), value.escape_ascii())
                    });
                    labels.collect::<Vec<_>>().join(" ")
                }
            }
        };
        assert_eq!(got, want, "{yaml}");
    }

    #[test]
    fn replacing_sets_adds_and_removes() {
        check("[{source_labels: [a, c], target_label: d}]", "__name__=Up a=x-1 b=x-1 c=y d=x-1;y");
        check(
            "- source_labels: [a]\n  regex: (.+)-(\\d)\n  target_label: n_$1\n  replacement: ${2}!",
            "__name__=Up a=x-1 b=x-1 c=y n_x=1!",
        );
        check("[{target_label: a, replacement: ''}]", "__name__=Up b=x-1 c=y");
        check("[{source_labels: [a], regex: x, target_label: a}]", "__name__=Up a=x-1 b=x-1 c=y");
        check("[{target_label: z, replacement: 007}]", "__name__=Up a=x-1 b=x-1 c=y z=007");
    }

    #[test]
    fn series_are_kept_and_dropped() {
        check("[{source_labels: [c], regex: y|z, action: keep}]", "__name__=Up a=x-1 b=x-1 c=y");
        check("[{source_labels: [c], regex: z, action: keep}]", "dropped");
        check("[{source_labels: [c, a], separator: '', regex: 'yx.*', action: Drop}]", "dropped");
        check("[{source_labels: [a], target_label: b, action: dropequal}]", "dropped");
        check("[{source_labels: [a], target_label: c, action: keepequal}]", "dropped");
    }

    #[test]
    fn names_and_cases_change() {
        check("[{regex: 'a|b', action: labeldrop}]", "__name__=Up c=y");
        check("[{regex: '__.*', action: labelkeep}]", "__name__=Up");
        check(
            "[{regex: '([ab])', action: labelmap, replacement: 'l_$1'}]",
            "__name__=Up a=x-1 b=x-1 c=y l_a=x-1 l_b=x-1",
        );
        check(
            "[{source_labels: [__name__], target_label: __name__, action: lowercase}]",
            "__name__=up a=x-1 b=x-1 c=y",
        );
        check(
            "[{source_labels: [a], target_label: a, action: uppercase}]",
            "__name__=Up a=X-1 b=x-1 c=y",
        );
        // The last eight bytes of the MD5 of "x-1", modulo 1000.
        check(
            "[{source_labels: [a], target_label: h, action: hashmod, modulus: 1000}]",
            "__name__=Up a=x-1 b=x-1 c=y h=87",
        );
    }

    #[test]
    fn lists_may_stand_under_their_keys() {
        check("metric_relabel_configs: [{regex: '[abc]', action: labeldrop}]", "__name__=Up");
        check(
            "scrape: 1",
            "no relabelling rules: they are a list, or one under relabel_configs, \
             metric_relabel_configs, write_relabel_configs",
        );
    }

    #[test]
    fn nesting_has_a_limit() {
        let deep = |count: usize| format!("{}a", "- ".repeat(count));
        let no_list = "rule 1: it has no fields such as source_labels and action";
        check(&deep(DEPTH_MAX), no_list);
        let want = "lists and fields nest deeper than 50 at line 1 column 101";
        check(&deep(51), want);
        check(&deep(32_000), want);
        let flow = format!("{}{}", "[".repeat(51), "]".repeat(51));
        check(&flow, "lists and fields nest deeper than 50 at line 1 column 51");
        // The scanner looks ahead for a key, and has a limit of 255 itself.
        for open in ["[", "{a: "] {
            let error = Relabel::from_yaml(&open.repeat(30_000)).unwrap_err().to_string();
            assert!(error.contains("recursion limit") || error.contains("deeper than"), "{error}");
        }
        // Each line nests what the one before it nests, and more.
        let lines = (1..1000).map(|line| {
            let (open, close) = ("[".repeat(48), "]".repeat(48));
            format!("a{line}: &a{line} {open}*a{}{close}\n", line - 1)
        });
        let aliases = format!("a0: &a0 x\n{}", lines.collect::<String>());
        let error = Relabel::from_yaml(&aliases).unwrap_err().to_string();
        assert!(error.contains("alias"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        check(
            "[{action: hashmod, target_label: a}]",
            "rule 1: relabel configuration for hashmod requires non-zero modulus",
        );
        check(
            "[{source_labels: [a]}]",
            "rule 1: relabel configuration for replace action requires 'target_label' value",
        );
        check(
            "[{regex: a, action: keep}, {regex: '(', action: keep}]",
            "rule 2: error parsing regexp: missing closing ): `(`",
        );
        check(
            "[{action: labeldrop, target_label: a}]",
            "rule 1: labeldrop action requires only 'regex', and no other fields",
        );
        check(
            "[{action: lowercase, source_labels: [a], target_label: a, regex: '('}]",
            "rule 1: error parsing regexp: missing closing ): `(`",
        );
        check("[{action: sing}]", "rule 1: unknown relabel action \"sing\"");
        check("[{label: a}]", "rule 1: field label not found in type relabel.Config");
        check("[{source_labels: a, action: drop}]", "rule 1: source_labels is no list of names");
    }
}
