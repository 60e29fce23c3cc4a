//! restic repositories, shown: files by their kinds, key files, and with the password version, name
//! and snapshots.

use anyhow::Result;
use manicule::blobs::inspect::KeyFile;
use manicule::blobs::{Kept, OpenedInspection, RepositoryInspection};
use serde_json::json;

use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print};
use crate::report::{Report, fields};
use crate::units::plural;

const REPOSITORY: &str = "\
repository  {path}
{files}
{keys}
[opened?{opened}|password    none: $RESTIC_PASSWORD, $RESTIC_PASSWORD_FILE or $RESTIC_PASSWORD_COMMAND shows more]";

const FILES: &str = "{folder:<12}{count} {noun}, {len:B}";

const KEY: &str = "key         {short}, [cost?scrypt with {cost}: {memory:B}[by?, by {username}@{hostname}]{made}|{error}]";

const OPENED: &str = "\
version     {version}[append_only?, append only][hot?, the hot half]
id          {id}
opened by   {short}
[oldest?oldest      {oldest}]
[newest?newest      {newest}]";

/// Exit code 1 if a file of it can't be read.
pub(super) fn show(
    repository: &RepositoryInspection,
    is_json: bool,
    out: &mut Print,
) -> Result<u8> {
    report(repository).print("repository", is_json, out)?;
    let broken = repository.opened.iter().flat_map(|opened| &opened.broken);
    broken.clone().for_each(|why| say(why));
    let is_sound = repository.files.keys.iter().all(|(_, key)| key.is_ok());
    Ok(exit::if_any(is_sound && broken.count() == 0))
}

fn report(repository: &RepositoryInspection) -> Report {
    let rows = repository.files.files.iter().map(|of| {
        let (folder, noun) = (of.kind.folder(), plural(of.count, of.kind.word()));
        Report::new(FILES, fields!(of => folder: folder, count, noun: noun, len))
    });
    let keys = repository.files.keys.iter().map(|(id, key)| {
        let report = match key {
            Ok(key) => key_report(key),
            Err(why) => Report::new(KEY, json!({ "error": why, "cost": null })),
        };
        report.text(json!({ "short": id.short() }))
    });
    Report::new(REPOSITORY, print::json(repository))
        .lines("files", rows)
        .lines("keys", keys)
        .lines("opened", repository.opened.as_ref().map(opened))
}

fn key_report(key: &KeyFile) -> Report {
    let (cost, created) = (&key.cost, &key.created);
    let is_named = |name: &Option<String>| name.as_ref().is_some_and(|name| !name.is_empty());
    let text = json!({
        "cost": cost.to_string(), "memory": u64::try_from(cost.memory_bytes()).unwrap_or(u64::MAX),
        "by": is_named(&key.username) || is_named(&key.hostname),
        "made": created.as_ref().map(|created| format!(", made {created}")),
    });
    Report::new(KEY, print::json(key)).text(text)
}

fn opened(opened: &OpenedInspection) -> Report {
    Report::new(OPENED, print::json(opened))
        .text(json!({ "short": opened.key.short() }))
        .lines("oldest", opened.oldest.as_ref().map(kept))
        .lines("newest", opened.newest.as_ref().map(kept))
}

fn kept(kept: &Kept) -> Report {
    Report::new("{short} of {time}, {hostname}", print::json(kept))
        .text(json!({ "short": kept.id.short() }))
}
