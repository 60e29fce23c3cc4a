//! An answer and the thread that produces it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::task::Poll;
use std::time::Duration;

use manicule_core::ErrorClass;
use manicule_core::watch::Watch;
use manicule_store::context::Context;

use super::column::Batch;
use super::field::Field;
use super::plain::{plain_batch, plain_fields};
use super::rows::{Question, Rows};
use crate::failure::Failure;

/// Maximum number of batches that wait for whoever takes them.
const WAITING_MAX: usize = 2;

/// Counts of the work of an answer, by name.
pub type Receipt = Vec<(&'static str, u64)>;

/// Reads a table into rows, until they want no more.
pub type Job = Box<dyn FnOnce(&mut Rows<'_>, &Watch<'_>) -> Result<Receipt, Failure> + Send>;

enum Message {
    Rows(Batch),
    Done(Result<Receipt, Failure>),
}

/// Rows of a table, in batches. Dropped before its end, it ends the reading.
#[derive(Debug)]
pub struct Answer {
    fields: Vec<Field>,
    messages: Receiver<Message>,
    is_stopped: Arc<AtomicBool>,
    receipt: Option<Receipt>,
    is_over: bool,
    is_plain: bool,
}

/// Reads a table on a thread of the caller's context: two batches wait at most. A panic of the job
/// is the answer's error.
///
/// # Errors
/// Where no thread can be had.
pub(crate) fn produce(question: Question, job: Job) -> Result<Answer, Failure> {
    let (sender, messages) = sync_channel(WAITING_MAX);
    let is_stopped = Arc::new(AtomicBool::new(false));
    let fields = question.shown();
    let stop = Arc::clone(&is_stopped);
    let run = move || {
        let done = Failure::caught(|| read(question, job, &sender, &stop));
        // Nobody may be there any more.
        let _ = sender.send(Message::Done(done));
    };
    Context::current().spawn(run).map_err(|error| {
        Failure::new(ErrorClass::Failed, format!("no thread for an answer: {error}"))
    })?;
    Ok(Answer { fields, messages, is_stopped, receipt: None, is_over: false, is_plain: false })
}

fn read(
    question: Question,
    job: Job,
    sender: &SyncSender<Message>,
    is_stopped: &AtomicBool,
) -> Result<Receipt, Failure> {
    let mut send = |batch| match sender.send(Message::Rows(batch)) {
        Ok(()) if !is_stopped.load(Relaxed) => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let mut rows = Rows::new(question, &mut send);
    if rows.is_enough() {
        return Ok(Receipt::new());
    }
    let (report, stop) = (|_| {}, || is_stopped.load(Relaxed));
    let receipt = job(&mut rows, &Watch::new(&report, &stop));
    // What was read before an error comes before it. Whether somebody is there to take it makes no
    // difference here.
    let _ = rows.flush();
    receipt
}

/// Ends an answer's reading from another thread than the one that waits for its batches.
#[derive(Clone, Debug)]
pub struct Stopper {
    is_stopped: Arc<AtomicBool>,
}

impl Stopper {
    /// Ends the reading. The answer still says its end: the rows that were read, and an error of
    /// the class *stopped*, or neither if it was at its end.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }
}

impl Answer {
    /// Its columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The answer in plain types, which every reader of Arrow knows: words and UUIDs are texts, all
    /// times microseconds, lists of any length, and values of each column may lack.
    #[must_use]
    pub fn into_plain(mut self) -> Answer {
        self.fields = plain_fields(&self.fields);
        self.is_plain = true;
        self
    }

    /// The next batch, if it comes within a time: for who has to look at something else meanwhile.
    pub fn next_within(&mut self, time: Duration) -> Poll<Option<Result<Batch, Failure>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        match self.messages.recv_timeout(time) {
            Ok(message) => Poll::Ready(self.received(message)),
            Err(RecvTimeoutError::Timeout) => Poll::Pending,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread says its end"),
        }
    }

    fn received(&mut self, message: Message) -> Option<Result<Batch, Failure>> {
        let received = match message {
            Message::Rows(batch) if self.is_plain => Some(plain_batch(batch, &self.fields)),
            Message::Rows(batch) => Some(Ok(batch)),
            Message::Done(Ok(receipt)) => {
                self.receipt = Some(receipt);
                None
            }
            Message::Done(Err(failure)) => Some(Err(failure)),
        };
        self.is_over = !matches!(received, Some(Ok(_)));
        received
    }

    /// What ends its reading while another thread waits for a batch.
    pub fn stopper(&self) -> Stopper {
        Stopper { is_stopped: Arc::clone(&self.is_stopped) }
    }

    /// Counts of its work, once it has come to its end.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }
}

impl Iterator for Answer {
    type Item = Result<Batch, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let message = self.messages.recv().expect("the thread says its end");
        self.received(message)
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.is_stopped.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::thread;
    use std::time::Duration;

    use super::super::field::Kind;
    use super::super::{Asked, conditions};
    use super::*;

    fn fields() -> Vec<Field> {
        vec![Field::new("n", Kind::Int, ""), Field::new("even", Kind::Word, "")]
    }

    /// Numbers without an end, each counted when it is read.
    fn numbers(asked: &Asked, read: &Arc<AtomicU64>) -> Answer {
        let read = Arc::clone(read);
        let job: Job = Box::new(move |rows, watch| {
            let phase = watch
                .endless(manicule_core::watch::Phase::Reading, manicule_core::watch::Unit::Rows);
            let mut steps = phase.steps();
            for n in 0.. {
                steps.add(1)?;
                read.fetch_add(1, Relaxed);
                rows.int(0, n);
                rows.text(1, if n % 2 == 0 { "yes" } else { "no" });
                if rows.end_row().is_break() {
                    break;
                }
            }
            Ok(vec![("numbers", read.load(Relaxed))])
        });
        produce(Question::new(fields(), asked).unwrap(), job).unwrap()
    }

    #[test]
    fn a_limit_ends_the_reading_and_conditions_count_before_it() {
        let read = Arc::new(AtomicU64::new(0));
        let asked = Asked {
            columns: Some(vec!["n".to_owned()]),
            conditions: conditions("even = 'no' AND n > 6").unwrap(),
            limit: Some(3),
        };
        let mut answer = numbers(&asked, &read);
        let batches: Vec<Batch> = answer.by_ref().map(Result::unwrap).collect();
        let [batch] = &batches[..] else { panic!("{batches:?}") };
        assert_eq!((batch.row_count(), batch.columns().len()), (3, 1));
        assert_eq!(read.load(Relaxed), 12, "0 to 11 were read, of which 7, 9 and 11 are wanted");
        assert_eq!(answer.receipt(), Some(&vec![("numbers", 12)]));
    }

    #[test]
    fn an_answer_that_nobody_takes_ends() {
        let read = Arc::new(AtomicU64::new(0));
        let mut answer = numbers(&Asked::default(), &read);
        assert!(answer.next().unwrap().is_ok());
        let still = Arc::downgrade(&answer.is_stopped);
        drop(answer);
        for _ in 0..1000 {
            if still.strong_count() == 0 {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("its thread goes on");
    }

    #[test]
    fn a_stopper_ends_the_reading_while_a_batch_is_awaited() {
        let read = Arc::new(AtomicU64::new(0));
        // No row ever fulfils it, so no batch ever comes.
        let asked = Asked { conditions: conditions("n < 0").unwrap(), ..Asked::default() };
        let mut answer = numbers(&asked, &read);
        let stopper = answer.stopper();
        let waiting = thread::spawn(move || answer.next());
        while read.load(Relaxed) == 0 {
            thread::yield_now();
        }
        stopper.stop();
        let failure = waiting.join().unwrap().unwrap().unwrap_err();
        assert_eq!(failure.class(), ErrorClass::Stopped);
    }

    #[test]
    fn a_panic_and_an_error_come_last_after_the_rows_before_them() {
        let question = || Question::new(fields(), &Asked::default()).unwrap();
        let fails: Job = Box::new(|rows, _| {
            rows.int(0, 1);
            let _ = rows.end_row();
            rows.int(0, 2);
            Err(Failure::asked("no"))
        });
        let panics: Job = Box::new(|_, _| panic!("seven is no table"));
        let all = |job| produce(question(), job).unwrap().collect::<Vec<_>>();
        let [rows, failure] = &all(fails)[..] else { panic!("a row was read before the error") };
        let rows = rows.as_ref().unwrap();
        assert!(rows.row_count() == 1 && rows.columns().iter().all(|column| column.len() == 1));
        assert_eq!(failure.as_ref().unwrap_err(), &Failure::asked("no"));
        let [Err(panic)] = &all(panics)[..] else { panic!("nothing was read before the panic") };
        assert_eq!(panic.to_string(), "a defect of manicule: seven is no table");
    }

    #[test]
    fn a_column_that_is_not_there_is_named_with_those_that_are() {
        let asked = Asked { columns: Some(vec!["m".to_owned()]), ..Asked::default() };
        let error = Question::new(fields(), &asked).unwrap_err().to_string();
        assert_eq!(error, "there is no column m: there are n, even");
    }
}
