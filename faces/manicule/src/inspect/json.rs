//! What every kind has, as JSON: contents, parts of files, findings, verdicts.

use std::path::Path;

use manicule_series::BlockFile;
use serde::ser::SerializeMap;

use crate::json::{Counts, Entry, Json, Report, list, report};
use crate::series::json::Deleted;

use super::{FileFinding, Inspected, Row, Verified};

/// Contents as one object: a folder's with a list of what it holds, where the program prints a line
/// for each.
impl Report for Inspected {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        match self {
            Inspected::Tree(tree) => tree.entries(to),
            Inspected::Shard(shard) => shard.entries(to),
            Inspected::Block(block) => block.entries(to),
            Inspected::Graph(store) => store.entries(to),
            Inspected::Repository(repository) => repository.entries(to),
            Inspected::File(file) => {
                let section = |row| Section { of: file.kind, row };
                to.serialize_entry("sections", &list(file.outline.rows.iter().map(section)))
            }
            Inspected::Shards(shards) => to.serialize_entry("shards", &list(shards)),
            Inspected::Blocks(blocks) => to.serialize_entry("blocks", &list(blocks)),
            Inspected::BlockFile(file) => block_file(file, to),
            Inspected::Sstables(table) => {
                to.serialize_entry("path", &table.path.to_string_lossy())?;
                to.serialize_entry("sstables", &list(&table.sstables))?;
                let left_out = table.left_out.iter().map(|left| left.path.to_string_lossy());
                to.serialize_entry("left_out", &left_out.collect::<Vec<_>>())?;
                let errors = table.broken.iter().map(ToString::to_string);
                to.serialize_entry("errors", &errors.collect::<Vec<_>>())
            }
            Inspected::Other(contents) => {
                let mut entries = contents.json.as_object().into_iter().flatten();
                entries.try_for_each(|(name, value)| to.serialize_entry(name, value))
            }
        }
    }
}

fn block_file<M: SerializeMap>(file: &BlockFile, to: &mut M) -> Result<(), M::Error> {
    match file {
        BlockFile::Segment(segment) => {
            to.serialize_entry("path", &segment.path.to_string_lossy())?;
            to.serialize_entry("chunks", &list(segment.chunks()))
        }
        BlockFile::Tombstones(path, deleted) => {
            to.serialize_entry("path", &path.to_string_lossy())?;
            let of = |(series, times): (_, &[_])| {
                let own = times.iter().map(|times| Deleted { series, times: *times });
                own.map(Json).collect::<Vec<_>>()
            };
            let deleted = deleted.series().flat_map(|(series, times)| of((series.0, times)));
            to.serialize_entry("deleted", &deleted.collect::<Vec<_>>())
        }
        BlockFile::Meta(path, meta) => {
            to.serialize_entry("path", &path.to_string_lossy())?;
            to.serialize_entry("meta", meta)
        }
        _ => Ok(()),
    }
}

report!(of: Row { name, offset: of.bytes.start, len: of.bytes.end - of.bytes.start, value });

/// A part of a file with the kind of the file.
#[derive(Clone, Copy, Debug)]
pub struct Section<'s> {
    /// One word for the kind.
    pub of: &'static str,
    /// The part.
    pub row: &'s Row,
}

report!(of: Section<'_> { of; of.row });

report!(of: FileFinding { file, section, offset, what });

/// A finding with the path that it is of, if several paths are verified.
#[derive(Clone, Copy, Debug)]
pub struct PathFinding<'f> {
    /// The path.
    pub path: Option<&'f Path>,
    /// The finding.
    pub finding: &'f FileFinding,
}

report!(of: PathFinding<'_> {
    ; of.finding, Entry("path", of.path.map(Path::to_string_lossy)),
});

report!(of: Verified {
    ok: of.verdict.findings.count == 0, findings: of.verdict.findings.count; Counts(&of.counts),
});

/// The result of a verification with the path that it is of.
#[derive(Clone, Copy, Debug)]
pub struct PathVerified<'v> {
    /// The path.
    pub path: &'v Path,
    /// The result.
    pub verified: &'v Verified,
}

report!(of: PathVerified<'_> { path: of.path.to_string_lossy(); of.verified });
