package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/tsdb/index"
)

// question is a line of the file of rows.
type question struct {
	Row      string `json:"row"`
	Ask      string `json:"ask"` // postings, label_names, label_values, iterate
	Selector string `json:"selector"`
	Label    string `json:"label"`
}

// batchUs is the minimum duration of a batch of turns: clocks and counters are too coarse for one of 2 us.
const batchUs = 3000

// answer is the result of a turn: a count, and (if asked for) a hash of the items in order.
type answer struct {
	count uint64
	hash  uint64
}

// the hash of both sides: FNV-1a over 8 bytes of each reference, or over each string and a byte 255.
func ofStrings(ss []string, hashes bool) answer {
	h := fnv.New64a()
	if hashes {
		for _, s := range ss {
			h.Write([]byte(s))
			h.Write([]byte{255})
		}
	}
	return answer{uint64(len(ss)), h.Sum64()}
}

func ofPostings(p index.Postings, hashes bool) (answer, error) {
	h := fnv.New64a()
	n := uint64(0)
	var b [8]byte
	for p.Next() {
		n++
		if hashes {
			binary.BigEndian.PutUint64(b[:], uint64(p.At()))
			h.Write(b[:])
		}
	}
	return answer{n, h.Sum64()}, p.Err()
}

func ask(ctx context.Context, ir tsdb.IndexReader, q question, ms []*labels.Matcher, hashes bool) (answer, error) {
	switch q.Ask {
	case "postings":
		p, err := tsdb.PostingsForMatchers(ctx, ir, ms...)
		if err != nil {
			return answer{}, err
		}
		return ofPostings(p, hashes)
	case "label_names":
		names, err := ir.LabelNames(ctx, ms...)
		return ofStrings(names, hashes), err
	case "label_values":
		values, err := ir.SortedLabelValues(ctx, q.Label, &storage.LabelHints{}, ms...)
		return ofStrings(values, hashes), err
	case "iterate":
		return iterate(ctx, ir)
	}
	return answer{}, fmt.Errorf("there is no question %q", q.Ask)
}

// iterate decodes labels and chunk metas of all series; the sum of their first times is used as a hash.
func iterate(ctx context.Context, ir tsdb.IndexReader) (answer, error) {
	n, v := index.AllPostingsKey()
	p, err := ir.Postings(ctx, n, v)
	if err != nil {
		return answer{}, err
	}
	b := labels.NewScratchBuilder(16)
	var metas []chunks.Meta
	a := answer{}
	for p.Next() {
		if err := ir.Series(p.At(), &b, &metas); err != nil {
			return a, err
		}
		a.count++
		for _, m := range metas {
			a.hash += uint64(m.MinTime) ^ uint64(m.Ref)
		}
	}
	return a, p.Err()
}

// openRows times the opening of a block, and reports the memory that stays.
func openRows(dir string, rep int) (*tsdb.Block, error) {
	m := measured{Row: "open"}
	var block *tsdb.Block
	base := rest()
	for range rep {
		if block != nil {
			block.Close()
		}
		c, w, err := timed(func() (e error) { block, e = tsdb.OpenBlock(promslog.NewNopLogger(), dir, nil, nil); return })
		if err != nil {
			return nil, err
		}
		m.CPU, m.Wall = append(m.CPU, c), append(m.Wall, w)
	}
	runtime.GC()
	debug.FreeOSMemory()
	_ = base
	m.Extra = statusKiB("RssAnon")
	say(m)
	return block, nil
}

func read(dir, rows string, rep int) error {
	block, err := openRows(dir, rep)
	if err != nil {
		return err
	}
	defer block.Close()
	ir, err := block.Index()
	if err != nil {
		return err
	}
	defer ir.Close()
	f, err := os.Open(rows)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		if err := row(ir, q, rep); err != nil {
			return fmt.Errorf("%s: %w", q.Row, err)
		}
	}
	return lines.Err()
}

// row asks once for the answer, then measures batches; one measure is the mean of a batch.
func row(ir tsdb.IndexReader, q question, rep int) error {
	ctx := context.Background()
	var ms []*labels.Matcher
	if q.Selector != "" {
		var err error
		if ms, err = parser.NewParser(parser.Options{}).ParseMetricSelector(q.Selector); err != nil {
			return err
		}
	}
	a, err := ask(ctx, ir, q, ms, true)
	if err != nil {
		return err
	}
	once := func() error { _, err := ask(ctx, ir, q, ms, false); return err }
	_, first, err := timed(once)
	if err != nil {
		return err
	}
	turns := max(1, int(batchUs/max(first, 0.1)))
	m := measured{Row: q.Row, Count: a.count, Hash: fmt.Sprintf("%016x", a.hash)}
	for range rep {
		c, w, err := timed(func() error {
			for range turns {
				if err := once(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		m.CPU, m.Wall = append(m.CPU, c/float64(turns)), append(m.Wall, w/float64(turns))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := once(); err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	m.Allocs, m.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	say(m)
	return nil
}

// merge writes the blocks as one, and reports its folder.
func merge(out string, dirs []string) error {
	day := int64(24 * 3600 * 1000)
	c, err := tsdb.NewLeveledCompactor(context.Background(), nil, promslog.NewNopLogger(), []int64{day / 12, day}, chunkenc.NewPool(), nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	m := measured{Row: "merge", Count: uint64(len(dirs))}
	base := rest()
	cpu, wall, err := timed(func() error { _, err := c.Compact(out, dirs, nil); return err })
	if err != nil {
		return err
	}
	m.CPU, m.Wall, m.Extra = []float64{cpu}, []float64{wall}, statusKiB("VmHWM")-base
	say(m)
	return nil
}
