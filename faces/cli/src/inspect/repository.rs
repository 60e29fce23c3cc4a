//! restic repositories, shown: files by their kinds, key files, and with the password version, name
//! and snapshots.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use manicule::blobs::inspect::{FileCount, KeyFile};
use manicule::blobs::{Kept, OpenedInspection, RepositoryInspection};
use serde_json::{Value as Json, json};

use super::options::Options;
use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print};
use crate::units::{counted, human_len};

/// Exit code 1 if a file of it can't be read.
pub(super) fn show(
    repository: &RepositoryInspection,
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!("--hex shows a section of a file; a repository's files are encrypted"));
        return Ok(exit::FAILED);
    }
    if options.json {
        out.row("repository", as_json(repository))?
    } else {
        out.write_all(as_text(repository)?.as_bytes())?
    }
    let broken = repository.opened.iter().flat_map(|opened| &opened.broken);
    broken.clone().for_each(|why| say(why));
    let is_sound = repository.files.keys.iter().all(|(_, key)| key.is_ok());
    Ok(exit::if_any(is_sound && broken.count() == 0))
}

fn as_text(repository: &RepositoryInspection) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "repository  {}", repository.path.display())?;
    for FileCount { kind, count, len } in &repository.files.files {
        let (folder, files) = (kind.folder(), counted(*count, kind.word()));
        writeln!(out, "{folder:<12}{files}, {}", human_len(*len))?;
    }
    for (id, key) in &repository.files.keys {
        match key {
            Ok(key) => writeln!(out, "key         {}, {}", id.short(), key_as_text(key))?,
            Err(why) => writeln!(out, "key         {}, {why}", id.short())?,
        }
    }
    match &repository.opened {
        Some(opened) => opened_as_text(opened, &mut out)?,
        None => writeln!(
            out,
            "password    none: $RESTIC_PASSWORD, $RESTIC_PASSWORD_FILE or $RESTIC_PASSWORD_COMMAND shows more"
        )?,
    }
    Ok(out)
}

fn key_as_text(key: &KeyFile) -> String {
    let memory = u64::try_from(key.cost.memory_bytes()).unwrap_or(u64::MAX);
    let mut text = format!("scrypt with {}: {}", key.cost, human_len(memory));
    let by = [&key.username, &key.hostname].map(|name| name.as_deref().unwrap_or_default());
    if by != ["", ""] {
        text += &format!(", by {}@{}", by[0], by[1]);
    }
    if let Some(created) = &key.created {
        text += &format!(", made {created}");
    }
    text
}

fn opened_as_text(opened: &OpenedInspection, out: &mut String) -> Result<()> {
    let marks = [(opened.is_append_only, ", append only"), (opened.is_hot, ", the hot half")];
    let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
    writeln!(out, "version     {}{marks}", opened.version)?;
    writeln!(out, "id          {}", opened.id)?;
    writeln!(out, "opened by   {}", opened.key.short())?;
    for (label, kept) in [("oldest", &opened.oldest), ("newest", &opened.newest)] {
        if let Some(Kept { id, snapshot }) = kept {
            let (time, host) = (snapshot.time, &snapshot.hostname);
            writeln!(out, "{label:<12}{} of {time}, {host}", id.short())?;
        }
    }
    Ok(())
}

fn as_json(repository: &RepositoryInspection) -> Json {
    let files = repository.files.files.iter();
    let files: serde_json::Map<String, Json> = files
        .map(|of| (of.kind.folder().to_owned(), json!({ "files": of.count, "len": of.len })))
        .collect();
    let keys = repository.files.keys.iter().map(|(id, key)| match key {
        Ok(key) => json!({
            "id": id.to_string(), "created": key.created, "username": key.username,
            "hostname": key.hostname, "N": key.cost.n, "r": key.cost.r, "p": key.cost.p,
        }),
        Err(why) => json!({ "id": id.to_string(), "error": why }),
    });
    let mut fields = json!({
        "path": print::path(&repository.path),
        "files": files,
        "keys": keys.collect::<Vec<_>>(),
    });
    if let Some(opened) = &repository.opened {
        let of = |kept: &Option<Kept>| {
            let of = |kept: &Kept| {
                let (id, time) = (kept.id.to_string(), kept.snapshot.time.to_string());
                json!({ "id": id, "time": time, "hostname": kept.snapshot.hostname })
            };
            kept.as_ref().map(of)
        };
        fields["version"] = opened.version.into();
        fields["id"] = opened.id.as_str().into();
        fields["key"] = opened.key.to_string().into();
        fields["append_only"] = opened.is_append_only.into();
        fields["hot"] = opened.is_hot.into();
        fields["oldest"] = of(&opened.oldest).into();
        fields["newest"] = of(&opened.newest).into();
        fields["errors"] = opened.broken.iter().map(String::as_str).collect();
    }
    fields
}
