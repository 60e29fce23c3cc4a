//! A question, asked at an address: by our program, twice, and by the peers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule_buckets::{Server, Traffic};

use super::Bench;
use super::peak;
use crate::files::remove;
use crate::findings::Findings;
use crate::measure::{self, Digest, Sample, Series, Task, median};
use crate::table::{self, Table, Target};

/// The word of a question that stands for what is asked: an address, or a folder.
pub(super) const PLACE: &str = "PLACE";

/// What may pass for an answer: rounds, and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Most {
    pub(super) rounds: Option<f64>,
    pub(super) bytes: Option<f64>,
    /// Rounds of the second time.
    pub(super) again: Option<f64>,
    /// Our rounds over those of the first peer.
    pub(super) of_peer: Option<f64>,
}

/// A question.
pub(super) struct Question {
    pub(super) name: String,
    /// Words of our command; one may be [`PLACE`].
    pub(super) words: Vec<String>,
    /// Whether the answer names no place and no time: then it has to be that of the folder.
    pub(super) is_compared: bool,
    pub(super) most: Most,
    /// The same of others.
    pub(super) peers: Vec<Task>,
}

impl Question {
    pub(super) fn new(name: &str, words: &[&str]) -> Question {
        Question {
            name: name.to_owned(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
            is_compared: true,
            most: Most::default(),
            peers: Vec::new(),
        }
    }

    pub(super) fn most(self, most: Most) -> Question {
        Question { most, ..self }
    }

    pub(super) fn peers(self, peers: Vec<Task>) -> Question {
        Question { peers, ..self }
    }

    pub(super) fn not_compared(self) -> Question {
        Question { is_compared: false, ..self }
    }

    fn task(&self, bench: &Bench<'_>, place: &str) -> Task {
        let word = |word: &String| word.replace(PLACE, place);
        Task::new("manicule", &bench.manicule, bench.scratch)
            .args(self.words.iter().map(word))
            .env("RESTIC_PASSWORD", manicule_repositories::PASSWORD)
            .env("HOME", bench.scratch)
    }
}

/// What a call took, turn by turn.
#[derive(Default)]
struct Took {
    traffic: Vec<Traffic>,
    samples: Vec<Sample>,
    output: Digest,
}

impl Took {
    fn middle(&self, of: impl Fn(&Traffic) -> u64) -> Option<f64> {
        median(self.traffic.iter().map(|one| of(one) as f64).collect())
    }

    fn rounds(&self) -> Option<f64> {
        self.middle(|one| one.rounds)
    }

    fn sample(&self, of: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.samples.iter().map(of).collect())
    }

    fn cells(&self, question: &str, program: &str) -> Vec<String> {
        let whole =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
        vec![
            question.to_owned(),
            program.to_owned(),
            whole(self.rounds()),
            whole(self.middle(|one| one.requests)),
            table::tenth(self.middle(|one| one.bytes).map(|bytes| bytes / 1e3)),
            table::seconds(self.sample(|sample| sample.wall_ms)),
            table::ms(self.sample(|sample| sample.cpu_ms)),
            whole(self.sample(|sample| sample.peak_mib)),
        ]
    }
}

const HEAD: &[&str] =
    &["question", "program", "rounds", "requests", "KB", "wall s", "CPU ms", "peak MiB"];

const NOTE: &str = "Medians. A round is a link in the longest chain of requests of which each began when the one before \
    had been answered, by the store's clock. The first time nothing is kept here; the second time what the first has \
    brought.";

/// Asks each question of what lies at a prefix of the store's bucket, and in a folder.
pub(super) fn ask(
    bench: &Bench<'_>,
    title: &str,
    server: &Server,
    prefix: &str,
    local: Option<&Path>,
    questions: &[Question],
    findings: &mut Findings,
) -> Result<()> {
    let mut table = Table::new(title, NOTE, HEAD);
    let place = server.address(prefix);
    for question in questions {
        eprintln!("  {}", question.name);
        let (mut first, mut again) = (Took::default(), Took::default());
        for _ in 0..bench.turn_count {
            let cache = fresh(&bench.scratch.join("cache"))?;
            for took in [&mut first, &mut again] {
                let task = question.task(bench, &place).env("MANICULE_CACHE_DIR", &cache);
                call(bench, server, task, took)?;
            }
        }
        if let Some(local) = local.filter(|_| question.is_compared) {
            let out = bench.scratch.join("answer");
            let folder = local.to_str().context("the cache folder's path is not valid UTF-8")?;
            measure::run(&question.task(bench, folder), &out)?;
            if [first.output, again.output] != [measure::digest(&out)?; 2] {
                findings.different.push(format!("{title}: {}", question.name));
            }
        }
        table.row(first.cells(&question.name, "manicule"));
        table.row(again.cells(&question.name, "manicule, again"));
        let mut all = vec![first.series("manicule"), again.series("manicule, again")];
        let mut rounds_of_peer = None;
        for task in &question.peers {
            let mut took = Took::default();
            for _ in 0..bench.turn_count {
                if let Err(error) = call(bench, server, task.clone(), &mut took) {
                    // Its words have paths of this machine.
                    eprintln!("  {error:#}");
                    findings.left_out(format!("{}: {} failed", question.name, task.name));
                    break;
                }
            }
            rounds_of_peer = rounds_of_peer.or(took.rounds());
            table.row(took.cells(&question.name, &task.name));
            all.push(took.series(&task.name));
        }
        reach(title, question, &first, &again, rounds_of_peer, findings);
        findings.raw.push((format!("{title}/{}", question.name), all));
    }
    findings.tables.push(table);
    Ok(())
}

impl Took {
    fn series(&self, name: &str) -> Series {
        Series {
            name: name.to_owned(),
            samples: self.samples.clone(),
            output: self.output,
            failure: None,
        }
    }
}

/// Compares with what it has to reach. Targets are those of all questions of a title.
fn reach(
    title: &str,
    question: &Question,
    first: &Took,
    again: &Took,
    rounds_of_peer: Option<f64>,
    findings: &mut Findings,
) {
    let rows = [
        ("rounds", question.most.rounds, first.rounds()),
        ("bytes", question.most.bytes, first.middle(|one| one.bytes)),
        ("rounds, the second time", question.most.again, again.rounds()),
        (
            "rounds / those of the peer",
            question.most.of_peer,
            first.rounds().zip(rounds_of_peer).map(|(own, peer)| own / peer),
        ),
    ];
    for (measure, most, got) in rows {
        if let Some(most) = most {
            let target = Target::at_most(most, most);
            findings.check(title, measure, target, &question.name, got);
        }
    }
}

/// Calls a program once.
fn call(bench: &Bench<'_>, server: &Server, task: Task, took: &mut Took) -> Result<()> {
    let variables = server.variables();
    let task = variables.iter().fold(task, |task, (name, value)| task.env(name, value));
    // As the older of AWS's tools calls it.
    let task = task.env("AWS_DEFAULT_REGION", &variables["AWS_REGION"]);
    let out = bench.scratch.join("answer");
    let peak = bench.scratch.join("peak");
    let task = peak::between(task, &peak)?;
    server.take_traffic();
    let mut sample = measure::run(&task, &out)?;
    sample.peak_mib = peak::read(&peak)?;
    took.traffic.push(server.take_traffic());
    took.samples.push(sample);
    took.output = measure::digest(&out)?;
    Ok(())
}

/// A folder without contents.
fn fresh(folder: &Path) -> Result<PathBuf> {
    remove(folder)?;
    fs::create_dir_all(folder)?;
    Ok(folder.to_owned())
}
