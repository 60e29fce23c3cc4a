//! A server in the tests' process, and the plainest client: each request on a connection of its
//! own, byte for byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use manicule_server::{Limits, NamedPath, Options, Running, Writes, start};

/// Options of a server of places, on a port that is free.
pub(crate) fn options(places: &[(&str, &Path)]) -> Options {
    let named = |(name, path): &(&str, &Path)| NamedPath {
        name: Some((*name).to_owned()),
        path: (*path).to_owned(),
    };
    Options {
        places: places.iter().map(named).collect(),
        writes: Writes::Graphs,
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        tls: None,
        token: None,
        hosts: Vec::new(),
        origins: Vec::new(),
        password_file: None,
        access_log: None,
        look_again: Duration::from_millis(50),
        limits: Limits {
            memory: 512 << 20,
            call_memory: 256 << 20,
            calls: 8,
            time: Duration::from_secs(60),
            body: 16 << 20,
            connections: 256,
            grace: Duration::from_secs(10),
        },
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) running: Running,
}

/// Serves places, each with its name.
pub(crate) fn serve(places: &[(&str, &Path)]) -> Server {
    with(&options(places))
}

/// Serves what options say.
pub(crate) fn with(options: &Options) -> Server {
    Server { running: start(options).unwrap_or_else(|error| panic!("{error:#}")) }
}

/// An answer, its body whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the body has come to its end.
    pub(crate) is_whole: bool,
}

impl Answer {
    /// The value of a header; of none, an empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, value)| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Server {
    pub(crate) fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// Asks for a target.
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.send("GET", target, &[], b"")
    }

    /// Sends a request. `Host` is the address, unless a header says otherwise.
    pub(crate) fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        send_to(self.address(), method, target, headers, body)
    }
}

/// As [`Server::send`], to an address.
pub(crate) fn send_to(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {target} HTTP/1.1\r\n");
    let has = |name: &str| headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    if !has("host") {
        head += &format!("Host: {address}\r\n");
    }
    if !has("content-length") && (!body.is_empty() || method == "POST" || method == "PUT") {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "Connection: close\r\n\r\n";
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses by the head alone may have hung up.
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let mut answer = parse(&bytes, method == "HEAD");
    answer.is_whole &= read.is_ok();
    answer
}

/// An answer, of the bytes of a connection that has ended.
pub(crate) fn parse(bytes: &[u8], is_head: bool) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let rest = &bytes[end + 4..];
    let value =
        |name: &str| headers.iter().find(|(own, _)| own == name).map(|(_, own)| own.clone());
    let (body, is_whole) = if is_head {
        (Vec::new(), true)
    } else if value("transfer-encoding").is_some_and(|coding| coding == "chunked") {
        unchunked(rest)
    } else {
        let wanted = value("content-length").and_then(|len| len.parse().ok());
        (rest.to_vec(), wanted.is_none_or(|wanted: usize| rest.len() == wanted))
    };
    Answer { status: status.parse().unwrap(), headers, body, is_whole }
}

/// A chunked body, and whether its end is there.
fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|two| two == b"\r\n") else {
            return (body, false);
        };
        let len = std::str::from_utf8(&rest[..end]).ok();
        let Some(len) = len.and_then(|len| usize::from_str_radix(len, 16).ok()) else {
            return (body, false);
        };
        if len == 0 {
            return (body, true);
        }
        let Some(chunk) = rest.get(end + 2..end + 2 + len) else { return (body, false) };
        body.extend_from_slice(chunk);
        rest = rest.get(end + 4 + len..).unwrap_or_default();
    }
}
