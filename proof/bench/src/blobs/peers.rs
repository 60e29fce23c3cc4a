//! The peers: two versions of restic, rustic and its library.

use std::path::{Path, PathBuf};

use crate::findings::Findings;
use crate::programs;

/// Versions of restic; the first is the anchor.
pub(super) const RESTIC_VERSIONS: [&str; 2] = ["0.19.1", "0.18.1"];

/// A version of restic.
pub(super) struct Restic {
    /// `restic 0.19.1`.
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// Its package of the index, compiled with its benchmarks.
    pub(super) index_bench: PathBuf,
}

/// The programs that can be had here.
#[derive(Default)]
pub(super) struct Peers {
    pub(super) restic: Vec<Restic>,
    /// rustic's library in a program of ours.
    pub(super) rustic_peer: Option<PathBuf>,
    pub(super) rustic: Option<PathBuf>,
}

impl Peers {
    /// Builds what isn't there yet; what can't be built is left out.
    pub(super) fn built(repository: &Path, findings: &mut Findings) -> Peers {
        let mut peers = Peers::default();
        for version in RESTIC_VERSIONS {
            match programs::built(repository, "restic", &[version]) {
                Ok(folder) => peers.restic.push(Restic {
                    name: format!("restic {version}"),
                    program: folder.join("restic"),
                    index_bench: folder.join("index-bench"),
                }),
                Err(error) => findings.left_out(format!("{error:#}")),
            }
        }
        for (name, place) in
            [("rustic-peer", &mut peers.rustic_peer), ("rustic", &mut peers.rustic)]
        {
            match programs::built(repository, "rustic", &[name]) {
                Ok(folder) => *place = Some(folder.join(name)),
                Err(error) => findings.left_out(format!("{error:#}")),
            }
        }
        peers
    }

    /// The anchor, if it could be built.
    pub(super) fn anchor(&self) -> Option<&Restic> {
        self.restic.iter().find(|restic| restic.name.ends_with(RESTIC_VERSIONS[0]))
    }

    /// A line of versions.
    pub(super) fn versions(&self) -> Vec<String> {
        let restic = self
            .restic
            .iter()
            .map(|restic| programs::version_by(&restic.name, &restic.program, &["version"]));
        let rustic = self.rustic.iter().map(|program| programs::version("rustic", program));
        let peer = self
            .rustic_peer
            .iter()
            .map(|program| programs::version_by("rustic_core", program, &["version"]));
        restic.chain(rustic).chain(peer).collect()
    }
}
