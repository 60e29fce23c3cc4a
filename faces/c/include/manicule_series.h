/* Manicule: label sets kept in memory, and Prometheus block indexes written from them.
 *
 * Every call that can fail gives a manicule_status; manicule_error_message says more. Handles belong to one thread at a
 * time; different handles may be used by different threads at once. Strings are bytes with a length, of any content.
 * Functions of the caller (sink, chunks_of) must not call into the handle that calls them.
 *
 * An index is written in parts, in this order, each batch again until *has_more is 0; after a failed call the writer can
 * only be freed:
 *
 *   manicule_writer_new
 *   manicule_writer_next_sort_batch            gives no bytes
 *   manicule_writer_next_count_batch           gives no bytes
 *   manicule_writer_header
 *   manicule_writer_next_symbols_batch
 *   manicule_writer_next_series_batch
 *   manicule_writer_next_label_indices_batch   gives no bytes unless the options ask for them
 *   manicule_writer_next_postings_batch
 *   manicule_writer_label_indices_table        gives no bytes unless the options ask for it
 *   manicule_writer_next_postings_table_batch
 *   manicule_writer_toc
 *   manicule_writer_free
 */
#ifndef MANICULE_SERIES_H
#define MANICULE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum manicule_status {
    MANICULE_OK = 0,
    MANICULE_NOT_FOUND = 1,          /* no such series */
    MANICULE_NULL = 2,               /* a required pointer is null */
    MANICULE_LABELS_REFUSED = 3,     /* names out of order, repeated or empty, or no labels */
    MANICULE_FULL = 4,               /* all ids are given, or the open part of the store is full: freeze it */
    MANICULE_BOUNDARY_TOO_LARGE = 5, /* no id has reached the boundary */
    MANICULE_STALE_SNAPSHOT = 6,     /* the snapshot is of another store or state: copy again */
    MANICULE_WRONG_ORDER = 7,        /* another part comes first, or an earlier call of the writer failed */
    MANICULE_UNWRITABLE = 8,         /* chunks out of order, or more than the format can hold */
    MANICULE_SINK_FAILED = 9,
    MANICULE_SOURCE_FAILED = 10
} manicule_status;

/* Copies the message of this thread's last failed call and a zero byte, cut to len. Returns the length of the whole
 * message without the zero byte. */
size_t manicule_error_message(char *buffer, size_t len);

typedef struct manicule_bytes {
    const uint8_t *data; /* may be null if len is 0 */
    size_t len;
} manicule_bytes;

typedef struct manicule_label {
    manicule_bytes name;
    manicule_bytes value; /* empty: as if the label were absent */
} manicule_label;

/* ---- label store ---- */

typedef struct manicule_store manicule_store;
typedef struct manicule_frozen manicule_frozen;
typedef struct manicule_snapshot manicule_snapshot;

manicule_store *manicule_store_new(void);
void manicule_store_free(manicule_store *store);

/* The series with these labels, in the order of names; a new one gets the next id. It is marked as alive. */
manicule_status manicule_store_find_or_insert(manicule_store *store, const manicule_label *labels, size_t count,
                                              uint32_t *id);
manicule_status manicule_store_find(manicule_store *store, const manicule_label *labels, size_t count, uint32_t *id);

/* Fills in at most room labels, and sets their number; none if the series was dropped. They stay readable until the
 * store changes. */
manicule_status manicule_store_labels(manicule_store *store, uint32_t id, manicule_label *out, size_t room,
                                      size_t *count);

uint32_t manicule_store_next_id(manicule_store *store);
uint32_t manicule_store_len(manicule_store *store);

/* Marks a series as alive; begins a new generation, in which none is yet. */
manicule_status manicule_store_touch(manicule_store *store, uint32_t id);
manicule_status manicule_store_begin_generation(manicule_store *store);

/* Hides the series with ids below boundary that are not alive. Living series are copied, on any thread, while the store goes
 * on; finish puts the copy in place and frees it. Ids of living series stay; dropped ones have no labels any more. May
 * be repeated, also before finish: then the earlier copies are stale. */
manicule_status manicule_store_freeze(manicule_store *store, uint32_t boundary, manicule_frozen **frozen);
manicule_status manicule_frozen_copy(manicule_frozen *frozen, manicule_snapshot **snapshot);
void manicule_frozen_free(manicule_frozen *frozen);
manicule_status manicule_store_finish(manicule_store *store, manicule_snapshot *snapshot);
void manicule_snapshot_free(manicule_snapshot *snapshot);

/* ---- index writer ---- */

typedef struct manicule_writer manicule_writer;

typedef struct manicule_chunk {
    int64_t min_time; /* milliseconds since 1970 */
    int64_t max_time;
    uint64_t reference; /* segment << 32 | offset */
} manicule_chunk;

typedef struct manicule_write_options {
    uint64_t memory;       /* bytes for postings and tables; beyond that the ids are gone through again */
    int32_t used_symbols;  /* not 0: only symbols of the series that are written */
    int32_t label_indices; /* not 0: with the legacy label indices */
} manicule_write_options;

/* The chunks of a series, readable until the next call. Called once for each series, in the order of labels, from
 * manicule_writer_next_series_batch. Not 0 is failure. */
typedef int32_t (*manicule_chunks_of)(void *context, uint32_t id, const manicule_chunk **chunks, size_t *count);

/* Takes the next bytes of the index. Not 0 is failure. */
typedef int32_t (*manicule_sink)(void *context, const uint8_t *bytes, size_t len);

/* A writer of all series that can be found (ids is null), or of the given ones, in any order. Later changes of the
 * store are not seen by the writer; the first one copies the open part of the store. Sorts the series added since the
 * last writer. */
manicule_status manicule_writer_new(manicule_store *store, const uint32_t *ids, size_t id_count,
                                    const manicule_write_options *options, manicule_chunks_of chunks_of, void *context,
                                    manicule_writer **writer);
void manicule_writer_free(manicule_writer *writer);

/* Number of bytes given to sinks: where the next part begins. */
uint64_t manicule_writer_len(manicule_writer *writer);

/* A batch ends soon after budget bytes, or an equal amount of work. A call may give no bytes although there are more. */
manicule_status manicule_writer_next_sort_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                void *context, int32_t *has_more);
manicule_status manicule_writer_next_count_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                 void *context, int32_t *has_more);
manicule_status manicule_writer_header(manicule_writer *writer, manicule_sink sink, void *context);
manicule_status manicule_writer_next_symbols_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                   void *context, int32_t *has_more);
manicule_status manicule_writer_next_series_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                  void *context, int32_t *has_more);
manicule_status manicule_writer_next_label_indices_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                         void *context, int32_t *has_more);
manicule_status manicule_writer_next_postings_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                    void *context, int32_t *has_more);
manicule_status manicule_writer_label_indices_table(manicule_writer *writer, manicule_sink sink, void *context);
manicule_status manicule_writer_next_postings_table_batch(manicule_writer *writer, size_t budget, manicule_sink sink,
                                                          void *context, int32_t *has_more);
manicule_status manicule_writer_toc(manicule_writer *writer, manicule_sink sink, void *context);

#ifdef __cplusplus
}
#endif

#endif
