//! Answers that are streamed: what a thread writes becomes the body of a response.

use std::io::{self, Write};
use std::mem;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::stream::{self, StreamExt};
use manicule::{ErrorClass, Failure};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

use crate::turn::{Leaving, Turn};

/// Length of a buffer. What fits in one is sent with its length.
const BUFFER_LEN: usize = 64 << 10;

/// Number of buffers that wait for the client.
const WAITING_MAX: usize = 2;

/// How long a client may take for a buffer.
const BUFFER_TIME: Duration = Duration::from_secs(30);

#[derive(Debug)]
enum Part {
    Some(Bytes),
    /// The end, with what comes before it.
    Last(Bytes),
    Failed(Failure),
}

/// What a call writes its answer to.
#[derive(Debug)]
pub(crate) struct Out {
    buffer: Vec<u8>,
    parts: Sender<Part>,
    turn: Turn,
    runtime: Handle,
}

impl Out {
    /// Hands over what was written so far, for a client that waits for it.
    pub(crate) fn hand_over(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let part = Part::Some(mem::take(&mut self.buffer).into());
        self.send(part)
    }

    fn send(&mut self, part: Part) -> io::Result<()> {
        let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the client has left");
        let part = match self.parts.try_send(part) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Closed(_)) => return Err(gone()),
            Err(TrySendError::Full(part)) => part,
        };
        let wait = timeout(BUFFER_TIME, self.parts.send(part));
        match self.runtime.block_on(self.turn.aside(wait)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(gone()),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the client is too slow")),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_LEN {
            self.hand_over()?;
        }
        Ok(bytes.len())
    }

    /// Does nothing: whoever computes an answer flushes where it ends.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a job on a thread; its output as a body, or its error where it has filled no buffer yet.
pub(crate) async fn answer(
    turn: Turn,
    leaving: Leaving,
    job: impl FnOnce(&mut Out) -> Result<(), Failure> + Send + 'static,
) -> Result<Body, Failure> {
    let (parts, mut received) = channel(WAITING_MAX);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut out = Out { buffer: Vec::new(), parts, turn, runtime };
        let part = match job(&mut out) {
            Ok(()) => Part::Last(mem::take(&mut out.buffer).into()),
            Err(failure) => Part::Failed(failure),
        };
        // Whoever has left hears nothing.
        let _ = out.send(part);
    });
    match received.recv().await {
        Some(Part::Last(bytes)) => Ok(Body::from(bytes)),
        Some(Part::Failed(failure)) => Err(failure),
        Some(Part::Some(first)) => Ok(streamed(first, received, leaving)),
        None => Err(Failure::new(ErrorClass::Stopped, "the server ends")),
    }
}

fn streamed(first: Bytes, received: Receiver<Part>, leaving: Leaving) -> Body {
    let state = (Some(Part::Some(first)), received, leaving);
    let parts = stream::unfold(Some(state), |state| async {
        let (first, mut received, leaving) = state?;
        let part = match first {
            Some(part) => Some(part),
            None => received.recv().await,
        };
        match part {
            Some(Part::Some(bytes)) => Some((Ok(bytes), Some((None, received, leaving)))),
            Some(Part::Last(bytes)) if bytes.is_empty() => None,
            Some(Part::Last(bytes)) => Some((Ok(bytes), None)),
            // An error of the body closes the connection, so that nobody takes it for whole.
            Some(Part::Failed(failure)) => Some((Err(failure), None)),
            None => Some((Err(Failure::new(ErrorClass::Stopped, "the server ends")), None)),
        }
    });
    // What packs a body asks it for more after its end.
    Body::from_stream(parts.fuse())
}
