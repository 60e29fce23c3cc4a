//! Verification of shards: each by itself, and its sidecar.
//!
//! Callers: faces/manicule

use std::path::Path;

use manicule_core::findings::{FINDINGS_MAX, FileFinding, Findings};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::{self as zoekt, Shard};
use manicule_store::threads::each;

use super::open::{FoundShard, ShardError, find};

/// Result of a verification: what was verified, and its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Shards.
    pub shard_count: u64,
    /// Their bytes.
    pub shard_len: u64,
    /// Sidecars.
    pub sidecar_count: u64,
    /// Documents of all shards.
    pub document_count: u64,
    /// Posting lists that were decoded.
    pub list_count: u64,
    /// Positions in them that hold their trigram.
    pub posting_count: u64,
    /// Bytes of documents that were read.
    pub text_len: u64,
    /// The findings, up to [`FINDINGS_MAX`].
    pub findings: Vec<FileFinding>,
    /// Number of findings.
    pub finding_count: u64,
}

impl Verified {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        self.finding_count == 0
    }

    /// Verifies a shard, and its sidecar.
    fn check(&mut self, shard: &FoundShard, threads: usize, meter: &Meter<'_>) {
        let FoundShard { path, bytes, sidecar } = shard;
        let spread = |count: usize, task: &(dyn Fn(usize) + Sync)| {
            each(threads, count, |number| {
                // What is found from then on is thrown away.
                if !meter.watch().is_over() {
                    task(number);
                }
            });
        };
        let options = zoekt::VerifyOptions { findings_max: FINDINGS_MAX, spread: &spread, meter };
        let one = zoekt::verify(bytes, &options);
        self.shard_count += 1;
        self.shard_len += bytes.len() as u64;
        self.document_count += one.document_count;
        self.list_count += one.list_count;
        self.posting_count += one.posting_count;
        self.text_len += one.text_len;
        let is_sound = one.findings.count == 0;
        self.find(&path.to_string_lossy(), one.findings);
        let Some(sidecar) = sidecar else { return };
        self.sidecar_count += 1;
        // Of a shard that can't be opened nobody knows how many repositories it has.
        if is_sound && let Ok(shard) = Shard::open(bytes) {
            let count = shard.repositories().len();
            let findings = zoekt::verify_sidecar(&sidecar.bytes, count, FINDINGS_MAX);
            self.find(&sidecar.path.to_string_lossy(), findings);
        }
    }

    fn find(&mut self, file: &str, findings: Findings) {
        self.finding_count += findings.count;
        for finding in findings.list {
            if self.findings.len() == FINDINGS_MAX {
                return;
            }
            self.findings.push(FileFinding::of(file, finding));
        }
    }
}

/// Verifies a shard, or all shards directly in a folder, one after the other. Those of a folder that can't be read are
/// handed to `failed`.
pub fn verify(
    path: &Path,
    threads: usize,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Verified, ShardError> {
    let shards = find(path, failed)?;
    let all = shards.iter().map(|shard| shard.bytes.len() as u64).sum();
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, all);
    let mut verified = Verified::default();
    for shard in &shards {
        verified.check(shard, threads, &meter);
        meter.reach(verified.shard_len);
        watch.check().map_err(|_| ShardError::Stopped { path: shard.path.clone() })?;
    }
    meter.end();
    Ok(verified)
}
