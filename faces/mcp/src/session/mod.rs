//! A conversation over two pipes: a message a line, calls side by side on threads.
//!
//! | file | what |
//! |---|---|
//! | lines.rs | lines of bounded length |
//! | output.rs | messages to the client, one at a time; batches |
//! | running.rs | calls that run: how they are ended |
//! | asked.rs | the client's roots, asked and awaited |

mod asked;
mod lines;
mod output;
mod running;

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use manicule::context::Context;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json_rpc::{
    Id, Message, Refused, RpcError, Sent, code, notification, read, request, response,
};
use crate::progress::Progress;
use crate::revision::{Envelope, Revision};
use crate::roots::Roots;
use crate::service::Service;
use asked::AskedRoots;
use lines::{Line, Lines};
use output::{Output, Target};
use running::{Calls, Refusal, Running};

/// Maximum length of a message in bytes: questions are short.
const MESSAGE_MAX: usize = 1 << 20;

/// Bounds of a conversation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Memory, cache and threads of all calls together.
    pub context: Context,
    /// How long a call may take.
    pub timeout: Duration,
    /// Maximum number of calls at a time.
    pub calls_max: usize,
}

/// Answers the messages of `input`, each line one, until it ends: calls that run then go on to
/// their ends, as whoever pipes questions in wants their answers. Nothing but messages, each a line
/// too, goes to `output`; where nobody reads it any more, all ends.
///
/// # Errors
/// Where `input` can't be read.
pub fn serve(
    service: Arc<Service>,
    limits: Limits,
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let session = Arc::new(Session {
        service,
        calls: Calls::new(limits.calls_max),
        limits,
        output: Arc::new(Output::new(Box::new(output))),
        agreed: Mutex::default(),
        roots: AskedRoots::default(),
    });
    let mut lines = Lines::new(input, MESSAGE_MAX);
    let read = loop {
        match lines.next() {
            Ok(Some(line)) => session.receive(&line),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        if session.output.is_gone() {
            break Ok(());
        }
    };
    session.roots.leave();
    if session.output.is_gone() {
        session.calls.end_all();
    }
    session.calls.wait();
    read
}

/// What all threads of a conversation share.
struct Session {
    service: Arc<Service>,
    limits: Limits,
    output: Arc<Output>,
    calls: Calls,
    /// What a handshake has agreed on.
    agreed: Mutex<Option<Agreed>>,
    roots: AskedRoots,
}

#[derive(Clone, Copy, Debug)]
struct Agreed {
    revision: Revision,
    has_roots: bool,
}

/// How a call is to be answered.
struct How {
    revision: Revision,
    roots: HowRoots,
}

/// Where a call has its roots from.
enum HowRoots {
    /// They are known.
    Known(Roots),
    /// The client is being asked.
    Awaited,
}

impl Session {
    fn receive(self: &Arc<Self>, line: &Line<'_>) {
        let sent = match line {
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => return,
            Line::Whole(bytes) => read(bytes),
            Line::TooLong => {
                let why = format!("a message has {MESSAGE_MAX} bytes at most");
                let error = RpcError::new(code::INVALID_REQUEST, why);
                Sent::One(Err(Refused { id: None, error }))
            }
        };
        match sent {
            Sent::One(message) => self.message(message, &Target::line(&self.output)),
            Sent::Batch(messages) if self.revision() == Some(Revision::Batches) => {
                let waits = |message: &Result<Message, Refused>| {
                    matches!(message, Err(_) | Ok(Message::Request { .. }))
                };
                let count = messages.iter().filter(|message| waits(message)).count();
                let target = Target::batch(&self.output, count);
                messages.into_iter().for_each(|message| self.message(message, &target));
            }
            Sent::Batch(_) => {
                let why = "messages come one by one in this revision";
                let error = RpcError::new(code::INVALID_REQUEST, why);
                Target::line(&self.output).answer(Some(error.response(None)));
            }
        }
    }

    fn agreed(&self) -> Option<Agreed> {
        *self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn revision(&self) -> Option<Revision> {
        self.agreed().map(|agreed| agreed.revision)
    }

    fn message(self: &Arc<Self>, message: Result<Message, Refused>, target: &Target) {
        match message {
            Err(refused) => target.answer(Some(refused.response())),
            Ok(Message::Request { id, method, params }) => {
                self.request(id, &method, params, target)
            }
            Ok(Message::Notification { method, params }) => self.notification(&method, &params),
            Ok(Message::Response { id, result }) => self.roots.answered(&id, result.as_ref()),
        }
    }

    fn notification(&self, method: &str, params: &Map<String, Value>) {
        match method {
            "notifications/cancelled" => {
                if let Some(id) = params.get("requestId").and_then(Id::of) {
                    self.calls.cancel(&id);
                }
            }
            "notifications/initialized" | "notifications/roots/list_changed"
                if self.agreed().is_some_and(|agreed| agreed.has_roots) =>
            {
                let id = self.roots.ask();
                self.output.put(&request(&id, "roots/list"));
            }
            // Others are nobody's here; a notification has no answer.
            _ => {}
        }
    }

    fn request(
        self: &Arc<Self>,
        id: Id,
        method: &str,
        params: Map<String, Value>,
        target: &Target,
    ) {
        let how = match self.how(method, &params) {
            Ok(how) => how,
            Err(error) => return target.answer(Some(error.response(Some(&id)))),
        };
        if method == "tools/call" {
            return self.call(id, params, how, target);
        }
        let answered = match method {
            "initialize" => self.initialize(&params),
            _ => self.service.method(method, &params, how.revision),
        };
        let text = answered
            .map_or_else(|error| error.response(Some(&id)), |result| response(&id, &result));
        target.answer(Some(text));
    }

    /// How a request is to be answered: by its envelope, else by the handshake.
    fn how(&self, method: &str, params: &Map<String, Value>) -> Result<How, RpcError> {
        let envelope = if method == "initialize" { None } else { Envelope::read(params)? };
        if let Some(envelope) = envelope {
            let given = params.get("inputResponses").and_then(|given| given.get("roots"));
            let roots = match given {
                Some(result) => HowRoots::Known(Roots::of_result(result)),
                None if envelope.has_roots => HowRoots::Awaited,
                None => HowRoots::Known(Roots::Unconfined),
            };
            return Ok(How { revision: envelope.revision, roots });
        }
        let (revision, has_roots) = match self.agreed() {
            Some(agreed) => (agreed.revision, agreed.has_roots),
            None if matches!(method, "initialize" | "ping") => (Revision::Handshake, false),
            None => {
                let why = "initialize comes first, or each request says its revision in _meta";
                return Err(RpcError::new(code::INVALID_REQUEST, why));
            }
        };
        let roots = if has_roots { HowRoots::Awaited } else { HowRoots::Known(Roots::Unconfined) };
        Ok(How { revision, roots })
    }

    fn initialize(&self, params: &Map<String, Value>) -> Result<Box<RawValue>, RpcError> {
        let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        if agreed.is_some() {
            return Err(RpcError::new(code::INVALID_REQUEST, "this is initialized already"));
        }
        let (revision, result) = self.service.initialize(params)?;
        let has_roots = params.get("capabilities").is_some_and(|own| own["roots"].is_object());
        *agreed = Some(Agreed { revision, has_roots });
        Ok(result)
    }

    /// Begins a call of a tool on a thread of its own.
    fn call(self: &Arc<Self>, id: Id, params: Map<String, Value>, how: How, target: &Target) {
        let running = match self.calls.begin(&id, self.limits.timeout) {
            Ok(running) => running,
            Err(Refusal::SameId) => {
                let error = RpcError::new(code::INVALID_REQUEST, "a call of this id still runs");
                return target.answer(Some(error.response(None)));
            }
            Err(Refusal::Many(count)) => {
                let failure = Failure::new(ErrorClass::Busy, format!("{count} calls run already"));
                let result = self.service.refused(failure, how.revision);
                return target.answer(Some(response(&id, &result)));
            }
        };
        let (session, to, own) = (Arc::clone(self), target.clone(), id.clone());
        let job = move || {
            let answered = session.answer(&params, how, &running);
            let text = answered
                .map_or_else(|error| error.response(Some(&own)), |result| response(&own, &result));
            let is_cancelled = session.calls.end(&own);
            to.answer((!is_cancelled).then_some(text));
            session.calls.answered();
        };
        if let Err(error) = self.limits.context.spawn(job) {
            self.calls.end(&id);
            let error = RpcError::new(code::INTERNAL, format!("no thread for a call: {error}"));
            target.answer(Some(error.response(Some(&id))));
            self.calls.answered();
        }
    }

    fn answer(
        &self,
        params: &Map<String, Value>,
        how: How,
        running: &Running,
    ) -> Result<Box<RawValue>, RpcError> {
        let How { revision, roots } = how;
        let roots = match roots {
            HowRoots::Known(roots) => roots,
            HowRoots::Awaited if revision == Revision::Stateless => {
                return Ok(self.service.asks_roots());
            }
            HowRoots::Awaited => match self.roots.awaited(running) {
                Some(roots) => roots,
                None => {
                    let why = "the client has not said its roots";
                    return Ok(self
                        .service
                        .refused(Failure::new(ErrorClass::Denied, why), revision));
                }
            },
        };
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
        let told = token.map(|token| Progress::new(token.clone()));
        let report = |progress| {
            if let Some(params) = told.as_ref().and_then(|told| told.next(progress, Instant::now()))
            {
                self.output.put(&notification("notifications/progress", &params));
            }
        };
        let stop = || running.is_over();
        let watch = Watch::new(&report, &stop);
        self.service.call_tool(params, revision, &roots, &watch)
    }
}
