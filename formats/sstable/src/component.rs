//! The files of an SSTable and their names.
//!
//! Bytes:   `<version>-<generation>-<layout>-<component>`, docs/formats/sstable.md, Files

use std::fmt;

use crate::Version;

/// One of the files that an SSTable consists of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// The partitions.
    Data,
    /// Every partition key, and the promoted index of large partitions.
    Index,
    /// Statistics, and the header by which Data.db is read.
    Statistics,
    /// The names of the others; there once the table is finished.
    Toc,
    /// Compressor and offsets of the chunks; there exactly when Data.db is compressed.
    CompressionInfo,
    /// Checksums of Data.db; there exactly when it isn't compressed.
    Crc,
    /// The checksum of the whole Data.db.
    Digest,
    /// Bloom filter of the partition keys.
    Filter,
    /// Samples of Index.db.
    Summary,
    /// Trie of the partition keys.
    Partitions,
    /// Tries of the blocks of large partitions.
    Rows,
    /// What ScyllaDB adds.
    Scylla,
    /// A file of another name: of a secondary index, of a plugin.
    Other(String),
}

/// Components with names that are known.
const NAMES: [(Component, &str); 12] = [
    (Component::Data, "Data.db"),
    (Component::Index, "Index.db"),
    (Component::Statistics, "Statistics.db"),
    (Component::Toc, "TOC.txt"),
    (Component::CompressionInfo, "CompressionInfo.db"),
    (Component::Crc, "CRC.db"),
    (Component::Digest, "Digest.crc32"),
    (Component::Filter, "Filter.db"),
    (Component::Summary, "Summary.db"),
    (Component::Partitions, "Partitions.db"),
    (Component::Rows, "Rows.db"),
    (Component::Scylla, "Scylla.db"),
];

impl Component {
    /// The component of this name, which may be any.
    pub fn of_name(name: &str) -> Component {
        let known = NAMES.iter().find(|(_, known)| *known == name);
        known.map_or_else(|| Component::Other(name.to_owned()), |(component, _)| component.clone())
    }

    /// Its name, without version and generation.
    pub fn name(&self) -> &str {
        match self {
            Component::Other(name) => name,
            known => {
                let row = NAMES.iter().find(|(component, _)| component == known);
                row.expect("each other variant has a row").1
            }
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The third word of a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Index.db and Summary.db; of ScyllaDB's `ms` and `mt` tries too.
    Big,
    /// Tries.
    Bti,
}

impl Layout {
    /// Its word in a file's name.
    pub fn word(self) -> &'static str {
        match self {
            Layout::Big => "big",
            Layout::Bti => "bti",
        }
    }
}

/// What the names of all files of an SSTable share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Version of the format.
    pub version: Version,
    /// A number, or 28 characters that stand for a UUID; any word without a hyphen is accepted.
    pub generation: String,
    /// Layout of the index.
    pub layout: Layout,
}

impl Descriptor {
    /// Reads a file's name. `None` for a file that isn't an SSTable's, or of a version that isn't
    /// known.
    pub fn parse(file_name: &str) -> Option<(Descriptor, Component)> {
        let mut words = file_name.splitn(4, '-');
        let version = Version::parse(words.next()?)?;
        let generation = words.next().filter(|word| !word.is_empty())?.to_owned();
        let layout = match words.next()? {
            "big" => Layout::Big,
            "bti" => Layout::Bti,
            _ => return None,
        };
        let component = words.next().filter(|word| !word.is_empty())?;
        Some((Descriptor { version, generation, layout }, Component::of_name(component)))
    }

    /// Name of the file of a component.
    pub fn file_name(&self, component: &Component) -> String {
        format!("{self}-{component}")
    }

    /// The generation where it is a number; numbers rise with time.
    pub fn generation_number(&self) -> Option<u64> {
        self.generation.parse().ok()
    }
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.version, self.generation, self.layout.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let rows = [
            ("me-7-big-Data.db", "me 7 big Data.db"),
            ("da-12-bti-Partitions.db", "da 12 bti Partitions.db"),
            (
                "ms-3fw2_0tj4_46w3k2cpidnirvjy7k-big-Rows.db",
                "ms 3fw2_0tj4_46w3k2cpidnirvjy7k big Rows.db",
            ),
            ("mc-1-big-SI_by-name.db", "mc 1 big SI_by-name.db"),
            ("nb-1-big-TOC.txt.tmp", "nb 1 big TOC.txt.tmp"),
        ];
        for (name, want) in rows {
            let (table, component) = Descriptor::parse(name).expect(name);
            let Descriptor { version, generation, layout } = &table;
            let got = format!("{version} {generation} {} {component}", layout.word());
            assert_eq!(got, want);
            assert_eq!(table.file_name(&component), name);
        }
        let (table, component) = Descriptor::parse("me-7-big-Data.db").expect("a name");
        assert_eq!((table.generation_number(), component), (Some(7), Component::Data));
        for (component, name) in &NAMES {
            assert_eq!((&Component::of_name(name), component.name()), (component, *name));
        }
    }

    #[test]
    fn other_names_are_not_an_sstables() {
        for name in [
            "",
            "me-7-big",
            "me-7-big-",
            "me--big-Data.db",
            "ka-1-big-Data.db",
            "manifest.json",
            "me-7-small-Data.db",
            "ks-cf-ka-1-Data.db",
            "mc_txn_compaction_1.log",
        ] {
            assert_eq!(Descriptor::parse(name), None, "{name}");
        }
    }
}
