//! A profile in the files of AWS' tools: `~/.aws/config` and `~/.aws/credentials`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use crate::options::Options;

/// Settings that lead to keys in ways that are not gone here: other tools print keys of a profile
/// (`aws configure export-credentials --format env`).
const NOT_READ: &[&str] = &["credential_process", "role_arn", "sso_session", "sso_start_url"];

/// Settings of a profile.
#[derive(Default)]
pub(crate) struct Profile {
    name: String,
    values: BTreeMap<String, String>,
}

impl Profile {
    /// A setting that is set to something.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.values.get(name).filter(|value| !value.is_empty()).cloned()
    }

    /// An error where the profile has no keys, and a way to them that is not gone here.
    pub(crate) fn refuse_what_is_not_read(&self) -> io::Result<()> {
        match NOT_READ.iter().find(|name| self.value(name).is_some()) {
            None => Ok(()),
            Some(name) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "the profile {} has no keys but `{name}`, which is not read: set \
                     AWS_ACCESS_KEY_ID and its like by `aws configure export-credentials`",
                    self.name
                ),
            )),
        }
    }
}

/// The profile that a call or the variables name, else the one called default.
///
/// # Errors
/// A profile that is named and in neither file; a file that can't be read.
pub(crate) fn profile(options: &Options) -> io::Result<Profile> {
    let variable = || options.first_variable(&["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]);
    let named = options.profile.as_deref().or_else(variable);
    let name = named.unwrap_or("default");
    let mut profile = Profile { name: name.to_owned(), values: BTreeMap::new() };
    let mut is_there = false;
    for (variable, file) in
        [("AWS_CONFIG_FILE", "config"), ("AWS_SHARED_CREDENTIALS_FILE", "credentials")]
    {
        let path = options.variable(variable).map(PathBuf::from);
        let home = || Some(PathBuf::from(options.variable("HOME")?).join(".aws").join(file));
        let Some(path) = path.or_else(home) else { continue };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
            }
        };
        is_there |= take(&text, name, &mut profile.values);
    }
    match (named, is_there) {
        (Some(name), false) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the profile {name} is in neither of the files of AWS' tools"),
        )),
        _ => Ok(profile),
    }
}

/// Takes the settings of a profile out of a file, over those that are there; whether it is in it.
/// Sections of `config` begin with the word profile, but for the default.
fn take(text: &str, profile: &str, values: &mut BTreeMap<String, String>) -> bool {
    let (mut is_within, mut is_there) = (false, false);
    for line in text.lines() {
        // What is indented belongs to a setting of services, of which none is read.
        if line.starts_with([' ', '\t', '#', ';']) {
            continue;
        }
        if let Some(section) = line.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            let section = section.trim();
            let name = section.strip_prefix("profile").filter(|rest| rest.starts_with([' ', '\t']));
            is_within = name.map_or(section, str::trim) == profile;
            is_there |= is_within;
        } else if let (true, Some((name, value))) = (is_within, line.split_once('=')) {
            values.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    is_there
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[default]\nregion = eu-west-1\n# a note\n\n[profile work]\n\
        aws_access_key_id=ID\ns3 =\n  addressing_style = path\nREGION=us-west-2\n[works]\nregion=x\n";

    #[test]
    fn a_section_with_or_without_its_word() {
        let taken = |name| {
            let mut values = BTreeMap::new();
            take(TEXT, name, &mut values).then_some(values)
        };
        let of = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string()));
            Some(pairs.collect::<BTreeMap<_, _>>())
        };
        assert_eq!(taken("default"), of(&[("region", "eu-west-1")]));
        let work = [("aws_access_key_id", "ID"), ("s3", ""), ("region", "us-west-2")];
        assert_eq!(taken("work"), of(&work));
        assert_eq!(taken("works"), of(&[("region", "x")]));
        assert_eq!(taken("wor"), None);
    }
}
