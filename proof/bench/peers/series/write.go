package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/tsdb/index"
)

const (
	firstMs  = int64(1700000000000)
	stepMs   = int64(3600000) // from chunk to chunk of a series
	lengthMs = int64(3570000) // of a chunk
)

// load reads label sets: name, tab, value, tab, name ...
func load(path string) ([]labels.Labels, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(make([]byte, 1<<20), 1<<20)
	var out []labels.Labels
	b := labels.NewScratchBuilder(16)
	for sc.Scan() {
		b.Reset()
		words := strings.Split(sc.Text(), "\t")
		for i := 0; i+1 < len(words); i += 2 {
			b.Add(words[i], words[i+1])
		}
		out = append(out, b.Labels())
	}
	return out, sc.Err()
}

// collect is the work of the index writer's caller before the call: all names and values, sorted.
func collect(sets []labels.Labels) []string {
	known := map[string]struct{}{"": {}}
	for _, s := range sets {
		s.Range(func(l labels.Label) { known[l.Name] = struct{}{}; known[l.Value] = struct{}{} })
	}
	symbols := make([]string, 0, len(known))
	for s := range known {
		symbols = append(symbols, strings.Clone(s))
	}
	sort.Strings(symbols)
	return symbols
}

// metas walks the chunk metas that go with no chunk files, by the rule of the golden index files.
type metas struct {
	offset uint64
	metas  []chunks.Meta
}

func (m *metas) next(series int) []chunks.Meta {
	for c := range m.metas {
		mint := firstMs + int64(c)*stepMs
		m.metas[c] = chunks.Meta{MinTime: mint, MaxTime: mint + lengthMs, Ref: chunks.ChunkRef(m.offset)}
		m.offset += uint64(150 + (series*7+c*13)%60)
		if m.offset&0xffffffff > 512<<20 {
			m.offset = (m.offset>>32+1)<<32 + 8
		}
	}
	return m.metas
}

func write(in, out string, chunkCount, rep int) error {
	sets, err := load(in)
	if err != nil {
		return err
	}
	collected := measured{Row: "collect symbols", Count: uint64(len(sets))}
	var symbols []string
	for range rep {
		rest()
		c, w, _ := timed(func() error { symbols = collect(sets); return nil })
		collected.CPU, collected.Wall = append(collected.CPU, c), append(collected.Wall, w)
	}
	say(collected)
	id := ulid.MustNew(uint64(firstMs), strings.NewReader("0123456789abcdef"))
	dir := filepath.Join(out, id.String())
	if err := os.MkdirAll(filepath.Join(dir, "chunks"), 0o755); err != nil {
		return err
	}
	stages := []measured{{Row: "open"}, {Row: "symbols", Count: uint64(len(symbols))}, {Row: "series", Count: uint64(len(sets))}, {Row: "postings, tables, TOC"}}
	for range rep {
		base := rest()
		var w *index.Writer
		steps := []func() error{
			func() (e error) {
				w, e = index.NewWriter(context.Background(), filepath.Join(dir, "index"))
				return
			},
			func() error {
				for _, s := range symbols {
					if err := w.AddSymbol(s); err != nil {
						return err
					}
				}
				return nil
			},
			func() error {
				m := metas{offset: 8, metas: make([]chunks.Meta, chunkCount)}
				for i, s := range sets {
					if err := w.AddSeries(storage.SeriesRef(i), s, m.next(i)...); err != nil {
						return err
					}
				}
				return nil
			},
			func() error { return w.Close() },
		}
		for i, step := range steps {
			c, wall, err := timed(step)
			if err != nil {
				return err
			}
			stages[i].CPU, stages[i].Wall = append(stages[i].CPU, c), append(stages[i].Wall, wall)
		}
		last := &stages[len(stages)-1]
		last.Extra = max(last.Extra, statusKiB("VmHWM")-base)
	}
	for _, s := range stages {
		say(s)
	}
	count := uint64(len(sets))
	meta := tsdb.BlockMeta{ULID: id, MinTime: firstMs, MaxTime: firstMs + int64(chunkCount)*stepMs, Version: 1,
		Stats:      tsdb.BlockStats{NumSeries: count, NumChunks: count * uint64(chunkCount)},
		Compaction: tsdb.BlockMetaCompaction{Level: 1, Sources: []ulid.ULID{id}}}
	text, err := json.MarshalIndent(meta, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "meta.json"), text, 0o644)
}
