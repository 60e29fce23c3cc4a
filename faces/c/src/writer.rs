//! Calls of an index writer: one for each part of the index, in batches where a part may be long.

use std::ffi::c_void;
use std::sync::Arc;

use manicule_core::lists::NumberLists;
use manicule_labels::{LabelStore, Selected, SeriesId, StoreInput, StoreSeries, StoreStrings};
use manicule_series::write::{IndexWriter, Part, Source, SymbolChoice, WriteError, WriteOptions};
use manicule_series::{ChunkMeta, ChunkRef};

use crate::failure::{Failure, Status, handle, put, slice, status};
use crate::store::ManiculeStore;

/// A chunk of a series. Times are milliseconds since 1970.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ManiculeChunk {
    /// Time of its first sample.
    pub min_time: i64,
    /// Time of its last sample.
    pub max_time: i64,
    /// Its reference: segment and offset.
    pub reference: u64,
}

/// Gives the chunks of a series, which the caller keeps until the next call. 0 is success.
///
/// # Safety
/// It is called with the context that came with it.
pub type ManiculeChunksOf = unsafe extern "C" fn(
    context: *mut c_void,
    id: u32,
    chunks: *mut *const ManiculeChunk,
    count: *mut usize,
) -> i32;

/// Takes bytes of the index. 0 is success.
///
/// # Safety
/// It is called with the context that came with it.
pub type ManiculeSink =
    unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, len: usize) -> i32;

/// Options of the index writer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ManiculeWriteOptions {
    /// Memory limit of postings and tables, in bytes; beyond that, windows are filled in further
    /// passes.
    pub memory: u64,
    /// Not 0: only symbols of series that are written. 0: those of all series of the store.
    pub used_symbols: i32,
    /// Not 0: with the legacy label indices.
    pub label_indices: i32,
}

/// An index being written.
pub struct ManiculeWriter {
    writer: IndexWriter<StoreStrings<Arc<LabelStore>>, StoreSource>,
    buffer: Vec<u8>,
    has_failed: bool,
}

/// Series of a store, with the chunks given by the caller's function.
struct StoreSource {
    series: StoreSeries<Arc<LabelStore>>,
    chunks_of: ManiculeChunksOf,
    context: *mut c_void,
    chunks: Vec<ChunkMeta>,
}

impl Source for StoreSource {
    #[inline]
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        Ok(self.series.list(place))
    }

    fn count(&mut self, counts: &mut [u32]) -> Option<u64> {
        self.series.count(counts)
    }

    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        let SeriesId(id) = self.series.id(place).expect("a series whose labels were given");
        let (mut chunks, mut count) = (std::ptr::null(), 0);
        // SAFETY: the caller who made the writer promised that the function may be called with this
        // context until it is freed.
        let code = unsafe { (self.chunks_of)(self.context, id, &mut chunks, &mut count) };
        if code != 0 {
            return Err(WriteError::Source(format!("code {code} for series {id}").into()));
        }
        // SAFETY: the function's result can be read until it is called again.
        let given = unsafe { slice(chunks, count, "the list of chunks") };
        let given = given.map_err(|failure| WriteError::Source(failure.message.into()))?;
        self.chunks.clear();
        self.chunks.extend(given.iter().map(|chunk| ChunkMeta {
            min_time: chunk.min_time,
            max_time: chunk.max_time,
            reference: ChunkRef(chunk.reference),
        }));
        Ok(&self.chunks)
    }
}

/// A writer of the index of a store's series: of all, or of those that `ids` names, in any order.
/// The store may change meanwhile; the writer doesn't see it.
///
/// # Safety
/// `store` is a store or null; `ids` has `id_count` ids, or is null for all series; `options` can
/// be read; `chunks_of` may be called with `context` until the writer is freed; `writer` can be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_writer_new(
    store: *mut ManiculeStore,
    ids: *const u32,
    id_count: usize,
    options: *const ManiculeWriteOptions,
    chunks_of: Option<ManiculeChunksOf>,
    context: *mut c_void,
    writer: *mut *mut ManiculeWriter,
) -> Status {
    status(|| {
        if writer.is_null() {
            return Err(Failure::null("writer"));
        }
        let chunks_of = chunks_of.ok_or_else(|| Failure::null("chunks_of"))?;
        // SAFETY: the caller's promises, one by one.
        let options = unsafe { slice(options, 1, "options") }?;
        // SAFETY: as above.
        let store = unsafe { handle(store, "store") }?;
        // SAFETY: as above.
        let ids = if ids.is_null() { None } else { Some(unsafe { slice(ids, id_count, "ids") }?) };
        let selected = select(Arc::make_mut(&mut store.store), ids)?;
        let StoreInput { strings, pairs, series } = StoreInput::new(store.store.clone(), selected);
        let source = StoreSource { series, chunks_of, context, chunks: Vec::new() };
        let made = IndexWriter::new(strings, pairs, source, write_options(&options[0]));
        let made = ManiculeWriter { writer: made, buffer: Vec::new(), has_failed: false };
        // SAFETY: as above.
        unsafe { put(writer, Box::into_raw(Box::new(made)), "writer") }
    })
}

/// Sorts the store's new series, and puts the ids into the order of labels.
fn select(store: &mut LabelStore, ids: Option<&[u32]>) -> Result<Selected, Failure> {
    let view = store.view();
    let Some(ids) = ids else { return Ok(Selected::All) };
    let mut ids: Vec<SeriesId> = ids.iter().map(|&id| SeriesId(id)).collect();
    if let Some(id) = ids.iter().find(|&&id| !view.contains(id)) {
        return Err(Failure::new(Status::NotFound, format!("there is no series {}", id.0)));
    }
    view.sort(&mut ids);
    ids.dedup();
    Ok(Selected::These(ids))
}

fn write_options(options: &ManiculeWriteOptions) -> WriteOptions {
    let used = options.used_symbols != 0;
    WriteOptions {
        memory: options.memory,
        symbols: if used { SymbolChoice::Used } else { SymbolChoice::All },
        label_indices: options.label_indices != 0,
    }
}

/// Frees a writer, finished or not; null is left alone.
///
/// # Safety
/// `writer` is null, or a writer that is not freed yet and is not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_writer_free(writer: *mut ManiculeWriter) {
    if !writer.is_null() {
        // SAFETY: the caller promises a writer that `manicule_writer_new` gave, freed once.
        drop(unsafe { Box::from_raw(writer) });
    }
}

/// Number of bytes of the index given to sinks.
///
/// # Safety
/// `writer` is a writer or null; of null the answer is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_writer_len(writer: *mut ManiculeWriter) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { handle(writer, "writer") }.map_or(0, |writer| writer.writer.len())
}

/// Output of a batch: its destination, and its report.
struct Batch {
    part: Part,
    budget: usize,
    sink: Option<ManiculeSink>,
    context: *mut c_void,
    /// Null: the whole part is written.
    has_more: *mut i32,
}

impl ManiculeWriter {
    /// # Safety
    /// The sink may be called with its context, and `has_more` is null or can be written.
    unsafe fn batch(&mut self, batch: &Batch) -> Result<(), Failure> {
        if self.has_failed || self.writer.part() != batch.part {
            let at = self.writer.part();
            let about = if self.has_failed {
                "the writer has failed".into()
            } else {
                format!("{at:?} comes next")
            };
            return Err(Failure::new(Status::WrongOrder, about));
        }
        self.has_failed = true;
        loop {
            self.buffer.clear();
            self.writer.step(&mut self.buffer, batch.budget.max(1))?;
            if !self.buffer.is_empty() {
                let sink = batch.sink.ok_or_else(|| Failure::null("sink"))?;
                // SAFETY: our caller's promise.
                let code = unsafe { sink(batch.context, self.buffer.as_ptr(), self.buffer.len()) };
                if code != 0 {
                    return Err(Failure::new(Status::SinkFailed, format!("the sink gave {code}")));
                }
            }
            if !batch.has_more.is_null() || self.writer.part() != batch.part {
                break;
            }
        }
        self.has_failed = false;
        if !batch.has_more.is_null() {
            let has_more = i32::from(self.writer.part() == batch.part);
            // SAFETY: our caller's promise.
            unsafe { put(batch.has_more, has_more, "has_more") }?;
        }
        Ok(())
    }
}

/// Number of bytes given to a sink at once if the caller doesn't say.
const BUDGET: usize = 64 << 10;

macro_rules! parts {
    ($($(#[$about:meta])* $name:ident $part:ident;)*) => { $(
        $(#[$about])*
        ///
        /// # Safety
        /// `writer` is a writer or null, `sink` may be called with `context`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            writer: *mut ManiculeWriter,
            sink: Option<ManiculeSink>,
            context: *mut c_void,
        ) -> Status {
            let has_more = std::ptr::null_mut();
            let batch = Batch { part: Part::$part, budget: BUDGET, sink, context, has_more };
            // SAFETY: the caller's promises.
            status(|| unsafe { handle(writer, "writer")?.batch(&batch) })
        }
    )* };
}

parts! {
    /// Writes the header.
    manicule_writer_header Header;
    /// Writes the legacy table of label indices; nothing if the options leave them out.
    manicule_writer_label_indices_table LabelIndicesTable;
    /// Writes the table of contents, the last part.
    manicule_writer_toc Toc;
}

macro_rules! batches {
    ($($(#[$about:meta])* $name:ident $part:ident;)*) => { $(
        $(#[$about])*
        ///
        /// # Safety
        /// `writer` is a writer or null, `sink` may be called with `context`, `has_more` can be
        /// written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            writer: *mut ManiculeWriter,
            budget: usize,
            sink: Option<ManiculeSink>,
            context: *mut c_void,
            has_more: *mut i32,
        ) -> Status {
            if has_more.is_null() {
                return status(|| Err(Failure::null("has_more")));
            }
            let batch = Batch { part: Part::$part, budget, sink, context, has_more };
            // SAFETY: the caller's promises.
            status(|| unsafe { handle(writer, "writer")?.batch(&batch) })
        }
    )* };
}

batches! {
    /// Sorts some strings and label pairs: the first part, which gives no bytes.
    manicule_writer_next_sort_batch Sort;
    /// Counts some label pairs, which gives no bytes.
    manicule_writer_next_count_batch Count;
    /// Writes some symbols.
    manicule_writer_next_symbols_batch Symbols;
    /// Writes some series.
    manicule_writer_next_series_batch Series;
    /// Writes some of the legacy label indices; nothing if the options leave them out.
    manicule_writer_next_label_indices_batch LabelIndices;
    /// Writes some postings; long lists are cut.
    manicule_writer_next_postings_batch Postings;
    /// Writes some of the postings offset table.
    manicule_writer_next_postings_table_batch PostingsTable;
}
