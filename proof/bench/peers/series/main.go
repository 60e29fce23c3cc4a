// The peer of `manicule-bench -- series`: Prometheus's own library, measured from within.
//
// Every measurement is one line of JSON on standard output; its fields are described at `row`.
// Own code, over the public interface of the library.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

const usage = `commands:
  write    -in F.tsv -out DIR [-chunks K] [-rep R]   label sets through Prometheus's index writer
  read     -in BLOCK -rows F [-rep R]                questions to Prometheus's block reader
  merge    -out DIR BLOCK...                         blocks through Prometheus's compactor
  version                                            of the library
`

// measured holds the times and counts of a stage or question.
type measured struct {
	Row    string    `json:"row"`
	Count  uint64    `json:"count"`
	Hash   string    `json:"hash,omitempty"` // of the answer
	CPU    []float64 `json:"cpu_us"`
	Wall   []float64 `json:"wall_us"`
	Extra  int       `json:"extra_kib,omitempty"`   // peak resident set above its size before
	Allocs uint64    `json:"allocs,omitempty"`      // of one turn
	Bytes  uint64    `json:"alloc_bytes,omitempty"` // of one turn
}

func say(m measured) { json.NewEncoder(os.Stdout).Encode(m) }

func cpuUs() float64 {
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	return float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e3
}

// statusKiB is a line of /proc/self/status.
func statusKiB(key string) int {
	b, _ := os.ReadFile("/proc/self/status")
	for _, l := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(l, key+":"); ok {
			var v int
			fmt.Sscanf(strings.TrimSpace(rest), "%d", &v)
			return v
		}
	}
	return 0
}

// rest gives memory back and resets the peak; it returns the resident size.
func rest() int {
	runtime.GC()
	debug.FreeOSMemory()
	base := statusKiB("VmRSS")
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o644)
	return base
}

// timed runs f once.
func timed(f func() error) (cpu, wall float64, err error) {
	c, t := cpuUs(), time.Now()
	err = f()
	return cpuUs() - c, float64(time.Since(t).Nanoseconds()) / 1e3, err
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	fs := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	in := fs.String("in", "", "input")
	out := fs.String("out", "", "output")
	rows := fs.String("rows", "", "questions, one JSON object a line")
	chunks := fs.Int("chunks", 2, "chunk metas a series")
	rep := fs.Int("rep", 1, "turns")
	fs.Parse(os.Args[2:])
	var err error
	switch os.Args[1] {
	case "write":
		err = write(*in, *out, *chunks, *rep)
	case "read":
		err = read(*in, *rows, *rep)
	case "merge":
		err = merge(*out, fs.Args())
	case "version":
		info, _ := debug.ReadBuildInfo()
		for _, d := range info.Deps {
			if d.Path == "github.com/prometheus/prometheus" {
				fmt.Println("Prometheus's library", d.Version+",", info.GoVersion)
			}
		}
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}
