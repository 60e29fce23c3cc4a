//! Calls of one row, each with another standard output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::process::{Child, ChildStderr, Output, Stdio};
use std::time::Duration;

use manicule_testkit::answers::{sorted, without_times};

use super::table::{Early, Row};
use super::yard::{LIMIT_UNIT, Yard};

/// Kind of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A pipe without a reader.
    Closed,
    /// A pipe whose reader takes one byte and closes it.
    Left,
    /// A device that is full.
    Full,
    /// A disk with space for half of it.
    Half,
    /// A reader that comes late and takes little at a time.
    Slow,
}

pub(crate) const KINDS: [Kind; 5] = [Kind::Closed, Kind::Left, Kind::Full, Kind::Half, Kind::Slow];

/// A row with its output if all goes well.
pub(crate) struct Judge<'y> {
    yard: &'y Yard,
    row: &'y Row<'y>,
    plain: Output,
    made: usize,
}

impl<'y> Judge<'y> {
    /// Calls the row, its output read whole.
    pub(crate) fn new(yard: &'y Yard, row: &'y Row<'y>) -> Result<Self, String> {
        let out = begin(yard, row);
        let plain = yard.command(row.words, &out).output().expect("it runs");
        let made = file_count(yard, &out);
        let judge = Judge { yard, row, plain, made };
        match (judge.plain.status.code(), judge.plain.stdout.is_empty()) {
            (code, false) if code == Some(row.code) => Ok(judge),
            (code, is_empty) => Err(format!(
                "code {code:?}, prints nothing: {is_empty}: {}",
                String::from_utf8_lossy(&judge.plain.stderr)
            )),
        }
    }

    /// Faults with this kind of output.
    pub(crate) fn check(&self, kind: Kind) -> Result<(), String> {
        match kind {
            Kind::Closed => self.closed(),
            Kind::Left => self.left(),
            Kind::Full => {
                let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
                let out = begin(self.yard, self.row);
                let output = self.yard.command(self.row.words, &out).stdout(full).output();
                self.failed(&output.expect("it runs"), "No space left on device (os error 28)")
            }
            Kind::Half => self.half(),
            Kind::Slow => self.slow(),
        }
    }

    fn closed(&self) -> Result<(), String> {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let out = begin(self.yard, self.row);
        let output = self.yard.command(self.row.words, &out).stdout(writer).output();
        self.left_early(&output.expect("it runs"), &out, &[])
    }

    fn left(&self) -> Result<(), String> {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let out = begin(self.yard, self.row);
        let mut command = self.yard.command(self.row.words, &out);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("it runs");
        // It holds the writing end of the pipe.
        drop(command);
        let mut byte = [0];
        let read = reader.read(&mut byte).expect("a pipe");
        drop(reader);
        let output = child.wait_with_output().expect("it ends");
        match read {
            // All may have been written before the reader closed it.
            1 => self.left_early(&output, &out, &[self.row.code]),
            _ => Err("nothing came".to_owned()),
        }
    }

    /// A reader that closes the pipe is no failure, and no reason to stop if the exit code counts
    /// or something is made.
    fn left_early(&self, output: &Output, out: &str, or: &[i32]) -> Result<(), String> {
        let want = if self.row.early == Early::Fine { 0 } else { self.row.code };
        let (code, said) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
        if code != Some(want) && !or.iter().any(|or| code == Some(*or)) {
            return Err(format!("code {code:?}, wanted {want}: {said}"));
        }
        if said.contains("Broken pipe") || said.contains("standard output") {
            return Err(said.into_owned());
        }
        match file_count(self.yard, out) {
            made if made == self.made => Ok(()),
            made => Err(format!("{made} files were made, wanted {}", self.made)),
        }
    }

    fn half(&self) -> Result<(), String> {
        const LEN_MAX: u64 = 64 << 20;
        const { assert!(LEN_MAX.is_multiple_of(LIMIT_UNIT)) };
        let out = begin(self.yard, self.row);
        let path = self.yard.path("printed");
        let room = self.plain.stdout.len() as u64 / 2;
        File::create(&path).and_then(|file| file.set_len(LEN_MAX - room)).expect("a file");
        let file = OpenOptions::new().append(true).open(&path).expect("a file");
        let output = self.yard.limited(LEN_MAX, self.row.words, &out).stdout(file).output();
        self.failed(&output.expect("it runs"), "File too large (os error 27)")
    }

    /// Output that could not be written is exit code 2, and one line reports it.
    fn failed(&self, output: &Output, error: &str) -> Result<(), String> {
        let said = String::from_utf8_lossy(&output.stderr);
        let count = said.lines().filter(|line| line.contains("os error")).count();
        let is_named = said.contains(&format!("manicule: standard output: {error}"));
        match (output.status.code(), count, is_named) {
            (Some(2), 1, true) => Ok(()),
            (code, count, _) => Err(format!("code {code:?}, {count} lines of errors: {said}")),
        }
    }

    fn slow(&self) -> Result<(), String> {
        let (reader, writer) = io::pipe().expect("a pipe");
        let out = begin(self.yard, self.row);
        let mut command = self.yard.command(self.row.words, &out);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(command);
        let read = read_slowly(reader);
        let output = ended(child);
        let same = self.comparable(&read) == self.comparable(&self.plain.stdout);
        match (output.code(), same) {
            (Some(code), true) if code == self.row.code => Ok(()),
            (code, same) => Err(format!("code {code:?}, the same is printed: {same}")),
        }
    }

    /// An answer without the parts that differ from call to call.
    fn comparable(&self, bytes: &[u8]) -> Vec<u8> {
        let line_end = |byte: &u8| if *byte == 0 { b'\n' } else { *byte };
        let lines: Vec<u8> = bytes.iter().map(line_end).collect();
        let mut lines = without_times(&lines);
        if self.row.varies {
            let is_varying = |byte: &u8| {
                byte.is_ascii_digit() || byte.is_ascii_uppercase() || b". ".contains(byte)
            };
            // Before lines are sorted: times would order them.
            lines.retain(|byte| !is_varying(byte));
        }
        sorted(&lines)
    }
}

/// Prepares a row; returns the folder for its results.
fn begin(yard: &Yard, row: &Row<'_>) -> String {
    let out = yard.fresh();
    for words in row.before.iter().flat_map(|before| before.split("; ")) {
        yard.prepare(words, &out);
    }
    out
}

fn file_count(yard: &Yard, out: &str) -> usize {
    fs::read_dir(yard.path(out)).expect("a folder").count()
}

/// Comes late, reads byte by byte for a page, then in small pieces.
fn read_slowly(mut reader: io::PipeReader) -> Vec<u8> {
    std::thread::sleep(Duration::from_millis(20));
    let mut all = Vec::new();
    let mut piece = [0; 512];
    loop {
        let len = if all.len() < 4096 { 1 } else { piece.len() };
        match reader.read(&mut piece[..len]).expect("a pipe") {
            0 => return all,
            read => all.extend_from_slice(&piece[..read]),
        }
    }
}

/// Waits for a program without input, and reads its messages.
fn ended(mut child: Child) -> std::process::ExitStatus {
    let stderr: ChildStderr = child.stderr.take().expect("a pipe");
    let _ = io::read_to_string(stderr);
    child.wait().expect("it ends")
}
