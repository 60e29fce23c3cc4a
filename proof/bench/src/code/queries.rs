//! The queries that are searched for: those of the peers' study, so that the figures compare.

/// Target of a query's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// At most one document in fifty, and trigrams, names or languages show which.
    Selective,
    /// More documents, or nothing that trigrams could narrow: no three characters in a row.
    Broad,
}

/// A query, in the words of zoekt and of ripgrep.
pub(super) struct Query {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Flags that zoekt and we share.
    pub(super) flags: &'static [&'static str],
    /// In zoekt's language.
    pub(super) text: &'static str,
    /// ripgrep's words for it; none if it can't express it.
    pub(super) rg: &'static [&'static str],
}

use Kind::{Broad, Selective};

const fn query(
    name: &'static str,
    kind: Kind,
    text: &'static str,
    rg: &'static [&'static str],
) -> Query {
    Query { name, kind, flags: &[], text, rg }
}

/// All of them.
pub(super) const QUERIES: &[Query] = &[
    query(
        "lit-rare",
        Selective,
        "case:yes content:NewSharedInformerFactoryWithOptions",
        &["-e", "NewSharedInformerFactoryWithOptions"],
    ),
    query("lit-none", Selective, "case:yes content:zzqqxxyynotthere", &["-e", "zzqqxxyynotthere"]),
    query("lit-mid", Selective, "case:yes content:DeepCopyInto", &["-e", "DeepCopyInto"]),
    query("lit-common", Broad, "case:yes content:return", &["-e", "return"]),
    query("lit-verycommon-err", Broad, "case:yes content:err", &["-e", "err"]),
    query("lit-short2", Broad, "case:yes content:if", &["-e", "if"]),
    query(
        "icase-lit",
        Selective,
        "case:no content:podsandboxstatus",
        &["-i", "-e", "podsandboxstatus"],
    ),
    query("icase-common", Broad, "case:no content:error", &["-i", "-e", "error"]),
    query(
        "phrase",
        Selective,
        "case:yes content:\"failed to create\"",
        &["-e", "failed to create"],
    ),
    query(
        "regex-lit",
        Selective,
        r"case:yes content:func.*Informer\(",
        &["-e", r"func.*Informer\("],
    ),
    query(
        "regex-alt",
        Selective,
        "case:yes content:(ReplicaSet|StatefulSet)Controller",
        &["-e", "(ReplicaSet|StatefulSet)Controller"],
    ),
    query(
        "regex-nolit",
        Broad,
        "case:yes content:[0-9]{4}-[0-9]{2}-[0-9]{2}T",
        &["-e", "[0-9]{4}-[0-9]{2}-[0-9]{2}T"],
    ),
    query(
        "regex-nolit2",
        Broad,
        r"case:yes content:\b[a-z]{3}_[a-z]{3}\b",
        &["-e", r"\b[a-z]{3}_[a-z]{3}\b"],
    ),
    query("word", Broad, r"case:yes content:\bPod\b", &["-e", r"\bPod\b"]),
    query(
        "file",
        Selective,
        r"file:_test\.go$ case:yes content:Informer",
        &["-g", "*_test.go", "-e", "Informer"],
    ),
    query("lang", Selective, "lang:python case:yes content:import", &["-t", "py", "-e", "import"]),
    // The study asks `type:file` for the names alone; both programs have a flag for that.
    Query { name: "fileonly", kind: Selective, flags: &["-l"], text: "file:informer", rg: &[] },
    query("and", Selective, "case:yes content:context content:Informer content:Lister", &[]),
    query(
        "or",
        Selective,
        "case:yes (content:NewLister or content:NewIndexerInformer)",
        &["-e", "NewLister", "-e", "NewIndexerInformer"],
    ),
    query("not", Selective, r"case:yes content:Informer -file:_test\.go -content:cache", &[]),
    query("unicode", Broad, "case:yes content:é", &["-e", "é"]),
    query("unicode-cjk", Selective, "case:yes content:日本語", &["-e", "日本語"]),
    query("unicode-icase", Selective, "case:no content:ÜBER", &["-i", "-e", "ÜBER"]),
    query(
        "sym-like",
        Selective,
        "case:yes content:\"type Interface interface\"",
        &["-e", "type Interface interface"],
    ),
];

/// Answered from the metadata of shards: the cost of opening them.
pub(super) const OPEN: Query = query("open", Selective, "repo:zzqqxxyynotthere", &[]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_study_has_twenty_four() {
        let mut names: Vec<&str> = QUERIES.iter().map(|query| query.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 24);
    }
}
