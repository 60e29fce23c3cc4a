//! How a server begins and ends, and what it writes down.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use manicule_server::{Limits, NamedPath, Options, TlsFiles, start};

use super::support::{options, parse, with};

#[test]
fn names_of_places_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    fs::create_dir(&texts).unwrap();
    fs::write(texts.join("a.txt"), "lamp\n").unwrap();
    let error = |places: &[(&str, &Path)]| {
        let error = start(&options(places)).unwrap_err();
        format!("{error:#}").replace(&folder.path().display().to_string(), "FOLDER")
    };
    assert_eq!(
        error(&[("a", &texts), ("a", &texts)]),
        "two places have the name a: name one as in NAME=FOLDER/texts"
    );
    assert_eq!(
        error(&[("../a", &texts)]),
        "\"../a\" is no name of a place: letters, digits, and . _ - after the first"
    );
    assert!(error(&[("a", &folder.path().join("none"))]).starts_with("FOLDER/none: "));
    let unnamed = NamedPath { name: None, path: texts };
    let server = with(&Options { places: vec![unnamed], ..options(&[]) });
    assert_eq!(server.running.names(), [("texts".to_owned(), "source tree".to_owned())]);
}

#[test]
fn asked_to_end_it_waits_for_what_runs_and_no_longer() {
    let limits = Limits { grace: Duration::from_secs(1), ..options(&[]).limits };
    let server = with(&Options { limits, ..options(&[]) });
    let address = server.address();
    let mut begun = TcpStream::connect(address).unwrap();
    begun.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n").unwrap();
    let idle = TcpStream::connect(address).unwrap();
    // Both have been taken.
    assert_eq!(server.get("/healthz").status, 200);
    let started = Instant::now();
    server.running.end();
    // The head that never comes to its end is given up.
    assert!(started.elapsed() < Duration::from_secs(8));
    assert!(TcpStream::connect(address).is_err());
    drop(idle);
}

#[test]
fn each_request_is_a_line_of_the_access_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("access.log");
    let server = with(&Options { access_log: Some(log.clone()), ..options(&[]) });
    server.get("/healthz?a=%22b");
    server.get("/nothing");
    let begun = Instant::now();
    let text = loop {
        let text = fs::read_to_string(&log).unwrap();
        if text.lines().count() == 2 {
            break text;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{text:?}");
    };
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains(" 127.0.0.1 \"GET /healthz?a=%22b\" 200 3 0."), "{text}");
    assert!(lines[1].contains(" 127.0.0.1 \"GET /nothing\" 404 0 0."), "{text}");
}

#[test]
fn a_certificate_makes_it_speak_tls() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let files = TlsFiles { certificate: certificate.clone(), key: key.clone() };
    // Others may see it then, by whatever name the certificate has.
    let listen = ([0, 0, 0, 0], 0).into();
    let server = with(&Options { tls: Some(files), listen, ..options(&[]) });
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(("127.0.0.1", server.address().port())).unwrap();
    let mut stream = rustls::StreamOwned::new(connection, stream);
    let request = b"GET /healthz HTTP/1.1\r\nHost: lamp\r\nConnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut bytes).unwrap();
    assert_eq!(parse(&bytes, false).text(), "ok\n");
    // A key that isn't the certificate's, or none.
    fs::write(&key, "nothing").unwrap();
    let files = TlsFiles { certificate, key };
    let error = start(&Options { tls: Some(files), ..options(&[]) }).unwrap_err();
    assert!(format!("{error:#}").contains("key.pem"), "{error:#}");
}
