//! Literal analysis of patterns: what every match must hold.
//!
//! An index of grams can't run a regex, but it can say which files have a few byte sequences.
//! [`need`] reads patterns as a user of ripgrep writes them and answers with a boolean [`Need`]:
//! **every match satisfies it**, and so does every line and file with a match. The reverse isn't
//! promised: a need may be weaker than its patterns, never stronger. [`holds`] is the plain judge.
//!
//! What the caller has to see to: nothing is needed for patterns in other languages (PCRE), for
//! files that its matcher decodes first (UTF-16), and for lines that don't match (`-v`). A newline
//! stays a byte like any other; whoever cuts texts into lines drops the windows that hold one.
//!
//! ```text
//! func.*Informer\(                 "func" & "Informer("
//! (ReplicaSet|StatefulSet)Control  "ReplicaSetControl" | "StatefulSetControl"
//! [0-9]{4}-[0-9]{2}T               [0-9]{4}"-"[0-9]{2}"T"
//! ```
//!
//! The road: `dialect` makes the syntax tree, `read` walks it, `facts` joins what is known about
//! the parts of a pattern, `tidy` drops what says nothing new, `show` writes it for people.
//!
//! Callers: engines/code; engines/series for `=~`

mod byteset;
mod dialect;
mod facts;
pub mod go;
mod read;
mod show;
#[cfg(test)]
mod tests;
mod tidy;

pub use byteset::ByteSet;
pub use dialect::{Case, Dialect, Syntax};

/// Bytes that every match must hold, as a condition that an index can ask.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Need {
    /// Nothing is known: each text may match.
    Anything,
    /// All of them, in whatever order and place.
    All(Vec<Need>),
    /// At least one of them. Of none, if there is none: then nothing can match.
    Any(Vec<Need>),
    /// Somewhere in the match, bytes of these sets follow each other directly.
    Seq(Vec<ByteSet>),
}

/// Bounds of work, of memory, and of what is worth asking of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Texts that stand side by side in one part of a pattern, such as the four of `(a|b)(c|d)`,
    /// before they are blurred into one.
    pub alternatives_max: usize,
    /// Sets in all these texts together.
    pub alternative_sets_max: usize,
    /// ASCII bytes in a set that is worth keeping. Bytes from 0x80 on aren't counted: indexes of
    /// text keep them in one class or few.
    pub ascii_max: usize,
    /// Sequences in a need whose letters have cases of several lengths (`(?i)s` is s, S and U+17F)
    /// before each of these letters is blurred, if that leaves enough.
    pub spelled_seqs_max: usize,
    /// Sets in a need.
    pub need_sets_max: usize,
}

impl Limits {
    /// Large enough for what people write and for word lists of a thousand lines; a need of this
    /// size takes half a megabyte, and typical ones a hundredth of a millisecond.
    pub const USUAL: Limits = Limits {
        alternatives_max: 64,
        alternative_sets_max: 1024,
        ascii_max: 64,
        spelled_seqs_max: 4,
        need_sets_max: 16384,
    };
}

/// The condition on bytes that every match of one of the patterns satisfies.
///
/// A pattern that needs nothing makes the whole `Anything`. Without patterns nothing matches, as in
/// ripgrep: `Any` of nothing. The error is the one that the caller's matcher reports, too; who
/// wants to go on without it takes `Anything`.
pub fn need(
    patterns: &[&str],
    dialect: &Dialect,
    limits: &Limits,
) -> Result<Need, Box<regex_syntax::Error>> {
    let hir = dialect.parse(patterns)?;
    let mut spelling = read::Spelling { allowed: true, used: false };
    let spelled = tidy::tidy(read::facts(&hir, limits, &mut spelling).into_need(limits));
    if !spelling.used || spelled.seq_count() <= limits.spelled_seqs_max && spelled.reach() > 0 {
        return Ok(spelled);
    }
    let mut blurred = read::Spelling { allowed: false, used: false };
    let blurred = tidy::tidy(read::facts(&hir, limits, &mut blurred).into_need(limits));
    // (?i)ssl, blurred, leaves no three bytes together, so it stays spelled in four ways.
    let enough = blurred.reach() >= REACH_ENOUGH.min(spelled.reach());
    Ok(if enough { blurred } else { spelled })
}

/// The text that all matches of the patterns are, and that is a match wherever it stands, if there is such a text.
pub fn text(patterns: &[&str], dialect: &Dialect) -> Option<Vec<u8>> {
    match dialect.parse(patterns).ok()?.kind() {
        regex_syntax::hir::HirKind::Literal(literal) => Some(literal.0.to_vec()),
        _ => None,
    }
}

/// Bytes together that make two grams of three, or one of four.
const REACH_ENOUGH: usize = 4;

/// Whether the text has what is needed. The slow judge: no index, no cleverness.
pub fn holds(need: &Need, text: &[u8]) -> bool {
    match need {
        Need::Anything => true,
        Need::All(parts) => parts.iter().all(|part| holds(part, text)),
        Need::Any(parts) => parts.iter().any(|part| holds(part, text)),
        Need::Seq(sets) if sets.is_empty() => true,
        Need::Seq(sets) => text
            .windows(sets.len())
            .any(|window| window.iter().zip(sets).all(|(&byte, set)| set.contains(byte))),
    }
}

/// Byte strings that every match holds, the longest first: for prefilters.
///
/// Only what stands in each match counts; of `foo|bar` there is none. The longest 64 are returned.
pub fn literals(need: &Need) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    collect_literals(need, &mut found);
    found.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
    found.truncate(LITERALS_MAX);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for literal in found {
        if !kept.iter().any(|long| memchr::memmem::find(long, &literal).is_some()) {
            kept.push(literal);
        }
    }
    kept
}

/// Who looks for more of them at once is slower than with the regex.
const LITERALS_MAX: usize = 64;

fn collect_literals(need: &Need, found: &mut Vec<Vec<u8>>) {
    match need {
        Need::Anything | Need::Any(_) => {}
        Need::All(parts) => parts.iter().for_each(|part| collect_literals(part, found)),
        Need::Seq(sets) => {
            for run in sets.split(|set| set.single().is_none()).filter(|run| !run.is_empty()) {
                found.push(run.iter().filter_map(|set| set.single()).collect());
            }
        }
    }
}

impl Need {
    fn seq_count(&self) -> usize {
        match self {
            Need::Anything => 0,
            Need::All(parts) | Need::Any(parts) => parts.iter().map(Need::seq_count).sum(),
            Need::Seq(_) => 1,
        }
    }

    /// Minimum number of bytes that stand together in one place of each match.
    fn reach(&self) -> usize {
        match self {
            Need::Anything => 0,
            Need::All(parts) => parts.iter().map(Need::reach).max().unwrap_or(0),
            Need::Any(parts) => parts.iter().map(Need::reach).min().unwrap_or(usize::MAX),
            Need::Seq(sets) => sets.len(),
        }
    }
}
