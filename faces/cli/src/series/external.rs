//! `--external-label`: whose series a new block has, as Thanos wants to know it.

use anyhow::{Result, bail};
use manicule::series::ExternalLabels;

use crate::command::FlagValue;
use crate::command::spec::{Spec, spec};

pub(super) const EXTERNAL_LABEL: Spec =
    spec("external-label", "", "External label for meta.json, which Thanos needs (several).")
        .takes("NAME=VALUE");

/// Adds the label that a flag says.
pub(super) fn add(labels: &mut ExternalLabels, value: &FlagValue) -> Result<()> {
    let text = value.text()?;
    match text.split_once('=') {
        Some((name, text)) if is_name(name) => labels.insert(name.to_owned(), text.to_owned()),
        _ => bail!("{}: {text:?} is no label NAME=VALUE", value.name),
    };
    Ok(())
}

/// Whether a label of users may have this name: those with two underscores are the systems' own.
fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_part)
        && !name.starts_with("__")
        && name.starts_with(|first: char| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_labels() {
        for name in ["cluster", "_a1", "A"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1a", "__name__", "a-b", "é"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
