//! The table of the flags of `find`.
//!
//! The names and their meaning are ripgrep's; where two flags exclude each other, the later one
//! wins.

use anyhow::{Context as _, Result, bail, ensure};
use bstr::ByteVec;

use super::options::*;
use super::value::RipgrepValue as _;
use crate::command::addresses::BUCKETS;
use crate::command::flag::{Flag, set};
use crate::command::spec::{Group, Spec, spec};
use crate::command::{FlagValue, shared};

/// Where patterns and bytes come from.
pub(crate) const INPUT: Group = Group("Input");
pub(crate) const SEARCH: Group = Group("Matching");
pub(crate) const FILTER: Group = Group("File selection");
/// What a match looks like.
pub(crate) const OUTPUT: Group = Group("Output format");
/// What is printed at all.
pub(crate) const MODES: Group = Group("Output modes");
/// Messages beside the results.
pub(crate) const LOGS: Group = Group("Diagnostics");
pub(crate) const OTHER: Group = Group("Other");
/// What Manicule has and ripgrep hasn't.
pub(crate) const OWN: Group = Group("Beyond ripgrep");

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

fn sort(options: &mut Options, value: &FlagValue, reverse: bool) -> Result<()> {
    options.sort = value.rg_choice(SORTS)?.map(|key| Sort { key, reverse });
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

fn encoding(options: &mut Options, value: &FlagValue) -> Result<()> {
    options.encoding = match value.rg_text()? {
        _ if !value.on => Coding::Auto,
        "auto" => Coding::Auto,
        "none" => Coding::Raw,
        name => Coding::Named(grep_searcher::Encoding::new(name)?),
    };
    Ok(())
}

fn engine(options: &mut Options, value: &FlagValue) -> Result<()> {
    options.engine = match value.rg_text()? {
        "default" => Engine::Rust,
        "pcre2" => Engine::Pcre2,
        "auto" => Engine::Auto,
        other => bail!("unrecognized regex engine '{other}'"),
    };
    Ok(())
}

fn path_separator(options: &mut Options, value: &FlagValue) -> Result<()> {
    let text = value.rg_text()?;
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

/// Whether Manicule has a flag and ripgrep hasn't.
pub(crate) fn is_own(spec: &Spec) -> bool {
    spec.group == OWN || spec.group == BUCKETS
}

/// Every flag of `find`. The order is that of ripgrep, whose suggestions come in it.
#[rustfmt::skip]
pub(crate) static FLAGS: &[Flag<Options>] = &[
    spec("regexp", "e", "Pattern to find. May be repeated.").within(INPUT).takes("PATTERN")
        .more("A line matches if any pattern does. With this flag, all other arguments are paths. Use it for patterns that begin with a dash.")
        .does(set!(|o, s| o.patterns.push(Pattern::Text(s.rg_string()?)))),
    spec("file", "f", "Read patterns from a file, one per line.").within(INPUT).takes("PATTERNFILE")
        .more("`-` is standard input. An empty line matches everything; an empty file matches nothing.")
        .does(set!(|o, s| o.patterns.push(Pattern::File(s.path())))),
    shared::AFTER_CONTEXT.within(OUTPUT)
        .more("Overrides --context.")
        .does(set!(|o, s| o.context.say("after", s.rg_number()?))),
    shared::BEFORE_CONTEXT.within(OUTPUT)
        .more("Overrides --context.")
        .does(set!(|o, s| o.context.say("before", s.rg_number()?))),
    spec("binary", "", "Search binary files to their end.").within(FILTER).no("no-binary")
        .more("A file with a NUL byte is binary. When found by walking, it is skipped from the first NUL; with this flag it is searched to the end, and a match is reported without its line, as it always is for files given by name.")
        .does(set!(|o, s| o.binary = if s.on { Binary::Search } else { Binary::Skip })),
    spec("block-buffered", "", "Buffer output in blocks, even to a terminal.").within(OUTPUT).no("no-block-buffered")
        .does(set!(|o, s| o.buffering = if s.on { Buffering::Block } else { Buffering::Auto })),
    spec("byte-offset", "b", "Print the byte offset of each line in the file.").within(OUTPUT).no("no-byte-offset")
        .more("With --only-matching, the offset of the match.")
        .sets(|o| &mut o.byte_offset),
    spec("case-sensitive", "s", "Match case-sensitively. This is the default.").within(SEARCH)
        .does(set!(|o| o.case = Case::Sensitive)),
    shared::COLOR.within(OUTPUT)
        .does(set!(|o, s| o.color = s.rg_choice(COLORS)?)),
    spec("colors", "", "Set one color or style. May be repeated.").within(OUTPUT).takes("COLOR_SPEC")
        .more("{path,line,column,match,highlight}:{fg,bg,style}:VALUE, or TYPE:none. A color is a name, 0-255, or r,g,b; styles are bold, intense, underline, italic and their no-forms.")
        .does(set!(|o, s| o.colors.push(s.rg_text()?.parse()?))),
    spec("column", "", "Print the column of the first match in each line.").within(OUTPUT).no("no-column")
        .more("Counted in bytes from 1. Implies line numbers.")
        .does(set!(|o, s| o.column = Some(s.on))),
    shared::CONTEXT.within(OUTPUT)
        .does(set!(|o, s| o.context.say("both", s.rg_number()?))),
    spec("context-separator", "", "Separator between groups of context lines.").within(OUTPUT).takes("SEPARATOR").no("no-context-separator")
        .more("Escapes such as \\t and \\x7F are recognized. Default: `--`.")
        .does(set!(|o, s| o.context_separator = Some(if s.on { Some(s.separator()?) } else { None }))),
    shared::COUNT_LINES.within(MODES)
        .more("Files without matches are omitted, unless --include-zero is given. With --only-matching it counts matches.")
        .does(|o, _| find(o, Find::Count)),
    spec("count-matches", "", "Print the number of matches of each file.").within(MODES)
        .does(|o, _| find(o, Find::CountMatches)),
    spec("crlf", "", "Accept \\r\\n as a line end.").within(SEARCH).no("no-crlf")
        .more("`$` then matches before \\r\\n too.")
        .does(set!(|o, s| { o.crlf = s.on; o.null_data &= !s.on })),
    spec("debug", "", "Log what is done and why files are skipped.").within(LOGS)
        .does(set!(|o| o.logging = Some(Logging::Debug))),
    spec("dfa-size-limit", "", "Memory limit for the regex engine's tables.").within(SEARCH).takes("NUM+SUFFIX?")
        .more("Suffixes: K, M, G. Default: 1000M. If the tables don't fit, a slower search is used.")
        .does(set!(|o, s| o.dfa_size_limit = Some(s.rg_memory()?))),
    spec("encoding", "E", "Text encoding of the files.").within(SEARCH).takes("ENCODING").one_of(ENCODINGS).no("no-encoding")
        .more("A label of the WHATWG Encoding Standard; `auto` goes by byte order marks, `none` takes the bytes as they are. Default: auto.")
        .does(|o, s| encoding(o, &s)),
    spec("engine", "", "Regex engine: default, pcre2, auto.").within(SEARCH).takes("ENGINE").one_of(&["default", "pcre2", "auto"])
        .more("`default` takes time linear in the text, whatever the pattern; `pcre2` has look-around and back-references; `auto` uses PCRE2 for the patterns that the default engine rejects.")
        .does(|o, s| engine(o, &s)),
    spec("field-context-separator", "", "Separator between the fields of a context line.").within(OUTPUT).takes("SEPARATOR")
        .does(set!(|o, s| o.field_context_separator = Some(s.separator()?))),
    spec("field-match-separator", "", "Separator between the fields of a matching line.").within(OUTPUT).takes("SEPARATOR")
        .does(set!(|o, s| o.field_match_separator = Some(s.separator()?))),
    spec("files", "", "Print the paths that would be searched.").within(OTHER)
        .does(set!(|o| o.mode = Mode::Files)),
    shared::FILES_WITH_MATCHES.within(MODES)
        .does(|o, _| find(o, Find::FilesWith)),
    spec("files-without-match", "", "Print the paths of files without a match.").within(MODES)
        .does(|o, _| find(o, Find::FilesWithout)),
    spec("fixed-strings", "F", "Treat patterns as plain text.").within(SEARCH).no("no-fixed-strings")
        .sets(|o| &mut o.fixed_strings),
    spec("follow", "L", "Follow symbolic links.").within(FILTER).no("no-follow")
        .sets(|o| &mut o.follow),
    spec("generate", "", "Print a man page or shell completions.").within(OTHER).takes("KIND").one_of(&["man", "complete-bash", "complete-zsh", "complete-fish", "complete-powershell"])
        .more("man, complete-bash, complete-zsh, complete-fish, complete-powershell.")
        .does(set!(|o, s| o.mode = Mode::Generate(s.rg_choice(SCRIPTS)?))),
    spec("glob", "g", "Search only paths that GLOB matches; with ! in front, skip them.").within(FILTER).takes("GLOB")
        .more("Overrides every ignore file. If several match, the last one applies.")
        .does(set!(|o, s| o.globs.push(s.rg_string()?))),
    spec("glob-case-insensitive", "", "Ignore case in every --glob.").within(FILTER).no("no-glob-case-insensitive")
        .sets(|o| &mut o.glob_case_insensitive),
    shared::HEADING.within(OUTPUT)
        .does(set!(|o, s| o.heading = Some(s.on))),
    shared::HELP.within(OUTPUT)
        .more("Print help: -h one line per flag, --help everything.")
        .does(set!(|o, s| o.special = Some(if s.is_short() { Special::HelpShort } else { Special::HelpLong }))),
    spec("hidden", ".", "Search hidden files and folders too.").within(FILTER).no("no-hidden")
        .more("Hidden names begin with a dot.")
        .sets(|o| &mut o.hidden),
    spec("hostname-bin", "", "Run a program to get this host's name.").within(OUTPUT).takes("COMMAND")
        .more("For --hyperlink-format.")
        .does(set!(|o, s| o.hostname_bin = s.command())),
    spec("hyperlink-format", "", "Print paths as links that a terminal can open.").within(OUTPUT).takes("FORMAT").one_of(&["default", "none", "cursor", "file", "grep+", "kitty", "macvim", "textmate", "vscode", "vscode-insiders", "vscodium"])
        .more("A name such as default, file, vscode, kitty, none; or a URL with {path}, {line}, {column}, {host}, {wslprefix}.")
        .does(set!(|o, s| o.hyperlink_format = s.rg_text()?.parse().context("invalid hyperlink format")?)),
    spec("iglob", "", "Like --glob, ignoring case.").within(FILTER).takes("GLOB")
        .does(set!(|o, s| o.iglobs.push(s.rg_string()?))),
    shared::IGNORE_CASE.within(SEARCH)
        .does(set!(|o| o.case = Case::Insensitive)),
    spec("ignore-file", "", "Respect this ignore file too. May be repeated.").within(FILTER).takes("PATH")
        .more("Its globs are relative to the current folder. Every other ignore file overrides it.")
        .does(set!(|o, s| o.ignore_files.push(s.path()))),
    spec("ignore-file-case-insensitive", "", "Ignore case in ignore files.").within(FILTER).no("no-ignore-file-case-insensitive")
        .sets(|o| &mut o.ignore_file_case_insensitive),
    spec("include-zero", "", "Also print counts of zero.").within(OUTPUT).no("no-include-zero")
        .sets(|o| &mut o.include_zero),
    spec("invert-match", "v", "Select the lines that don't match.").within(SEARCH).no("no-invert-match")
        .sets(|o| &mut o.invert_match),
    shared::JSON.within(MODES).no("no-json")
        .more("Objects have a type (begin, match, context, end, summary) and data. Text that isn't UTF-8 is base64 under `bytes`.")
        .does(|o, s| {
            if s.on {
                return find(o, Find::Json);
            }
            if o.mode == Mode::Search(Find::Json) {
                o.mode = Mode::default();
            }
            Ok(())
        }),
    spec("line-buffered", "", "Flush output after each line, even to a pipe.").within(OUTPUT).no("no-line-buffered")
        .does(set!(|o, s| o.buffering = if s.on { Buffering::Line } else { Buffering::Auto })),
    spec("line-number", "n", "Print line numbers.").within(OUTPUT)
        .more("Default: on for a terminal.")
        .does(set!(|o| o.line_number = Some(true))),
    spec("no-line-number", "N", "Print no line numbers.").within(OUTPUT)
        .does(set!(|o| o.line_number = Some(false))),
    spec("line-regexp", "x", "Match only whole lines.").within(SEARCH)
        .does(set!(|o| o.boundary = Some(Boundary::Line))),
    spec("max-columns", "M", "Omit lines longer than NUM bytes.").within(OUTPUT).takes("NUM")
        .more("0 is no limit. Default: 0.")
        .does(set!(|o, s| o.max_columns = Some(s.rg_number()?).filter(|max| *max != 0))),
    spec("max-columns-preview", "", "Print the beginning of lines that are too long.").within(OUTPUT).no("no-max-columns-preview")
        .sets(|o| &mut o.max_columns_preview),
    spec("max-count", "m", "Print at most NUM matching lines per file.").within(SEARCH).takes("NUM")
        .more("With 0 nothing is searched. Default: no limit.")
        .does(set!(|o, s| o.max_count = Some(s.rg_number()?))),
    spec("max-depth", "d", "Descend at most NUM folders.").within(FILTER).takes("NUM").aka("maxdepth")
        .more("0 searches the given paths only. Default: no limit.")
        .does(set!(|o, s| o.max_depth = Some(s.rg_number()?))),
    spec("max-filesize", "", "Skip files larger than NUM bytes.").within(FILTER).takes("NUM+SUFFIX?")
        .more("Suffixes: K, M, G. Default: no limit.")
        .does(set!(|o, s| o.max_filesize = Some(s.rg_size()?))),
    spec("mmap", "", "Memory-map files where possible.").within(SEARCH).no("no-mmap")
        .more("Default: only if few files are given by name. A file that shrinks meanwhile ends the program.")
        .does(set!(|o, s| o.mapping = if s.on { Mapping::Always } else { Mapping::Never })),
    spec("multiline", "U", "Allow matches to span several lines.").within(SEARCH).no("no-multiline")
        .does(set!(|o, s| { o.multiline = s.on; o.stop_on_nonmatch &= !s.on })),
    spec("multiline-dotall", "", "With --multiline, let a dot match line ends too.").within(SEARCH).no("no-multiline-dotall")
        .sets(|o| &mut o.multiline_dotall),
    spec("no-config", "", "Don't read the configuration file.").within(OTHER)
        .more("That is the file in $MANICULE_CONFIG_PATH, or in $RIPGREP_CONFIG_PATH when the program is called as rg: one flag or value per line; lines that begin with # are ignored. Its flags come before those of the command line, which take precedence.")
        .sets(|o| &mut o.no_config),
    spec("no-ignore", "", "Don't respect ignore files.").within(FILTER).no("ignore")
        .more("That is --no-ignore-dot, -exclude, -global, -parent and -vcs together.")
        .does(set!(|o, s| no_ignore(o, s.on))),
    spec("no-ignore-dot", "", "Don't respect .ignore and .rgignore.").within(FILTER).no("ignore-dot")
        .sets(|o| &mut o.no_ignore_dot),
    spec("no-ignore-exclude", "", "Don't respect .git/info/exclude.").within(FILTER).no("ignore-exclude")
        .sets(|o| &mut o.no_ignore_exclude),
    spec("no-ignore-files", "", "Don't respect --ignore-file.").within(FILTER).no("ignore-files")
        .sets(|o| &mut o.no_ignore_files),
    spec("no-ignore-global", "", "Don't respect git's global ignore file.").within(FILTER).no("ignore-global")
        .sets(|o| &mut o.no_ignore_global),
    spec("no-ignore-messages", "", "Suppress errors in ignore files.").within(LOGS).no("ignore-messages")
        .sets(|o| &mut o.no_ignore_messages),
    spec("no-ignore-parent", "", "Don't respect ignore files of parent folders.").within(FILTER).no("ignore-parent")
        .sets(|o| &mut o.no_ignore_parent),
    spec("no-ignore-vcs", "", "Don't respect git's ignore files.").within(FILTER).no("ignore-vcs")
        .sets(|o| &mut o.no_ignore_vcs),
    spec("no-messages", "", "Suppress errors about files that can't be read.").within(LOGS).no("messages")
        .more("The exit code is still 2.")
        .sets(|o| &mut o.no_messages),
    spec("no-require-git", "", "Respect .gitignore outside of repositories too.").within(FILTER).no("require-git")
        .sets(|o| &mut o.no_require_git),
    spec("no-unicode", "", "Match patterns against bytes, not Unicode.").within(SEARCH).no("unicode")
        .sets(|o| &mut o.no_unicode),
    shared::NULL.within(OUTPUT)
        .sets(|o| &mut o.null),
    spec("null-data", "", "Use NUL bytes as line ends.").within(SEARCH)
        .does(set!(|o| { o.crlf = false; o.null_data = true })),
    spec("one-file-system", "", "Stay on the file system of each given path.").within(FILTER).no("no-one-file-system")
        .sets(|o| &mut o.one_file_system),
    spec("only-matching", "o", "Print only the matching parts.").within(OUTPUT)
        .sets(|o| &mut o.only_matching),
    spec("path-separator", "", "Use this byte as the path separator.").within(OUTPUT).takes("SEPARATOR")
        .does(|o, s| path_separator(o, &s)),
    spec("passthru", "", "Print every line, with matches marked.").within(OUTPUT).aka("passthrough")
        .does(set!(|o| o.context = Context::Passthru)),
    spec("pcre2", "P", "Use PCRE2: look-around, back-references.").within(SEARCH).no("no-pcre2")
        .more("Like --engine pcre2. Slower, and a few patterns take so long on some lines that it gives up with an error. An index doesn't exclude any file for it. Fails in a build without the feature `pcre2`.")
        .does(set!(|o, s| o.engine = if s.on { Engine::Pcre2 } else { Engine::Rust })),
    spec("pcre2-version", "", "Print the version of PCRE2.").within(OTHER)
        .does(set!(|o| o.special = Some(Special::Pcre2Version))),
    spec("pre", "", "Search the output of COMMAND PATH.").within(INPUT).takes("COMMAND").no("no-pre")
        .more("The file is also on its standard input.")
        .does(set!(|o, s| { o.pre = s.command(); o.search_zip &= o.pre.is_none() })),
    spec("pre-glob", "", "Use --pre for these paths only.").within(INPUT).takes("GLOB")
        .does(set!(|o, s| o.pre_globs.push(s.rg_string()?))),
    spec("pretty", "p", "Print colors, headings and line numbers.").within(OUTPUT)
        .does(set!(|o| { o.color = Color::Always; o.heading = Some(true); o.line_number = Some(true) })),
    shared::QUIET.within(OUTPUT)
        .more("The search stops at the first match.")
        .sets(|o| &mut o.quiet),
    spec("regex-size-limit", "", "Memory limit for the compiled pattern.").within(SEARCH).takes("NUM+SUFFIX?")
        .more("Suffixes: K, M, G. Default: 100M. Only for the default engine.")
        .does(set!(|o, s| o.regex_size_limit = Some(s.rg_memory()?))),
    spec("replace", "r", "Replace each match in the output with this text.").within(OUTPUT).takes("REPLACEMENT")
        .more("$1 and $name are groups, $0 is the match, $$ a dollar. Files are never changed.")
        .does(set!(|o, s| o.replace = Some(s.rg_string()?))),
    spec("search-zip", "z", "Search compressed files.").within(INPUT).no("no-search-zip")
        .more("gzip, bzip2, xz, LZ4, LZMA, brotli and zstd, through their programs.")
        .does(set!(|o, s| { o.search_zip = s.on; if s.on { o.pre = None } })),
    spec("smart-case", "S", "Match case-sensitively if the pattern has an uppercase letter.").within(SEARCH)
        .does(set!(|o| o.case = Case::Smart)),
    spec("sort", "", "Sort ascending by: none, path, modified, accessed, created.").within(OUTPUT).takes("SORTBY").one_of(&["none", "path", "modified", "accessed", "created"])
        .more("Default: none. Uses one thread.")
        .does(|o, s| sort(o, &s, false)),
    spec("sortr", "", "Like --sort, descending.").within(OUTPUT).takes("SORTBY").one_of(&["none", "path", "modified", "accessed", "created"])
        .does(|o, s| sort(o, &s, true)),
    spec("stats", "", "Print statistics of the search.").within(LOGS).no("no-stats")
        .sets(|o| &mut o.stats),
    spec("stop-on-nonmatch", "", "Stop searching a file at a non-matching line after a match.").within(SEARCH)
        .does(set!(|o| { o.stop_on_nonmatch = true; o.multiline = false })),
    spec("text", "a", "Search binary files as text.").within(SEARCH).no("no-text")
        .does(set!(|o, s| o.binary = if s.on { Binary::Text } else { Binary::Skip })),
    shared::THREADS.within(SEARCH)
        .more("Default: 0, the number of cores, at most 12; one for a single file, and for --sort.")
        .does(set!(|o, s| o.threads = Some(s.rg_number()?).filter(|threads| *threads != 0))),
    spec("trace", "", "Log even more than --debug.").within(LOGS)
        .does(set!(|o| o.logging = Some(Logging::Trace))),
    spec("trim", "", "Print lines without leading white space.").within(OUTPUT).no("no-trim")
        .sets(|o| &mut o.text_trim),
    spec("type", "t", "Search only files of this type.").within(FILTER).takes("TYPE").types()
        .more("--type-list shows the types; `all` is any file that has a type.")
        .does(set!(|o, s| o.type_changes.push(TypeChange::Select(s.rg_string()?)))),
    spec("type-not", "T", "Skip files of this type.").within(FILTER).takes("TYPE").types()
        .does(set!(|o, s| o.type_changes.push(TypeChange::Negate(s.rg_string()?)))),
    spec("type-add", "", "Add a glob to a type: name:glob.").within(FILTER).takes("TYPESPEC")
        .more("name:include:other,another includes the globs of other types. Applies to this call only.")
        .does(set!(|o, s| o.type_changes.push(TypeChange::Add(s.rg_string()?)))),
    spec("type-clear", "", "Remove all globs from a type.").within(FILTER).takes("TYPE").types()
        .does(set!(|o, s| o.type_changes.push(TypeChange::Clear(s.rg_string()?)))),
    spec("type-list", "", "Print the file types and their globs.").within(OTHER)
        .does(set!(|o| o.mode = Mode::Types)),
    spec("unrestricted", "u", "Search more: -u ignored files, -uu hidden, -uuu binary.").within(FILTER)
        .more("-u is --no-ignore, -uu is --no-ignore --hidden, -uuu is --no-ignore --hidden --binary.")
        .does(|o, _| unrestricted(o)),
    shared::VERSION.within(OTHER)
        .does(set!(|o, s| o.special = Some(if s.is_short() { Special::VersionShort } else { Special::VersionLong }))),
    spec("vimgrep", "", "Print each match on its own line, with line and column.").within(OUTPUT)
        .sets(|o| &mut o.vimgrep),
    spec("with-filename", "H", "Print the path with each line.").within(OUTPUT)
        .more("Default: on if more than one file is searched.")
        .does(set!(|o| o.with_filename = Some(true))),
    spec("no-filename", "I", "Print no paths.").within(OUTPUT)
        .does(set!(|o| o.with_filename = Some(false))),
    spec("word-regexp", "w", "Match only whole words.").within(SEARCH)
        .does(set!(|o| o.boundary = Some(Boundary::Word))),
    spec("auto-hybrid-regex", "", "(Deprecated) Like --engine auto.").within(SEARCH).no("no-auto-hybrid-regex")
        .does(set!(|o, s| o.engine = if s.on { Engine::Auto } else { Engine::Rust })),
    spec("no-pcre2-unicode", "", "(Deprecated) Like --no-unicode.").within(SEARCH).no("pcre2-unicode")
        .sets(|o| &mut o.no_unicode),
    spec("sort-files", "", "(Deprecated) Like --sort path.").within(OUTPUT).no("no-sort-files")
        .does(set!(|o, s| o.sort = s.on.then_some(Sort { key: SortKey::Path, reverse: false }))),
    spec("budget", "", "Stop after this many bytes of output, at a line end.").within(OWN).takes("BYTES")
        .more("For consumers billed by size. Truncation is reported on standard error, and with --json as an object of type budget, which does not count. The exit code is that of the matches found; a program checks for the object, or with --receipt for budget_cut.")
        .does(set!(|o, s| o.budget = Some(s.rg_size()?))),
    shared::RECEIPT.within(OWN)
        .sets(|o| &mut o.receipt),
    spec("max-age", "", "Skip the freshness check for folders checked in the last SECONDS seconds.").within(OWN).takes("SECONDS")
        .more("Every call checks which files have not changed since they were indexed, which takes most of its time. A program that searches often can skip that for a while, and may miss changes made meanwhile. Default: 0, which always checks.")
        .does(set!(|o, s| o.max_age_seconds = Some(s.rg_number()?))),
    spec("no-index", "", "Neither use nor write an index.").within(OWN)
        .more("All files are read, as by ripgrep. For one call; $MANICULE_NO_INDEX does it for all. Needed if a program writes through a shared memory mapping, which updates a file's times late.")
        .sets(|o| &mut o.no_index),
];
