//! Verification of shards: each by itself, and its sidecar.

use std::path::Path;

use manicule_core::counts;
use manicule_core::findings::{FINDINGS_MAX, Verified};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::{self as zoekt, Shard};
use manicule_store::threads::each;

use super::open::{FoundShard, ShardError, find};

counts! {
    /// Counts of what was verified of shards.
    pub struct ShardCounts {
        /// Shards.
        shards,
        /// Their bytes.
        shards_len,
        /// Sidecars.
        sidecars,
        /// Documents of all shards.
        documents,
        /// Posting lists that were decoded.
        lists,
        /// Positions in them that hold their trigram.
        postings,
        /// Bytes of documents that were read.
        text_len = "bytes_read",
    }
}

/// Verifies a shard, and its sidecar.
fn check(
    verified: &mut Verified<ShardCounts>,
    shard: &FoundShard,
    threads: usize,
    meter: &Meter<'_>,
) {
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
    let (one, findings) = zoekt::verify(bytes, &options);
    let Verified { counts, verdict } = verified;
    counts.add(&ShardCounts {
        shards: 1,
        shards_len: bytes.len() as u64,
        sidecars: u64::from(sidecar.is_some()),
        documents: one.documents,
        lists: one.lists,
        postings: one.postings,
        text_len: one.text_len,
    });
    let is_sound = findings.count == 0;
    verdict.take(&path.to_string_lossy(), findings.into());
    // Of a shard that can't be opened nobody knows how many repositories it has.
    if let Some(sidecar) = sidecar
        && is_sound
        && let Ok(shard) = Shard::open(bytes)
    {
        let count = shard.repositories().len();
        let findings = zoekt::verify_sidecar(&sidecar.bytes, count, FINDINGS_MAX);
        verdict.take(&sidecar.path.to_string_lossy(), findings.into());
    }
}

/// Verifies a shard, or all shards directly in a folder, one after the other. Those of a folder
/// that can't be read are handed to `failed`.
pub fn verify(
    path: &Path,
    threads: usize,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Verified<ShardCounts>, ShardError> {
    let shards = find(path, failed)?;
    let all = shards.iter().map(|shard| shard.bytes.len() as u64).sum();
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, all);
    let mut verified = Verified::default();
    for shard in &shards {
        check(&mut verified, shard, threads, &meter);
        meter.reach(verified.counts.shards_len);
        watch.check().map_err(|_| ShardError::Stopped { path: shard.path.clone() })?;
    }
    meter.end();
    Ok(verified)
}
