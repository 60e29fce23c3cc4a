//! Any file of the store shown by its parts, and verified alone.

use manicule_core::bytes::{DecodeError, Outline};
use manicule_core::findings::Findings;
use manicule_core::hex;

use crate::dictionary::{Dictionary, outline_dictionary, verify_dictionary};
use crate::head::{FileKind, HEAD_LEN, kind_of, version_of};
use crate::leaf::{Leaf, outline_leaf, verify_leaf};
use crate::log::{LogEnd, LogReader};
use crate::manifest::{Manifest, tags_of};
use crate::statistics::Statistics;
use crate::synced::Synced;

/// The kind and the parts of a file of the store.
pub fn outline(bytes: &[u8]) -> Result<(FileKind, Outline), DecodeError> {
    let Some(kind) = kind_of(bytes) else {
        let have = bytes.len() as u64;
        return Err(DecodeError::Short { what: "magic of a graph store", at: 0, need: 8, have });
    };
    let outline = match kind {
        FileKind::Leaf => outline_leaf(bytes)?,
        FileKind::Dictionary => outline_dictionary(bytes)?,
        FileKind::Log => outline_log(bytes)?,
        FileKind::Manifest => outline_manifest(bytes)?,
        FileKind::Statistics => outline_statistics(bytes)?,
        FileKind::Synced => outline_synced(bytes)?,
    };
    Ok((kind, outline))
}

fn begin(kind: &str, bytes: &[u8]) -> Outline {
    let mut outline = Outline::default();
    outline.push(0..4, "magic", "\"MANL\"");
    outline.push(4..8, "kind", format!("\"{kind}\""));
    outline.push(8..12, "version", version_of(bytes));
    outline.push(12..HEAD_LEN as u64, "zero", 0);
    outline
}

fn outline_log(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let mut log = LogReader::open(bytes)?;
    let mut outline = begin("FLOG", bytes);
    let mut start = log.at();
    while let Some(frame) = log.next() {
        let frame = frame?;
        let (added, removed) = (frame.added().len(), frame.removed().len());
        let terms = frame.terms().len();
        let value = format!("{added} quads added, {removed} removed, {terms} terms");
        outline.push(start..log.at(), format!("commit {}", frame.number()), value);
        start = log.at();
    }
    if let Some(LogEnd::Torn { len }) = log.end() {
        outline.push(len..bytes.len() as u64, "torn end", "");
    }
    Ok(outline)
}

fn outline_manifest(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let manifest = Manifest::decode(bytes)?;
    let mut outline = begin("ROOT", bytes);
    let len = bytes.len() as u64;
    outline.push(16..32, "store id", hex::encode(manifest.store_id));
    outline.push(32..40, "generation", manifest.generation);
    outline.push(40..48, "commit", manifest.commit);
    outline.push(48..56, "log", manifest.log);
    outline.push(56..64, "next file", manifest.next_file);
    let numbers_len = 8 * tags_of(version_of(bytes)) as u64;
    let mut at = 64;
    let mut part = |len: u64, name: &str, value: String| {
        outline.push(at..at + len, name, value);
        at += len;
    };
    part(numbers_len, "next numbers", String::new());
    part(numbers_len, "sorted below", String::new());
    part(8, "quads of the default graph", manifest.default_count.to_string());
    part(8, "quads of named graphs", manifest.named_count.to_string());
    part(16, "counts", String::new());
    for leaf in &manifest.leaves {
        let value =
            format!("{}, {} rows, {} bytes", leaf.order.name(), leaf.row_count, leaf.file.len);
        outline.push(at..at + 64, format!("leaf {}", leaf.file.number), value);
        at += 64;
    }
    let named = manifest.dictionaries.iter().map(|file| ("dictionary", file));
    for (name, file) in named.chain(manifest.statistics.iter().map(|file| ("statistics", file))) {
        outline.push(at..at + 24, format!("{name} {}", file.number), format!("{} bytes", file.len));
        at += 24;
    }
    outline.push(at..len - 4, "graphs", manifest.graphs.len());
    outline.push(len - 4..len, "CRC-32", "");
    Ok(outline)
}

fn outline_statistics(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let statistics = Statistics::decode(bytes)?;
    let mut outline = begin("STAT", bytes);
    let len = bytes.len() as u64;
    let mut at = HEAD_LEN as u64;
    for (name, scope) in
        [("default graph", &statistics.default), ("named graphs", &statistics.named)]
    {
        let end = at + scope.encoded_len();
        let value = format!(
            "{} rows, {} predicates, {} classes",
            scope.row_count,
            scope.predicates.len(),
            scope.classes.len()
        );
        outline.push(at..end, name, value);
        at = end;
    }
    outline.push(at..len - 4, "graphs", statistics.graphs.len());
    outline.push(len - 4..len, "CRC-32", "");
    Ok(outline)
}

fn outline_synced(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let Synced { commit, log, len } = Synced::decode(bytes)?;
    let mut outline = begin("SYNC", bytes);
    outline.push(16..24, "commit", commit);
    outline.push(24..32, "log", log);
    outline.push(32..40, "length", len);
    outline.push(40..44, "CRC-32", "");
    Ok(outline)
}

/// Verifies a file of the store for itself.
pub fn verify(bytes: &[u8], findings: &mut Findings) {
    let opened = match kind_of(bytes) {
        Some(FileKind::Leaf) => Leaf::open(bytes).map(|leaf| verify_leaf(&leaf, findings)),
        Some(FileKind::Dictionary) => {
            Dictionary::open(bytes).map(|dictionary| verify_dictionary(&dictionary, findings))
        }
        Some(FileKind::Log) => {
            LogReader::open(bytes).and_then(|mut log| log.try_for_each(|frame| frame.map(drop)))
        }
        Some(FileKind::Manifest) => Manifest::decode(bytes).map(drop),
        Some(FileKind::Statistics) => Statistics::decode(bytes).map(drop),
        Some(FileKind::Synced) => Synced::decode(bytes).map(drop),
        None => {
            let (at, need, have) = (0, 8, bytes.len() as u64);
            Err(DecodeError::Short { what: "magic of a graph store", at, need, have })
        }
    };
    if let Err(error) = opened {
        findings.add_error("file", &error);
    }
}
