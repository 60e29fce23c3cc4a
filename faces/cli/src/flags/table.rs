//! The table of flags: what each is called, what it takes, what it says of itself and what it changes.
//!
//! The names and their meaning are ripgrep's; where two flags exclude each other, the later one wins.
//! Callers: flags/parse, flags/help

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail, ensure};
use bstr::ByteVec;

use super::options::*;
use Change::{Call, Switch};
use Group::{Filter, Input, Logs, Modes, Other, Output, Own, Search};

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Flag {
    /// The name after two dashes.
    pub(crate) long: &'static str,
    /// The letter after one dash.
    pub(crate) short: Option<char>,
    /// The name that undoes it.
    pub(crate) negation: Option<&'static str>,
    /// Another long name.
    pub(crate) alias: Option<&'static str>,
    /// What its value stands for; `None` for a switch.
    pub(crate) metavar: Option<&'static str>,
    /// What may be given for its value, for completions.
    pub(crate) takes: Takes,
    /// Where help shows it.
    pub(crate) group: Group,
    /// One line of help.
    pub(crate) help: &'static str,
    /// What `--help` says beyond that line; may be empty.
    pub(crate) more: &'static str,
    /// What it does to the options.
    pub(super) change: Change,
}

/// What may be given for a flag's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    /// What its metavar says: a path, or anything.
    Any,
    /// The name of a file type.
    Types,
    /// One of these; some flags take others too.
    OneOf(&'static [&'static str]),
}

/// How help groups the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Where patterns and bytes come from.
    Input,
    /// What matches.
    Search,
    /// Which files.
    Filter,
    /// What a match looks like.
    Output,
    /// What is printed at all.
    Modes,
    /// Messages beside the results.
    Logs,
    /// The rest.
    Other,
    /// What Manicule has beyond ripgrep.
    Own,
}

/// What a flag does to the options.
#[derive(Debug)]
pub(super) enum Change {
    /// Sets a field, or clears it under the flag's negation.
    Switch(fn(&mut Options) -> &mut bool),
    /// Anything else.
    Call(fn(&mut Options, Said) -> Result<()>),
}

/// How a flag was said.
#[derive(Debug)]
pub(crate) struct Said {
    /// By its name rather than its negation.
    pub(crate) on: bool,
    /// By its letter.
    pub(crate) short: bool,
    /// With this value.
    pub(crate) value: Option<OsString>,
}

impl Said {
    fn os(&self) -> &OsStr {
        self.value.as_deref().unwrap_or_default()
    }

    fn text(&self) -> Result<&str> {
        self.os().to_str().context("value is not valid UTF-8")
    }

    fn string(&self) -> Result<String> {
        self.text().map(str::to_owned)
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(self.os())
    }

    /// The path, unless it is empty or the flag's negation was said.
    fn command(&self) -> Option<PathBuf> {
        Some(self.path()).filter(|path| self.on && !path.as_os_str().is_empty())
    }

    fn number<N: FromStr<Err = std::num::ParseIntError>>(&self) -> Result<N> {
        self.text()?.parse().context("value is not a valid number")
    }

    fn size(&self) -> Result<u64> {
        grep_cli::parse_human_readable_size(self.text()?).context("invalid size")
    }

    fn memory(&self) -> Result<usize> {
        usize::try_from(self.size()?).ok().context("size is too big")
    }

    fn separator(&self) -> Result<Vec<u8>> {
        let text = self.os().to_str().context(
            "separator must be valid UTF-8 (use escape sequences \
             to provide a separator that is not valid UTF-8)",
        )?;
        Ok(Vec::unescape_bytes(text))
    }

    fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text()?;
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, choice)| *choice).with_context(|| format!("choice '{text}' is unrecognized"))
    }
}

const fn flag(
    group: Group,
    long: &'static str,
    short: &str,
    help: &'static str,
    change: Change,
) -> Flag {
    let short = match short.as_bytes() {
        [letter] => Some(*letter as char),
        _ => None,
    };
    let (negation, alias, metavar, takes) = (None, None, None, Takes::Any);
    Flag { long, short, negation, alias, metavar, takes, group, help, more: "", change }
}

impl Flag {
    const fn no(self, negation: &'static str) -> Flag {
        Flag { negation: Some(negation), ..self }
    }

    const fn aka(self, alias: &'static str) -> Flag {
        Flag { alias: Some(alias), ..self }
    }

    const fn takes(self, metavar: &'static str) -> Flag {
        Flag { metavar: Some(metavar), ..self }
    }

    const fn one_of(self, words: &'static [&'static str]) -> Flag {
        Flag { takes: Takes::OneOf(words), ..self }
    }

    const fn types(self) -> Flag {
        Flag { takes: Takes::Types, ..self }
    }

    const fn more(self, more: &'static str) -> Flag {
        Flag { more, ..self }
    }

    /// Whether Manicule has it and ripgrep doesn't.
    pub(crate) fn is_own(&self) -> bool {
        self.group == Own
    }
}

const SORTS: &[(&str, Option<SortKey>)] = &[
    ("none", None),
    ("path", Some(SortKey::Path)),
    ("modified", Some(SortKey::Modified)),
    ("accessed", Some(SortKey::Accessed)),
    ("created", Some(SortKey::Created)),
];
const SCRIPTS: &[(&str, Script)] = &[
    ("man", Script::Man),
    ("complete-bash", Script::Bash),
    ("complete-zsh", Script::Zsh),
    ("complete-fish", Script::Fish),
    ("complete-powershell", Script::PowerShell),
];
/// Names under which encodings are best known; each has others too.
const ENCODINGS: &[&str] = &[
    "auto",
    "none",
    "utf-8",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "latin1",
    "ascii",
    "big5",
    "euc-jp",
    "euc-kr",
    "gb18030",
    "gb2312",
    "gbk",
    "ibm866",
    "iso-2022-jp",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-9",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "shift_jis",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "x-user-defined",
];
const COLORS: &[(&str, Color)] = &[
    ("never", Color::Never),
    ("auto", Color::Auto),
    ("always", Color::Always),
    ("ansi", Color::Ansi),
];

fn sort(options: &mut Options, said: &Said, reverse: bool) -> Result<()> {
    options.sort = said.choice(SORTS)?.map(|key| Sort { key, reverse });
    Ok(())
}

fn find(options: &mut Options, find: Find) -> Result<()> {
    options.mode = Mode::Search(find);
    Ok(())
}

fn no_ignore(options: &mut Options, yes: bool) {
    options.no_ignore_dot = yes;
    options.no_ignore_exclude = yes;
    options.no_ignore_global = yes;
    options.no_ignore_parent = yes;
    options.no_ignore_vcs = yes;
}

fn encoding(options: &mut Options, said: &Said) -> Result<()> {
    options.encoding = match said.text()? {
        _ if !said.on => Coding::Auto,
        "auto" => Coding::Auto,
        "none" => Coding::Raw,
        name => Coding::Named(grep_searcher::Encoding::new(name)?),
    };
    Ok(())
}

fn engine(options: &mut Options, said: &Said) -> Result<()> {
    options.engine = match said.text()? {
        "default" => Engine::Rust,
        "pcre2" => Engine::Pcre2,
        "auto" => Engine::Auto,
        other => bail!("unrecognized regex engine '{other}'"),
    };
    Ok(())
}

fn path_separator(options: &mut Options, said: &Said) -> Result<()> {
    let text = said.text()?;
    options.path_separator = match Vec::unescape_bytes(text).as_slice() {
        [] => None,
        [byte] => Some(*byte),
        bytes => bail!(
            "A path separator must be exactly one byte, but the given separator is {} bytes: {text}\n\
             In some shells on Windows '/' is automatically expanded. Use '//' instead.",
            bytes.len(),
        ),
    };
    Ok(())
}

fn unrestricted(options: &mut Options) -> Result<()> {
    options.unrestricted += 1;
    match options.unrestricted {
        1 => no_ignore(options, true),
        2 => options.hidden = true,
        3 => options.binary = Binary::Search,
        _ => ensure!(options.unrestricted <= 3, "flag can only be repeated up to 3 times"),
    }
    Ok(())
}

/// Does a statement and succeeds: most rows need no more.
macro_rules! set {
    (|$options:ident, $said:ident| $change:expr) => {
        Call(|$options, $said| {
            $change;
            Ok(())
        })
    };
    (|$options:ident| $change:expr) => {
        Call(|$options, _| {
            $change;
            Ok(())
        })
    };
}

/// Every flag of `find`. The order is that of ripgrep, whose suggestions come in it.
#[rustfmt::skip]
pub(crate) static FLAGS: &[Flag] = &[
    flag(Input, "regexp", "e", "A pattern to find; may be given often.",
        set!(|o, s| o.patterns.push(Pattern::Text(s.string()?)))).takes("PATTERN")
        .more("A line matches when any pattern does. With it, every other word is a path. Use it for patterns that begin with a dash."),
    flag(Input, "file", "f", "Read patterns from a file, one a line.",
        set!(|o, s| o.patterns.push(Pattern::File(s.path())))).takes("PATTERNFILE")
        .more("`-` is standard input. An empty line matches everything; an empty file matches nothing."),
    flag(Output, "after-context", "A", "Show NUM lines after each match.",
        set!(|o, s| o.context.say("after", s.number()?))).takes("NUM").more("Wins over --context."),
    flag(Output, "before-context", "B", "Show NUM lines before each match.",
        set!(|o, s| o.context.say("before", s.number()?))).takes("NUM").more("Wins over --context."),
    flag(Filter, "binary", "", "Look through binary files to their end.",
        set!(|o, s| o.binary = if s.on { Binary::Search } else { Binary::Skip })).no("no-binary")
        .more("A file with a NUL byte is binary. A found one is left at the first NUL; with this flag it is read on, and a match is told without its line, as it always is for files given by name."),
    flag(Output, "block-buffered", "", "Print in blocks, also to a terminal.",
        set!(|o, s| o.buffering = if s.on { Buffering::Block } else { Buffering::Auto })).no("no-block-buffered"),
    flag(Output, "byte-offset", "b", "Print where in the file each line begins, in bytes.",
        Switch(|o| &mut o.byte_offset)).no("no-byte-offset").more("With --only-matching, where the match begins."),
    flag(Search, "case-sensitive", "s", "Case counts (the default).", set!(|o| o.case = Case::Sensitive)),
    flag(Output, "color", "", "When to use colors: never, auto, always, ansi.",
        set!(|o, s| o.color = s.choice(COLORS)?)).takes("WHEN").one_of(&["never", "auto", "always", "ansi"])
        .more("`auto`, the default, is on a terminal that has colors and without $NO_COLOR; `ansi` is always, as escape sequences."),
    flag(Output, "colors", "", "Set one color or style; may be given often.",
        set!(|o, s| o.colors.push(s.text()?.parse()?))).takes("COLOR_SPEC")
        .more("{path,line,column,match,highlight}:{fg,bg,style}:VALUE, or TYPE:none. A color is a name, 0-255, or r,g,b; styles are bold, intense, underline, italic and their no-forms."),
    flag(Output, "column", "", "Print the column of the first match in a line.",
        set!(|o, s| o.column = Some(s.on))).no("no-column").more("Counted in bytes from 1. Implies line numbers."),
    flag(Output, "context", "C", "Show NUM lines before and after each match.",
        set!(|o, s| o.context.say("both", s.number()?))).takes("NUM"),
    flag(Output, "context-separator", "", "What stands between groups of context lines.",
        set!(|o, s| o.context_separator = Some(if s.on { Some(s.separator()?) } else { None })))
        .takes("SEPARATOR").no("no-context-separator").more("`--` when nothing is said; escapes such as \\t and \\x7F are understood."),
    flag(Modes, "count", "c", "Print how many lines match, for each file.", Call(|o, _| find(o, Find::Count)))
        .more("Files without any are left out, save with --include-zero. With --only-matching it counts matches."),
    flag(Modes, "count-matches", "", "Print how many matches there are, for each file.",
        Call(|o, _| find(o, Find::CountMatches))),
    flag(Search, "crlf", "", "Lines may end in \\r\\n.",
        set!(|o, s| { o.crlf = s.on; o.null_data &= !s.on })).no("no-crlf").more("`$` then matches before \\r\\n too."),
    flag(Logs, "debug", "", "Tell what is done, and why files are left out.",
        set!(|o| o.logging = Some(Logging::Debug))),
    flag(Search, "dfa-size-limit", "", "Memory for the regex engine's tables.",
        set!(|o, s| o.dfa_size_limit = Some(s.memory()?))).takes("NUM+SUFFIX?")
        .more("Suffixes: K, M, G. The default is 1000M. What doesn't fit is searched in a slower way."),
    flag(Search, "encoding", "E", "The text encoding of the files.",
        Call(|o, s| encoding(o, &s))).takes("ENCODING").one_of(ENCODINGS).no("no-encoding")
        .more("A label of the WHATWG Encoding Standard; `auto`, the default, goes by byte order marks, `none` takes the bytes as they are."),
    flag(Search, "engine", "", "The regex engine: default, pcre2, auto.",
        Call(|o, s| engine(o, &s))).takes("ENGINE").one_of(&["default", "pcre2", "auto"])
        .more("`default` takes time linear in the text, whatever the pattern; `pcre2` has look-around and back-references; `auto` takes PCRE2 for the patterns that the default engine refuses."),
    flag(Output, "field-context-separator", "", "What stands between the fields of a context line.",
        set!(|o, s| o.field_context_separator = Some(s.separator()?))).takes("SEPARATOR"),
    flag(Output, "field-match-separator", "", "What stands between the fields of a matching line.",
        set!(|o, s| o.field_match_separator = Some(s.separator()?))).takes("SEPARATOR"),
    flag(Other, "files", "", "Print the paths that would be looked into.", set!(|o| o.mode = Mode::Files)),
    flag(Modes, "files-with-matches", "l", "Print the paths of files with a match.",
        Call(|o, _| find(o, Find::FilesWith))),
    flag(Modes, "files-without-match", "", "Print the paths of files without a match.",
        Call(|o, _| find(o, Find::FilesWithout))),
    flag(Search, "fixed-strings", "F", "Patterns are plain text.",
        Switch(|o| &mut o.fixed_strings)).no("no-fixed-strings"),
    flag(Filter, "follow", "L", "Go through symbolic links.", Switch(|o| &mut o.follow)).no("no-follow"),
    flag(Other, "generate", "", "Print a man page or shell completions.",
        set!(|o, s| o.mode = Mode::Generate(s.choice(SCRIPTS)?))).takes("KIND").one_of(&["man", "complete-bash", "complete-zsh", "complete-fish", "complete-powershell"])
        .more("man, complete-bash, complete-zsh, complete-fish, complete-powershell."),
    flag(Filter, "glob", "g", "Only paths that GLOB matches; with ! in front, no such paths.",
        set!(|o, s| o.globs.push(s.string()?))).takes("GLOB")
        .more("Wins over every ignore file. Of several, the last that matches decides."),
    flag(Filter, "glob-case-insensitive", "", "Case doesn't count in any --glob.",
        Switch(|o| &mut o.glob_case_insensitive)).no("no-glob-case-insensitive"),
    flag(Output, "heading", "", "Print each path once, above its lines.",
        set!(|o, s| o.heading = Some(s.on))).no("no-heading").more("The default on a terminal."),
    flag(Output, "help", "h", "Print help: one line a flag for -h, all of it for --help.",
        set!(|o, s| o.special = Some(if s.short { Special::HelpShort } else { Special::HelpLong }))),
    flag(Filter, "hidden", ".", "Look into hidden files and folders too.",
        Switch(|o| &mut o.hidden)).no("no-hidden").more("Hidden is what begins with a dot."),
    flag(Output, "hostname-bin", "", "Ask a program for this host's name.",
        set!(|o, s| o.hostname_bin = s.command())).takes("COMMAND").more("For --hyperlink-format."),
    flag(Output, "hyperlink-format", "", "Make paths into links a terminal can open.",
        set!(|o, s| o.hyperlink_format = s.text()?.parse().context("invalid hyperlink format")?)).takes("FORMAT").one_of(&["default", "none", "cursor", "file", "grep+", "kitty", "macvim", "textmate", "vscode", "vscode-insiders", "vscodium"])
        .more("A name such as default, file, vscode, kitty, none; or a URL with {path}, {line}, {column}, {host}, {wslprefix}."),
    flag(Filter, "iglob", "", "As --glob, and case doesn't count.",
        set!(|o, s| o.iglobs.push(s.string()?))).takes("GLOB"),
    flag(Search, "ignore-case", "i", "Case doesn't count.", set!(|o| o.case = Case::Insensitive)),
    flag(Filter, "ignore-file", "", "Heed this ignore file too; may be given often.",
        set!(|o, s| o.ignore_files.push(s.path()))).takes("PATH")
        .more("Its globs refer to the current folder. Every other ignore file wins over it."),
    flag(Filter, "ignore-file-case-insensitive", "", "Case doesn't count in ignore files.",
        Switch(|o| &mut o.ignore_file_case_insensitive)).no("no-ignore-file-case-insensitive"),
    flag(Output, "include-zero", "", "Print counts of zero too.",
        Switch(|o| &mut o.include_zero)).no("no-include-zero"),
    flag(Search, "invert-match", "v", "Lines that don't match, match.",
        Switch(|o| &mut o.invert_match)).no("no-invert-match"),
    flag(Modes, "json", "", "Print one JSON object a line.", Call(|o, s| {
            if s.on {
                return find(o, Find::Json);
            }
            if o.mode == Mode::Search(Find::Json) {
                o.mode = Mode::default();
            }
            Ok(())
        })).no("no-json")
        .more("Objects have a type (begin, match, context, end, summary) and data. Text that isn't UTF-8 is base64 under `bytes`."),
    flag(Output, "line-buffered", "", "Print line by line, also into a pipe.",
        set!(|o, s| o.buffering = if s.on { Buffering::Line } else { Buffering::Auto })).no("no-line-buffered"),
    flag(Output, "line-number", "n", "Print line numbers.", set!(|o| o.line_number = Some(true)))
        .more("The default on a terminal."),
    flag(Output, "no-line-number", "N", "Print no line numbers.", set!(|o| o.line_number = Some(false))),
    flag(Search, "line-regexp", "x", "Only whole lines match.", set!(|o| o.boundary = Some(Boundary::Line))),
    flag(Output, "max-columns", "M", "Leave out lines longer than NUM bytes.",
        set!(|o, s| o.max_columns = Some(s.number()?).filter(|max| *max != 0))).takes("NUM").more("0, the default, is no limit."),
    flag(Output, "max-columns-preview", "", "Print the beginning of lines that are too long.",
        Switch(|o| &mut o.max_columns_preview)).no("no-max-columns-preview"),
    flag(Search, "max-count", "m", "At most NUM matching lines a file.",
        set!(|o, s| o.max_count = Some(s.number()?))).takes("NUM").more("There is no limit unless it is said. With 0 nothing is searched."),
    flag(Filter, "max-depth", "d", "Go down at most NUM folders.",
        set!(|o, s| o.max_depth = Some(s.number()?))).takes("NUM").aka("maxdepth")
        .more("0 looks at the given paths only. There is no limit unless it is said."),
    flag(Filter, "max-filesize", "", "Leave out files larger than NUM bytes.",
        set!(|o, s| o.max_filesize = Some(s.size()?))).takes("NUM+SUFFIX?").more("Suffixes: K, M, G. There is no limit unless it is said."),
    flag(Search, "mmap", "", "Map files into memory where that works.",
        set!(|o, s| o.mapping = if s.on { Mapping::Always } else { Mapping::Never })).no("no-mmap")
        .more("Unsaid, it is done when few files are given by name. A file that shrinks meanwhile ends the program."),
    flag(Search, "multiline", "U", "A match may go over several lines.",
        set!(|o, s| { o.multiline = s.on; o.stop_on_nonmatch &= !s.on })).no("no-multiline"),
    flag(Search, "multiline-dotall", "", "With --multiline, a dot matches line ends too.",
        Switch(|o| &mut o.multiline_dotall)).no("no-multiline-dotall"),
    flag(Other, "no-config", "", "Don't read the configuration file.", Switch(|o| &mut o.no_config))
        .more("That is the file which $MANICULE_CONFIG_PATH names, or $RIPGREP_CONFIG_PATH when the program is called as rg: one flag or value a line, lines that begin with # left out. Its flags stand before those of the command line, so that these win."),
    flag(Filter, "no-ignore", "", "Heed no ignore files.", set!(|o, s| no_ignore(o, s.on))).no("ignore")
        .more("That is --no-ignore-dot, -exclude, -global, -parent and -vcs together."),
    flag(Filter, "no-ignore-dot", "", "Heed no .ignore and .rgignore.", Switch(|o| &mut o.no_ignore_dot)).no("ignore-dot"),
    flag(Filter, "no-ignore-exclude", "", "Heed no .git/info/exclude.",
        Switch(|o| &mut o.no_ignore_exclude)).no("ignore-exclude"),
    flag(Filter, "no-ignore-files", "", "Heed no --ignore-file.", Switch(|o| &mut o.no_ignore_files)).no("ignore-files"),
    flag(Filter, "no-ignore-global", "", "Heed no global ignore file of git.",
        Switch(|o| &mut o.no_ignore_global)).no("ignore-global"),
    flag(Logs, "no-ignore-messages", "", "Say nothing of mistakes in ignore files.",
        Switch(|o| &mut o.no_ignore_messages)).no("ignore-messages"),
    flag(Filter, "no-ignore-parent", "", "Heed no ignore files of the folders above.",
        Switch(|o| &mut o.no_ignore_parent)).no("ignore-parent"),
    flag(Filter, "no-ignore-vcs", "", "Heed no ignore files of git.", Switch(|o| &mut o.no_ignore_vcs)).no("ignore-vcs"),
    flag(Logs, "no-messages", "", "Say nothing of files that can't be read.", Switch(|o| &mut o.no_messages)).no("messages")
        .more("The exit code is still 2."),
    flag(Filter, "no-require-git", "", "Heed .gitignore outside of repositories too.",
        Switch(|o| &mut o.no_require_git)).no("require-git"),
    flag(Search, "no-unicode", "", "Patterns match bytes, not Unicode.", Switch(|o| &mut o.no_unicode)).no("unicode"),
    flag(Output, "null", "0", "Print a NUL byte after each path.", Switch(|o| &mut o.null)),
    flag(Search, "null-data", "", "Lines end in a NUL byte.", set!(|o| { o.crlf = false; o.null_data = true })),
    flag(Filter, "one-file-system", "", "Stay on the file system of each given path.",
        Switch(|o| &mut o.one_file_system)).no("no-one-file-system"),
    flag(Output, "only-matching", "o", "Print only what matched.", Switch(|o| &mut o.only_matching)),
    flag(Output, "path-separator", "", "Print this byte between the names of a path.",
        Call(|o, s| path_separator(o, &s))).takes("SEPARATOR"),
    flag(Output, "passthru", "", "Print every line, the matching ones marked.",
        set!(|o| o.context = Context::Passthru)).aka("passthrough"),
    flag(Search, "pcre2", "P", "Use PCRE2: look-around, back-references.",
        set!(|o, s| o.engine = if s.on { Engine::Pcre2 } else { Engine::Rust })).no("no-pcre2")
        .more("As --engine pcre2. Slower, and a few patterns take it so long on some lines that it gives up with an error. An index leaves out no file for it. A build without the feature `pcre2` says that it has none."),
    flag(Other, "pcre2-version", "", "Print the version of PCRE2.", set!(|o| o.special = Some(Special::Pcre2Version))),
    flag(Input, "pre", "", "Look into what COMMAND PATH prints.",
        set!(|o, s| { o.pre = s.command(); o.search_zip &= o.pre.is_none() })).takes("COMMAND").no("no-pre")
        .more("The file is also its standard input."),
    flag(Input, "pre-glob", "", "Use --pre for these paths only.",
        set!(|o, s| o.pre_globs.push(s.string()?))).takes("GLOB"),
    flag(Output, "pretty", "p", "Colors, headings and line numbers.",
        set!(|o| { o.color = Color::Always; o.heading = Some(true); o.line_number = Some(true) })),
    flag(Output, "quiet", "q", "Print nothing; the exit code tells.", Switch(|o| &mut o.quiet))
        .more("Stops at the first match."),
    flag(Search, "regex-size-limit", "", "Memory for the compiled pattern.",
        set!(|o, s| o.regex_size_limit = Some(s.memory()?))).takes("NUM+SUFFIX?")
        .more("Suffixes: K, M, G. The default is 100M. Of the default engine only."),
    flag(Output, "replace", "r", "Print each match as this text.",
        set!(|o, s| o.replace = Some(s.string()?))).takes("REPLACEMENT")
        .more("$1 and $name stand for groups, $0 for the match, $$ for a dollar. Files are never changed."),
    flag(Input, "search-zip", "z", "Look into compressed files.",
        set!(|o, s| { o.search_zip = s.on; if s.on { o.pre = None } })).no("no-search-zip")
        .more("gzip, bzip2, xz, LZ4, LZMA, brotli and zstd, through their programs."),
    flag(Search, "smart-case", "S", "Case counts when the pattern has a capital.", set!(|o| o.case = Case::Smart)),
    flag(Output, "sort", "", "Rising: none, path, modified, accessed, created.",
        Call(|o, s| sort(o, &s, false))).takes("SORTBY").one_of(&["none", "path", "modified", "accessed", "created"]).more("The default is none. Works on one thread."),
    flag(Output, "sortr", "", "As --sort, falling.", Call(|o, s| sort(o, &s, true))).takes("SORTBY").one_of(&["none", "path", "modified", "accessed", "created"]),
    flag(Logs, "stats", "", "Print numbers about the search.", Switch(|o| &mut o.stats)).no("no-stats"),
    flag(Search, "stop-on-nonmatch", "", "Leave a file at the first line without a match after one with.",
        set!(|o| { o.stop_on_nonmatch = true; o.multiline = false })),
    flag(Search, "text", "a", "Take binary files as text.",
        set!(|o, s| o.binary = if s.on { Binary::Text } else { Binary::Skip })).no("no-text"),
    flag(Search, "threads", "j", "How many threads work; 0 lets the program choose.",
        set!(|o, s| o.threads = Some(s.number()?).filter(|threads| *threads != 0))).takes("NUM")
        .more("The default is 0: as many as the machine has cores, at most 12; one for a single file, and for --sort."),
    flag(Logs, "trace", "", "Tell even more than --debug.", set!(|o| o.logging = Some(Logging::Trace))),
    flag(Output, "trim", "", "Print lines without the white space in front.", Switch(|o| &mut o.text_trim)).no("no-trim"),
    flag(Filter, "type", "t", "Only files of this type.",
        set!(|o, s| o.type_changes.push(TypeChange::Select(s.string()?)))).takes("TYPE").types()
        .more("--type-list shows the types; `all` is any file that has one."),
    flag(Filter, "type-not", "T", "No files of this type.",
        set!(|o, s| o.type_changes.push(TypeChange::Negate(s.string()?)))).takes("TYPE").types(),
    flag(Filter, "type-add", "", "Add a glob to a type: name:glob.",
        set!(|o, s| o.type_changes.push(TypeChange::Add(s.string()?)))).takes("TYPESPEC")
        .more("name:include:other,another takes over other types' globs. Lasts for this call."),
    flag(Filter, "type-clear", "", "Take all globs from a type.",
        set!(|o, s| o.type_changes.push(TypeChange::Clear(s.string()?)))).takes("TYPE").types(),
    flag(Other, "type-list", "", "Print the file types and their globs.", set!(|o| o.mode = Mode::Types)),
    flag(Filter, "unrestricted", "u", "Leave out less: -u ignored files, -uu hidden, -uuu binary.",
        Call(|o, _| unrestricted(o)))
        .more("-u is --no-ignore, -uu is --no-ignore --hidden, -uuu is --no-ignore --hidden --binary."),
    flag(Other, "version", "V", "Print the version.",
        set!(|o, s| o.special = Some(if s.short { Special::VersionShort } else { Special::VersionLong }))),
    flag(Output, "vimgrep", "", "Print each match on its own line, with line and column.", Switch(|o| &mut o.vimgrep)),
    flag(Output, "with-filename", "H", "Print the path with each line.", set!(|o| o.with_filename = Some(true)))
        .more("The default when more than one file is looked into."),
    flag(Output, "no-filename", "I", "Print no paths.", set!(|o| o.with_filename = Some(false))),
    flag(Search, "word-regexp", "w", "Only whole words match.", set!(|o| o.boundary = Some(Boundary::Word))),
    flag(Search, "auto-hybrid-regex", "", "(Deprecated) As --engine auto.",
        set!(|o, s| o.engine = if s.on { Engine::Auto } else { Engine::Rust })).no("no-auto-hybrid-regex"),
    flag(Search, "no-pcre2-unicode", "", "(Deprecated) As --no-unicode.",
        Switch(|o| &mut o.no_unicode)).no("pcre2-unicode"),
    flag(Output, "sort-files", "", "(Deprecated) As --sort path.",
        set!(|o, s| o.sort = s.on.then_some(Sort { key: SortKey::Path, reverse: false }))).no("no-sort-files"),
    flag(Own, "budget", "", "Stop after this many bytes of output, at a line end.",
        set!(|o, s| o.budget = Some(s.size()?))).takes("BYTES")
        .more("For readers that pay by the byte. What was cut is said on standard error, and under --json as an object of type budget, which like the summary is not counted. The exit code stays that of what was found; a program looks for the object, or with --receipt for budget_cut."),
    flag(Own, "receipt", "", "Tell what the call has cost.", Switch(|o| &mut o.receipt))
        .more("On standard error; under --json as a last object of type receipt."),
    flag(Own, "max-age", "", "Trust what is known of a folder for so many seconds.",
        set!(|o, s| o.max_age_seconds = Some(s.number()?))).takes("SECONDS")
        .more("Every call proves which files have not changed since they were indexed, which takes most of its time. A program that asks often leaves that out for a while, and may miss what changed meanwhile. The default is 0: always."),
    flag(Own, "no-index", "", "Neither use nor write an index.", Switch(|o| &mut o.no_index))
        .more("All files are read, as by ripgrep. For one call; $MANICULE_NO_INDEX does it for all. Wanted where a program writes through a shared memory mapping, which sets a file's times late."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_offered_are_taken() {
        for flag in FLAGS {
            let Takes::OneOf(words) = flag.takes else { continue };
            for word in words {
                let (mut options, value) = (Options::default(), Some(OsString::from(word)));
                let Call(change) = flag.change else { panic!("--{} takes a value", flag.long) };
                let taken = change(&mut options, Said { on: true, short: false, value });
                assert!(taken.is_ok(), "--{} {word}: {taken:?}", flag.long);
            }
        }
    }
}
