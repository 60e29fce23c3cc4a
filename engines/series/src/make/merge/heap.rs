//! A binary heap that gives equals in the order in which Prometheus's gives them.
//!
//! Of two samples of one time one survives a merge, and which one depends on that order. It is the
//! textbook's heap: what comes up goes at the end and rises past what is larger, what is taken
//! leaves its place to the last one, which sinks along the smaller children, the left one of
//! equals.

/// Items of which the least is at hand. The comparison is an argument of each call.
#[derive(Clone, Debug)]
pub(super) struct Heap<T> {
    items: Vec<T>,
}

impl<T> Heap<T> {
    pub(super) fn new() -> Self {
        Heap { items: Vec::new() }
    }

    pub(super) fn peek(&self) -> Option<&T> {
        self.items.first()
    }

    pub(super) fn push(&mut self, item: T, is_less: impl Fn(&T, &T) -> bool) {
        self.items.push(item);
        let mut at = self.items.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if !is_less(&self.items[at], &self.items[parent]) {
                break;
            }
            self.items.swap(at, parent);
            at = parent;
        }
    }

    pub(super) fn pop(&mut self, is_less: impl Fn(&T, &T) -> bool) -> Option<T> {
        let end = self.items.len().checked_sub(1)?;
        self.items.swap(0, end);
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= end {
                break;
            }
            let is_right = right < end && is_less(&self.items[right], &self.items[left]);
            let child = if is_right { right } else { left };
            if !is_less(&self.items[child], &self.items[at]) {
                break;
            }
            self.items.swap(at, child);
            at = child;
        }
        self.items.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_comes_first_and_equals_as_in_the_peer() {
        let mut heap = Heap::new();
        let is_less = |left: &(u32, char), right: &(u32, char)| left.0 < right.0;
        for item in [(2, 'a'), (1, 'b'), (1, 'c'), (2, 'd'), (1, 'e')] {
            heap.push(item, is_less);
        }
        let order: String = std::iter::from_fn(|| heap.pop(is_less)).map(|item| item.1).collect();
        // What Go's container/heap gives for the same pushes.
        assert_eq!(order, "becda");
    }
}
