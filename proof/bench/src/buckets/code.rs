//! Queries over a hundred shards.

use anyhow::{Context, Result};

use super::Bench;
use super::ask::{Most, Question, ask};
use crate::files::bytes_below;
use crate::findings::Findings;
use crate::measure::{self, Task};

/// Length of what a shard indexes: a hundred of the tree.
const SHARD_LEN: &str = "2500000";

/// The rows of the group.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let tree = bench.tree()?;
    let folder = bench.kept("shards", |folder| {
        let task = Task::new("manicule", &bench.manicule, &tree)
            .args(["code", "index", "-disable_ctags", "-shard_limit", SHARD_LEN, "-index"])
            .args([folder])
            .args([&tree]);
        measure::run(&task, &bench.scratch.join("answer")).context("code index")?;
        Ok(())
    })?;
    let server = bench.server();
    server.lend(&folder, "shards/");
    let len = bytes_below(&folder)? as f64;
    let most =
        Most { rounds: Some(4.0), bytes: Some(len / 100.0), again: Some(1.0), of_peer: None };
    let selective = ["code", "search", "ensureNodeExistsByProviderID", "PLACE"];
    let copied = bench.copied(&server.address("shards/"), &selective);
    let questions = [
        Question::new("a selective query", &selective).most(most).peers(copied),
        Question::new("of nothing", &["code", "search", "zzqqxxyynotthere", "PLACE"]).most(most),
        Question::new("of a regular expression", &["code", "search", "func.*Informer\\(", "PLACE"]),
    ];
    let count = std::fs::read_dir(&folder)?.count();
    let title = format!("{count} shards, {:.0} MB", len / 1e6);
    ask(bench, &title, &server, "shards/", Some(&folder), &questions, findings)
}
