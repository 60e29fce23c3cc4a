//! What opens a repository, from where restic takes it: files, commands, variables of the
//! environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_blobs::IdPrefix;
use manicule_core::ErrorClass;

use super::password::of_file;
use crate::failure::Failure;
use crate::place::is_address;

/// A variable that is set to something.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The password that a call names by a file or a command, else that of restic's variables; `None`
/// where there is none.
///
/// # Errors
/// A file that can't be read, a command that fails.
pub fn password(file: Option<&Path>, command: Option<&OsStr>) -> Result<Option<Vec<u8>>, Failure> {
    match (file, command) {
        (Some(file), _) => in_file(file).map(Some),
        (None, Some(command)) => by_command(command).map(Some),
        (None, None) => password_of_variables(),
    }
}

/// The password of `RESTIC_PASSWORD_FILE`, `RESTIC_PASSWORD_COMMAND` or `RESTIC_PASSWORD`, of the
/// first of them that is set.
///
/// # Errors
/// As of [`password`].
pub fn password_of_variables() -> Result<Option<Vec<u8>>, Failure> {
    if let Some(file) = variable("RESTIC_PASSWORD_FILE") {
        return in_file(Path::new(&file)).map(Some);
    }
    if let Some(command) = variable("RESTIC_PASSWORD_COMMAND") {
        return by_command(&command).map(Some);
    }
    Ok(variable("RESTIC_PASSWORD").map(OsString::into_vec))
}

/// The address of an object store that restic's own spelling means: `s3:HOST/BUCKET/PREFIX`,
/// `gs:BUCKET:/PREFIX` and `azure:CONTAINER:/PREFIX`; `None` for another text.
pub fn address_of_restic(text: &str) -> Option<PathBuf> {
    let bucket = |scheme: &str, rest: &str| {
        let (bucket, prefix) = rest.split_once(":/")?;
        Some(format!("{scheme}://{bucket}/{prefix}").into())
    };
    match text.split_once(':')? {
        (_, rest) if rest.starts_with("//") => None,
        ("s3", rest) if is_address(Path::new(rest)) => Some(text.into()),
        ("s3", rest) => Some(format!("s3:https://{rest}").into()),
        ("gs", rest) => bucket("gs", rest),
        ("azure", rest) => bucket("az", rest),
        _ => None,
    }
}

/// The beginning of the id of the key that is tried first: the one that a call names, else that of
/// `RESTIC_KEY_HINT`.
///
/// # Errors
/// What is no beginning of an id.
pub fn key_hint(given: Option<&OsStr>) -> Result<Option<IdPrefix>, Failure> {
    let given = given.map(OsStr::to_owned).or_else(|| variable("RESTIC_KEY_HINT"));
    let Some(given) = given else { return Ok(None) };
    let wrong = || {
        let shown = given.display();
        Failure::asked(format!("{shown} is no id: wanted up to 64 hexadecimal digits"))
    };
    IdPrefix::parse(given.as_encoded_bytes()).map(Some).ok_or_else(wrong)
}

fn in_file(file: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = fs::read(file).map_err(|error| {
        let text = format!("password file {}: {error}", file.display());
        Failure::new(ErrorClass::of_io(&error), text)
    })?;
    Ok(of_file(&bytes))
}

/// What a command prints. It is split at blanks outside of quotes, and run without a shell.
fn by_command(command: &OsStr) -> Result<Vec<u8>, Failure> {
    let wrong = |class: ErrorClass, why: &dyn Display| {
        Failure::new(class, format!("password command {}: {why}", command.display()))
    };
    let words = command.to_str().and_then(shlex::split).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| wrong(ErrorClass::Asked, &"its quotes don't match"))?;
    let ran = Command::new(&words[0]).args(&words[1..]).stderr(Stdio::inherit()).output();
    let output = ran.map_err(|error| wrong(ErrorClass::of_io(&error), &error))?;
    if !output.status.success() {
        return Err(wrong(ErrorClass::Failed, &output.status));
    }
    Ok(of_file(&output.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_restic_spells_them() {
        for (text, want) in [
            ("s3:s3.amazonaws.com/bucket/p", Some("s3:https://s3.amazonaws.com/bucket/p")),
            ("s3:http://127.0.0.1:9000/bucket", Some("s3:http://127.0.0.1:9000/bucket")),
            ("gs:bucket:/a/b", Some("gs://bucket/a/b")),
            ("azure:container:/", Some("az://container/")),
            ("s3://bucket/p", None),
            ("gs:bucket", None),
            ("sftp:host:/p", None),
            ("/a:b", None),
            ("repo", None),
        ] {
            let address = address_of_restic(text);
            assert_eq!(address.as_deref(), want.map(Path::new), "{text}");
            assert!(address.is_none_or(|address| is_address(&address)), "{text}");
        }
    }
}
