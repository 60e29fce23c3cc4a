//! A load of documents into an empty store.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_store::threads::{lock, run, unshared};

use super::BulkOptions;
use super::build::{Runs, build};
use super::collect::Collector;
use super::feed::{Feed, Part, Task};
use super::run::{MemoryRun, TapedRun};
use super::tape::Overflow;
use crate::load::{
    FAULTS_LISTED_MAX, Fault, Input, LoadError, LoadOptions, LoadReport, OnFault, check_iri,
    read_document, read_lines,
};
use crate::store::Bulk;

/// Bytes of a piece of a document of lines.
const PIECE_LEN_MAX: usize = 1 << 20;
const PIECE_LEN_MIN: usize = 4 << 10;

/// Bytes of the buffer of a tape while documents are read.
const BUFFER_LEN_MAX: usize = 256 << 10;
const BUFFER_LEN_MIN: usize = 4 << 10;

/// What a bulk load has done.
#[derive(Clone, Debug)]
pub struct BulkLoaded {
    /// What was read.
    pub report: LoadReport,
    /// Number of quads, each once.
    pub added: u64,
}

/// Loads documents into an empty store, and publishes what they hold.
pub fn load_bulk(
    bulk: Bulk,
    inputs: &[Input],
    options: &LoadOptions<'_>,
    space: BulkOptions,
    watch: &Watch<'_>,
) -> Result<BulkLoaded, LoadError> {
    options.graph.map_or(Ok(()), check_iri)?;
    let overflow = Overflow::new(bulk.files().clone(), bulk.folder().join("load.aside"));
    let threads = space.threads.max(1);
    let meter = watch.endless(Phase::Reading, Unit::Bytes);
    let piece_len = (space.memory_len() / (8 * threads)).clamp(PIECE_LEN_MIN, PIECE_LEN_MAX);
    let reading = Reading {
        feed: Feed::new(inputs, piece_len, space.memory_len() / 4),
        inputs,
        on_fault: options.on_fault,
        meter: &meter,
        overflow: &overflow,
        // Half of the memory; what comes then takes as much for as many terms and rows.
        run_len: space.memory_len() / 2 / threads,
        buffer_len: (space.memory_len() / (16 * threads)).clamp(BUFFER_LEN_MIN, BUFFER_LEN_MAX),
        has_taped: AtomicBool::new(false),
        outcome: Mutex::default(),
    };
    run(threads, || {
        let mut collector = Collector::new(bulk.keys(), options.graph);
        if let Err((number, error)) = reading.read(&mut collector) {
            reading.end(number, error);
        }
    });
    let (has_taped, buffer_len) = (reading.has_taped.load(SeqCst), reading.buffer_len);
    let Outcome { error, report, faults, runs, mut taped } = unshared(reading.outcome);
    meter.end();
    if let Some((_, error)) = error {
        return Err(error);
    }
    let faults = faults.into_iter().map(|(_, document, fault)| (document, fault)).collect();
    let report = LoadReport { faults, ..report };
    let runs = if has_taped {
        // Those of threads that were done before another one needed a tape.
        for run in runs {
            taped.push(run.write(&overflow, buffer_len)?);
        }
        Runs::Taped(taped)
    } else {
        Runs::Memory(runs)
    };
    let added = build(bulk, runs, &overflow, space, watch)?;
    Ok(BulkLoaded { report, added })
}

/// What threads that read share.
struct Reading<'r> {
    feed: Feed<'r>,
    inputs: &'r [Input],
    on_fault: OnFault,
    meter: &'r Meter<'r>,
    overflow: &'r Overflow,
    /// Bytes of a run, from which on it goes to tapes.
    run_len: usize,
    buffer_len: usize,
    /// Whether a run went to tapes: then all do.
    has_taped: AtomicBool,
    outcome: Mutex<Outcome>,
}

/// What has come of reading.
#[derive(Default)]
struct Outcome {
    /// The part that ended the load, and how.
    error: Option<(u64, LoadError)>,
    report: LoadReport,
    /// The first faults: part and number in it, document, fault.
    faults: Vec<((u64, u64), PathBuf, Fault)>,
    runs: Vec<MemoryRun>,
    taped: Vec<TapedRun>,
}

/// An error, with the part at which the load ends.
type Ended = (u64, LoadError);

impl Reading<'_> {
    /// Reads parts until there are no more.
    fn read(&self, collector: &mut Collector<'_>) -> Result<(), Ended> {
        let mut last = 0;
        while let Some(task) = self.feed.take() {
            last = task.number;
            self.read_part(task, collector).map_err(|error| (last, error))?;
        }
        let collected = collector.finish();
        lock(&self.outcome).report.statements += collector.count();
        if !collected.is_empty() {
            let run = collected.sorted();
            if self.has_taped.load(SeqCst) {
                self.tape(run).map_err(|error| (last, error))?;
            } else {
                lock(&self.outcome).runs.push(run);
            }
        }
        Ok(())
    }

    fn read_part(&self, task: Task, collector: &mut Collector<'_>) -> Result<(), LoadError> {
        let Task { document, number, part } = task;
        let input = &self.inputs[document];
        collector.begin(document as u32, number);
        let mut faults = Faults { reading: self, input, number, count: 0, stop: None };
        let read = match part.map_err(|source| input.unreadable(source))? {
            Part::Lines(pieces, piece) => {
                let bytes = pieces.bytes(&piece);
                read_lines(bytes, input.syntax.has_graphs(), collector, |fault| {
                    let before = pieces.lines_before(&piece);
                    faults.note(Fault { line: before + fault.line, ..fault })
                });
                self.meter.step(bytes.len() as u64).map_err(LoadError::from)
            }
            Part::Whole(source) => read_document(
                input,
                source,
                collector,
                |fault| faults.note(fault),
                |collector| self.end_run_if_due(collector),
                self.meter,
            ),
        };
        if let Some(fault) = faults.stop.take() {
            return Err(LoadError::Fault { file: input.place.name().to_owned(), fault });
        }
        read?;
        self.end_run_if_due(collector)
    }

    /// Writes the run to tapes, if it has as much memory as it may.
    fn end_run_if_due(&self, collector: &mut Collector<'_>) -> Result<(), LoadError> {
        if collector.memory() < self.run_len && !collector.is_full() {
            return Ok(());
        }
        let collected = collector.finish();
        if collected.is_empty() {
            return Ok(());
        }
        self.has_taped.store(true, SeqCst);
        self.tape(collected.sorted())
    }

    fn tape(&self, run: MemoryRun) -> Result<(), LoadError> {
        let taped = run.write(self.overflow, self.buffer_len)?;
        lock(&self.outcome).taped.push(taped);
        Ok(())
    }

    /// The load ends with an error at a part. That of the earliest part is kept: it is what one
    /// thread would have found.
    fn end(&self, number: u64, error: LoadError) {
        self.feed.end_with(number);
        let mut outcome = lock(&self.outcome);
        if outcome.error.as_ref().is_none_or(|(other, _)| number < *other) {
            outcome.error = Some((number, error));
        }
    }
}

/// Faults of a part as they come.
struct Faults<'f> {
    reading: &'f Reading<'f>,
    input: &'f Input,
    number: u64,
    count: u64,
    /// The one that ends the load.
    stop: Option<Fault>,
}

impl Faults<'_> {
    /// Notes one; whether to go on.
    fn note(&mut self, fault: Fault) -> bool {
        if self.reading.on_fault == OnFault::Stop {
            self.stop = Some(fault);
            return false;
        }
        let mut outcome = lock(&self.reading.outcome);
        outcome.report.fault_count += 1;
        let key = (self.number, self.count);
        self.count += 1;
        let faults = &mut outcome.faults;
        let place = faults.partition_point(|(other, ..)| *other < key);
        if place < FAULTS_LISTED_MAX {
            faults.insert(place, (key, self.input.place.name().to_owned(), fault));
            faults.truncate(FAULTS_LISTED_MAX);
        }
        true
    }
}
