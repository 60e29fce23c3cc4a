//! The cases of an example, on all cores: a file, a damage, and what each command does then.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use manicule_testkit::{Damage, contents, copy_folder};
use tempfile::TempDir;

use super::call::Seen;
use super::judge::{self, Fault};
use super::plant::borders;
use super::table::{Does, Example, May, Row, Trust};

/// The name of each copy's folder, which some commands print.
const NAME: &str = "yard";

/// A file of an example, damaged.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) damage: Damage,
}

/// A fault of one command in one case.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) case: Case,
    pub(crate) words: &'static str,
    pub(crate) fault: Fault,
}

/// What the commands answer to sound files, by their words.
type Answers = HashMap<&'static str, Right>;

/// The right answers of a row.
#[derive(Clone, Debug)]
struct Right {
    seen: Seen,
    /// What the second command of a row prints after it, and before it.
    then: Option<[Seen; 2]>,
}

/// An example, planted, with the right answers.
pub(crate) struct Run<'e> {
    example: &'e Example,
    folder: TempDir,
    files: BTreeMap<String, Vec<u8>>,
    /// Those of the example, then those of its earlier states.
    answers: Vec<Answers>,
}

impl<'e> Run<'e> {
    /// Plants the example and asks every command.
    pub(crate) fn new(example: &'e Example) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sound = folder.path().join("sound");
        fs::create_dir(&sound).expect("a folder");
        (example.plant)(&sound);
        let mut answers = vec![answers(example, &sound, folder.path())];
        for state in 0..example.earlier.map_or(0, |earlier| earlier.count) {
            let place = folder.path().join(format!("state{state}"));
            fs::create_dir(&place).expect("a folder");
            (example.earlier.expect("there are some").plant)(&place, state);
            answers.push(self::answers(example, &place, folder.path()));
        }
        Run { example, files: contents(&sound), folder, answers }
    }

    /// Every damage of every file.
    pub(crate) fn cases(&self) -> Vec<Case> {
        let mut alike = HashMap::<(&str, &str), usize>::new();
        let mut cases = Vec::new();
        for (file, bytes) in &self.files {
            let Some(prefix) = self.example.files.iter().find(|prefix| file.starts_with(**prefix))
            else {
                continue;
            };
            let below = file[prefix.len()..].trim_start_matches('/');
            let first = below.split_once('/').map_or("", |(first, _)| first);
            let number = alike.entry((prefix, first)).or_default();
            *number += 1;
            if *number <= self.example.alike_max {
                let borders = borders(&self.sound(), file);
                cases.extend(
                    Damage::all(bytes.len(), &borders)
                        .into_iter()
                        .map(|damage| Case { file: file.clone(), damage }),
                );
            }
        }
        assert!(!cases.is_empty(), "{}: no file is damaged", self.example.name);
        cases
    }

    fn sound(&self) -> PathBuf {
        self.folder.path().join("sound")
    }

    /// The faults of these cases.
    pub(crate) fn faults(&self, cases: &[Case]) -> Vec<Found> {
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for worker in 0..thread::available_parallelism().map_or(2, Into::into) {
                let (next, found) = (&next, &found);
                scope.spawn(move || {
                    let worker = Worker::new(self, worker);
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        found.lock().expect("no panic").extend(worker.faults(case));
                    }
                });
            }
        });
        found.into_inner().expect("no panic")
    }
}

/// The right answers in a folder, which are the same twice.
fn answers(example: &Example, folder: &Path, scratch: &Path) -> Answers {
    let work = scratch.join("first").join(NAME);
    let place = Place { sound: folder, work: &work };
    let answer = |row: &Row| {
        let right = place.right(row);
        assert!(right.seen.code.is_some_and(|code| code < 2), "{}: {:?}", row.words, right.seen);
        if matches!(row.does, Does::Reads) {
            assert_eq!(place.right(row).seen, right.seen, "{} varies", row.words);
        }
        (row.words, right)
    };
    example.commands().map(answer).collect()
}

/// A copy of an example that commands are called in.
#[derive(Clone, Copy)]
struct Place<'p> {
    sound: &'p Path,
    work: &'p Path,
}

impl Place<'_> {
    fn renew(&self) {
        let _ = fs::remove_dir_all(self.work);
        fs::create_dir_all(self.work.parent().expect("it is below another")).expect("a folder");
        copy_folder(self.sound, self.work);
    }

    fn right(&self, row: &Row) -> Right {
        self.renew();
        let then = |words| Seen::of(self.work, words);
        match row.does {
            Does::Makes(words) | Does::Restores(words) => {
                let seen = Seen::of(self.work, &row.words.replace("OUT", "out"));
                let then = then(&words.replace("OUT", "out"));
                assert_eq!(then.code, Some(0), "{words}: {then:?} after {seen:?}");
                Right { seen, then: Some([then.clone(), then]) }
            }
            Does::Changes(words) | Does::Adds(words) => {
                let before = then(words);
                let seen = Seen::of(self.work, row.words);
                let after = then(words);
                assert_eq!(after.code, Some(0), "{words}: {after:?} after {seen:?}");
                Right { seen, then: Some([after, before]) }
            }
            Does::Reads | Does::Judges | Does::Mends => {
                Right { seen: Seen::of(self.work, row.words), then: None }
            }
        }
    }
}

/// A thread with its own copy of the example.
struct Worker<'r> {
    run: &'r Run<'r>,
    work: PathBuf,
}

impl<'r> Worker<'r> {
    fn new(run: &'r Run<'r>, number: usize) -> Self {
        let worker =
            Worker { run, work: run.folder.path().join(format!("work{number}")).join(NAME) };
        worker.renew();
        worker
    }

    fn renew(&self) {
        Place { sound: &self.run.sound(), work: &self.work }.renew();
    }

    /// The answers that are right for a row: of the example, and of the states that a cut file may
    /// be of.
    fn right(&self, row: &Row, case: &Case) -> Vec<&'r Right> {
        let is_earlier = |suffix: &str| case.damage.is_cut() && case.file.ends_with(suffix);
        let may_be_earlier = self.run.example.earlier.is_some_and(|state| is_earlier(state.suffix));
        let count = if may_be_earlier { self.run.answers.len() } else { 1 };
        self.run.answers[..count].iter().map(|answers| &answers[row.words]).collect()
    }

    fn faults(&self, case: &Case) -> Vec<Found> {
        self.damage(case);
        let mut found = Vec::new();
        // Commands that judge, and whether each found something; the others, and whether each was
        // right.
        let (mut judged, mut failed) = (Vec::new(), None);
        for row in self.run.example.commands() {
            let (mut fault, mut is_right) = self.fault(row, case);
            let excuse = self.run.example.unproven.iter().find(|one| one.excuses(case, row.words));
            if let Some(unproven) = excuse {
                let is_left = |fault: &Fault| fault.stays(unproven.may);
                fault = fault.filter(is_left);
                // What may be believed need not be judged.
                if unproven.may != May::LeaveUnnamed {
                    is_right = !matches!(row.does, Does::Judges);
                }
            }
            found.extend(fault.map(|fault| Found { case: case.clone(), words: row.words, fault }));
            match row.does {
                Does::Judges if is_right => judged.push(row.words),
                Does::Judges | Does::Mends => {}
                _ if is_right => {}
                _ => failed = failed.or(Some(row.words)),
            }
        }
        if let Some(failed) = failed {
            let blind = |words| {
                let fault = Fault::Blind(format!("{failed} is not answered"));
                Found { case: case.clone(), words, fault }
            };
            found.extend(judged.into_iter().map(blind));
        }
        self.mend(case);
        found
    }

    /// Names of which an error has one: of two files that contradict each other either may be the
    /// one named.
    fn places(&self, case: &Case) -> Vec<&'r str> {
        let folder = |file: &str| file.rfind('/').map_or(0, |at| at + 1);
        let of = &case.file[..folder(&case.file)];
        let names = self.run.files.keys().filter(|file| file[..folder(file)] == *of);
        // A component of an SSTable goes by what follows its generation.
        let component = |name: &'r str| {
            let parts = name.rsplit_once("-big-").or(name.rsplit_once("-bti-"));
            parts.map_or(name, |(_, component)| component)
        };
        // A number that a damaged file makes up is that of no other file.
        let unnumbered = |name: &'r str| {
            let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
            if start.is_empty() { name } else { start }
        };
        names.map(|file| unnumbered(component(&file[folder(file)..]))).collect()
    }

    fn damage(&self, case: &Case) {
        case.damage.put(&self.work.join(&case.file), &self.run.files[&case.file]);
    }

    fn mend(&self, case: &Case) {
        let path = self.work.join(&case.file);
        let _ = fs::remove_dir_all(&path);
        fs::write(&path, &self.run.files[&case.file]).expect("the file is put back");
    }

    /// The fault of a row, and whether it answered as if nothing were damaged.
    fn fault(&self, row: &Row, case: &Case) -> (Option<Fault>, bool) {
        let right = self.right(row, case);
        match row.does {
            Does::Reads => {
                let seen: Vec<&Seen> = right.iter().map(|right| &right.seen).collect();
                let got = Seen::of(&self.work, row.words);
                let is_right = seen.iter().any(|want| want.code == got.code);
                (
                    judge::of_reader(&seen, &got, &self.places(case), self.run.example.trust),
                    is_right,
                )
            }
            Does::Judges => {
                let got = Seen::of(&self.work, row.words);
                let is_ok = got.code == Some(0);
                let fault = judge::died(&got);
                (
                    fault.or_else(|| {
                        (!is_ok).then(|| judge::of_failure(&got, &self.places(case)))?
                    }),
                    is_ok,
                )
            }
            Does::Mends => {
                let got = Seen::of(&self.work, row.words);
                self.again(case);
                (judge::died(&got), true)
            }
            Does::Makes(then) | Does::Restores(then) => self.made(row, then, &right, case),
            Does::Changes(then) | Does::Adds(then) => {
                let answer = self.changed(row, then, &right, case);
                self.again(case);
                answer
            }
        }
    }

    /// The damaged state, after something may have changed it.
    fn again(&self, case: &Case) {
        self.renew();
        self.damage(case);
    }

    fn made(&self, row: &Row, then: &str, right: &[&Right], case: &Case) -> (Option<Fault>, bool) {
        let out = self.work.join("out");
        let got = Seen::of(&self.work, &row.words.replace("OUT", "out"));
        let is_ok = got.code == right[0].seen.code;
        let fault = judge::died(&got).or_else(|| {
            if is_ok {
                let seen = Seen::of(&self.work, &then.replace("OUT", "out"));
                return self.other_contents(&got, &seen, right, case);
            }
            let left = if matches!(row.does, Does::Restores(_)) {
                let seen = Seen::of(&self.work, &then.replace("OUT", "out"));
                foreign_lines(&seen, right)
            } else {
                let left = if out.exists() { contents(&out) } else { BTreeMap::new() };
                left.into_keys().next()
            };
            let left = left.map(Fault::Left);
            left.or_else(|| judge::of_failure(&got, &self.places(case)))
        });
        let _ = fs::remove_dir_all(&out);
        (fault, is_ok)
    }

    fn changed(
        &self,
        row: &Row,
        then: &str,
        right: &[&Right],
        case: &Case,
    ) -> (Option<Fault>, bool) {
        let got = Seen::of(&self.work, row.words);
        let is_ok = got.code == right[0].seen.code;
        let fault = judge::died(&got).or_else(|| {
            let seen = Seen::of(&self.work, then);
            let is_found_later = matches!(row.does, Does::Adds(_)) && seen.code == Some(2);
            if is_ok && !is_found_later {
                return self.other_contents(&got, &seen, right, case);
            }
            // It failed: what a reader sees is as before, or an error.
            let failure = if is_ok { &seen } else { &got };
            judge::of_failure(failure, &self.places(case)).or_else(|| {
                let before = right.iter().flat_map(|right| right.then.iter().flatten());
                let before: Vec<&Seen> = before.collect();
                judge::of_reader(&before, &seen, &self.places(case), Trust::Source)
            })
        });
        (fault, is_ok)
    }

    /// The fault of contents that were made or changed out of a damaged file, by a call that says
    /// that all went well.
    fn other_contents(
        &self,
        call: &Seen,
        seen: &Seen,
        right: &[&Right],
        case: &Case,
    ) -> Option<Fault> {
        let wanted = |right: &&Right| right.then.as_ref().is_some_and(|[after, _]| after == seen);
        if right.iter().any(wanted) {
            return None;
        }
        let want = right[0].then.as_ref().map_or(0, |[after, _]| after.out.lines().count());
        let (lines, code) = (seen.out.lines().count(), seen.code);
        let line = format!("{lines} lines for {want}, code {code:?}: {:.160}", seen.err);
        Some(Fault::Made { line, is_warned: judge::names_one(&call.err, &self.places(case)) })
    }
}

/// A line that is restored and stands in no file of the sound ones.
fn foreign_lines(seen: &Seen, right: &[&Right]) -> Option<String> {
    let all = right.iter().filter_map(|right| right.then.as_ref());
    let sound: HashSet<&str> = all.flat_map(|[then, _]| then.out.lines()).collect();
    seen.out.lines().find(|line| !sound.contains(line)).map(str::to_owned)
}
