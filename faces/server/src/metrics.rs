//! What the server has done, as Prometheus scrapes it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use axum::http::StatusCode;

use crate::calls::Calls;
use crate::protocols::PROTOCOLS;

/// Upper ends of the buckets of durations, in microseconds.
const BUCKETS_US: [u64; 10] =
    [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000, 10_000_000, 60_000_000];

/// Classes of statuses, 1xx to 5xx.
const CLASSES: usize = 5;

/// Counters of one protocol.
#[derive(Debug, Default)]
struct Protocol {
    by_class: [AtomicU64; CLASSES],
    by_time: [AtomicU64; BUCKETS_US.len()],
    time_us: AtomicU64,
    sent_bytes: AtomicU64,
}

/// Counters of all requests since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    protocols: [Protocol; PROTOCOLS.len()],
    /// Connections that are open.
    pub(crate) connections: AtomicUsize,
    /// Connections that were refused, as too many were open.
    pub(crate) refused: AtomicU64,
}

impl Metrics {
    /// Counts a request that has been answered.
    pub(crate) fn count(&self, protocol: usize, status: StatusCode, time: Duration, bytes: u64) {
        let own = &self.protocols[protocol];
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES) - 1;
        let time_us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        own.by_class[class].fetch_add(1, Relaxed);
        own.time_us.fetch_add(time_us, Relaxed);
        own.sent_bytes.fetch_add(bytes, Relaxed);
        if let Some(at) = BUCKETS_US.iter().position(|end| time_us <= *end) {
            own.by_time[at].fetch_add(1, Relaxed);
        }
    }

    /// All of them in Prometheus' text format.
    pub(crate) fn text(&self, calls: &Calls) -> String {
        let mut text = String::new();
        self.write_requests(&mut text);
        self.write_durations(&mut text);
        let gauges = [
            ("connections", "Connections that are open.", self.connections.load(Relaxed) as u64),
            ("calls", "Calls that run.", calls.running() as u64),
            ("memory_held_bytes", "Memory that calls hold.", calls.context().memory().held_bytes()),
            (
                "memory_peak_bytes",
                "The most memory that calls held at a time.",
                calls.context().memory().peak_bytes(),
            ),
        ];
        for (name, help, value) in gauges {
            let _ = writeln!(text, "# HELP manicule_{name} {help}");
            let _ = writeln!(text, "# TYPE manicule_{name} gauge\nmanicule_{name} {value}");
        }
        let name = "manicule_connections_refused_total";
        let refused = self.refused.load(Relaxed);
        let _ = writeln!(text, "# HELP {name} Connections refused, as too many were open.");
        let _ = writeln!(text, "# TYPE {name} counter\n{name} {refused}");
        text
    }

    fn write_requests(&self, text: &mut String) {
        let name = "manicule_requests_total";
        let _ = writeln!(text, "# HELP {name} Requests by protocol and class of status.");
        let _ = writeln!(text, "# TYPE {name} counter");
        for (word, own) in PROTOCOLS.iter().zip(&self.protocols) {
            for (at, count) in own.by_class.iter().enumerate() {
                let (class, count) = (at + 1, count.load(Relaxed));
                if count > 0 {
                    let labels = format!("protocol=\"{word}\",status=\"{class}xx\"");
                    let _ = writeln!(text, "{name}{{{labels}}} {count}");
                }
            }
        }
        let name = "manicule_sent_bytes_total";
        let _ = writeln!(text, "# HELP {name} Bytes of bodies sent.\n# TYPE {name} counter");
        for (word, own) in PROTOCOLS.iter().zip(&self.protocols) {
            let sent = own.sent_bytes.load(Relaxed);
            let _ = writeln!(text, "{name}{{protocol=\"{word}\"}} {sent}");
        }
    }

    fn write_durations(&self, text: &mut String) {
        let name = "manicule_request_duration_seconds";
        let _ =
            writeln!(text, "# HELP {name} Time from a request's head to the end of its answer.");
        let _ = writeln!(text, "# TYPE {name} histogram");
        for (word, own) in PROTOCOLS.iter().zip(&self.protocols) {
            let count: u64 = own.by_class.iter().map(|count| count.load(Relaxed)).sum();
            let mut below = 0;
            for (end, count) in BUCKETS_US.iter().zip(&own.by_time) {
                below += count.load(Relaxed);
                let (end, labels) = (*end as f64 / 1e6, format!("protocol=\"{word}\""));
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {below}");
            }
            let sum = own.time_us.load(Relaxed) as f64 / 1e6;
            let _ = writeln!(text, "{name}_bucket{{protocol=\"{word}\",le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "{name}_sum{{protocol=\"{word}\"}} {sum}");
            let _ = writeln!(text, "{name}_count{{protocol=\"{word}\"}} {count}");
        }
    }
}
