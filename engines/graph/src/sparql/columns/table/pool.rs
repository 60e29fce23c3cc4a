//! Buffers that a thread keeps from one table to the next: the pages of a fresh one cost more than
//! what is written into it.

use std::cell::RefCell;

/// The shortest buffer that is kept, in numbers: shorter ones come fast from anywhere.
const COUNT_MIN: usize = 1 << 11;
/// Maximum length of all ids that a thread keeps the room of, in bytes.
const IDS_LEN_MAX: usize = 4 << 20;
/// Maximum length of all rows that a thread keeps the room of, in bytes.
const ROWS_LEN_MAX: usize = 1 << 20;

/// Buffers of numbers that nobody uses.
struct Pool<T> {
    buffers: Vec<Vec<T>>,
    len: usize,
}

impl<T> Pool<T> {
    const fn new() -> Pool<T> {
        Pool { buffers: Vec::new(), len: 0 }
    }

    /// An empty buffer of a capacity: of those kept, the smallest that has it.
    fn take(&mut self, capacity: usize) -> Vec<T> {
        let fits = |at: &usize| self.buffers[*at].capacity() >= capacity;
        let smallest = |at: &usize| self.buffers[*at].capacity();
        let found = if capacity >= COUNT_MIN {
            (0..self.buffers.len()).filter(fits).min_by_key(smallest)
        } else {
            None
        };
        let Some(at) = found else { return Vec::with_capacity(capacity) };
        let buffer = self.buffers.swap_remove(at);
        self.len -= buffer.capacity() * size_of::<T>();
        buffer
    }

    /// Keeps a buffer, in place of shorter ones if there are enough.
    fn keep(&mut self, mut buffer: Vec<T>, len_max: usize) {
        let (capacity, len) = (buffer.capacity(), buffer.capacity() * size_of::<T>());
        if capacity < COUNT_MIN || len > len_max {
            return;
        }
        while self.len + len > len_max {
            let shorter = |at: &usize| self.buffers[*at].capacity() < capacity;
            let shortest = |at: &usize| self.buffers[*at].capacity();
            let Some(at) = (0..self.buffers.len()).filter(shorter).min_by_key(shortest) else {
                return;
            };
            self.len -= self.buffers.swap_remove(at).capacity() * size_of::<T>();
        }
        buffer.clear();
        self.buffers.push(buffer);
        self.len += len;
    }
}

thread_local! {
    static IDS: RefCell<Pool<u64>> = const { RefCell::new(Pool::new()) };
    static ROWS: RefCell<Pool<u32>> = const { RefCell::new(Pool::new()) };
}

/// An empty column for some ids.
pub(in crate::sparql) fn ids(capacity: usize) -> Vec<u64> {
    IDS.with_borrow_mut(|pool| pool.take(capacity))
}

/// Keeps the room of a column. A thread that ends keeps nothing.
pub(super) fn keep_ids(column: Vec<u64>) {
    // An error is that of a thread that ends: the column just goes.
    let _ = IDS.try_with(|pool| pool.borrow_mut().keep(column, IDS_LEN_MAX));
}

/// An empty list for some numbers of rows.
pub(in crate::sparql) fn rows(capacity: usize) -> Vec<u32> {
    ROWS.with_borrow_mut(|pool| pool.take(capacity))
}

/// Keeps the room of a list of rows.
pub(in crate::sparql) fn keep_rows(rows: Vec<u32>) {
    // As above.
    let _ = ROWS.try_with(|pool| pool.borrow_mut().keep(rows, ROWS_LEN_MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_buffer_that_is_long_enough_is_used_again() {
        let mut pool = Pool::new();
        let (short, long) = (Vec::<u64>::with_capacity(3000), Vec::with_capacity(9000));
        let (short_at, long_at) = (short.as_ptr(), long.as_ptr());
        pool.keep(long, IDS_LEN_MAX);
        pool.keep(short, IDS_LEN_MAX);
        let (one, other) = (pool.take(2500), pool.take(2500));
        assert_eq!((one.as_ptr(), other.as_ptr()), (short_at, long_at));
        assert_eq!((pool.buffers.len(), pool.len), (0, 0));
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let mut pool = Pool::new();
        for _ in 0..10 {
            pool.keep(Vec::<u64>::with_capacity(4096), 100_000);
        }
        assert_eq!((pool.buffers.len(), pool.len), (3, 3 * 4096 * 8));
        pool.keep(Vec::with_capacity(COUNT_MIN - 1), 100_000);
        assert_eq!(pool.buffers.len(), 3);
        pool.keep(Vec::with_capacity(8192), 100_000);
        assert_eq!((pool.buffers.len(), pool.len), (2, (4096 + 8192) * 8));
        pool.keep(Vec::with_capacity(20_000), 100_000);
        assert_eq!(pool.buffers.len(), 2);
    }
}
