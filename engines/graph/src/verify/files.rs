//! Manifests, and the files that they name: each is there, has the length and the sum that its row
//! has, and is right by itself.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::findings::Report;
use manicule_core::watch::{Phase, Unit};
use manicule_format_leaf::leaf::Leaf;
use manicule_format_leaf::manifest::{FileRow, LeafRow, Manifest, file_sum};
use manicule_format_leaf::{Id, Order};
use manicule_store::store::{Name, StoreError};

use super::checked::Checked;
use crate::error::GraphError;
use crate::signs::{CURRENT_NAME, is_manifest_name};
use crate::snapshot::generation::{dictionary_path, leaf_path, statistics_path};

/// A manifest and its name in the store.
pub(super) struct Root {
    pub(super) name: String,
    pub(super) manifest: Manifest,
}

/// The manifest that CURRENT names, and those of named snapshots.
pub(super) fn roots(checked: &mut Checked<'_>) -> Result<Vec<Root>, GraphError> {
    let store = checked.files.store();
    let current = read(checked, CURRENT_NAME)?;
    let current = String::from_utf8(current).map_err(|_| {
        let what = "stream did not contain valid UTF-8";
        let source = io::Error::new(io::ErrorKind::InvalidData, what);
        StoreError { file: store.show(&part(CURRENT_NAME)), source }
    })?;
    let current = current.strip_suffix('\n').filter(|name| is_manifest_name(name.as_bytes()));
    let mut roots = Vec::new();
    match current {
        Some(current) => roots.extend(root(checked, current.to_owned())?),
        None => checked.find(CURRENT_NAME, "it names no manifest".to_owned()),
    }
    for entry in store.list(&part("snapshots"))? {
        let name = entry.name;
        if name.ends_with(".aside") {
            continue;
        }
        roots.extend(root(checked, format!("snapshots/{name}"))?);
    }
    checked.counts.manifests = roots.len() as u64;
    Ok(roots)
}

/// A file of the store.
pub(super) fn part(name: &str) -> Name {
    Name::new(name).expect("parts of stores have names")
}

fn read(checked: &Checked<'_>, name: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    checked.files.store().read(&part(name), u64::MAX, &mut bytes).map(|()| bytes)
}

fn root(checked: &mut Checked<'_>, name: String) -> Result<Option<Root>, GraphError> {
    let bytes = match read(checked, &name) {
        Err(error) if error.is_missing() => {
            checked.find(&name, "it is missing".to_owned());
            return Ok(None);
        }
        bytes => bytes?,
    };
    let mut report = Report::default();
    let manifest = report.ok("manifest", Manifest::decode(&bytes));
    checked.take(&name, report);
    Ok(manifest.map(|manifest| Root { name, manifest }))
}

/// A file, and the leaf that it is in each of some manifests.
struct Named<'r> {
    row: &'r FileRow,
    leaves: Vec<Interval<'r>>,
}

/// A leaf, and where the one after it begins.
struct Interval<'r> {
    row: &'r LeafRow,
    end: Option<[Id; 4]>,
}

pub(super) fn check_files(checked: &mut Checked<'_>, roots: &[Root]) -> Result<(), GraphError> {
    let mut named = BTreeMap::new();
    for root in roots {
        if !add_named(root, checked.folder, &mut named) {
            let what = "it has another length or sum of a file than others";
            checked.find(&root.name, what.to_owned());
        }
    }
    let len = named.values().map(|named| named.row.len).sum();
    let meter = checked.watch.phase(Phase::Verifying, Unit::Bytes, len);
    for (path, named) in &named {
        check_file(checked, path, named)?;
        meter.step(named.row.len)?;
    }
    meter.end();
    Ok(())
}

/// Adds the files of a manifest. Whether it says the same of them as those before.
fn add_named<'r>(root: &'r Root, folder: &Path, named: &mut BTreeMap<PathBuf, Named<'r>>) -> bool {
    let mut is_same = true;
    let mut add = |path: PathBuf, row: &'r FileRow, interval: Option<Interval<'r>>| {
        let named = named.entry(path).or_insert(Named { row, leaves: Vec::new() });
        is_same &= named.row == row;
        named.leaves.extend(interval);
    };
    for order in Order::ALL {
        let rows = root.manifest.leaves_of(order);
        for (at, row) in rows.iter().enumerate() {
            let end = rows.get(at + 1).map(|next| next.separator);
            add(leaf_path(folder, row.file.number), &row.file, Some(Interval { row, end }));
        }
    }
    for row in &root.manifest.dictionaries {
        add(dictionary_path(folder, row.number), row, None);
    }
    if let Some(row) = &root.manifest.statistics {
        add(statistics_path(folder, row.number), row, None);
    }
    is_same
}

fn check_file(checked: &mut Checked<'_>, path: &Path, named: &Named<'_>) -> Result<(), GraphError> {
    let name = checked.name_of(path);
    let bytes = match checked.files.map(&part(&name)) {
        Err(error) if error.is_missing() => {
            checked.find(&name, "it is missing".to_owned());
            return Ok(());
        }
        whole => whole?.bytes,
    };
    checked.counts.files += 1;
    checked.counts.len += bytes.len() as u64;
    let mut report = Report::default();
    let FileRow { len, sum, .. } = *named.row;
    if bytes.len() as u64 != len {
        report.find("file", 0, "length that the manifest has", len, bytes.len());
    } else if file_sum(&bytes) != sum {
        let got = format!("{:08x}", file_sum(&bytes));
        report.find("file", 0, "sum that the manifest has", format!("{sum:08x}"), got);
    }
    manicule_format_leaf::verify(&bytes, &mut report.findings);
    if let Ok(leaf) = Leaf::open(&bytes) {
        named.leaves.iter().for_each(|interval| check_interval(&leaf, interval, &mut report));
    }
    checked.take(&name, report);
    Ok(())
}

/// Whether a leaf is what its manifest says.
fn check_interval(leaf: &Leaf<'_>, interval: &Interval<'_>, report: &mut Report) {
    let Interval { row, end } = interval;
    if leaf.order() != row.order {
        let (want, got) = (row.order.name(), leaf.order().name());
        report.find("head", 12, "order that the manifest has", want, got);
    }
    let count = u64::from(leaf.row_count());
    if count != row.row_count {
        report.find("footer", 0, "rows that the manifest has", row.row_count, count);
    }
    if leaf.first().is_some_and(|first| first < row.separator) {
        report.find("directory", 0, "first row in the interval of the leaf", "in", "below");
    }
    if let (Some(last), Some(end)) = (leaf.last(), end)
        && last >= *end
    {
        report.find("directory", 0, "last row in the interval of the leaf", "in", "above");
    }
}
