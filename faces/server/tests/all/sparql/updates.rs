//! Updates of several clients at a time: what is acknowledged is there, whatever happens to the
//! server after it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use manicule::graph::{QuadPattern, Store};

use super::super::support::{Answer, parse};
use super::{UPDATE, empty, store};

const CLIENTS: usize = 8;

#[test]
fn updates_of_several_clients_are_all_done() {
    let (_folder, server) = empty();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                for number in 0..20 {
                    let subject = format!("http://a/{client}-{number}");
                    let text = format!("INSERT DATA {{ <{subject}> <http://a/p> {number} }}");
                    assert_eq!(server.update(&text).status, 204);
                    // What is acknowledged is seen at once.
                    let asked = format!("SELECT ?o {{ <{subject}> ?p ?o }}");
                    assert_eq!(server.csv(&asked), format!("o\n{number}\n"));
                }
            });
        }
    });
    let count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";
    assert_eq!(server.csv(count), format!("n\n{}\n", CLIENTS * 20));
}

/// The program, the address at which it listens, and what it says: it waits for who reads that.
fn program(place: &std::path::Path) -> (Child, String, impl Sized) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_manicule-server"))
        .args(["--listen", "0"])
        .arg(place)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| {
        let line = line.unwrap();
        let (_, rest) = line.split_once("http://")?;
        Some(rest.trim_end_matches('/').to_owned())
    });
    (child, address.expect("an address"), lines)
}

/// Sends an update; nothing where the server is gone.
fn send(address: &str, text: &str) -> Option<Answer> {
    use std::io::Write;
    let mut stream = std::net::TcpStream::connect(address).ok()?;
    let (name, value) = UPDATE;
    let len = text.len();
    let head = format!(
        "POST /update HTTP/1.1\r\nHost: {address}\r\n{name}: {value}\r\nContent-Length: {len}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(text.as_bytes()).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    bytes.windows(4).any(|four| four == b"\r\n\r\n").then(|| parse(&bytes, false))
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let (_folder, place) = store(&[]);
    let acknowledged = Mutex::new(Vec::new());
    for round in 0..5 {
        let (mut child, address, _said) = program(&place);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (address, acknowledged, is_over) = (&address, &acknowledged, &is_over);
                scope.spawn(move || {
                    for number in 0.. {
                        let subject = format!("http://a/{round}-{client}-{number}");
                        let text = format!("INSERT DATA {{ <{subject}> <http://a/p> {number} }}");
                        match send(address, &text) {
                            Some(answer) if answer.status == 204 => {
                                acknowledged.lock().unwrap().push(subject);
                            }
                            _ if is_over.load(SeqCst) => return,
                            other => panic!("{other:?}"),
                        }
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(300 + 70 * round));
            is_over.store(true, SeqCst);
            // SIGKILL.
            child.kill().unwrap();
        });
        child.wait().unwrap();
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    let store = Store::open(&place).unwrap();
    for subject in &acknowledged {
        let subject = Some(oxrdf::NamedNode::new_unchecked(subject.clone()).into());
        let pattern = QuadPattern { subject, ..QuadPattern::default() };
        assert!(store.has(&pattern).unwrap(), "{pattern:?}");
    }
    // One more of each client may have been done and not acknowledged.
    let count = store.quad_count().unwrap() as usize;
    assert!(count <= acknowledged.len() + 5 * CLIENTS, "{count}");
}
