/* Reads label sets (names and values with tabs between them, a series a line), puts them into a store together with
 * some that are dropped later, and writes their index with the chunks of the golden rule. Usage: index SERIES.TSV INDEX
 * */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manicule_series.h"

#define LABELS_MAX 64

static void check(manicule_status status, const char *what) {
    if (status != MANICULE_OK) {
        char message[256];
        manicule_error_message(message, sizeof message);
        fprintf(stderr, "%s: status %d: %s\n", what, (int)status, message);
        exit(1);
    }
}

static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "it does not hold: %s\n", what);
        exit(1);
    }
}

static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    expect(file != NULL, "the input opens");
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*len + 1);
    expect(fread(text, 1, *len, file) == *len, "the input is read");
    fclose(file);
    return text;
}

static size_t parse(const char *line, size_t len, manicule_label *labels) {
    size_t field = 0, start = 0;
    for (size_t at = 0; at <= len; at++) {
        if (at == len || line[at] == '\t') {
            manicule_label *label = &labels[field / 2];
            manicule_bytes bytes = {(const uint8_t *)line + start, at - start};
            *(field % 2 ? &label->value : &label->name) = bytes;
            field++;
            start = at + 1;
        }
    }
    return field / 2;
}

/* The lines of the input from one number to another; each with one more that will be dropped, if asked. */
static void insert(manicule_store *store, const char *text, size_t len, size_t from, size_t to, int with_junk) {
    manicule_label labels[LABELS_MAX];
    size_t number = 0;
    for (size_t start = 0; start < len; number++) {
        const char *end = memchr(text + start, '\n', len - start);
        size_t line_len = end ? (size_t)(end - text) - start : len - start;
        if (number >= from && number < to) {
            uint32_t id, found;
            size_t count = parse(text + start, line_len, labels);
            check(manicule_store_find_or_insert(store, labels, count, &id), "insert");
            check(manicule_store_find(store, labels, count, &found), "find");
            expect(id == found, "what was inserted is found");
            if (with_junk) {
                labels[0].value = (manicule_bytes){(const uint8_t *)"junk", 4};
                manicule_status status = manicule_store_find_or_insert(store, labels, count, &id);
                check(status, "insert junk");
            }
        }
        start += line_len + 1;
    }
}

struct chunks {
    uint64_t next, place;
    manicule_chunk two[2];
};

static int32_t chunks_of(void *context, uint32_t id, const manicule_chunk **chunks, size_t *count) {
    struct chunks *state = context;
    (void)id;
    for (uint64_t number = 0; number < 2; number++) {
        int64_t min_time = 1700000000000 + (int64_t)number * 3600000;
        state->two[number] = (manicule_chunk){min_time, min_time + 3570000, state->next};
        state->next += 150 + (state->place * 7 + number * 13) % 60;
    }
    state->place++;
    *chunks = state->two;
    *count = 2;
    return 0;
}

static int32_t sink(void *context, const uint8_t *bytes, size_t len) {
    return fwrite(bytes, 1, len, context) == len ? 0 : 1;
}

static int32_t failing_sink(void *context, const uint8_t *bytes, size_t len) {
    (void)context, (void)bytes, (void)len;
    return 7;
}

typedef manicule_status (*next_batch)(manicule_writer *writer, size_t budget, manicule_sink sink, void *context,
                                      int32_t *has_more);

/* All batches of a part; returns their number. */
static size_t all_of(next_batch next, manicule_writer *writer, FILE *file, const char *part) {
    size_t batches = 0;
    for (int32_t has_more = 1; has_more; batches++) check(next(writer, 4096, sink, file, &has_more), part);
    return batches;
}

static void write_index(manicule_store *store, const char *path) {
    struct chunks chunks = {8, 0, {{0, 0, 0}}};
    manicule_write_options options = {64 << 20, 0, 0};
    manicule_writer *writer = NULL;
    FILE *file = fopen(path, "wb");
    expect(file != NULL, "the output opens");
    check(manicule_writer_new(store, NULL, 0, &options, chunks_of, &chunks, &writer), "new writer");
    size_t batches = 0;
    expect(manicule_writer_toc(writer, sink, file) == MANICULE_WRONG_ORDER, "parts have an order");
    batches += all_of(manicule_writer_next_sort_batch, writer, file, "sort");
    batches += all_of(manicule_writer_next_count_batch, writer, file, "count");
    expect(batches > 5, "batches without bytes are bounded");
    check(manicule_writer_header(writer, sink, file), "header");
    batches = all_of(manicule_writer_next_symbols_batch, writer, file, "symbols");
    batches += all_of(manicule_writer_next_series_batch, writer, file, "series");
    batches += all_of(manicule_writer_next_label_indices_batch, writer, file, "label indices");
    batches += all_of(manicule_writer_next_postings_batch, writer, file, "postings");
    check(manicule_writer_label_indices_table(writer, sink, file), "table of label indices");
    batches += all_of(manicule_writer_next_postings_table_batch, writer, file, "postings table");
    expect(batches > 10, "batches are bounded");
    check(manicule_writer_toc(writer, sink, file), "table of contents");
    expect(manicule_writer_len(writer) == (uint64_t)ftell(file), "the length is that of the file");
    expect(fclose(file) == 0, "the output is written");
    manicule_writer_free(writer);
}

static void misuse(manicule_store *store) {
    uint32_t id, unknown = 1u << 30;
    int32_t has_more;
    char message[16];
    manicule_label label = {{NULL, 3}, {NULL, 0}};
    manicule_frozen *frozen;
    manicule_writer *writer = NULL;
    manicule_write_options options = {64 << 20, 1, 0};
    struct chunks chunks = {8, 0, {{0, 0, 0}}};
    expect(manicule_store_find_or_insert(NULL, NULL, 0, &id) == MANICULE_NULL, "a store is needed");
    expect(manicule_error_message(message, sizeof message) == strlen("store is null"), "a message");
    expect(strcmp(message, "store is null") == 0, "the message");
    expect(manicule_error_message(NULL, 0) == strlen("store is null"), "the length alone");
    expect(manicule_store_find_or_insert(store, NULL, 0, &id) == MANICULE_LABELS_REFUSED, "labels are needed");
    expect(manicule_store_find_or_insert(store, NULL, 1, &id) == MANICULE_NULL, "labels are null");
    expect(manicule_store_find_or_insert(store, &label, 1, &id) == MANICULE_NULL, "a name is null");
    expect(manicule_store_freeze(store, unknown, &frozen) == MANICULE_BOUNDARY_TOO_LARGE, "a boundary");
    expect(manicule_store_touch(store, unknown) == MANICULE_NOT_FOUND, "no such series");
    expect(manicule_writer_new(store, &unknown, 1, &options, chunks_of, &chunks, &writer) == MANICULE_NOT_FOUND,
           "no such series to write");
    expect(manicule_writer_new(store, NULL, 0, &options, NULL, &chunks, &writer) == MANICULE_NULL, "no chunks");
    check(manicule_writer_new(store, NULL, 0, &options, chunks_of, &chunks, &writer), "new writer");
    for (has_more = 1; has_more;)
        check(manicule_writer_next_sort_batch(writer, 1 << 20, NULL, NULL, &has_more), "sort");
    for (has_more = 1; has_more;)
        check(manicule_writer_next_count_batch(writer, 1 << 20, NULL, NULL, &has_more), "count");
    expect(manicule_writer_header(writer, failing_sink, NULL) == MANICULE_SINK_FAILED, "the sink fails");
    expect(manicule_writer_header(writer, failing_sink, NULL) == MANICULE_WRONG_ORDER, "the writer has failed");
    manicule_writer_free(writer);
    manicule_writer_free(NULL);
    manicule_store_free(NULL);
}

int main(int argc, char **argv) {
    expect(argc == 3, "two arguments");
    size_t len;
    char *text = read_file(argv[1], &len);
    manicule_store *store = manicule_store_new();
    insert(store, text, len, 0, 500, 1);
    manicule_store_begin_generation(store);
    insert(store, text, len, 0, 500, 0);
    manicule_frozen *frozen = NULL;
    manicule_snapshot *snapshot = NULL;
    check(manicule_store_freeze(store, manicule_store_next_id(store), &frozen), "freeze");
    check(manicule_frozen_copy(frozen, &snapshot), "copy");
    manicule_frozen_free(frozen);
    insert(store, text, len, 500, (size_t)-1, 0);
    check(manicule_store_finish(store, snapshot), "finish");
    manicule_label labels[LABELS_MAX];
    size_t count;
    check(manicule_store_labels(store, 0, labels, LABELS_MAX, &count), "labels");
    expect(count > 2 && labels[0].name.len == 8 && !memcmp(labels[0].name.data, "__name__", 8), "labels stay");
    check(manicule_store_labels(store, 1, labels, LABELS_MAX, &count), "labels");
    expect(count == 0, "the dead have no labels");
    write_index(store, argv[2]);
    misuse(store);
    manicule_store_free(store);
    free(text);
    return 0;
}
