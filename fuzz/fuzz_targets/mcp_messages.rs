//! Any bytes as the lines of a client of the Model Context Protocol, over a block and a text:
//! answers that are messages, at most one for each request, never a panic, and an end.
//!
//! Seeds: fuzz/seeds/mcp_messages.
#![no_main]

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use manicule::context::{Context, ContextOptions};
use manicule_mcp::session::{Limits, serve};
use manicule_mcp::{Options, Places, Service};
use serde_json::Value;

/// Bytes of an answer; one may be longer by the texts of its errors.
const ANSWER_LEN: usize = 4096;

static SERVICE: LazyLock<Arc<Service>> = LazyLock::new(|| {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof/golden");
    Arc::new(Service::new(Options {
        places: Places::Local { within: vec![golden.join("series/tiny"), golden.join("mcp/src")] },
        answer_len: ANSWER_LEN,
        threads: 1,
        cache: None,
        program: None,
        has_passwords: false,
    }))
});

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    Context::new(ContextOptions { memory: 64 << 20, ..ContextOptions::NONE })
});

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let limits =
        Limits { context: CONTEXT.clone(), timeout: Duration::from_millis(500), calls_max: 4 };
    let kept = Kept::default();
    serve(Arc::clone(&SERVICE), limits, bytes, kept.clone()).expect("a slice can be read");
    let output = kept.0.lock().expect("nobody panics");
    let mut answers = 0;
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).expect("each line is a message");
        let messages = message.as_array().cloned().unwrap_or_else(|| vec![message]);
        for message in messages {
            assert_eq!(message["jsonrpc"], "2.0");
            let is_answer = message.get("result").is_some() != message.get("error").is_some();
            assert!(is_answer || message["method"].is_string(), "{message}");
            assert!(!message.to_string().contains("a defect of manicule"), "{message}");
            answers += usize::from(is_answer);
        }
    }
    // A batch has a message for each comma and one more.
    let sent = bytes.iter().filter(|byte| matches!(byte, b'\n' | b',')).count() + 1;
    assert!(answers <= sent, "{answers} answers to {sent} messages");
});
