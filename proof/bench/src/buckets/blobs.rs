//! Questions of a repository that restic made, beside restic, and of a large index.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Bench;
use super::ask::{Most, Question, ask};
use crate::figures;
use crate::findings::Findings;
use manicule_buckets::Server;

/// Files of the repository, and its snapshots.
const FILES: &str = "3000";
const SNAPSHOTS: &str = "6";
/// An id that no blob has: searching it loads the whole index.
const NO_BLOB: &str = "00000000000000000000000000000000000000000000000000000000000000ab";

/// The rows of the group.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let server = bench.server();
    match &bench.peers.restic {
        Some(restic) => whole(bench, &server, restic, findings)?,
        None => findings.left_out("a repository: restic has to make it"),
    }
    let index = bench.kept("index", |folder| {
        let words = ["generate", "--shape", "index", "-o"].map(OsString::from);
        let words = [&words[..], &[folder.join("repository").into_os_string()]].concat();
        figures::of_ours("blobs", &words).map(drop)
    })?;
    server.lend(&index.join("repository"), "index/");
    let find = ["blobs", "find", "--blob", NO_BLOB, "-r", "PLACE", "--index-cache"];
    let most = Most { again: Some(4.0), ..Most::default() };
    let questions = [Question::new("a blob of five million", &find).most(most)];
    let (title, folder) = ("An index of 5,000,000 entries", index.join("repository"));
    ask(bench, title, &server, "index/", Some(&folder), &questions, findings)
}

fn whole(bench: &Bench<'_>, server: &Server, restic: &Path, findings: &mut Findings) -> Result<()> {
    let folder = bench.kept("restic", |folder| {
        let source = bench.scratch.join("source");
        let words = ["generate", "--shape", "real", "--data", FILES, "--snapshots", SNAPSHOTS];
        let mut words: Vec<_> = words.iter().map(OsString::from).collect();
        let more: [(&str, PathBuf); 3] = [
            ("--restic", restic.to_owned()),
            ("--source", source.clone()),
            ("-o", folder.join("repository")),
        ];
        more.into_iter()
            .for_each(|(name, path)| words.extend([name.into(), path.into_os_string()]));
        figures::of_ours("blobs", &words)?;
        crate::files::remove(&source)
    })?;
    let folder = folder.join("repository");
    server.lend(&folder, "repository/");
    let at = format!("s3:{}/bucket/repository", server.endpoint());
    let question = |name: &str, words: &[&str]| {
        let ours = [&["blobs"], words, &["-r", "PLACE"]].concat();
        let quarter = Most { of_peer: Some(0.25), ..Most::default() };
        Question::new(name, &ours).most(quarter).peers(bench.restic(&at, words))
    };
    let mut questions = vec![
        question("snapshots", &["snapshots"]),
        question("ls latest", &["ls", "latest"]),
        question("find NAME", &["find", "*77*"]),
        question("check", &["check"]).not_compared(),
        question("check --read-data", &["check", "--read-data"]).not_compared(),
    ];
    let ls = ["blobs", "ls", "latest", "-r", "PLACE"];
    questions[1].peers.extend(bench.copied(&server.address("repository/"), &ls));
    ask(
        bench,
        "A repository of restic's",
        server,
        "repository/",
        Some(&folder),
        &questions,
        findings,
    )
}
