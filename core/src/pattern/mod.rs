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

mod byteset;
mod dialect;
mod facts;
pub mod go;
mod need;
mod read;
mod show;
#[cfg(test)]
mod tests;
mod tidy;

use need::REACH_ENOUGH;
pub use need::{Limits, Need};

pub use byteset::ByteSet;
pub use dialect::{Case, Dialect, Syntax};

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

/// The text that all matches of the patterns are, and that is a match wherever it stands, if there
/// is such a text.
pub fn text(patterns: &[&str], dialect: &Dialect) -> Option<Vec<u8>> {
    match dialect.parse(patterns).ok()?.kind() {
        regex_syntax::hir::HirKind::Literal(literal) => Some(literal.0.to_vec()),
        _ => None,
    }
}

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

/// Maximum number of literals: looking for more at once is slower than with the regex.
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
