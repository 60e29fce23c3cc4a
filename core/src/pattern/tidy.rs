//! Makes a need short: drops what says nothing new.
//!
//! Of all that must be there, what another one implies can go; of several that may be there, what
//! implies another one. So `"ab" & "abc"` becomes `"abc"`, and `"ab" | "abc"` becomes `"ab"`.

use super::ByteSet;
use super::need::Need;

/// Comparisons of sets in one tidying. After that things stay as they are, which is sound.
/// About a millisecond; what people write takes a few hundred.
const FUEL: u32 = 500_000;

/// The same need, flat and without repetition.
pub(super) fn tidy(need: Need) -> Need {
    tidy_within(need, &mut { FUEL })
}

// Recursion is as deep as `All` and `Any` alternate, which regex-syntax's nest limit bounds.
fn tidy_within(need: Need, fuel: &mut u32) -> Need {
    match need {
        Need::All(parts) => all(parts, fuel),
        Need::Any(parts) => any(parts, fuel),
        Need::Seq(sets) if sets.is_empty() => Need::Anything,
        other => other,
    }
}

fn all(parts: Vec<Need>, fuel: &mut u32) -> Need {
    let mut kept: Vec<Need> = Vec::new();
    for part in parts {
        match tidy_within(part, fuel) {
            Need::Anything => {}
            Need::All(inner) => inner.into_iter().for_each(|one| add_weak(&mut kept, one, fuel)),
            one => add_weak(&mut kept, one, fuel),
        }
    }
    match kept.len() {
        0 => Need::Anything,
        1 => kept.remove(0),
        _ => Need::All(kept),
    }
}

/// Keeps the strong ones.
fn add_weak(kept: &mut Vec<Need>, part: Need, fuel: &mut u32) {
    if *fuel == 0 {
        kept.push(part);
    } else if !kept.iter().any(|other| implies(other, &part, fuel)) {
        kept.retain(|other| !implies(&part, other, fuel));
        kept.push(part);
    }
}

fn any(parts: Vec<Need>, fuel: &mut u32) -> Need {
    let mut kept: Vec<Need> = Vec::new();
    for part in parts {
        match tidy_within(part, fuel) {
            Need::Anything => return Need::Anything,
            Need::Any(inner) => inner.into_iter().for_each(|one| add_strong(&mut kept, one, fuel)),
            one => add_strong(&mut kept, one, fuel),
        }
    }
    match kept.len() {
        1 => kept.remove(0),
        _ => Need::Any(kept),
    }
}

/// Keeps the weak ones.
fn add_strong(kept: &mut Vec<Need>, part: Need, fuel: &mut u32) {
    if *fuel == 0 {
        kept.push(part);
    } else if !kept.iter().any(|other| implies(&part, other, fuel)) {
        kept.retain(|other| !implies(other, &part, fuel));
        kept.push(part);
    }
}

/// Whether each text that has the one has the other. `false` may also mean that it wasn't seen.
fn implies(strong: &Need, weak: &Need, fuel: &mut u32) -> bool {
    if *fuel == 0 {
        return false;
    }
    *fuel -= 1;
    match (strong, weak) {
        (_, Need::Anything) => true,
        (Need::Any(branches), weak) => branches.iter().all(|branch| implies(branch, weak, fuel)),
        (strong, Need::All(parts)) => parts.iter().all(|part| implies(strong, part, fuel)),
        (Need::Seq(long), Need::Seq(short)) => contains(long, short, fuel),
        (Need::All(parts), weak) if parts.iter().any(|part| implies(part, weak, fuel)) => true,
        (strong, Need::Any(branches)) => {
            branches.iter().any(|branch| implies(strong, branch, fuel))
        }
        _ => false,
    }
}

/// Whether `short` stands in `long`, set within set.
fn contains(long: &[ByteSet], short: &[ByteSet], fuel: &mut u32) -> bool {
    long.windows(short.len()).any(|window| {
        window.iter().zip(short).all(|(&inner, &outer)| {
            *fuel = fuel.saturating_sub(1);
            *fuel > 0 && inner.is_subset(outer)
        })
    })
}
