//! A run that is killed at any moment leaves the old index or the new one, whole, and no litter
//! after the next run.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manicule_testkit::kill::wait_until;
use manicule_testkit::{Killer, Landmark};

use super::place::{Documents, Place};

/// Kills in a plain `cargo test`.
const KILLS: u64 = 25;

const FILES: usize = 40;

/// Two of the files in a shard, and so some twenty shards.
const WORDS: [&str; 4] = ["-index=out", "-shard_limit=4000", "--quiet", "tree"];

/// The tree of a version: files that change, some that don't, and some that only one version has.
fn documents(version: usize) -> Documents {
    let names = (0..FILES).filter(|file| version == 0 || file % 10 != 3);
    names
        .map(|file| {
            let version = if file % 3 == 0 { 0 } else { version };
            let line = format!("file {file} of version {version}\n");
            (format!("d{}/{file}.txt", file % 7), line.repeat(100 + file % 5).into_bytes())
        })
        .collect()
}

struct Yard {
    place: Place,
    versions: [Documents; 2],
}

impl Yard {
    fn new() -> Yard {
        Yard { place: Place::new(), versions: [documents(0), documents(1)] }
    }

    /// Changes the tree to one of the versions.
    fn write(&self, version: usize) {
        let _ = fs::remove_dir_all(self.place.path("tree"));
        for (name, content) in &self.versions[version] {
            self.place.write(&format!("tree/{name}"), content);
        }
    }

    fn start(&self) -> Child {
        self.place.command(&WORDS).spawn().expect("it starts")
    }

    /// Version of the index: all of it.
    #[track_caller]
    fn version(&self, what: &str) -> usize {
        let said = self.place.said("out");
        let first = said.ids.first().unwrap_or_else(|| panic!("{what}: no shard"));
        assert!(
            said.ids.iter().all(|id| id == first),
            "{what}: shards of two runs, {:?}",
            said.ids
        );
        let version = self.versions.iter().position(|version| *version == said.documents);
        version.unwrap_or_else(|| {
            let names: Vec<_> = said.documents.keys().collect();
            panic!("{what}: {} documents of no version: {names:?}", names.len())
        })
    }

    fn litter(&self) -> Vec<String> {
        let names = self.place.names("out").into_iter();
        names.filter(|name| !name.ends_with(".zoekt")).collect()
    }

    fn has(&self, ending: &str) -> bool {
        self.place.path("out").exists()
            && self.place.names("out").iter().any(|name| name.ends_with(ending))
    }

    /// Waits until a file with this ending exists, or the run is over. Returns whether it exists.
    fn wait_for(&self, child: &mut Child, name: &str) -> bool {
        let path = self.place.path("out").join(name);
        wait_until(child, || path.exists())
    }
}

const PLAN: &str = "tree_v16.plan";
const FIRST_ASIDE: &str = "tree_v16.00000.zoekt.tmp";
/// The first one is the lock, and there before it is locked; by the time of the second it is.
const SECOND_ASIDE: &str = "tree_v16.00001.zoekt.tmp";

#[test]
fn a_killed_run_leaves_the_old_index_or_the_new_one() {
    let mut killer = Killer::new(KILLS);
    let yard = Yard::new();
    yard.write(0);
    assert!(killer.time(|| yard.start().wait().expect("it ends")).success());
    let mut now = yard.version("the first run");
    let plan = yard.place.path("out").join(PLAN);
    for round in killer.rounds() {
        let next = 1 - now;
        yard.write(next);
        let had_plan = yard.has(PLAN);
        // While shards get their names.
        let wait_max = Duration::from_millis(4);
        let landmark = Landmark { is_passed: &|| plan.exists(), wait_max };
        let killed = killer.kill(yard.start(), Some(landmark));

        let what = format!("{}, {killed:?}", killer.what(round));
        let version = yard.version(&what);
        let moment = match (killed.has_ended, yard.has(PLAN), version == next) {
            (true, false, true) => "not at all",
            (false, true, true) => "while publishing",
            (false, false, true) => "after publishing",
            (false, false, false) => "before publishing",
            (false, true, false) if had_plan => "while finishing another run's plan",
            end => panic!("{what}: an unexpected end, {end:?}"),
        };
        killer.count(moment);
        now = version;
        if killer.rng.one_in(2) {
            // Either the begun run is finished, or the other version is written over it.
            let version = if killer.rng.one_in(2) { next } else { 1 - next };
            yard.write(version);
            assert!(yard.start().wait().expect("it ends").success(), "{what}");
            now = yard.version(&what);
            assert_eq!(now, version, "{what}");
            assert_eq!(yard.litter(), Vec::<String>::new(), "{what}");
        }
    }
    killer.print();
}

#[test]
fn a_reader_never_sees_parts_of_two_indexes() {
    let yard = Yard::new();
    yard.write(0);
    assert!(yard.start().wait().expect("it ends").success());
    let is_done = AtomicBool::new(false);
    let looks = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = [0u32; 2];
            while !is_done.load(Ordering::Relaxed) {
                looks[yard.version("a reader")] += 1;
            }
            looks
        });
        for round in 1..=6 {
            yard.write(round % 2);
            assert!(yard.start().wait().expect("it ends").success());
        }
        is_done.store(true, Ordering::Relaxed);
        reader.join().expect("a reader")
    });
    assert!(looks[0] > 0 && looks[1] > 0, "{looks:?}");
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill").success());
}

/// Whether a child is stopped; or else it has ended.
fn is_stopped(child: &Child) -> bool {
    let stat = format!("/proc/{}/stat", child.id());
    loop {
        let text = fs::read_to_string(&stat).unwrap_or_default();
        match text.rsplit_once(") ").and_then(|(_, fields)| fields.chars().next()) {
            Some('T') => return true,
            None | Some('Z' | 'X') => return false,
            Some(_) => std::thread::yield_now(),
        }
    }
}

/// A run that is stopped while it writes, before its plan is there, and what its tree's version is.
/// The one before is whole.
fn stopped_while_it_writes(yard: &Yard) -> (Child, usize) {
    for round in 1..=50 {
        yard.write(round % 2);
        let mut run = yard.start();
        if yard.wait_for(&mut run, SECOND_ASIDE) {
            signal(&run, "-STOP");
            if is_stopped(&run) && yard.has(SECOND_ASIDE) && !yard.has(PLAN) {
                return (run, round % 2);
            }
            signal(&run, "-CONT");
        }
        assert!(run.wait().expect("it ends").success());
    }
    panic!("each of 50 runs was over before it was stopped");
}

#[test]
fn one_run_at_a_time_writes_a_repository() {
    let yard = Yard::new();
    yard.write(0);
    assert!(yard.start().wait().expect("it ends").success());
    let (mut first, version) = stopped_while_it_writes(&yard);
    let stderr = yard.place.err(&WORDS);
    let want = "manicule: another process writes this repository's shards in out; wait for it\n";
    assert_eq!(stderr, want);
    // Another repository's shards in the same folder are not affected.
    yard.place.write("other/x.txt", "some text\n");
    yard.place.out(&["-index=out", "other"]);
    fs::remove_file(yard.place.path("out/other_v16.00000.zoekt")).expect("a shard");
    assert_eq!(yard.version("while a run is stopped"), 1 - version);
    signal(&first, "-CONT");
    assert!(first.wait().expect("it ends").success());
    assert_eq!(yard.version("after it"), version);
    assert_eq!(yard.litter(), Vec::<String>::new());
}

#[test]
fn runs_that_start_together_leave_one_whole_index() {
    let yard = Yard::new();
    for round in 0..8 {
        yard.write(round % 2);
        let outputs = [yard.start(), yard.start(), yard.start()]
            .map(|child| child.wait_with_output().expect("it ends"));
        assert!(outputs.iter().any(|output| output.status.success()), "{outputs:?}");
        for output in outputs.iter().filter(|output| !output.status.success()) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(stderr.contains("another process writes this repository's shards"), "{stderr}");
        }
        assert_eq!(yard.version("after all of them"), round % 2);
        assert_eq!(yard.litter(), Vec::<String>::new(), "round {round}");
    }
}

#[test]
fn runs_over_several_repositories_do_not_meet() {
    let yard = Yard::new();
    yard.write(0);
    yard.place.write("tree_v16/x.txt", "some text\n");
    for _ in 0..5 {
        let other = yard.place.command(&["-index=out", "--force", "tree_v16"]).spawn();
        let (this, mut other) = (yard.start().wait(), other.expect("it starts"));
        assert!(this.expect("it ends").success() && other.wait().expect("it ends").success());
        assert_eq!(yard.place.said("out").documents.len(), FILES + 1);
    }
}

#[test]
fn interrupted_it_keeps_the_old_index_and_leaves_nothing() {
    for (name, number) in [("-INT", 2), ("-TERM", 15)] {
        let yard = Yard::new();
        yard.write(0);
        assert!(yard.start().wait().expect("it ends").success());
        yard.write(1);
        let mut child = yard.start();
        assert!(yard.wait_for(&mut child, FIRST_ASIDE));
        signal(&child, name);
        let ended = child.wait().expect("it ends");
        assert_eq!(yard.litter(), Vec::<String>::new(), "{name}");
        // It may have been as good as done.
        if !ended.success() {
            assert_eq!(ended.signal(), Some(number), "{name}");
            assert_eq!(yard.version("after an interrupt"), 0, "{name}");
        }
        assert!(yard.start().wait().expect("it ends").success());
        assert_eq!(yard.version("after the next run"), 1);
    }
}

/// A shell's `&` ignores SIGINT in the processes that it starts, and so it stays.
#[test]
fn a_signal_that_was_turned_off_stays_so() {
    let yard = Yard::new();
    yard.write(0);
    let words = WORDS.join(" ");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("trap '' INT; exec \"$0\" code index {words}")]);
    command.arg(env!("CARGO_BIN_EXE_manicule")).current_dir(yard.place.path(""));
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("a shell");
    assert!(yard.wait_for(&mut child, FIRST_ASIDE));
    signal(&child, "-INT");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(yard.version("after it"), 0);
}
