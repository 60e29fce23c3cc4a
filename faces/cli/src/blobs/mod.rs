//! `manicule blobs`: restic repositories.

mod cat;
mod check;
mod choice;
mod cost;
mod diff;
mod dump;
mod duplicates;
mod export;
mod find;
mod found;
mod history;
mod list;
mod ls;
mod repair_index;
mod repo;
mod restore;
mod snapshots;
mod stats;
mod usage;

use crate::command::{Command, Does, Help};

/// What can be done with a repository.
pub(crate) static COMMAND: Command = Command {
    name: "blobs",
    operands: "snapshots|ls|find|diff|dump|restore|cost|history|check|...",
    summary: "list, search, size, restore, check and repair restic repositories",
    help: Help {
        notes: "\
The repository is given by --repo, or by restic's own variables: $RESTIC_REPOSITORY or $RESTIC_REPOSITORY_FILE; the password by
--password-file or --password-command, $RESTIC_PASSWORD, $RESTIC_PASSWORD_FILE or $RESTIC_PASSWORD_COMMAND, otherwise you are
prompted. Only repair-index writes into the repository or locks it. restic's --no-lock, --no-cache, --quiet and --verbose are
accepted.",
        ..Help::NONE
    },
    does: Does::Group(&[
        &snapshots::COMMAND,
        &list::COMMAND,
        &ls::COMMAND,
        &find::COMMAND,
        &diff::COMMAND,
        &dump::COMMAND,
        &restore::COMMAND,
        &cat::COMMAND,
        &stats::COMMAND,
        &usage::COMMAND,
        &cost::COMMAND,
        &history::COMMAND,
        &duplicates::COMMAND,
        &export::COMMAND,
        &check::COMMAND,
        &repair_index::COMMAND,
    ]),
};
