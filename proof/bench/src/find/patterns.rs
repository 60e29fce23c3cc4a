//! The patterns that are searched for, each with the kind that sets its target.
//!
//! The first dozen of each tree are those of the peers' study, so that the figures compare.

use super::corpora::Corpus;

/// Kind of a pattern, by the use of an index for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Grams leave few files.
    Selective,
    /// A class at the front: grams leave few files, glep is slower than ripgrep there.
    ClassFirst,
    /// Most files, or a good part of them, hold it: reading and printing is the work.
    Frequent,
    /// No gram can be drawn from it: the whole tree is read.
    NoGram,
}

impl Kind {
    /// The word in the tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Selective => "selective",
            Kind::ClassFirst => "class first",
            Kind::Frequent => "frequent",
            Kind::NoGram => "no gram",
        }
    }
}

/// Flags and a pattern.
pub(super) struct Pattern {
    pub(super) kind: Kind,
    pub(super) flags: &'static [&'static str],
    pub(super) text: &'static str,
}

impl Pattern {
    /// The words of the command line, the same for every program.
    pub(super) fn query(&self) -> Vec<String> {
        let flags = self.flags.iter().map(|&flag| flag.to_owned());
        flags.chain(["-e".to_owned(), self.text.to_owned()]).collect()
    }

    /// Name in the tables.
    pub(super) fn name(&self) -> String {
        let words: Vec<&str> = self.flags.iter().copied().chain([self.text]).collect();
        format!("`{}`", words.join(" "))
    }
}

use Kind::{ClassFirst, Frequent, NoGram, Selective};

const fn plain(kind: Kind, text: &'static str) -> Pattern {
    Pattern { kind, flags: &[], text }
}

const fn with(kind: Kind, flags: &'static [&'static str], text: &'static str) -> Pattern {
    Pattern { kind, flags, text }
}

const K8S: &[Pattern] = &[
    plain(Selective, "NewSharedInformerFactoryWithOptions"),
    plain(Selective, "zzqqxxyynotthere"),
    plain(Selective, "DeepCopyInto"),
    plain(Selective, "failed to create"),
    plain(Selective, r"func.*Informer\("),
    plain(Selective, "(ReplicaSet|StatefulSet)Controller"),
    plain(Selective, "(?i)podsandboxstatus"),
    plain(Selective, "type Interface interface"),
    plain(ClassFirst, "[0-9]{4}-[0-9]{2}-[0-9]{2}T"),
    plain(Frequent, r"\bPod\b"),
    plain(Frequent, "return"),
    plain(Frequent, "err"),
    plain(NoGram, "[A-Z_]{30,}"),
    plain(NoGram, r"\b\w+ing\b"),
    // Added to the study's.
    with(Selective, &["-w"], "ensureNodeExistsByProviderID"),
    with(Selective, &["-i"], "KUBELETCONFIGURATION"),
    with(Selective, &["-F"], "map[string]func("),
    with(Selective, &["-l"], "leaderelection"),
    with(Selective, &["-c"], "SetDefaults_Pod"),
    with(Selective, &["-C", "2"], "TopologyManagerPolicy"),
    plain(Selective, r"TODO\(\w+\): remove"),
    plain(Selective, "naïve"),
    plain(NoGram, "é"),
    plain(ClassFirst, r"[a-z]+InformerFactory\b"),
    plain(ClassFirst, r"^\s+spec\.containers"),
    plain(NoGram, "if"),
    plain(NoGram, "fn"),
    plain(NoGram, r"^.{300,}$"),
    plain(NoGram, r"\p{Greek}"),
    with(NoGram, &["-w"], r"\w{2}"),
];

const LINUX: &[Pattern] = &[
    plain(Selective, "dma_alloc_coherent"),
    plain(Selective, "EXPORT_SYMBOL_GPL"),
    plain(Selective, "mutex_lock"),
    plain(Selective, r"static.*_probe\(struct platform_device"),
    plain(Selective, "(kzalloc|kvmalloc)_node"),
    plain(Selective, r"\bPageAnon\b"),
    plain(Selective, "io_uring_enter"),
    plain(Selective, "(?i)todo"),
    plain(Selective, r"struct list_head \*next"),
    plain(Selective, r"if \(unlikely\("),
    plain(Selective, "netif_receive_skb"),
    plain(Frequent, "static"),
    plain(NoGram, "[A-Z_]{30,}"),
    plain(NoGram, r"\b\w+ing\b"),
    // Added to the study's.
    plain(Selective, "zzqqxxyynotthere"),
    with(Selective, &["-w"], "spin_lock_irqsave"),
    with(Selective, &["-i"], "SYSFS_CREATE_GROUP"),
    with(Selective, &["-F"], "->ops->open("),
    with(Selective, &["-l"], "module_platform_driver"),
    with(Selective, &["-c"], "of_property_read_u32"),
    with(Selective, &["-C", "2"], "rcu_read_lock_bh"),
    plain(Selective, "naïve"),
    plain(NoGram, "é"),
    plain(ClassFirst, "[0-9]{4}-[0-9]{2}-[0-9]{2}T"),
    plain(ClassFirst, r"[a-z]+_register_driver\b"),
    plain(Frequent, "return"),
    plain(NoGram, "if"),
    plain(NoGram, "fn"),
    plain(NoGram, r"^.{300,}$"),
    plain(NoGram, r"\p{Greek}"),
];

/// The patterns of a tree.
pub(super) fn of(corpus: Corpus) -> &'static [Pattern] {
    match corpus {
        Corpus::K8sFull => K8S,
        Corpus::Linux => LINUX,
    }
}

/// The patterns of the rows that measure states of the tree and not patterns: nothing, little,
/// much.
pub(super) fn samples(corpus: Corpus) -> Vec<&'static Pattern> {
    let wanted: &[&str] = match corpus {
        Corpus::K8sFull => &["zzqqxxyynotthere", "DeepCopyInto", "return"],
        Corpus::Linux => &["zzqqxxyynotthere", "dma_alloc_coherent", "static"],
    };
    of(corpus).iter().filter(|pattern| wanted.contains(&pattern.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tree_has_patterns_of_every_kind() {
        for corpus in [Corpus::K8sFull, Corpus::Linux] {
            let patterns = of(corpus);
            assert!(patterns.len() >= 24, "{}", corpus.name());
            for kind in [Selective, ClassFirst, Frequent, NoGram] {
                assert!(patterns.iter().any(|pattern| pattern.kind == kind), "{kind:?}");
            }
            let mut names: Vec<String> = patterns.iter().map(Pattern::name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), patterns.len(), "a pattern occurs twice");
            assert_eq!(samples(corpus).len(), 3);
        }
    }

    #[test]
    fn a_query_says_where_the_pattern_begins() {
        assert_eq!(with(Selective, &["-F"], "-x").query(), ["-F", "-e", "-x"]);
        assert_eq!(with(Selective, &["-F"], "-x").name(), "`-F -x`");
    }
}
