//! Damaged files, read and written from: every file of a small example of each kind, damaged in
//! every way ([`manicule_testkit::Damage`]), before every command that reads the kind or writes
//! from it.
//!
//! The answer is the right one, or exit code 1 or 2 with the place; never other rows with 0, never
//! a sound-looking file out of a damaged one, never a signal, a panic, a hang, or memory that the
//! bytes at hand don't back.
//!
//! `cargo test -p manicule-cli --test all damage -- --ignored --nocapture` draws every case and
//! prints their numbers; `MANICULE_DAMAGE` names one example, `MANICULE_CASES` is a number of cases
//! of each. Without `--ignored` some cases of each example are drawn, by `MANICULE_SEED`.

mod call;
mod cases;
pub(crate) mod examples;
mod judge;
pub(crate) mod plant;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::time::Instant;

use manicule_testkit::{Rng, number};

use cases::Run;
use examples::EXAMPLES;
use table::Example;

/// Number of cases of an example in `cargo test`.
const DRAWN: usize = 8;

#[test]
fn some_damages_of_each_file_are_survived() {
    check(DRAWN);
}

#[test]
#[ignore = "every case: minutes; .ci/run draws a third of them"]
fn every_damage_of_every_file_is_survived() {
    let most = number("MANICULE_CASES").map_or(usize::MAX, |count| count as usize);
    check(most);
}

/// Checks so many cases of each example, drawn by the seed.
fn check(count: usize) {
    let wanted = std::env::var("MANICULE_DAMAGE").ok();
    let mut rng = Rng::new(number("MANICULE_SEED").unwrap_or(31));
    let mut wrong = Vec::new();
    for example in EXAMPLES.iter().filter(|example| is_wanted(example, wanted.as_deref())) {
        let begun = Instant::now();
        let run = Run::new(example);
        let mut cases = run.cases();
        for last in (1..cases.len()).rev() {
            cases.swap(last, rng.below(last + 1));
        }
        cases.truncate(count);
        let faults = run.faults(&cases);
        let (cases, calls) = (cases.len(), cases.len() * example.commands().count());
        let (name, seconds) = (example.name, begun.elapsed().as_secs_f32());
        println!("{name}: {cases} cases, {calls} calls, {} faults, {seconds:.1} s", faults.len());
        wrong.extend(summary(example, &faults));
    }
    assert!(wrong.is_empty(), "{} kinds of faults:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_wanted(example: &Example, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| example.name.starts_with(wanted))
}

/// A line for each command, file and fault: how many damages end so, and the first of them.
fn summary(example: &Example, faults: &[cases::Found]) -> Vec<String> {
    let mut groups = BTreeMap::<_, Vec<&cases::Found>>::new();
    for found in faults {
        groups.entry((found.words, &found.case.file, found.fault.name())).or_default().push(found);
    }
    let line = |((words, file, fault), all): (_, Vec<&cases::Found>)| {
        let (first, name) = (all[0], example.name);
        format!(
            "{name}: {file}: {words}: {fault}, {} times: {}: {}",
            all.len(),
            first.case.damage,
            first.fault
        )
    };
    groups.into_iter().map(line).collect()
}
