//! A file without a name, for rows: it goes with the query.

use std::ops::Range;
use std::rc::Rc;

use manicule_store::{Disk, Spill};

use super::super::super::error::SparqlError;
use super::super::super::session::Session;
use super::super::stop::{Outcome, Stop};

/// Blocks of bytes, in the order in which they came.
pub(in crate::sparql) struct SpillFile<'v> {
    spill: Spill,
    session: Rc<Session<'v>>,
}

impl<'v> SpillFile<'v> {
    pub(in crate::sparql) fn new(session: &Rc<Session<'v>>) -> Outcome<Rc<SpillFile<'v>>> {
        let spill = Spill::unnamed(&Disk::shared()).map_err(failed)?;
        Ok(Rc::new(SpillFile { spill, session: session.clone() }))
    }

    /// Adds a block. Returns where it is.
    pub(in crate::sparql) fn append(&self, block: &[u8]) -> Outcome<Range<u64>> {
        let at = self.spill.append(block).map_err(failed)?;
        let len = block.len() as u64;
        self.session.count(|work| work.spilled_len += len);
        Ok(at..at + len)
    }

    /// Replaces `out` by the bytes of a block.
    pub(in crate::sparql) fn read(&self, block: &Range<u64>, out: &mut Vec<u8>) -> Outcome<()> {
        out.resize((block.end - block.start) as usize, 0);
        self.spill.read_at(out, block.start).map_err(failed)
    }
}

fn failed(error: std::io::Error) -> Stop {
    Stop::Failed(SparqlError::Spill(error))
}
