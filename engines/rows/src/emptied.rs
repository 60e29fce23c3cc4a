//! The memory of a list that has served, for things of another lifetime.

/// The list without what is in it, as one of other things: what differs in its lifetime alone keeps
/// the memory.
pub(crate) fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().map(|_| unreachable!("it is empty")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_for_another_lifetime() {
        let text = "borrowed".to_owned();
        let list: Vec<&str> = vec![&text; 100];
        let (capacity, place) = (list.capacity(), list.as_ptr());
        let again: Vec<&'static str> = emptied(list);
        assert_eq!((again.len(), again.capacity(), again.as_ptr()), (0, capacity, place));
    }
}
