//! Rules that change labels, as Prometheus's `relabel_config` has them.
//!
//! A rule joins the values of its source labels, matches the whole of that against its expression,
//! and acts on it.

use std::fmt;

use manicule_core::pattern::go::{Regex, Replace, SyntaxError, Template};
use md5::{Digest, Md5};

use super::Labels;

/// Action of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Sets the target to the replacement, if the expression matches.
    Replace,
    /// Leaves out the series whose values don't match.
    Keep,
    /// Leaves out the series whose values match.
    Drop,
    /// Leaves out the series whose values aren't the target's.
    KeepEqual,
    /// Leaves out the series whose values are the target's.
    DropEqual,
    /// Sets the target to a hash of the values, modulo the modulus.
    HashMod,
    /// Copies the labels whose names match to the names that the replacement gives; of several that
    /// get one name the last by name stays.
    LabelMap,
    /// Removes the labels whose names match.
    LabelDrop,
    /// Removes the labels whose names don't match.
    LabelKeep,
    /// Sets the target to the values in lower case.
    Lowercase,
    /// Sets the target to the values in upper case.
    Uppercase,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 11] = [
        Action::Replace,
        Action::Keep,
        Action::Drop,
        Action::KeepEqual,
        Action::DropEqual,
        Action::HashMod,
        Action::LabelMap,
        Action::LabelDrop,
        Action::LabelKeep,
        Action::Lowercase,
        Action::Uppercase,
    ];

    /// Its word in a configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Replace => "replace",
            Action::Keep => "keep",
            Action::Drop => "drop",
            Action::KeepEqual => "keepequal",
            Action::DropEqual => "dropequal",
            Action::HashMod => "hashmod",
            Action::LabelMap => "labelmap",
            Action::LabelDrop => "labeldrop",
            Action::LabelKeep => "labelkeep",
            Action::Lowercase => "lowercase",
            Action::Uppercase => "uppercase",
        }
    }
}

/// A rule as it is written. What isn't has Prometheus's default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RelabelRule {
    /// The labels whose values are joined.
    pub source_labels: Option<Vec<String>>,
    /// Separator between the values: `;`.
    pub separator: Option<String>,
    /// Regular expression that they are matched with, as a whole: `(.*)`.
    pub regex: Option<String>,
    /// Of the hash.
    pub modulus: u64,
    /// The label that is set.
    pub target_label: String,
    /// Replacement that it is set to: `$1`.
    pub replacement: Option<String>,
    /// Action: replace.
    pub action: Option<Action>,
}

/// Error of a rule, as far as it can be in Prometheus's words.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RelabelError {
    /// Its expression is none.
    Regex(SyntaxError),
    /// A field is missing, or one stands there that the action has no use for.
    Fields(String),
}

impl fmt::Display for RelabelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelabelError::Regex(error) => error.fmt(out),
            RelabelError::Fields(what) => out.write_str(what),
        }
    }
}

impl std::error::Error for RelabelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RelabelError::Regex(error) => Some(error),
            RelabelError::Fields(_) => None,
        }
    }
}

const DEFAULT_REGEX: &str = "(.*)";
const DEFAULT_SEPARATOR: &str = ";";
const DEFAULT_REPLACEMENT: &str = "$1";

impl RelabelRule {
    /// Whether all fields stand that the action wants, and none that it has no use for.
    fn check(&self, action: Action) -> Result<(), RelabelError> {
        let wrong = |what: String| Err(RelabelError::Fields(what));
        let word = action.as_str();
        let is_default = |field: &Option<String>, default: &str| {
            field.as_ref().is_none_or(|field| field == default)
        };
        if action == Action::HashMod && self.modulus == 0 {
            return wrong("relabel configuration for hashmod requires non-zero modulus".to_owned());
        }
        let sets_target = !matches!(
            action,
            Action::Keep | Action::Drop | Action::LabelMap | Action::LabelDrop | Action::LabelKeep
        );
        if sets_target && self.target_label.is_empty() {
            let what = "action requires 'target_label' value";
            return wrong(format!("relabel configuration for {word} {what}"));
        }
        if sets_target
            && !matches!(action, Action::Replace | Action::HashMod)
            && !is_default(&self.replacement, DEFAULT_REPLACEMENT)
        {
            return wrong(format!("'replacement' can not be set for {word} action"));
        }
        if action == Action::LabelMap && self.replacement.as_deref() == Some("") {
            return wrong(format!("\"\" is invalid 'replacement' for {word} action"));
        }
        let is_plain = self.modulus == 0
            && is_default(&self.separator, DEFAULT_SEPARATOR)
            && is_default(&self.replacement, DEFAULT_REPLACEMENT);
        let is_equality = matches!(action, Action::KeepEqual | Action::DropEqual);
        if is_equality && !(is_plain && self.regex.is_none()) {
            return wrong(format!(
                "{word} action requires only 'source_labels' and `target_label`, and no other fields"
            ));
        }
        let is_by_name = matches!(action, Action::LabelDrop | Action::LabelKeep);
        if is_by_name && !(is_plain && self.source_labels.is_none() && self.target_label.is_empty())
        {
            return wrong(format!("{word} action requires only 'regex', and no other fields"));
        }
        Ok(())
    }
}

/// A rule, ready to be applied.
#[derive(Clone, Debug)]
pub struct Relabel {
    source_labels: Vec<Vec<u8>>,
    separator: Vec<u8>,
    target: Vec<u8>,
    action: Action,
    step: Step,
}

/// Effect of a rule on a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// The series goes.
    pub dropped: bool,
    /// Its labels are others now.
    pub changed: bool,
    /// Number of labels to which `labelmap` would have given an empty name. They are not made:
    /// nobody reads such a block.
    pub nameless: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Replace(Box<Replacement>),
    Keep(Box<Regex>),
    Drop(Box<Regex>),
    KeepEqual,
    DropEqual,
    HashMod(u64),
    LabelMap(Box<Replacement>),
    LabelDrop(Box<Regex>),
    LabelKeep(Box<Regex>),
    Lowercase,
    Uppercase,
}

#[derive(Clone, Debug)]
struct Replacement {
    replace: Replace,
    target: Template,
    text: Template,
}

impl Relabel {
    /// A rule from what is written.
    pub fn new(rule: &RelabelRule) -> Result<Relabel, RelabelError> {
        let action = rule.action.unwrap_or(Action::Replace);
        rule.check(action)?;
        let regex = rule.regex.as_deref().unwrap_or(DEFAULT_REGEX);
        // It has to be an expression also where the action has no use for it.
        let whole = Box::new(Regex::new(regex).map_err(RelabelError::Regex)?);
        let step = match action {
            Action::Replace => Step::Replace(Box::new(Replacement::new(rule)?)),
            Action::LabelMap => Step::LabelMap(Box::new(Replacement::new(rule)?)),
            Action::Keep => Step::Keep(whole),
            Action::Drop => Step::Drop(whole),
            Action::LabelDrop => Step::LabelDrop(whole),
            Action::LabelKeep => Step::LabelKeep(whole),
            Action::KeepEqual => Step::KeepEqual,
            Action::DropEqual => Step::DropEqual,
            Action::HashMod => Step::HashMod(rule.modulus),
            Action::Lowercase => Step::Lowercase,
            Action::Uppercase => Step::Uppercase,
        };
        let sources = rule.source_labels.as_deref().unwrap_or_default();
        Ok(Relabel {
            source_labels: sources.iter().map(|name| name.clone().into_bytes()).collect(),
            separator: rule.separator.as_deref().unwrap_or(DEFAULT_SEPARATOR).into(),
            target: rule.target_label.clone().into_bytes(),
            action,
            step,
        })
    }

    /// Action of the rule.
    pub fn action(&self) -> Action {
        self.action
    }

    /// Changes the labels of a series.
    pub fn apply(&self, labels: &mut Labels) -> Applied {
        let sources = self.source_labels.iter().map(|name| labels.get(name));
        let value = sources.collect::<Vec<_>>().join(&self.separator[..]);
        let dropped = |dropped| Applied { dropped, ..Applied::default() };
        let changed = match &self.step {
            Step::Keep(regex) => return dropped(!regex.is_match(&value)),
            Step::Drop(regex) => return dropped(regex.is_match(&value)),
            Step::KeepEqual => return dropped(labels.get(&self.target) != value),
            Step::DropEqual => return dropped(labels.get(&self.target) == value),
            Step::LabelMap(replacement) => return replacement.map_names(labels),
            Step::Replace(replacement) => replacement.apply(&value, labels),
            Step::Lowercase => labels.set(self.target.clone(), lower(&value)),
            Step::Uppercase => labels.set(self.target.clone(), upper(&value)),
            Step::HashMod(modulus) => {
                let hash = Md5::digest(&value);
                let low = hash.last_chunk().copied().unwrap_or_default();
                let rest = u64::from_be_bytes(low) % modulus;
                labels.set(self.target.clone(), rest.to_string())
            }
            Step::LabelDrop(regex) => labels.retain(|name| !regex.is_match(name)),
            Step::LabelKeep(regex) => labels.retain(|name| regex.is_match(name)),
        };
        Applied { changed, ..Applied::default() }
    }
}

impl Replacement {
    fn new(rule: &RelabelRule) -> Result<Self, RelabelError> {
        let regex = rule.regex.as_deref().unwrap_or(DEFAULT_REGEX);
        let replace = Replace::new(regex).map_err(RelabelError::Regex)?;
        let target = replace.template(&rule.target_label);
        let text = replace.template(rule.replacement.as_deref().unwrap_or(DEFAULT_REPLACEMENT));
        Ok(Replacement { replace, target, text })
    }

    /// Sets the target; whether that changed anything.
    fn apply(&self, value: &[u8], labels: &mut Labels) -> bool {
        match self.replace.apply(value, [&self.target, &self.text]) {
            Some([target, text]) if is_name(&target) => labels.set(target, text),
            _ => false,
        }
    }

    /// Copies the labels whose names match.
    fn map_names(&self, labels: &mut Labels) -> Applied {
        let mut applied = Applied::default();
        for (name, value) in labels.clone().iter() {
            match self.replace.apply(name, [&self.text]) {
                Some([mapped]) if mapped.is_empty() => applied.nameless += 1,
                Some([mapped]) if is_name(&mapped) => applied.changed |= labels.set(mapped, value),
                _ => {}
            }
        }
        applied
    }
}

/// A name of a label is text, and not empty.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && std::str::from_utf8(name).is_ok()
}

/// Character by character, as Go has it: the only one that would become two loses its dot.
fn lower(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect()
}

/// Character by character, as Go has it: those that would become several stay.
fn upper(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let one = |char: char| match char.to_uppercase().len() {
        1 => char.to_uppercase().next().unwrap_or(char),
        _ => char,
    };
    text.chars().map(one).collect()
}
