//! Verification of shards: each by itself, its sidecar, and the classes of its documents.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use manicule_core::counts;
use manicule_core::findings::{FINDINGS_MAX, Finding, Findings, Report, Verified};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::{self as zoekt, Section, Shard, Skip};
use manicule_store::store::Fetched;
use manicule_store::threads::{each, lock};

use super::classify::{Classify, Linguist, Unclassified};
use super::open::{FoundShard, ShardError, Take, find, find_in};

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

/// Number of documents that a thread classifies at once.
const CLASSIFIED_AT_ONCE: usize = 64;

/// Verifies a shard, its sidecar, and the classes of its documents.
fn check(
    verified: &mut Verified<ShardCounts>,
    shard: &FoundShard,
    linguist: &Linguist,
    threads: usize,
    meter: &Meter<'_>,
) {
    let FoundShard { path, bytes, sidecar, .. } = shard;
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
    // What can't be opened or is damaged has no number of repositories and no classes to compare.
    let Some(shard) = Shard::open(bytes).ok().filter(|_| is_sound) else { return };
    if let Some(sidecar) = sidecar {
        let count = shard.repositories().len();
        let findings = zoekt::verify_sidecar(&sidecar.bytes, count, FINDINGS_MAX);
        verdict.take(&sidecar.path.to_string_lossy(), findings.into());
    }
    let others = Mutex::new(Vec::new());
    let chunk_count = shard.document_count().div_ceil(CLASSIFIED_AT_ONCE);
    spread(chunk_count, &|number| {
        let start = number * CLASSIFIED_AT_ONCE;
        let documents = start..shard.document_count().min(start + CLASSIFIED_AT_ONCE);
        let found = others_in(&shard, documents, linguist);
        lock(&others).extend(found);
    });
    let mut others = others.into_inner().expect("no thread panicked");
    others.sort();
    let mut warnings = Findings::default();
    others.into_iter().for_each(|other| warnings.push(other));
    verdict.take(&path.to_string_lossy(), Report { findings: Findings::default(), warnings });
}

/// Languages and categories of documents that are not those which [`Linguist`] gives: of another
/// release of linguist, or changed since.
fn others_in(shard: &Shard<'_>, documents: Range<usize>, linguist: &Linguist) -> Vec<Finding> {
    let mut others = Vec::new();
    for document in documents {
        let (Ok(name), Ok(stored)) =
            (shard.names().text(document), shard.contents().text(document))
        else {
            continue;
        };
        let skip = Skip::ALL.into_iter().find(|skip| stored == skip.marker());
        let content = if skip.is_some() { b"" } else { stored };
        let class = linguist.classify(&Unclassified { name, content, skip });
        // A document may hold such a text by itself.
        let plain = || linguist.classify(&Unclassified { name, content: stored, skip: None });
        let plain = skip.map(|_| plain());
        let mut compare = |section: Section, width: u64, what: &str, want: &str, got: &str| {
            if want != got {
                others.push(Finding {
                    at: u64::from(shard.toc().extent(section).at) + width * document as u64,
                    section: section.tag(),
                    what: format!("{what} of {}", String::from_utf8_lossy(name)),
                    want: named(want),
                    got: named(got),
                });
            }
        };
        let code = shard.language(document);
        let mut names = shard.metadata().language_map.iter();
        if let Some((language, _)) = names.find(|(_, known)| **known == code) {
            let is_plain = plain.as_ref().is_some_and(|plain| plain.language == **language);
            let want = if is_plain { language } else { &*class.language };
            compare(Section::Languages, 2, "language", want, language);
        }
        // Of what was skipped for its trigrams the category was told by a content that is gone.
        if !matches!(skip, Some(Skip::TooSmall | Skip::TooManyTrigrams))
            && let Ok(category) = shard.category(document)
        {
            let is_plain = plain.as_ref().is_some_and(|plain| plain.category == category);
            let want = if is_plain { category } else { class.category };
            compare(Section::Categories, 1, "category", want.name(), category.name());
        }
    }
    others
}

/// A class as it is shown.
fn named(class: &str) -> String {
    if class.is_empty() { "none".to_owned() } else { class.to_owned() }
}

/// Verifies a shard, or all shards directly in a folder, one after the other. Those of a folder
/// that can't be read are handed to `failed`.
pub fn verify(
    path: &Path,
    threads: usize,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Verified<ShardCounts>, ShardError> {
    verify_all(&find(path, &[], failed)?, threads, watch)
}

/// As [`verify`], of all shards in a store's own folder, or the `only` one.
pub fn verify_in(
    files: &Fetched,
    only: Option<&str>,
    threads: usize,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Verified<ShardCounts>, ShardError> {
    verify_all(&find_in(files, only, Take::Whole, &[], failed)?, threads, watch)
}

fn verify_all(
    shards: &[FoundShard],
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Verified<ShardCounts>, ShardError> {
    let all = shards.iter().map(|shard| shard.bytes.len() as u64).sum();
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, all);
    let (mut verified, linguist) = (Verified::default(), Linguist::default());
    for shard in shards {
        check(&mut verified, shard, &linguist, threads, &meter);
        meter.reach(verified.counts.shards_len);
        watch.check().map_err(|_| ShardError::Stopped { path: shard.path.clone() })?;
    }
    meter.end();
    Ok(verified)
}
