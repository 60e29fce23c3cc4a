// Prints the tables of linguist that go-enry 2.9.6 carries (data of linguist, MIT) as one JSON object, for
// `cargo run -p xtask -- linguist`, which runs it with nothing but the Go module proxy.
//
// Keys: commit, extension, filename, interpreter, alias (name -> list or name), log_prior, log_token (language -> token -> ln p),
// tokens_total, vendor, vendor_fast, documentation, test (regexes in order), generated_ext, heuristics (extension -> rules in order).
// A rule is {"rule":"or|and|not|always","languages":[..],"patterns":[..]}; a pattern is a regex string, null (not expressible
// in RE2) or a nested rule.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"unsafe"

	"github.com/go-enry/go-enry/v2/data"
)

func open(v reflect.Value) reflect.Value { // makes an unexported field readable
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func field(v reflect.Value, name string) reflect.Value { return open(v.FieldByName(name)) }

func pattern(v reflect.Value) any {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if re, ok := v.Interface().(*regexp.Regexp); ok {
		if re == nil {
			return nil
		}
		return re.String()
	}
	return rule(v)
}

func rule(v reflect.Value) any {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	kind := strings.ToLower(c.Type().Name())
	out := map[string]any{"rule": kind}
	langs := field(field(c, "languages"), "langs")
	out["languages"] = langs.Interface()
	ps := []any{}
	switch kind {
	case "or":
		ps = append(ps, pattern(field(c, "pattern")))
	case "and", "not":
		name := map[string]string{"and": "patterns", "not": "Patterns"}[kind]
		l := field(c, name)
		for i := 0; i < l.Len(); i++ {
			ps = append(ps, pattern(l.Index(i)))
		}
	}
	out["patterns"] = ps
	return out
}

func regexes(l []*regexp.Regexp) []any {
	out := []any{}
	for _, r := range l {
		if r == nil {
			out = append(out, nil)
		} else {
			out = append(out, r.String())
		}
	}
	return out
}

func main() {
	h := map[string]any{}
	for ext, hs := range data.ContentHeuristics {
		rules := []any{}
		for _, r := range *hs {
			rules = append(rules, rule(reflect.ValueOf(r)))
		}
		h[ext] = rules
	}
	gen := []string{}
	for e := range data.GeneratedCodeExtensions {
		gen = append(gen, e)
	}
	sort.Strings(gen)
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{
		"commit": data.LinguistCommit, "extension": data.LanguagesByExtension, "filename": data.LanguagesByFilename,
		"interpreter": data.LanguagesByInterpreter, "alias": data.LanguageByAliasMap, "log_prior": data.LanguagesLogProbabilities,
		"log_token": data.TokensLogProbabilities, "tokens_total": data.TokensTotal, "vendor": regexes(data.VendorMatchers),
		"vendor_fast": data.FastVendorMatcher.String(), "documentation": regexes(data.DocumentationMatchers),
		"test": regexes(data.TestMatchers), "generated_ext": gen, "heuristics": h,
	}); err != nil {
		panic(err)
	}
}
