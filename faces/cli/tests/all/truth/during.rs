//! Answers that are given while the tree changes and its index is built: each line was true during
//! the call, and the untouched files are listed, whole.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use manicule_testkit::{Rng, number};

use super::judge::{Answer, Judge, words};
use super::yard::Yard;

/// Duration of the test in a plain `cargo test`.
const SECONDS: u64 = 5;

const CALM_FILES: usize = 200;
const BUSY_FILES: usize = 20;
const FOLDERS: usize = 10;

/// Times at which each line of a busy file came and went: `None` while it exists.
type Lines = Mutex<HashMap<String, (Instant, Option<Instant>)>>;

#[test]
fn answers_hold_while_the_tree_changes() {
    let seed = number("MANICULE_SEED").unwrap_or(0);
    let mut rng = Rng::new(seed);
    let yard = Yard::new(&mut rng);
    let tree = yard.outer.join("during");
    plant(&tree);
    let lines = Lines::default();
    (0..BUSY_FILES).for_each(|file| replace(&tree, file, 0, &lines));
    yard.place(&tree).build(&tree, &[]).expect("a first index");

    let end = Instant::now() + Duration::from_secs(number("MANICULE_SECONDS").unwrap_or(SECONDS));
    let is_over = AtomicBool::new(false);
    let faults: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = Rng::new(seed + 1);
            for round in 1.. {
                if is_over.load(Relaxed) {
                    return;
                }
                disturb(&tree, round, &lines, &mut rng);
            }
        });
        scope.spawn(|| {
            let mut rng = Rng::new(seed + 2);
            while !is_over.load(Relaxed) {
                let flags = rng.pick(&[&[][..], &["--threads", "1"], &["--all"]]);
                match yard.place(&tree).build(&tree, flags) {
                    Err(error) if !error.contains("another process") => {
                        faults.lock().expect("faults").push(format!("build: {error}"));
                    }
                    _ => {}
                }
            }
        });
        let finders: Vec<_> = (0..2)
            .map(|finder| {
                let (yard, tree, lines, faults) = (&yard, &tree, &lines, &faults);
                scope.spawn(move || {
                    let mut rng = Rng::new(seed + 10 + finder);
                    let mut calls = 0;
                    while Instant::now() < end {
                        calls += 1;
                        if let Some(fault) = ask(yard, tree, lines, &mut rng) {
                            faults.lock().expect("faults").push(fault);
                        }
                    }
                    calls
                })
            })
            .collect();
        let calls: u32 = finders.into_iter().map(|finder| finder.join().expect("a finder")).sum();
        is_over.store(true, Relaxed);
        eprintln!("{calls} calls while the tree changed");
    });
    let faults = faults.into_inner().expect("faults");
    let shown = faults.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "seed {seed}: {} faults, such as\n{shown}", faults.len());

    let judge = Judge::find();
    for line in
        ["needle", "busy needle", "calm needle 7", "--files", "-c needle", "--files --hidden"]
    {
        let words = words(&line.split(' ').collect::<Vec<_>>());
        let words =
            if line.contains(' ') && !line.starts_with('-') { vec![line.into()] } else { words };
        let place = yard.place(&tree);
        let (ours, truth) = (place.answer(&[], &words), place.truth(&judge, &words));
        assert_eq!(ours, truth, "seed {seed}: afterwards, {line}");
    }
}

fn folder_of(file: usize) -> String {
    format!("folder{}", file % FOLDERS)
}

fn plant(tree: &Path) {
    for folder in 0..FOLDERS {
        fs::create_dir_all(tree.join(folder_of(folder)).join("deep")).expect("a folder");
    }
    for file in 0..CALM_FILES {
        let deep = if file % 3 == 0 { "deep/" } else { "" };
        let path = tree.join(folder_of(file)).join(format!("{deep}calm{file}.txt"));
        let text = format!("first line\ncalm needle {file}\nthe word{} is rare\n", file * 7919);
        fs::write(path, text).expect("a file");
    }
}

fn line_of(file: usize, round: usize) -> String {
    format!("{}/busy{file}.txt:busy needle {file} of round {round}", folder_of(file))
}

/// Replaces a busy file by a new one: it exists at every moment, and holds one line.
fn replace(tree: &Path, file: usize, round: usize, lines: &Lines) {
    let folder = tree.join(folder_of(file));
    let aside = folder.join(format!(".busy{file}.aside"));
    let text = format!("busy needle {file} of round {round}\n");
    fs::write(&aside, text).expect("a file aside");
    lines.lock().expect("lines").insert(line_of(file, round), (Instant::now(), None));
    fs::rename(&aside, folder.join(format!("busy{file}.txt"))).expect("a rename");
    let went = Instant::now();
    let mut lines = lines.lock().expect("lines");
    let prefix = line_of(file, round).rsplit_once(' ').expect("a round").0.to_owned() + " ";
    let own = line_of(file, round);
    let older = lines.iter_mut().filter(|(line, _)| line.starts_with(&prefix) && **line != own);
    older.filter(|(_, times)| times.1.is_none()).for_each(|(_, times)| times.1 = Some(went));
    // Lines that went long ago are forgotten.
    lines.retain(|_, times| times.1.is_none_or(|went| went.elapsed() < Duration::from_secs(90)));
}

fn disturb(tree: &Path, round: usize, lines: &Lines, rng: &mut Rng) {
    let folder = tree.join(folder_of(rng.below(FOLDERS)));
    let gone = folder.join(format!("gone{}.txt", rng.below(3)));
    match rng.below(8) {
        0 => fs::write(gone, "gone with the wind\n").expect("a file"),
        1 => drop(fs::remove_file(gone)),
        2 => fs::write(folder.join(".ignore"), "gone*\n").expect("rules"),
        3 => drop(fs::remove_file(folder.join(".ignore"))),
        4 => {
            let _ = fs::create_dir(folder.join("new"));
            let _ = fs::write(folder.join("new/gone.txt"), "gone with the wind\n");
        }
        5 => drop(fs::remove_dir_all(folder.join("new"))),
        _ => replace(tree, rng.below(BUSY_FILES), round, lines),
    }
    if rng.one_in(4) {
        std::thread::sleep(Duration::from_micros(rng.below(3000) as u64));
    }
}

fn ask(yard: &Yard, tree: &Path, lines: &Lines, rng: &mut Rng) -> Option<String> {
    let calm = rng.below(CALM_FILES);
    let pattern = match rng.below(4) {
        0 => format!("calm needle {calm}$"),
        1 => "needle".to_owned(),
        2 => "busy needle".to_owned(),
        _ => format!("calm needle {calm}$|busy needle"),
    };
    let flags = rng.pick(&["--sort=path", "-j1", "-j2", "--hidden"]);
    let call = words(&[flags, "-g", "!*.aside", &pattern]);
    let extra: &[&str] = if rng.one_in(5) { &["--max-age", "0"] } else { &[] };
    let started = Instant::now();
    let answer = yard.place(tree).answer(extra, &call);
    let ended = Instant::now();
    let fault = fault_of(&answer, &pattern, started, ended, lines)?;
    Some(format!("{call:?}: {fault}; exit {:?}", answer.code))
}

fn fault_of(
    answer: &Answer,
    pattern: &str,
    started: Instant,
    ended: Instant,
    lines: &Lines,
) -> Option<String> {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let stderr = String::from_utf8_lossy(&answer.stderr);
    // A file removed between its listing and its opening is reported, by ripgrep too.
    let comes_and_goes =
        |line: &str| ["gone", "/new", "/.ignore"].iter().any(|name| line.contains(name));
    let is_told = |line: &&str| line.contains("(os error 2)") && comes_and_goes(line);
    if let Some(line) = stderr.lines().filter(|line| !line.is_empty()).find(|line| !is_told(line)) {
        return Some(format!("complaint {line:?}"));
    }
    if answer.code != Some(0) && stderr.trim().is_empty() {
        return Some("no complaint".into());
    }
    let mut busy = [0; BUSY_FILES];
    let mut calm = 0;
    let lines = lines.lock().expect("lines");
    for line in stdout.lines().filter(|line| !line.is_empty()) {
        if line.contains(":calm needle ") {
            let (path, text) = line.split_once(':').expect("a path");
            let (name, digits) = (path.rsplit('/').next()?, text.rsplit(' ').next()?);
            if name != format!("calm{digits}.txt") {
                return Some(format!("a line from elsewhere: {line:?}"));
            }
            calm += 1;
            continue;
        }
        let Some((came, went)) = lines.get(line) else {
            return Some(format!("a line from nowhere: {line:?}"));
        };
        if *came > ended || went.is_some_and(|went| went < started) {
            return Some(format!("a line of another time: {line:?}"));
        }
        let file: usize = line.split(' ').nth(2)?.parse().ok()?;
        busy[file] += 1;
    }
    let wants_calm = match pattern {
        "needle" => CALM_FILES,
        "busy needle" => 0,
        _ => 1,
    };
    if calm != wants_calm {
        return Some(format!("{calm} untouched lines, of {wants_calm}"));
    }
    let wants_busy = usize::from(!pattern.starts_with("calm") || pattern.contains('|'));
    let wrong = busy.iter().position(|count| *count != wants_busy)?;
    Some(format!("{} lines of busy{wrong}, of {wants_busy}", busy[wrong]))
}
