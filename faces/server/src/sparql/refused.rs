//! A request that isn't done: its status and the sentence that says why.

/// Why a request isn't done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refused {
    /// The status.
    pub(super) status: u16,
    /// The sentence.
    pub(super) why: String,
    /// The methods that the resource has, where the status is 405.
    pub(super) allow: Option<&'static str>,
}

impl Refused {
    fn of(status: u16, why: impl Into<String>) -> Refused {
        Refused { status, why: why.into(), allow: None }
    }

    /// 400: what is asked for can't be read.
    pub(super) fn bad(why: impl Into<String>) -> Refused {
        Refused::of(400, why)
    }

    /// 403: the server changes nothing.
    pub(super) fn read_only() -> Refused {
        Refused::of(
            403,
            "this server changes nothing: it was started with --read-only, or the store is at an address",
        )
    }

    /// 404: there is no such graph.
    pub(super) fn no_graph(iri: &str) -> Refused {
        Refused::of(404, format!("there is no graph <{iri}>"))
    }

    /// 405: the resource has other methods.
    pub(super) fn method(method: &str, allow: &'static str) -> Refused {
        let why = format!("{method} is not done here; the methods are {allow}");
        Refused { allow: Some(allow), ..Refused::of(405, why) }
    }

    /// 406: the answer can't be written as the request accepts it.
    pub(super) fn not_acceptable(accept: &str, offers: &str) -> Refused {
        Refused::of(406, format!("Accept: {accept}: the answer can be {offers}"))
    }

    /// 413: the body is longer than is read.
    pub(super) fn too_long(why: impl Into<String>) -> Refused {
        Refused::of(413, why)
    }

    /// 415: the body is of a kind that isn't read.
    pub(super) fn media_type(why: impl Into<String>) -> Refused {
        Refused::of(415, why)
    }
}
