//! Versions of the format: two letters at the front of each file's name, and what they say about
//! the bytes.
//!
//! Bytes:   the tables of versions in docs/formats/sstable.md

use std::fmt;

/// Version of an SSTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// Cassandra 3.0.0.
    Ma,
    /// Cassandra 3.0.7: a lower bound of the commit log.
    Mb,
    /// Cassandra 3.0.8 to 3.11.3, ScyllaDB 3 and 4: intervals of the commit log.
    Mc,
    /// Cassandra 3.11.4 to 3.11.10, ScyllaDB since 4.4: clustering bounds that hold.
    Md,
    /// Cassandra since 3.11.11, ScyllaDB since 5.2: the host that wrote it.
    Me,
    /// Cassandra 4.0-rc1: checksums in Statistics.db, filters in plain order.
    Na,
    /// Cassandra 4.0 and 4.1: the host again.
    Nb,
    /// Cassandra 5.0: short deletions, times until 2106.
    Oa,
    /// Cassandra 5.0 with tries as index.
    Da,
    /// Cassandra 6.0: dictionaries of compression.
    Pa,
    /// Cassandra 6.0 with tries as index.
    Ea,
    /// ScyllaDB since 2025.4: as `me` with tries as index.
    Ms,
    /// ScyllaDB 2026: as `ms` with keys as Cassandra orders them.
    Mt,
}

impl Version {
    /// All versions, oldest first; ScyllaDB's own last.
    pub const ALL: [Version; 13] = [
        Version::Ma,
        Version::Mb,
        Version::Mc,
        Version::Md,
        Version::Me,
        Version::Na,
        Version::Nb,
        Version::Oa,
        Version::Da,
        Version::Pa,
        Version::Ea,
        Version::Ms,
        Version::Mt,
    ];

    /// The version of these two letters; `None` for one that isn't known.
    pub fn parse(text: &str) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.letters() == text)
    }

    /// Its two letters.
    pub fn letters(self) -> &'static str {
        match self {
            Version::Ma => "ma",
            Version::Mb => "mb",
            Version::Mc => "mc",
            Version::Md => "md",
            Version::Me => "me",
            Version::Na => "na",
            Version::Nb => "nb",
            Version::Oa => "oa",
            Version::Da => "da",
            Version::Pa => "pa",
            Version::Ea => "ea",
            Version::Ms => "ms",
            Version::Mt => "mt",
        }
    }

    /// Its place among the versions that both systems write, oldest first; of ScyllaDB's own that
    /// of `me`, on which they are based.
    pub fn age(self) -> usize {
        let like = if self.is_scylla_only() { Version::Me } else { self };
        Version::ALL.iter().position(|version| *version == like).unwrap_or_default()
    }

    /// Whether it is one of ScyllaDB alone.
    pub fn is_scylla_only(self) -> bool {
        matches!(self, Version::Ms | Version::Mt)
    }

    /// Whether it is of the first family, up to Cassandra 3.11; ScyllaDB's two are.
    fn is_m(self) -> bool {
        self.letters().starts_with('m')
    }

    /// Whether Partitions.db and Rows.db take the place of Index.db and Summary.db.
    pub fn has_trie_index(self) -> bool {
        matches!(self, Version::Da | Version::Ea) || self.is_scylla_only()
    }

    /// Whether a partition's deletion takes one byte when there is none. Such versions also have
    /// unsigned deletion times, a covered slice in place of clustering bounds, and whole numbers in
    /// the tombstone histogram.
    pub fn has_short_deletions(self) -> bool {
        matches!(self, Version::Oa | Version::Da | Version::Pa | Version::Ea)
    }

    /// Whether deletion times are unsigned, up to the year 2106.
    pub fn has_unsigned_times(self) -> bool {
        self.has_short_deletions()
    }

    /// Whether Statistics.db has a covered slice, first and last key, in place of clustering
    /// bounds.
    pub fn has_covered_slice(self) -> bool {
        self.has_short_deletions()
    }

    /// Whether the parts of Statistics.db are followed by checksums.
    pub fn has_section_checksums(self) -> bool {
        !self.is_m()
    }

    /// Whether Statistics.db says which session of repair the table waits for, and whether it is
    /// transient.
    pub fn has_pending_repair(self) -> bool {
        !self.is_m()
    }

    /// Whether CompressionInfo.db says from which length on a chunk is stored uncompressed.
    pub fn has_compressed_len_max(self) -> bool {
        !self.is_m()
    }

    /// Whether the bytes of each word of Filter.db are reversed.
    pub fn filter_words_reversed(self) -> bool {
        self.is_m()
    }

    /// Whether Statistics.db says which host wrote the table.
    pub fn has_host_id(self) -> bool {
        !matches!(self, Version::Ma | Version::Mb | Version::Mc | Version::Md | Version::Na)
    }

    /// Whether Statistics.db has a lower bound of the commit log.
    pub fn has_log_lower_bound(self) -> bool {
        self != Version::Ma
    }

    /// Whether Statistics.db has the intervals of the commit log.
    pub fn has_log_intervals(self) -> bool {
        !matches!(self, Version::Ma | Version::Mb)
    }

    /// Whether the clustering bounds of Statistics.db hold for every row and marker, so that a
    /// reader may skip a table by them.
    pub fn has_true_bounds(self) -> bool {
        !matches!(self, Version::Ma | Version::Mb | Version::Mc)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.letters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_read_by_its_letters_and_no_other_is() {
        for version in Version::ALL {
            assert_eq!(Version::parse(&version.to_string()), Some(version));
        }
        for text in ["", "m", "ME", "lb", "ja", "mee", "db", "me-"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn each_version_has_what_its_writers_added() {
        let check = |question: fn(Version) -> bool, want: &str| {
            let got = Version::ALL.into_iter().filter(|version| question(*version));
            let got: Vec<_> = got.map(Version::letters).collect();
            assert_eq!(got.join(" "), want);
        };
        check(Version::has_trie_index, "da ea ms mt");
        check(Version::has_short_deletions, "oa da pa ea");
        check(Version::has_section_checksums, "na nb oa da pa ea");
        check(Version::has_host_id, "me nb oa da pa ea ms mt");
        check(Version::filter_words_reversed, "ma mb mc md me ms mt");
        check(Version::has_log_intervals, "mc md me na nb oa da pa ea ms mt");
        check(Version::has_true_bounds, "md me na nb oa da pa ea ms mt");
    }
}
