//! Messages to the client.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Where messages go, a line each, one at a time.
pub(super) struct Output {
    to: Mutex<Box<dyn Write + Send>>,
    is_gone: AtomicBool,
}

impl Output {
    pub(super) fn new(to: Box<dyn Write + Send>) -> Output {
        Output { to: Mutex::new(to), is_gone: AtomicBool::new(false) }
    }

    /// Writes a message. Where nobody reads any more it is lost, and the conversation ends.
    pub(super) fn put(&self, message: &str) {
        debug_assert!(!message.contains('\n'), "JSON has no line ends");
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        let written = to
            .write_all(message.as_bytes())
            .and_then(|()| to.write_all(b"\n"))
            .and_then(|()| to.flush());
        if written.is_err() {
            self.is_gone.store(true, Relaxed);
        }
    }

    /// Whether nobody reads any more.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Relaxed)
    }
}

/// Where the response to a request goes.
#[derive(Clone)]
pub(super) enum Target {
    /// A line of its own.
    Line(Arc<Output>),
    /// With others of its batch, when the last of them is there.
    Batch(Arc<Output>, Arc<Mutex<Batch>>),
}

/// Responses of a batch.
pub(super) struct Batch {
    texts: Vec<String>,
    /// Number of those that are not there yet.
    left: usize,
}

impl Target {
    pub(super) fn line(output: &Arc<Output>) -> Target {
        Target::Line(Arc::clone(output))
    }

    /// A batch of this number of requests.
    pub(super) fn batch(output: &Arc<Output>, count: usize) -> Target {
        let batch = Batch { texts: Vec::new(), left: count };
        Target::Batch(Arc::clone(output), Arc::new(Mutex::new(batch)))
    }

    /// Puts a response there; `None` of a request that was cancelled, which has none.
    pub(super) fn answer(&self, text: Option<String>) {
        match self {
            Target::Line(output) => text.iter().for_each(|text| output.put(text)),
            Target::Batch(output, batch) => {
                let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
                batch.texts.extend(text);
                batch.left -= 1;
                if batch.left == 0 && !batch.texts.is_empty() {
                    output.put(&format!("[{}]", batch.texts.join(",")));
                }
            }
        }
    }
}
