//! The access log: a line for each request, when its answer has ended.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use axum::http::{Method, StatusCode, Uri};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Number of lines that wait to be written. Where the file is slower than requests come, lines are
/// left out and counted.
const WAITING_MAX: usize = 4096;

/// Longest target that is written, in bytes.
const TARGET_LEN_MAX: usize = 2048;

/// Where lines go, if anywhere.
#[derive(Debug, Default)]
pub(crate) struct Log {
    lines: Option<SyncSender<String>>,
    left_out: AtomicU64,
}

/// A request that was answered.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) client: SocketAddr,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) status: StatusCode,
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
    /// Whether the client has all of the answer.
    pub(crate) is_whole: bool,
}

impl Log {
    /// Writes to a file, to which lines are appended; `-` is standard error.
    pub(crate) fn open(file: &Path) -> io::Result<Log> {
        let out: Box<dyn Write + Send> = if file == Path::new("-") {
            Box::new(io::stderr())
        } else {
            Box::new(OpenOptions::new().append(true).create(true).open(file)?)
        };
        let (lines, received) = sync_channel(WAITING_MAX);
        let out = BufWriter::new(out);
        thread::Builder::new().name("log".to_owned()).spawn(move || write(out, &received))?;
        Ok(Log { lines: Some(lines), left_out: AtomicU64::new(0) })
    }

    /// Whether lines are written.
    pub(crate) fn is_on(&self) -> bool {
        self.lines.is_some()
    }

    pub(crate) fn add(&self, entry: &Entry) {
        let Some(lines) = &self.lines else { return };
        let mut line = line(entry);
        let left_out = self.left_out.swap(0, Relaxed);
        if left_out > 0 {
            line.insert_str(0, &format!("{left_out} lines were left out: the log is too slow\n"));
        }
        if lines.try_send(line).is_err() {
            self.left_out.fetch_add(left_out + 1, Relaxed);
        }
    }
}

fn write(mut out: impl Write, lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        let mut next = Some(line);
        while let Some(line) = next {
            // A disk that is full ends no request.
            let _ = out.write_all(line.as_bytes());
            next = lines.try_recv().ok();
        }
        let _ = out.flush();
    }
}

/// `2026-01-01T00:00:00Z 127.0.0.1 "GET /query?query=.." 200 1234 0.000123`, and `cut` where the
/// client has left. A target has no control characters: http refuses them.
fn line(entry: &Entry) -> String {
    let Entry { client, method, uri, status, bytes, time, is_whole } = entry;
    let now = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
    let mut target = uri.to_string();
    if target.len() > TARGET_LEN_MAX {
        let is_border = |at: &usize| target.is_char_boundary(*at);
        target.truncate((0..=TARGET_LEN_MAX).rev().find(is_border).unwrap_or(0));
        target.push_str("..");
    }
    let target = target.replace('"', "%22");
    let (client, status, seconds) = (client.ip(), status.as_u16(), time.as_secs_f64());
    let cut = if *is_whole { "" } else { " cut" };
    format!("{now} {client} \"{method} {target}\" {status} {bytes} {seconds:.6}{cut}\n")
}
