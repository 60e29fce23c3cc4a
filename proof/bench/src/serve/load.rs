//! Load: a number of clients, each with a connection that it keeps, asking one request after the
//! other.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Longest body that is taken, in bytes.
const BODY_LEN_MAX: usize = 64 << 20;

/// A request, byte for byte.
#[derive(Clone, Debug)]
pub(crate) struct Request(Vec<u8>);

impl Request {
    /// A request of an address.
    pub(crate) fn new(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Request {
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if method == "POST" {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        Request((head + "\r\n" + body).into_bytes())
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// A connection that is kept.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Client { stream: BufReader::new(stream) })
    }

    pub(crate) fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        self.stream.get_mut().write_all(&request.0)?;
        let status = self.line()?;
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let status = status.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| wrong("no status"))?;
        let (mut len, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(own) = line.strip_prefix("content-length:") {
                len = own.trim().parse().map_err(|_| wrong("Content-Length"))?;
            }
            is_chunked |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
        }
        let mut body = Vec::new();
        if !is_chunked {
            self.take(len, &mut body)?;
            return Ok(Answer { status, body });
        }
        loop {
            let line = self.line()?;
            let len = usize::from_str_radix(line.trim(), 16).map_err(|_| wrong("a chunk"))?;
            self.take(len, &mut body)?;
            self.line()?;
            if len == 0 {
                return Ok(Answer { status, body });
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(line)
    }

    fn take(&mut self, len: usize, body: &mut Vec<u8>) -> io::Result<()> {
        if body.len() + len > BODY_LEN_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a body without end"));
        }
        let start = body.len();
        body.resize(start + len, 0);
        self.stream.read_exact(&mut body[start..])
    }
}

/// What clients have seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Times of requests, in microseconds, ascending.
    times_us: Vec<u64>,
    pub(crate) wall: Duration,
    pub(crate) failed: u64,
}

impl Seen {
    pub(crate) fn count(&self) -> usize {
        self.times_us.len()
    }

    /// A quantile of the times, in milliseconds.
    pub(crate) fn quantile_ms(&self, part: f64) -> Option<f64> {
        let last = self.times_us.len().checked_sub(1)?;
        Some(self.times_us[(last as f64 * part).round() as usize] as f64 / 1e3)
    }
}

/// Clients ask for a time, each beginning at another request. An answer that is none is an error.
pub(crate) fn load(
    address: SocketAddr,
    requests: &[Request],
    clients: usize,
    time: Duration,
) -> Result<Seen> {
    let begun = Instant::now();
    let until = begun + time;
    let ask = |first: usize| -> io::Result<(Vec<u64>, u64)> {
        let mut client = Client::connect(address)?;
        let (mut times_us, mut failed) = (Vec::new(), 0);
        for request in requests.iter().cycle().skip(first) {
            let started = Instant::now();
            if started >= until {
                break;
            }
            let answer = client.ask(request)?;
            failed += u64::from(answer.status != 200);
            times_us.push(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX));
        }
        Ok((times_us, failed))
    };
    let mut seen = Seen::default();
    let step = (requests.len() / clients).max(1);
    let parts: Vec<io::Result<(Vec<u64>, u64)>> = thread::scope(|scope| {
        let ask = &ask;
        let threads: Vec<_> =
            (0..clients).map(|client| scope.spawn(move || ask(client * step))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a client")).collect()
    });
    for part in parts {
        let (times_us, failed) = part?;
        seen.times_us.extend(times_us);
        seen.failed += failed;
    }
    seen.wall = begun.elapsed();
    seen.times_us.sort_unstable();
    if seen.failed > 0 {
        bail!("{} of {} requests failed", seen.failed, seen.count());
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn bodies_of_both_kinds_are_read_from_one_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for answer in [
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlamp",
                "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            ] {
                while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let mut client = Client::connect(address).unwrap();
        let request = Request::new("GET", "/", &[("Accept", "*/*")], "");
        let first = client.ask(&request).unwrap();
        assert_eq!((first.status, &*first.body), (200, &b"lamp"[..]));
        let second = client.ask(&request).unwrap();
        assert_eq!((second.status, &*second.body), (404, &b"abcde"[..]));
        server.join().unwrap();
    }

    #[test]
    fn quantiles_are_those_of_sorted_times() {
        let seen = Seen { times_us: (0..=100).map(|at| at * 1000).collect(), ..Seen::default() };
        assert_eq!((seen.quantile_ms(0.5), seen.quantile_ms(0.99)), (Some(50.0), Some(99.0)));
        assert_eq!(Seen::default().quantile_ms(0.5), None);
    }
}
