//! Bytes of a table, counted as long as it is there.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Bytes that are counted as held until this goes.
#[derive(Debug, Default)]
pub(in crate::sparql) struct Weight(RefCell<Option<(Rc<Cell<u64>>, u64)>>);

impl Weight {
    /// Counts some bytes, in place of those counted before.
    pub(in crate::sparql) fn count(&self, held: &Rc<Cell<u64>>, len: u64) {
        drop(Weight(RefCell::new(self.0.take())));
        held.set(held.get() + len);
        self.0.replace(Some((held.clone(), len)));
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        if let Some((held, len)) = self.0.take() {
            held.set(held.get() - len);
        }
    }
}
