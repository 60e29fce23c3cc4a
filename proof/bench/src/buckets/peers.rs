//! The peers: restic, Thanos's tools, and AWS's own tool that copies.

use std::path::{Path, PathBuf};

use super::Bench;
use crate::findings::Findings;
use crate::measure::Task;
use crate::programs;

/// The programs that can be had here.
#[derive(Default)]
pub(super) struct Peers {
    pub(super) restic: Option<PathBuf>,
    pub(super) thanos: Option<PathBuf>,
    aws: Option<PathBuf>,
}

const RESTIC_VERSION: &str = "0.19.1";
pub(super) const RESTIC: &str = "restic 0.19.1";
pub(super) const THANOS: &str = "thanos 0.42.4";

impl Peers {
    /// Builds what isn't there yet; what can't be had is left out.
    pub(super) fn found(repository: &Path, findings: &mut Findings) -> Peers {
        let mut built = |peer: &str, words: &[&str], program: &str| {
            let folder = programs::built(repository, peer, words);
            let folder = folder.inspect_err(|error| findings.left_out(format!("{error:#}")));
            folder.ok().map(|folder| folder.join(program))
        };
        let restic = built("restic", &[RESTIC_VERSION, "restic"], "restic");
        let thanos = built("thanos", &[], "thanos");
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let aws = std::env::split_paths(&paths).map(|path| path.join("aws"));
        let aws = aws.into_iter().find(|path| path.is_file());
        if aws.is_none() {
            findings.left_out("a copy of everything: `aws` is not installed");
        }
        Peers { restic, thanos, aws }
    }

    /// A line of versions.
    pub(super) fn versions(&self) -> Vec<String> {
        let restic = self.restic.as_deref();
        let restic = restic.map(|program| programs::version_by(RESTIC, program, &["version"]));
        let thanos = self.thanos.as_deref().map(|program| programs::version(THANOS, program));
        let aws = self.aws.as_deref().map(|program| programs::version("aws", program));
        [restic, thanos, aws].into_iter().flatten().collect()
    }
}

impl Bench<'_> {
    /// restic over the repository at a prefix, without its cache and its locks.
    pub(super) fn restic(&self, repository: &str, words: &[&str]) -> Vec<Task> {
        let task = |program: &PathBuf| {
            Task::new(RESTIC, program, self.scratch)
                .args(["--no-cache", "--no-lock", "--quiet", "-r", repository])
                .args(words)
                .env("RESTIC_PASSWORD", manicule_repositories::PASSWORD)
        };
        self.peers.restic.as_ref().map(task).into_iter().collect()
    }

    /// A copy of all that lies at an address, which our question of the copy follows.
    pub(super) fn copied(&self, address: &str, words: &[&str]) -> Vec<Task> {
        let task = |aws: &PathBuf| {
            let script = "aws=$1 from=$2 to=$3; shift 3; rm -rf \"$to\"; \
                          \"$aws\" s3 cp --only-show-errors --recursive \"$from\" \"$to\" || exit 2; exec \"$@\"";
            let to = self.scratch.join("copied");
            let words: Vec<String> = words
                .iter()
                .map(|word| word.replace(super::ask::PLACE, &to.to_string_lossy()))
                .collect();
            Task::new("aws s3 cp, then manicule", Path::new("/bin/sh"), self.scratch)
                .args(["-c", script, "sh"])
                .args([aws])
                .args([address])
                .args([&to])
                .args([&self.manicule])
                .args(words)
                .env("RESTIC_PASSWORD", manicule_repositories::PASSWORD)
        };
        self.peers.aws.as_ref().map(task).into_iter().collect()
    }
}
