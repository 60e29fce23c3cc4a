//! Options that choose snapshots as restic's do: by host, tag and path.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use manicule::blobs::{SnapshotFilter, read_tags};

use crate::command::spec::{Spec, spec};
use crate::table::listed::Listed;

pub(super) const HOST: Spec = spec("host", "H", "Only snapshots of this host.")
    .takes("HOST")
    .more("May be repeated. Default: $RESTIC_HOST. An empty host matches any.");
pub(super) const TAG: Spec = spec("tag", "", "Only snapshots that have all of these tags.")
    .takes("TAG[,TAG...]")
    .more("May be repeated: a snapshot matches if it has all tags of any one list.");
pub(super) const PATH: Spec = spec("path", "", "Only snapshots of this path.")
    .takes("PATH")
    .more("May be repeated: snapshots that include all of them.");

/// A snapshot, with a folder of it if there is one: `SNAPSHOT:FOLDER`, as restic has it.
pub(super) fn snapshot_and_folder(word: OsString) -> (String, Vec<u8>) {
    let mut bytes = word.into_vec();
    let folder = match bytes.iter().position(|byte| *byte == b':') {
        Some(colon) => bytes.split_off(colon).split_off(1),
        None => Vec::new(),
    };
    (String::from_utf8_lossy(&bytes).into_owned(), folder)
}

/// What the options said.
#[derive(Clone, Default)]
pub(super) struct Choice {
    pub(super) hosts: Vec<String>,
    pub(super) tags: Vec<String>,
    pub(super) paths: Vec<String>,
}

/// A command's flags and those that choose snapshots, for options with a field `choice`.
macro_rules! with_choice {
    ($($flag:expr),* $(,)?) => {
        super::repo::with_index![
            $($flag,)*
            super::choice::HOST
                .does(|o, value| { o.choice.hosts.push(value.string()?); Ok(()) }),
            super::choice::TAG
                .does(|o, value| { o.choice.tags.push(value.string()?); Ok(()) }),
            super::choice::PATH
                .does(|o, value| { o.choice.paths.push(value.string()?); Ok(()) }),
        ]
    };
}
pub(super) use with_choice;

impl Choice {
    /// The same for a table of snapshots.
    pub(super) fn listed(&self, listed: Listed) -> Listed {
        let flags = [("--tag", !self.tags.is_empty()), ("--path", !self.paths.is_empty())];
        listed.among("hostname", self.filter().hosts).refuse(&flags)
    }

    /// The conditions; a host from restic's variable where none was named.
    pub(super) fn filter(&self) -> SnapshotFilter {
        let hosts = match env::var("RESTIC_HOST") {
            Ok(host) if self.hosts.is_empty() && !host.is_empty() => vec![host],
            _ => self.hosts.clone(),
        };
        let tags = self.tags.iter().map(|list| read_tags(list)).collect();
        SnapshotFilter { hosts, tags, paths: self.paths.clone() }
    }
}
