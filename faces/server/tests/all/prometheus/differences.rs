//! Where this server answers otherwise than Prometheus 3.15.0, and why.

/// Why answers differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Why {
    /// PromQL beyond selectors and numbers: 422, with who answers it.
    Beyond,
    /// `status/tsdb` is of the block that ends last, there of a head, which is empty.
    Head,
    /// The version is ours.
    Version,
    /// Texts of queries: who edits queries has a parser.
    Texts,
    /// What a process of Prometheus is made of: flags, configuration, its log.
    Process,
    /// Pages of other sites are let in by `--allow-origin` alone.
    Cors,
    /// Changes nothing here: administration, reloading, ending.
    Changes,
    /// Samples for a Prometheus that scrapes them.
    Federation,
    /// Redirections to pages, and of paths that are written wrongly.
    Redirection,
    /// HEAD is answered as GET.
    HeadMethod,
}

/// Differences: file, line from 1, why.
pub(super) const DIFFERENCES: [(&str, usize, Why); 43] = [
    ("api", 2, Why::Head),
    ("api", 3, Why::Head),
    ("api", 24, Why::Redirection),
    ("api", 36, Why::Cors),
    ("api", 54, Why::Beyond),
    ("api", 68, Why::Beyond),
    ("api", 73, Why::Beyond),
    ("api", 74, Why::Beyond),
    ("api", 75, Why::Beyond),
    ("api", 76, Why::Beyond),
    ("api", 107, Why::Texts),
    ("api", 108, Why::Texts),
    ("api", 109, Why::Texts),
    ("api", 111, Why::Process),
    ("api", 112, Why::Process),
    ("api", 113, Why::Process),
    ("api", 115, Why::Process),
    ("api", 117, Why::Cors),
    ("api", 122, Why::HeadMethod),
    ("api", 123, Why::Redirection),
    ("api", 125, Why::Redirection),
    ("api", 126, Why::Redirection),
    ("api", 128, Why::Federation),
    ("api", 129, Why::Changes),
    ("api", 130, Why::Changes),
    ("api", 133, Why::Changes),
    ("api", 134, Why::Changes),
    ("classic", 2, Why::Head),
    ("classic", 3, Why::Head),
    ("classic", 11, Why::Beyond),
    ("gaps", 2, Why::Head),
    ("gaps", 3, Why::Head),
    ("http", 66, Why::Head),
    ("http", 67, Why::Head),
    ("http", 71, Why::Version),
    ("mixed", 2, Why::Head),
    ("mixed", 3, Why::Head),
    ("names", 2, Why::Head),
    ("names", 3, Why::Head),
    ("native", 2, Why::Head),
    ("native", 3, Why::Head),
    ("tombstones", 2, Why::Head),
    ("tombstones", 3, Why::Head),
];
