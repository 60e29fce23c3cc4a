//! Bases of times: what the times of an SSTable are stored as differences to.

use manicule_format_sstable::{Deletion, Header, NO_LOCAL_TIME};

use super::row::NewRow;

/// The least times of the rows so far.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Bases {
    timestamp: Option<i64>,
    local_time: Option<i64>,
    ttl: Option<i32>,
    /// Whether a value may bring a deletion of those before it.
    has_complex: bool,
}

impl Bases {
    pub(in super::super) fn new(header: &Header) -> Self {
        let has_complex = has_complex(header);
        Bases { timestamp: None, local_time: None, ttl: None, has_complex }
    }

    /// Notes the times of a row: those that any row of the table has with them, so that sorted
    /// rows, which are written as they come, have small differences too.
    pub(super) fn note(&mut self, row: &NewRow<'_>) {
        let stamp = &row.stamp;
        self.timestamp(stamp.timestamp);
        if stamp.ttl != 0 {
            self.ttl = Some(self.ttl.map_or(stamp.ttl, |ttl| ttl.min(stamp.ttl)));
            self.local_time(stamp.expires);
        }
        if self.has_complex {
            self.timestamp(stamp.timestamp.saturating_sub(1));
            self.local_time(stamp.now);
        }
        self.deletion(row.deletion);
    }

    /// Notes the times of a fact.
    pub(in super::super) fn times(&mut self, timestamp: i64, ttl: i32, local_time: i64) {
        self.timestamp(timestamp);
        self.local_time(local_time);
        if ttl != 0 {
            self.ttl = Some(self.ttl.map_or(ttl, |least| least.min(ttl)));
        }
    }

    pub(super) fn deletion(&mut self, deletion: Deletion) {
        if !deletion.is_live() {
            self.timestamp(deletion.marked_at);
            self.local_time(deletion.local_time);
        }
    }

    fn timestamp(&mut self, time: i64) {
        self.timestamp = Some(self.timestamp.map_or(time, |least| least.min(time)));
    }

    pub(super) fn local_time(&mut self, time: i64) {
        if time != NO_LOCAL_TIME {
            self.local_time = Some(self.local_time.map_or(time, |least| least.min(time)));
        }
    }

    /// A header with them; what no row has is as in the header.
    pub(in super::super) fn of_rows(&self, header: &Header) -> Header {
        let mut header = header.clone();
        header.base_timestamp = self.timestamp.unwrap_or(header.base_timestamp);
        // 32 bits, also of times that the writer will refuse.
        header.base_deletion_time =
            self.local_time.map_or(header.base_deletion_time, |time| time as u32);
        header.base_ttl = self.ttl.map_or(header.base_ttl, |ttl| ttl as u32);
        header
    }
}

/// Whether a table has columns whose values are many cells.
fn has_complex(header: &Header) -> bool {
    [false, true].iter().any(|it| header.columns(*it).iter().any(|it| it.kind.is_complex()))
}
