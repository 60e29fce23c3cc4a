//! What goes wrong, and when.

use std::ops::Range;

use crate::answer::Answer;
use crate::request::Request;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The server has an error of its own: 500.
    Error,
    /// It is asked too often: 503.
    SlowDown,
    /// The connection ends without an answer.
    Reset,
    /// The request is done, and the connection ends without its answer.
    Lost,
    /// The connection ends within the body.
    Cut,
    /// The body is shorter than it should be, and its length says so.
    Short,
    /// Another range than the one that was asked for.
    OtherRange,
    /// The whole object in place of a range.
    Whole,
    /// 403, whoever asks.
    Denied,
    /// The credentials have expired: 400.
    Expired,
    /// The object is archived: 403.
    Archived,
    /// The bucket is elsewhere: 301.
    Elsewhere,
    /// Conditions are ignored, as by servers that are older than those.
    Unconditional,
    /// Nothing is answered for a minute.
    Silence,
}

/// Which requests a fault is for. They are counted from 1 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Every n-th.
    Every(u64),
    /// Those with these numbers.
    Within(Range<u64>),
}

impl When {
    pub(crate) fn is_at(&self, number: u64) -> bool {
        match self {
            When::Every(n) => number.is_multiple_of(*n),
            When::Within(range) => range.contains(&number),
        }
    }
}

impl Fault {
    /// A request as the server understands it.
    pub(crate) fn understood(self, mut request: Request) -> Request {
        let ignored: &[&str] = match self {
            Fault::Whole => &["range"],
            Fault::Unconditional => &["if-match", "if-none-match"],
            _ => &[],
        };
        ignored.iter().for_each(|name| drop(request.headers.remove(*name)));
        if self == Fault::OtherRange
            && let Some(range) = request.headers.get_mut("range")
        {
            *range = "bytes=0-0".to_owned();
        }
        request
    }

    /// The answer in place of the one that the request deserves.
    pub(crate) fn instead(self) -> Option<Answer> {
        Some(match self {
            Fault::Error => Answer::error(500, "InternalError", "try again"),
            Fault::SlowDown => Answer::error(503, "SlowDown", "reduce your request rate"),
            Fault::Denied => Answer::error(403, "AccessDenied", "access denied"),
            Fault::Expired => Answer::error(400, "ExpiredToken", "the token has expired"),
            Fault::Archived => {
                Answer::error(403, "InvalidObjectState", "not valid for its storage class")
            }
            Fault::Elsewhere => Answer::error(301, "PermanentRedirect", "use another endpoint"),
            _ => return None,
        })
    }

    /// The answer with what is wrong about its body.
    pub(crate) fn spoilt(self, mut answer: Answer) -> Answer {
        let half = answer.body.len() / 2;
        match self {
            Fault::Cut => answer.told_len = Some(answer.body.len().max(1)),
            Fault::Short => {}
            _ => return answer,
        }
        answer.body.truncate(half);
        answer
    }

    /// Whether the connection ends with the answer.
    pub(crate) fn ends_connection(self) -> bool {
        matches!(self, Fault::Cut | Fault::Reset | Fault::Lost)
    }
}
