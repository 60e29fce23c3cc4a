//! The rows on a tree that rests: building the index, the patterns, the list of files.

use std::fs;

use anyhow::{Context, Result, bail};

use super::Bench;
use super::corpora::Corpus;
use super::patterns::{self, Kind};
use crate::files::{bytes_below, remove};
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Measure, PEAK, Series, Task, WALL, interleave, ratio};
use crate::table::{self, Table, Target, wall_cpu};

/// Brings the tree's pages into memory and builds the indexes. With `build` to come, the
/// indexes are left to that row.
pub(super) fn prepare(
    bench: &Bench<'_>,
    build_follows: bool,
    findings: &mut Findings,
) -> Result<()> {
    measure::run(&bench.rg(&["-c".into(), "-e".into(), "zzqqxxyynotthere".into()]), &bench.out())?;
    if build_follows {
        return Ok(());
    }
    measure::run(&bench.build(&bench.cache()), &bench.out()).context("building our index")?;
    if let Some(glep) = &bench.programs.glep
        && !bench.tree.join(".glep").is_dir()
    {
        eprintln!("{}: glep builds its index ...", bench.corpus.name());
        let task = Task::new("glep", glep, bench.tree).args(["index"]);
        if let Err(error) = measure::run(&task, &bench.out()) {
            findings.left_out(format!("glep's index of {}: {error:#}", bench.corpus.name()));
        }
    }
    Ok(())
}

/// Index build: ours, glep's, codesearch's. One process each from nothing, pages warm.
pub(super) fn build(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let ours = bench.cache();
    let theirs = bench.tree.join(".glep");
    let cindex = bench.scratch.join("csearchindex");
    let mut places = vec![ours.clone()];
    let mut lanes =
        vec![Lane { task: bench.build(&ours), before: Some(Box::new(|| remove(&ours))) }];
    if let Some(glep) = &bench.programs.glep {
        let task = Task::new("glep", glep, bench.tree).args(["index"]);
        lanes.push(Lane { task, before: Some(Box::new(|| remove(&theirs))) });
        places.push(theirs.clone());
    }
    if let Some(program) = &bench.programs.cindex {
        let task = Task::new("codesearch", program, bench.tree)
            .args([bench.tree])
            .env("CSEARCHINDEX", &cindex);
        lanes.push(Lane { task, before: Some(Box::new(|| remove(&cindex))) });
        places.push(cindex.clone());
    }
    let series = interleave(&mut lanes, 0, bench.build_count, &bench.out())?;
    if let Some(failure) = &series[0].failure {
        bail!("our index can't be built: {failure}");
    }
    let text = tree_bytes(bench)?;
    let sizes = places.iter().map(|place| bytes_below(place)).collect::<Result<Vec<_>>>()?;

    let name = bench.corpus.name();
    let head =
        ["builder", "CPU s", "wall s", "peak MiB", "MB", "% of text", "CPU / ours", "wall / ours"];
    let note = format!("{} MB of text; {} builds each.", text / 1_000_000, bench.build_count);
    let mut table = Table::new(format!("{name}: index build"), &note, &head);
    for (one, &size) in series.iter().zip(&sizes) {
        table.row(vec![
            one.name.clone(),
            table::seconds(one.cpu_ms()),
            table::seconds(one.wall_ms()),
            table::ms(one.peak_mib()),
            format!("{:.1}", size as f64 / 1e6),
            format!("{:.1}", 100.0 * size as f64 / text.max(1) as f64),
            table::times(ratio(one, &series[0], bench.pairing, CPU)),
            table::times(ratio(one, &series[0], bench.pairing, WALL)),
        ]);
    }
    findings.tables.push(table);

    if let Some(glep) = series.iter().position(|one| one.name == "glep") {
        let (cpu, wall) = match bench.corpus {
            Corpus::K8sFull => (Target::at_least(5.0, 8.0), Target::at_least(8.0, 12.0)),
            Corpus::Linux => (Target::at_least(8.0, 12.0), Target::at_least(14.0, 20.0)),
        };
        let bytes = Some(sizes[glep] as f64 / sizes[0] as f64);
        let against = |measure| ratio(&series[glep], &series[0], bench.pairing, measure);
        let mut check = |measure: &str, target, figure: Option<f64>| {
            findings.check(&format!("{name}, build"), measure, target, "build", figure);
        };
        check("CPU of glep / ours", cpu, against(CPU));
        check("wall of glep / ours", wall, against(WALL));
        check("index bytes of glep / ours", Target::at_least(1.5, 2.0), bytes);
    }
    if bench.corpus == Corpus::Linux {
        let peak = series[0].median(PEAK);
        let target = Target::at_most(300.0, 200.0);
        findings.check(&format!("{name}, build"), "peak MiB", target, "build", peak);
    }
    findings.raw.push((format!("{name}/build"), series));
    Ok(())
}

/// Total bytes of all files that ripgrep searches.
fn tree_bytes(bench: &Bench<'_>) -> Result<u64> {
    let mut sum = 0;
    super::states::for_each_file(bench, &[], |path| {
        sum += fs::symlink_metadata(path).map_or(0, |meta| meta.len());
        Ok(())
    })?;
    Ok(sum)
}

/// The ways to search that are compared in the table of patterns.
const FRESH: &str = "manicule";
const MAX_AGE: &str = "manicule --max-age 60";
const NO_INDEX: &str = "manicule --no-index";
const GLEP: &str = "glep";
const GLEP_TTL: &str = "glep --ttl 60";

/// Every pattern: ripgrep; ours with freshness proved, with `--max-age`, without the index; glep
/// with its sweep and with `--ttl`.
pub(super) fn patterns(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let head = [
        "pattern",
        "kind",
        "lines",
        "rg",
        "manicule",
        "max-age",
        "no-index",
        "glep",
        "glep ttl",
        "wall rg/ours",
        "CPU rg/ours",
        "wall glep/ours",
        "wall ttl/max-age",
        "wall rg/no-index",
        "lines as rg's",
    ];
    let note = "Wall / CPU in ms, medians; freshness proved in the call unless the column says \
                otherwise. The last column compares the sorted lines of all three ways of ours.";
    let mut table = Table::new(format!("{name}: patterns"), note, &head);
    for pattern in patterns::of(bench.corpus) {
        let label = pattern.name();
        if bench.only.is_some_and(|only| !label.contains(only)) {
            continue;
        }
        let query = pattern.query();
        let mut tasks = vec![
            bench.rg(&query),
            bench.find(FRESH, &[], &query),
            bench.find(MAX_AGE, &["--max-age", "60"], &query),
            bench.find(NO_INDEX, &["--no-index"], &query),
        ];
        tasks.extend(bench.glep(GLEP, &[], &query));
        tasks.extend(bench.glep(GLEP_TTL, &["--ttl", "60"], &query));
        let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(Lane::from).collect();
        let series = interleave(&mut lanes, 1, bench.run_count, &bench.out())?;

        let of = |name: &str| series.iter().find(|one| one.name == name);
        let cell = |name: &str| {
            of(name).map_or("-".to_owned(), |one| wall_cpu(one.wall_ms(), one.cpu_ms()))
        };
        let between = |over: &str, under: &str, measure: Measure| {
            ratio(of(over)?, of(under)?, bench.pairing, measure)
        };
        let ratios = Ratios {
            rg_wall: between("rg", FRESH, WALL),
            rg_cpu: between("rg", FRESH, CPU),
            glep_wall: between(GLEP, FRESH, WALL),
            ttl_wall: between(GLEP_TTL, MAX_AGE, WALL),
            plain_wall: between("rg", NO_INDEX, WALL),
        };
        let equal = same_lines(&series, &[FRESH, MAX_AGE, NO_INDEX]);
        if equal != EQUAL {
            findings.different.push(format!("{name}: {label}: {equal}"));
        }
        let shown = ratios.held_to_targets(bench.corpus, pattern.kind, &label, findings);
        let mut cells = vec![
            label.clone(),
            pattern.kind.name().to_owned(),
            series[0].output.lines.to_string(),
            cell("rg"),
        ];
        cells.extend([FRESH, MAX_AGE, NO_INDEX, GLEP, GLEP_TTL].map(cell));
        cells.extend(shown);
        cells.push(equal);
        eprintln!("  {label}: {}", cells[3..6].join(", "));
        table.row(cells);
        findings.raw.push((format!("{name}/patterns/{label}"), series));
    }
    findings.tables.push(table);
    Ok(())
}

pub(super) const EQUAL: &str = "equal";

/// `equal`, or the names of the series that printed other lines than the first, or failed.
pub(super) fn same_lines(series: &[Series], names: &[&str]) -> String {
    let judge = &series[0];
    let differs = |one: &Series| one.failure.is_some() || one.output != judge.output;
    let wrong: Vec<&str> = series
        .iter()
        .filter(|one| names.contains(&one.name.as_str()) && differs(one))
        .map(|one| one.name.as_str())
        .collect();
    if wrong.is_empty() { EQUAL.to_owned() } else { format!("**DIFFERENT**: {}", wrong.join(", ")) }
}

/// Results of one pattern, as ratios.
struct Ratios {
    rg_wall: Option<f64>,
    rg_cpu: Option<f64>,
    glep_wall: Option<f64>,
    ttl_wall: Option<f64>,
    plain_wall: Option<f64>,
}

/// No pattern is to be slower than ripgrep; a twentieth is noise.
const NEVER_SLOWER: Target = Target::at_least(0.95, 1.0);

impl Ratios {
    /// The cells of the table, with the marks of the targets of this kind; the figures go to the
    /// checks.
    fn held_to_targets(
        &self,
        corpus: Corpus,
        kind: Kind,
        label: &str,
        findings: &mut Findings,
    ) -> [String; 5] {
        let big = corpus == Corpus::Linux;
        let pick = |small: (f64, f64), large: (f64, f64)| {
            let (least, stretch) = if big { large } else { small };
            Some(Target::at_least(least, stretch))
        };
        let [rg_wall, rg_cpu, glep_wall, ttl_wall] = match kind {
            Kind::Selective => [
                pick((3.5, 4.5), (4.5, 6.0)),
                pick((4.0, 5.5), (5.0, 7.0)),
                pick((3.0, 4.0), (3.3, 4.5)),
                pick((3.0, 3.0), (3.0, 3.0)),
            ],
            Kind::ClassFirst => {
                [pick((3.5, 4.5), (4.5, 6.0)), None, pick((7.0, 9.0), (7.0, 9.0)), None]
            }
            Kind::Frequent => [pick((2.0, 3.0), (2.0, 3.0)), None, None, None],
            Kind::NoGram => [Some(Target::at_least(1.0, 1.2)), None, None, None],
        };
        let what = format!("{}, {}", corpus.name(), kind.name());
        let mut held = |what: &str, measure: &str, target: Option<Target>, got: Option<f64>| {
            let Some(target) = target else { return table::times(got) };
            findings.check(what, measure, target, label, got);
            target.cell(got)
        };
        let all = format!("{}, every pattern", corpus.name());
        held(&all, "wall of rg / ours", Some(NEVER_SLOWER), self.rg_wall);
        [
            held(&what, "wall of rg / ours", rg_wall, self.rg_wall),
            held(&what, "CPU of rg / ours", rg_cpu, self.rg_cpu),
            held(&what, "wall of glep / ours", glep_wall, self.glep_wall),
            held(&what, "wall of glep --ttl / --max-age", ttl_wall, self.ttl_wall),
            held(&all, "wall of rg / --no-index", Some(NEVER_SLOWER), self.plain_wall),
        ]
    }
}

/// The list of files.
pub(super) fn files(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let cache = bench.cache();
    let list = |name: &str, extra: &[&str]| {
        bench.manicule(name, &cache).args(["find", "--files"]).args(extra).args(["."])
    };
    let mut tasks = vec![
        Task::new("rg", &bench.programs.rg, bench.tree).args(["--files", "."]),
        list(FRESH, &[]),
        list(NO_INDEX, &["--no-index"]),
    ];
    if let Some(glep) = &bench.programs.glep {
        tasks.push(Task::new(GLEP, glep, bench.tree).args(["--files"]));
    }
    let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(Lane::from).collect();
    let series = interleave(&mut lanes, 1, bench.run_count, &bench.out())?;
    let head = ["--files", "lines", "wall / CPU", "wall rg / it", "CPU rg / it", "lines as rg's"];
    let mut table = Table::new(format!("{name}: --files"), "Wall / CPU in ms.", &head);
    for one in &series {
        table.row(vec![
            one.name.clone(),
            one.output.lines.to_string(),
            wall_cpu(one.wall_ms(), one.cpu_ms()),
            table::times(ratio(&series[0], one, bench.pairing, WALL)),
            table::times(ratio(&series[0], one, bench.pairing, CPU)),
            same_lines(&series, &[&one.name]),
        ]);
    }
    let equal = same_lines(&series, &[FRESH, NO_INDEX]);
    if equal != EQUAL {
        findings.different.push(format!("{name}: --files: {equal}"));
    }
    let got = ratio(&series[0], &series[1], bench.pairing, WALL);
    let what = format!("{name}, --files");
    findings.check(&what, "wall of rg / ours", NEVER_SLOWER, "--files", got);
    findings.tables.push(table);
    findings.raw.push((format!("{name}/files"), series));
    Ok(())
}
