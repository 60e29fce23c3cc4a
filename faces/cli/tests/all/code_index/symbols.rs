//! Symbols by a program in the place of ctags.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use manicule::code::shards::{Shard, map_shards};

use super::place::Place;

/// Answers each request with a tag `a` in line 1, but dies on b.rs.
const CTAGS: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
echo '{"_type":"program","name":"Universal Ctags"}'
while read -r request; do
  size=${request##*:}
  head -c "${size%?}" >/dev/null
  case $request in *b.rs*) echo 'no room for b' >&2; exit 3;; esac
  echo '{"_type":"tag","name":"a","path":"x","line":1,"kind":"package","scope":"s","scopeKind":"k"}'
  echo '{"_type":"completed","command":"generate-tags"}'
done
"#;

fn with_ctags(name: &str) -> Place {
    let place = Place::with_tree();
    place.write(name, CTAGS);
    fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    place
}

/// Hash of options, and whether and how many symbols there are.
#[derive(Debug, PartialEq, Eq)]
struct Symbols {
    options: String,
    were_looked_for: bool,
    count: usize,
}

fn symbols(place: &Place) -> Symbols {
    let maps = map_shards(&place.path("out")).unwrap();
    let shard = Shard::open(&maps[0].as_ref().unwrap().bytes).unwrap();
    let repository = &shard.repositories()[0];
    let count = |document| shard.symbol_ranges(document).unwrap().len();
    Symbols {
        options: repository.index_options.clone(),
        were_looked_for: repository.has_symbols,
        count: (0..shard.document_count()).map(count).sum(),
    }
}

#[test]
fn ctags_is_found_by_its_own_name_and_by_debians() {
    for name in ["bin/universal-ctags", "bin/ctags-universal"] {
        let place = with_ctags(name);
        let output = place.call(&["-index=out", "tree"], 0);
        let (out, err) = (output.stdout.as_slice(), String::from_utf8(output.stderr).unwrap());
        let out = String::from_utf8_lossy(out);
        assert!(out.starts_with("indexed tree: 3 documents, 1 symbol, 20 B of text"), "{out}");
        let want = format!(
            "manicule: 1 document without symbols: {} failed on sub/b.rs: it ended (exit status: 3): no room for b; name \
             another program with --ctags PATH, or leave symbols out with --ctags off\n",
            place.path(name).display()
        );
        assert_eq!(err, want);
        let found = symbols(&place);
        assert_eq!((found.were_looked_for, found.count), (true, 1));
        let again = place.out(&["-index=out", "tree"]);
        assert!(again.starts_with("unchanged: tree, 3 documents, 1 symbol"), "{again}");
        // Of what is the same symbols are not looked for again, by a program that has none.
        let program = fs::read_to_string(place.path(name)).unwrap();
        place.write(name, program.replace("{\"_type\":\"tag\"", "{\"_type\":\"none\""));
        place.write("tree/more.md", "more text\n");
        let more = place.call(&["-index=out", "tree"], 0);
        let more = String::from_utf8_lossy(&more.stdout).into_owned();
        assert!(more.starts_with("indexed tree: 4 documents, 1 symbol, "), "{more}");
        let forced = place.call(&["-index=out", "--force", "tree"], 0);
        let forced = String::from_utf8_lossy(&forced.stdout).into_owned();
        assert!(forced.starts_with("indexed tree: 4 documents, 30 B"), "{forced}");
        // Without them it is another index.
        let without = place.out(&["-index=out", "--ctags", "off", "tree"]);
        assert!(without.starts_with("indexed tree: 4 documents, 30 B"), "{without}");
        assert_eq!(symbols(&place).count, 0);
    }
}

#[test]
fn a_program_that_is_named_is_part_of_the_options() {
    let place = with_ctags("tags.sh");
    let path = place.path("tags.sh");
    place.out(&["-index=out", "--ctags", path.to_str().unwrap(), "tree"]);
    let by_option = symbols(&place);
    let run = place.command(&["-index=out", "tree"]).env("CTAGS_COMMAND", &path).output().unwrap();
    assert!(String::from_utf8_lossy(&run.stdout).starts_with("unchanged: tree"));
    assert_eq!((symbols(&place), by_option.count), (by_option, 1));
}

#[test]
fn symbols_that_are_required_and_missing_are_an_error() {
    let place = Place::with_tree();
    let want = "manicule: there is no universal-ctags to find symbols with: install it (Debian's package: \
                universal-ctags), or name it with --ctags PATH\n";
    for words in [["--ctags=require"], ["-require_ctags"]] {
        assert_eq!(place.err(&[&words[..], &["-index=out", "tree"]].concat()), want);
    }
    assert!(!place.path("out").exists());
    place.out(&["-index=out", "tree"]);
    let absent = symbols(&place);
    assert!(!absent.were_looked_for);
    place.out(&["-index=out", "-disable_ctags", "tree"]);
    assert_ne!(symbols(&place).options, absent.options);

    let place = with_ctags("bin/universal-ctags");
    let error = place.err(&["-index=out", "-require_ctags", "tree"]);
    assert!(error.contains("failed on sub/b.rs: it ended (exit status: 3)"), "{error}");
    assert!(place.names("out").is_empty());
}

#[test]
fn what_is_no_ctags_is_told() {
    let place = Place::with_tree();
    let error = place.err(&["-index=out", "--ctags", "./none", "tree"]);
    assert!(
        error.starts_with("manicule: can't start ./none: No such file or directory"),
        "{error}"
    );
    let error = place.err(&["-index=out", "--ctags", "/bin/true", "tree"]);
    let want = "manicule: /bin/true is no universal-ctags that can be asked for documents: it ended (exit status: 0); ";
    assert!(error.starts_with(want), "{error}");
}
