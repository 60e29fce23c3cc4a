//! Calls of a label store.

use std::sync::Arc;

use manicule_labels::{Frozen, Label, LabelStore, SeriesId, Snapshot};

use crate::failure::{Failure, Status, handle, put, slice, status};

/// Bytes of the caller or of a store.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ManiculeBytes {
    /// May be null when there are none.
    pub data: *const u8,
    /// Number of bytes.
    pub len: usize,
}

/// A label.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ManiculeLabel {
    /// Its name.
    pub name: ManiculeBytes,
    /// Its value.
    pub value: ManiculeBytes,
}

/// A label store. Writers share it; a change while one is alive copies its open part first.
#[derive(Debug)]
pub struct ManiculeStore {
    pub(crate) store: Arc<LabelStore>,
    /// Buffer of the calls that take labels.
    labels: Vec<Label<'static>>,
}

/// Frozen part of a store, to be copied.
#[derive(Debug)]
pub struct ManiculeFrozen(Frozen);

/// A copy of the living series.
#[derive(Debug)]
pub struct ManiculeSnapshot(Snapshot);

/// Borrows the caller's labels.
///
/// # Safety
/// `labels` and the strings of its items can be read as long as the result is used.
unsafe fn labels<'a>(
    labels: *const ManiculeLabel,
    count: usize,
    mut taken: Vec<Label<'a>>,
) -> Result<Vec<Label<'a>>, Failure> {
    // SAFETY: passed on to our caller.
    for label in unsafe { slice(labels, count, "labels") }? {
        // SAFETY: passed on to our caller.
        let name = unsafe { slice(label.name.data, label.name.len, "the name of a label") }?;
        // SAFETY: passed on to our caller.
        let value = unsafe { slice(label.value.data, label.value.len, "the value of a label") }?;
        taken.push((name, value));
    }
    Ok(taken)
}

impl ManiculeStore {
    /// Calls with the caller's labels, in a vector that is kept for the next call.
    ///
    /// # Safety
    /// As for `labels`.
    unsafe fn with_labels<T>(
        &mut self,
        given: *const ManiculeLabel,
        count: usize,
        call: impl FnOnce(&mut LabelStore, &[Label<'_>]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // SAFETY: passed on to our caller.
        let taken = unsafe { labels(given, count, std::mem::take(&mut self.labels)) }?;
        let answer = call(Arc::make_mut(&mut self.store), &taken);
        self.labels = emptied(taken);
        answer
    }
}

/// The memory of a vector for labels of another lifetime: std collects in place.
fn emptied(mut labels: Vec<Label<'_>>) -> Vec<Label<'static>> {
    labels.clear();
    let never = |_: Label<'_>| -> Label<'static> { (b"", b"") };
    labels.into_iter().map(never).collect()
}

/// A store without series.
// SAFETY: nothing else has this name.
#[unsafe(no_mangle)]
pub extern "C" fn manicule_store_new() -> *mut ManiculeStore {
    let store = Arc::new(LabelStore::new());
    Box::into_raw(Box::new(ManiculeStore { store, labels: Vec::new() }))
}

/// Frees a store; null is left alone.
///
/// # Safety
/// `store` is null, or a store that is not freed yet and is not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_free(store: *mut ManiculeStore) {
    if !store.is_null() {
        // SAFETY: the caller promises a store that `manicule_store_new` gave, freed once.
        drop(unsafe { Box::from_raw(store) });
    }
}

/// The series with these labels, which gets the next id if it is new. It is marked as alive.
///
/// # Safety
/// `store` is a store or null, `given` has `count` labels whose bytes can be read, `id` can be
/// written or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_find_or_insert(
    store: *mut ManiculeStore,
    given: *const ManiculeLabel,
    count: usize,
    id: *mut u32,
) -> Status {
    status(|| {
        // SAFETY: the caller's promises, one by one.
        let store = unsafe { handle(store, "store") }?;
        // SAFETY: as above.
        let found = unsafe {
            store.with_labels(given, count, |store, labels| Ok(store.find_or_insert(labels)?))
        }?;
        // SAFETY: as above.
        unsafe { put(id, found.0, "id") }
    })
}

/// The series with these labels, if there is one.
///
/// # Safety
/// As for [`manicule_store_find_or_insert`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_find(
    store: *mut ManiculeStore,
    given: *const ManiculeLabel,
    count: usize,
    id: *mut u32,
) -> Status {
    status(|| {
        // SAFETY: the caller's promises, one by one.
        let store = unsafe { handle(store, "store") }?;
        let find = |store: &mut LabelStore, labels: &[Label<'_>]| {
            let none = || Failure::new(Status::NotFound, "no series has these labels");
            store.find(labels).ok_or_else(none)
        };
        // SAFETY: as above.
        let found = unsafe { store.with_labels(given, count, find) }?;
        // SAFETY: as above.
        unsafe { put(id, found.0, "id") }
    })
}

/// Fills in the labels of a series, at most `room` of them, and returns how many it has. Their
/// strings stay valid until the store changes or is freed.
///
/// # Safety
/// `store` is a store or null, `out` can hold `room` labels, `count` can be written or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_labels(
    store: *mut ManiculeStore,
    id: u32,
    out: *mut ManiculeLabel,
    room: usize,
    count: *mut usize,
) -> Status {
    status(|| {
        // SAFETY: the caller's promises, one by one.
        let store = unsafe { handle(store, "store") }?;
        let labels = store.store.labels(SeriesId(id));
        // SAFETY: as above.
        unsafe { put(count, labels.len(), "count") }?;
        let bytes = |bytes: &[u8]| ManiculeBytes { data: bytes.as_ptr(), len: bytes.len() };
        for (place, (name, value)) in labels.take(room).enumerate() {
            let label = ManiculeLabel { name: bytes(name), value: bytes(value) };
            // SAFETY: `place` is below `room`.
            unsafe { put(out.wrapping_add(place), label, "out") }?;
        }
        Ok(())
    })
}

/// The id that the next new series gets.
///
/// # Safety
/// `store` is a store or null; of null the answer is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_next_id(store: *mut ManiculeStore) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { handle(store, "store") }.map_or(0, |store| store.store.next_id().0)
}

/// Number of series that can be found.
///
/// # Safety
/// `store` is a store or null; of null the answer is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_len(store: *mut ManiculeStore) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { handle(store, "store") }.map_or(0, |store| store.store.len())
}

/// Marks a series as alive in this generation.
///
/// # Safety
/// `store` is a store or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_touch(store: *mut ManiculeStore, id: u32) -> Status {
    status(|| {
        // SAFETY: the caller's promise.
        let store = unsafe { handle(store, "store") }?;
        if Arc::make_mut(&mut store.store).touch(SeriesId(id)) {
            Ok(())
        } else {
            Err(Failure::new(Status::NotFound, format!("there is no series {id}")))
        }
    })
}

/// Begins a new generation: no series is marked as alive.
///
/// # Safety
/// `store` is a store or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_begin_generation(store: *mut ManiculeStore) -> Status {
    status(|| {
        // SAFETY: the caller's promise.
        let store = unsafe { handle(store, "store") }?;
        Arc::make_mut(&mut store.store).begin_generation();
        Ok(())
    })
}

/// Hides the series below `boundary` that are not alive, and returns the frozen part to be copied.
///
/// # Safety
/// `store` is a store or null, `frozen` can be written or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_freeze(
    store: *mut ManiculeStore,
    boundary: u32,
    frozen: *mut *mut ManiculeFrozen,
) -> Status {
    status(|| {
        if frozen.is_null() {
            return Err(Failure::null("frozen"));
        }
        // SAFETY: the caller's promise.
        let store = unsafe { handle(store, "store") }?;
        let left = Arc::make_mut(&mut store.store).freeze(SeriesId(boundary))?;
        // SAFETY: the caller's promise.
        unsafe { put(frozen, Box::into_raw(Box::new(ManiculeFrozen(left))), "frozen") }
    })
}

/// Copies the living series. May run on another thread than the store.
///
/// # Safety
/// `frozen` is from a freeze or null, `snapshot` can be written or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_frozen_copy(
    frozen: *mut ManiculeFrozen,
    snapshot: *mut *mut ManiculeSnapshot,
) -> Status {
    status(|| {
        if snapshot.is_null() {
            return Err(Failure::null("snapshot"));
        }
        // SAFETY: the caller's promise.
        let frozen = unsafe { handle(frozen, "frozen") }?;
        let copy = Box::new(ManiculeSnapshot(frozen.0.copy()));
        // SAFETY: the caller's promise.
        unsafe { put(snapshot, Box::into_raw(copy), "snapshot") }
    })
}

/// Frees the result of a freeze; null is left alone.
///
/// # Safety
/// `frozen` is null, or not freed yet and not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_frozen_free(frozen: *mut ManiculeFrozen) {
    if !frozen.is_null() {
        // SAFETY: the caller promises a result of `manicule_store_freeze`, freed once.
        drop(unsafe { Box::from_raw(frozen) });
    }
}

/// Puts a snapshot in place. It is freed, whether that succeeds or not.
///
/// # Safety
/// `store` is a store or null, `snapshot` a snapshot or null that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_store_finish(
    store: *mut ManiculeStore,
    snapshot: *mut ManiculeSnapshot,
) -> Status {
    status(|| {
        if snapshot.is_null() {
            return Err(Failure::null("snapshot"));
        }
        // SAFETY: the caller promises a result of `manicule_frozen_copy`, used once.
        let snapshot = unsafe { Box::from_raw(snapshot) };
        // SAFETY: the caller's promise.
        let store = unsafe { handle(store, "store") }?;
        Ok(Arc::make_mut(&mut store.store).finish(snapshot.0)?)
    })
}

/// Frees a snapshot that is not put in place; null is left alone.
///
/// # Safety
/// `snapshot` is null, or not freed yet and not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_snapshot_free(snapshot: *mut ManiculeSnapshot) {
    if !snapshot.is_null() {
        // SAFETY: the caller promises a result of `manicule_frozen_copy`, freed once.
        drop(unsafe { Box::from_raw(snapshot) });
    }
}
