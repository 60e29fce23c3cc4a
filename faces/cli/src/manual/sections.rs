//! What the man page says beside the commands and their options.

/// A section. In its text, lines that begin with two blanks stand as they are, and `CALL` is how
/// `find` is called.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// It is not ripgrep's.
    pub(super) own: bool,
    pub(super) text: &'static str,
}

/// What follows the commands, in this order.
pub(super) const AFTER: &[Section] = &[
    Section {
        title: "EXIT STATUS",
        own: false,
        text: "
CALL exits with 0 when something was found, with 1 when nothing was and nothing failed, and with 2 when something failed:
an unknown flag, an invalid pattern, a file that can't be read. With `--quiet` it is 0 as soon as something is found,
whatever failed. A closed output pipe is not a failure.
",
    },
    Section {
        title: "EXIT STATUS OF THE OTHER COMMANDS",
        own: true,
        text: "
0 on success, or when something was found. 1 when there was nothing to find or to do, and for commands that check
(`manicule verify`, `manicule series diff`) when something is wrong or differs. 2 when something failed. Each
command's section above has its own.
",
    },
    Section {
        title: "CONFIGURATION FILES",
        own: false,
        text: "
CALL reads flags from the file in an environment variable: `MANICULE_CONFIG_PATH` for `manicule find`, `RIPGREP_CONFIG_PATH` when
the program is called as `rg`. Neither reads the other's. There is no file at a default path. Each line is one argument,
with surrounding white space removed; empty lines and lines that begin with # are ignored. There are no quotes and no
escapes. A flag and its value are one line with = between them, or two lines:

  # ignore case unless there is an uppercase letter
  --smart-case
  --max-columns=150
  --glob
  !vendor/*

These arguments come before those of the command line, where the later of two flags wins. `--no-config` reads no file.
",
    },
    Section {
        title: "AUTOMATIC FILTERING",
        own: false,
        text: "
Below the given folders, CALL skips files and folders that match ignore files, hidden ones (their names begin with a
dot), and binary files (with a NUL byte) from that byte on. Symbolic links are not followed. Files that are given by name
are always searched, and their matches are reported even if they are binary.

Ignore files are, in ascending precedence: `--ignore-file`, git's global ignore file, `.git/info/exclude`, `.gitignore`,
`.ignore` and `.rgignore`, of the folder and of its parents. Those of git apply within a repository only, unless
`--no-require-git` is given. `--glob` overrides all of them, and `--type` applies in addition.

  CALL -u x        also what is ignored (--no-ignore)
  CALL -uu x       also what is hidden (--no-ignore --hidden)
  CALL -uuu x      also what is binary (--no-ignore --hidden --binary)
  CALL --debug x   and log why files are skipped
",
    },
    Section {
        title: "REGULAR EXPRESSIONS",
        own: false,
        text: "
Patterns have the syntax of Rust's regex crate, https://docs.rs/regex/1/regex/#syntax, over bytes. Searching takes time linear
in the text, so there is no look-around and there are no back-references. `--pcre2` has both, see `man pcre2pattern`, and
may give up on a line. `--engine auto` uses PCRE2 for what the default engine rejects. `--fixed-strings` treats
patterns as plain text.
",
    },
    Section {
        title: "THE INDEX AND ITS CACHE",
        own: true,
        text: "
The first `manicule find` in a tree of 200 files or more reads all files; afterwards a process of low priority writes an
index. Each later call checks, file by file, what has not changed since, by size, times and identity, and reads only what
can match or has changed: results are always those of the current tree. On network file systems this can't be checked, so
there all files are read.

Indexes are kept in `$MANICULE_CACHE_DIR`, or else in `manicule` under `$XDG_CACHE_HOME` or `~/.cache`; never in the tree.
They contain names, times and grams of files, and no contents. They may be deleted at any time. All together they are
limited to `$MANICULE_CACHE_MAX` bytes; the least recently used are removed first.

  manicule cache list      list the indexes, with sizes and ages
  manicule cache build     build or refresh the index of the current folder
  manicule cache clear     remove them
  manicule verify          check the index of the current folder
  manicule find --no-index TEXT    don't use one
",
    },
    Section {
        title: "ENVIRONMENT",
        own: false,
        text: "
`RIPGREP_CONFIG_PATH`: the configuration file of the program called as `rg`. If unset or empty, there is none.

`NO_COLOR`, `TERM`: no colors if the first is set, or the second is `dumb`, unless `--color` is given.
",
    },
    Section {
        title: "ENVIRONMENT OF MANICULE",
        own: true,
        text: "
`MANICULE_CONFIG_PATH`: the configuration file of `manicule find`.

`MANICULE_CACHE_DIR`: the folder of indexes.

`MANICULE_CACHE_MAX`: maximum bytes of all indexes together. Default: 4 GiB.

`MANICULE_NO_INDEX`: if set, no index is used or written.
",
    },
    Section {
        title: "SHELL COMPLETIONS",
        own: false,
        text: "
`PROGRAM --generate` KIND prints them, where KIND is complete-bash, complete-zsh, complete-fish or complete-powershell; with
KIND man it prints this page.

  PROGRAM --generate complete-bash > ~/.local/share/bash-completion/completions/PROGRAM
  PROGRAM --generate complete-zsh > ~/.zsh/completions/_PROGRAM        # a folder of $fpath
  PROGRAM --generate complete-fish > ~/.config/fish/completions/PROGRAM.fish
  PROGRAM --generate man > ~/.local/share/man/man1/PROGRAM.1
",
    },
    Section {
        title: "EXAMPLES",
        own: false,
        text: "
  CALL TODO                       below the current folder
  CALL -w -t rust unsafe src      whole words, in Rust files below src
  CALL -i -C2 'out of memory'     ignoring case, two lines of context
  CALL -l -g '!vendor' 'fn main'  file names, none below vendor
  CALL --files -g '*.toml'        names only
  CALL -P '(\\w+) \\1'              a word twice
  CALL --json -e foo -e bar       one object per line, for programs
",
    },
    Section {
        title: "MORE EXAMPLES",
        own: true,
        text: "
  manicule find Informer shards/             in zoekt shards, as in a tree
  manicule find payment data/                names and values of labels in Prometheus blocks
  manicule find anvil ks/t-0123/             keys and values in SSTables
  manicule find anvil shop                   IRIs and literals of a graph store
  manicule find --receipt mutex_lock         and the cost of the call
  manicule find --budget 16000 'impl Drop'   stops, reports the truncation
  manicule code index -index shards src      zoekt's shards of a folder
  manicule code search 'lang:go Informer' shards
  manicule series select 'up{job=~\"api.*\"}' data/
  manicule series analyze data/BLOCK         who ate my cardinality?
  manicule series build -o data metrics.om   blocks from OpenMetrics text
  manicule verify data/                      every checksum, order, reference and chunk
",
    },
    Section {
        title: "SEE ALSO",
        own: false,
        text: "
`rg`(1), `grep`(1), `pcre2pattern`(3)
",
    },
    Section {
        title: "THE GUIDE",
        own: true,
        text: concat!(env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs/guide"),
    },
];
