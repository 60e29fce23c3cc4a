//! A child process that answers requests: requests to its standard input, lines from its standard
//! output, both at once, with a limit of time. Several requests may wait for their answers, so that
//! neither side waits for the other.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, IoSlice, Read, Write};
use std::ops::Range;
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

/// Bytes read at once.
const READ_LEN: usize = 64 << 10;
/// Bytes kept of what the child says on standard error, from the front of each burst.
const LAST_WORDS_MAX: usize = 400;
/// Time for which a child that has several requests is left to itself before it is heard again.
const PAUSE: Duration = Duration::from_micros(1000);
/// Time that a child has to end by itself once its output has.
const ENDING: Duration = Duration::from_secs(1);

/// A child process that is asked over its standard streams. It is killed when this is dropped.
pub struct Conversation {
    child: Child,
    input: ChildStdin,
    output: Lines,
    errors: ChildStderr,
    last_words: Vec<u8>,
    /// Bytes of requests that the pipe did not take yet.
    unsent: VecDeque<u8>,
    /// Number of requests whose answers were not heard yet.
    waiting: usize,
}

/// Whether an answer goes on after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// There is more to come.
    More,
    /// That was all.
    All,
}

/// Reason why a request has no answer. The child is of no use any more.
#[derive(Debug)]
pub enum NoAnswer {
    /// The child's output ended in the middle of an answer.
    Ended {
        /// How it ended, if it did.
        status: Option<ExitStatus>,
        /// The last it said on standard error, on one line.
        last_words: String,
    },
    /// The answer was not complete in time.
    Late,
    /// The system's error.
    Io(io::Error),
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Ended { status, last_words } => {
                match status {
                    Some(status) => write!(f, "it ended ({status})")?,
                    None => f.write_str("it closed its output")?,
                }
                if last_words.is_empty() { Ok(()) } else { write!(f, ": {last_words}") }
            }
            NoAnswer::Late => f.write_str("it did not answer in time"),
            NoAnswer::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoAnswer {}

impl From<io::Error> for NoAnswer {
    fn from(error: io::Error) -> Self {
        NoAnswer::Io(error)
    }
}

impl From<Errno> for NoAnswer {
    fn from(error: Errno) -> Self {
        NoAnswer::Io(error.into())
    }
}

impl Conversation {
    /// Starts the child. Lines of its answers that have more than `line_max` bytes, the line end
    /// counted, are dropped.
    pub fn start(command: &mut Command, line_max: usize) -> io::Result<Conversation> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let errors = child.stderr.take().expect("it is piped");
        for stream in [input.as_fd(), output.as_fd(), errors.as_fd()] {
            fcntl_setfl(stream, fcntl_getfl(stream)? | OFlags::NONBLOCK)?;
        }
        let output = Lines::new(output, line_max);
        let (last_words, unsent) = (Vec::new(), VecDeque::new());
        Ok(Conversation { child, input, output, errors, last_words, unsent, waiting: 0 })
    }

    /// Posts a request: as much of it is written as the pipe takes, the rest while answers are
    /// heard. Answers come in the order of requests.
    pub fn post(&mut self, request: &[&[u8]]) -> Result<(), NoAnswer> {
        self.waiting += 1;
        let mut parts: Vec<IoSlice<'_>> = request.iter().map(|part| IoSlice::new(part)).collect();
        let mut rest = parts.as_mut_slice();
        if self.unsent.is_empty() {
            self.send_some(&mut rest)?;
        }
        rest.iter().for_each(|part| self.unsent.extend(part.iter()));
        Ok(())
    }

    /// Hands over the lines of the answer to the oldest request, without their ends, until `line`
    /// says that this was all of it.
    pub fn hear(
        &mut self,
        time: Duration,
        line: &mut dyn FnMut(&[u8]) -> Said,
    ) -> Result<(), NoAnswer> {
        let until = Instant::now() + time;
        loop {
            if self.output.hand_over(line) == Said::All {
                self.waiting = self.waiting.saturating_sub(1);
                return Ok(());
            }
            if self.output.is_over {
                return Err(self.ended());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoAnswer::Late);
            }
            self.wait(left)?;
        }
    }

    /// Waits until the child says something, or takes more of the requests.
    fn wait(&mut self, left: Duration) -> Result<(), NoAnswer> {
        let mut left = left;
        if self.waiting > 1 {
            // It has more to do than this answer: several are heard at once, rather than that each
            // line wakes who waits.
            std::thread::sleep(PAUSE.min(left));
            left = left.saturating_sub(PAUSE);
        }
        let mut streams = [
            PollFd::new(&self.output.output, PollFlags::IN),
            PollFd::new(&self.errors, PollFlags::IN),
            PollFd::new(&self.input, PollFlags::OUT),
        ];
        let streams = &mut streams[..if self.unsent.is_empty() { 2 } else { 3 }];
        let time = Timespec {
            tv_sec: left.as_secs().min(1 << 30) as i64,
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(streams, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready =
            |index: usize| streams.get(index).is_some_and(|stream| !stream.revents().is_empty());
        let [has_output, has_errors, has_space] = [0, 1, 2].map(is_ready);
        if has_output {
            self.output.fill()?;
        }
        if has_errors {
            self.hear_errors();
        }
        if has_space {
            self.send_unsent()?;
        }
        Ok(())
    }

    /// Writes as much of what is left of requests as the pipe takes.
    fn send_unsent(&mut self) -> Result<(), NoAnswer> {
        let mut unsent = std::mem::take(&mut self.unsent);
        let left: usize = {
            let (first, second) = unsent.as_slices();
            let mut parts = [IoSlice::new(first), IoSlice::new(second)];
            let mut rest = parts.as_mut_slice();
            self.send_some(&mut rest)?;
            rest.iter().map(|part| part.len()).sum()
        };
        unsent.drain(..unsent.len() - left);
        self.unsent = unsent;
        Ok(())
    }

    /// Writes as much of a request as the pipe takes.
    fn send_some(&mut self, rest: &mut &mut [IoSlice<'_>]) -> Result<(), NoAnswer> {
        IoSlice::advance_slices(rest, 0);
        while !rest.is_empty() {
            match self.input.write_vectored(rest) {
                Ok(len) => IoSlice::advance_slices(rest, len),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(()),
                    io::ErrorKind::Interrupted => {}
                    // Its output has the end too, and what was said before it.
                    io::ErrorKind::BrokenPipe => *rest = &mut [],
                    _ => return Err(error.into()),
                },
            }
        }
        Ok(())
    }

    /// Takes in what stands on standard error, so that the child never waits for a reader.
    fn hear_errors(&mut self) {
        let mut buffer = [0; 4096];
        while let Ok(len) = self.errors.read(&mut buffer) {
            if len == 0 {
                return;
            }
            self.last_words.clear();
            self.last_words.extend_from_slice(&buffer[..len.min(LAST_WORDS_MAX)]);
        }
    }

    fn ended(&mut self) -> NoAnswer {
        self.hear_errors();
        let until = Instant::now() + ENDING;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        let words = String::from_utf8_lossy(&self.last_words);
        let last_words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        NoAnswer::Ended { status, last_words }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // One that has ended can't be killed, and is waited for all the same.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The child's output, cut into lines.
struct Lines {
    output: ChildStdout,
    line_max: usize,
    /// Room for what is read at once, and for the front of a line before it.
    buffer: Box<[u8]>,
    /// The part of it that is read, and not handed over.
    unread: Range<usize>,
    /// The line at hand was too long.
    skips: bool,
    is_over: bool,
}

impl Lines {
    fn new(output: ChildStdout, line_max: usize) -> Lines {
        let buffer = vec![0; line_max + READ_LEN].into();
        Lines { output, line_max, buffer, unread: 0..0, skips: false, is_over: false }
    }

    fn fill(&mut self) -> Result<(), NoAnswer> {
        // Children write line by line: the buffer is used to its end before anything moves.
        if self.unread.end + self.line_max > self.buffer.len() {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        match self.output.read(&mut self.buffer[self.unread.end..]) {
            Ok(len) => {
                self.is_over = len == 0;
                self.unread.end += len;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands whole lines over. What is left of a line that is too long is forgotten.
    fn hand_over(&mut self, line: &mut dyn FnMut(&[u8]) -> Said) -> Said {
        let mut said = Said::More;
        while said == Said::More
            && let Some(len) = line_len(&self.buffer[self.unread.clone()])
        {
            let start = self.unread.start;
            self.unread.start += len + 1;
            if !std::mem::take(&mut self.skips) && len < self.line_max {
                said = line(&self.buffer[start..start + len]);
            }
        }
        if said == Said::More && self.unread.len() >= self.line_max {
            self.unread = 0..0;
            self.skips = true;
        }
        said
    }
}

/// Length of the line at the front, without its end, if that is there.
fn line_len(bytes: &[u8]) -> Option<usize> {
    // The standard library's fast search for a byte.
    let len = { bytes }.skip_until(b'\n').ok()?.checked_sub(1)?;
    (bytes[len] == b'\n').then_some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Conversation {
        Conversation::start(Command::new("sh").args(["-c", script]), 100).unwrap()
    }

    fn asked(child: &mut Conversation, request: &[&[u8]]) -> Result<Vec<String>, NoAnswer> {
        child.post(request)?;
        heard(child)
    }

    fn heard(child: &mut Conversation) -> Result<Vec<String>, NoAnswer> {
        let mut lines = Vec::new();
        child.hear(SOON, &mut |line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            if line == b"." { Said::All } else { Said::More }
        })?;
        Ok(lines)
    }

    #[test]
    fn requests_are_answered_line_by_line() {
        let mut child = shell("while read a; do echo \"<$a>\"; echo .; done");
        assert_eq!(asked(&mut child, &[b"one", b"", b" two\n"]).unwrap(), ["<one two>", "."]);
        assert_eq!(asked(&mut child, &[b"three\n"]).unwrap(), ["<three>", "."]);
    }

    #[test]
    fn requests_wait_for_their_answers() {
        let mut child = shell("while read a; do echo \"<${#a}>\"; echo .; done");
        // The pipe takes few of them.
        for len in 0..40 {
            child.post(&[&vec![b'a'; len * 1000], b"\n"]).unwrap();
        }
        for len in 0..40 {
            assert_eq!(heard(&mut child).unwrap(), [format!("<{}>", len * 1000).as_str(), "."]);
        }
    }

    #[test]
    fn a_child_that_answers_before_it_has_read_all_is_heard() {
        // Both pipes are full long before the end: whoever writes all first waits forever.
        let mut child = shell("head -c 3000000 | tr a b | fold -w 60; echo; echo .");
        let request = vec![b'a'; 3_000_000];
        let lines = asked(&mut child, &[&request]).unwrap();
        assert_eq!(lines.iter().map(String::len).sum::<usize>(), 3_000_001);
        assert!(lines[..lines.len() - 2].iter().all(|line| *line == "b".repeat(60)));
    }

    #[test]
    fn long_lines_are_dropped_however_long() {
        let script = "head -c 99 /dev/zero | tr '\\0' x; echo; head -c 100 /dev/zero | tr '\\0' y; \
                      echo; head -c 1000000 /dev/zero | tr '\\0' z; echo; echo a; echo .";
        assert_eq!(asked(&mut shell(script), &[]).unwrap(), [&"x".repeat(99), "a", "."]);
    }

    #[test]
    fn a_child_that_ends_says_why() {
        for script in ["echo no such parser >&2; exit 3", "read a; echo no such parser >&2; exit 3"]
        {
            let error = asked(&mut shell(script), &[b"a\n"]).unwrap_err();
            assert_eq!(error.to_string(), "it ended (exit status: 3): no such parser");
        }
        let killed = asked(&mut shell("kill -9 $$"), &[&[b'a'; 1 << 20]]).unwrap_err();
        assert!(killed.to_string().contains("signal: 9"), "{killed}");
    }

    #[test]
    fn a_child_that_says_nothing_is_given_up() {
        let mut child = shell("exec sleep 1000");
        for _ in 0..2 {
            child.post(&[b"a\n"]).unwrap();
            let error = child.hear(Duration::from_millis(20), &mut |_| Said::More);
            assert!(matches!(error, Err(NoAnswer::Late)));
        }
    }
}
