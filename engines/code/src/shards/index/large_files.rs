//! Files that are stored however large they are. The globs are those of doublestar 4.10, which the
//! peer uses.
//!
//! Bytes:   docs/formats/zoekt.md, "From a folder to documents"

use manicule_format_zoekt::first_rune;

/// Whether the limits of size and of trigrams count for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// They do.
    Plain,
    /// They don't: somebody named it as a large file.
    Large,
}

/// Globs of large files, in the order given.
#[derive(Clone, Debug, Default)]
pub struct LargeFiles {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    /// As it was given.
    written: String,
    glob: Vec<u8>,
    allowance: Allowance,
}

/// Maximum number of braces of a glob: each is followed by a call within that of the one before it.
const BRACES_MAX: usize = 100;

impl Rule {
    fn fault(&self) -> Option<String> {
        let braces = memchr::memchr_iter(b'{', &self.glob).count();
        if braces > BRACES_MAX {
            return Some(format!("it has {braces} braces, and {BRACES_MAX} are the most"));
        }
        let is_followed = is_well_formed(&self.glob);
        (!is_followed).then(|| "it has a [ or a brace that isn't closed, or ends in \\".to_owned())
    }
}

impl LargeFiles {
    /// Globs as given on a command line: white space around them is cut, `!` in front takes back
    /// what earlier ones allowed. A glob that nobody can follow matches nothing, as in the peer.
    /// `\!` is a plain `!`.
    pub fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> LargeFiles {
        let rule = |written: &str| {
            let glob = written.trim();
            let (glob, allowance) = match glob.strip_prefix('!') {
                Some(glob) => (glob, Allowance::Plain),
                None => (glob, Allowance::Large),
            };
            Rule { written: written.to_owned(), glob: glob.as_bytes().to_vec(), allowance }
        };
        LargeFiles { rules: globs.into_iter().map(rule).collect() }
    }

    /// The globs that nobody can follow, as they were given, each with what is wrong with it.
    pub fn faults(&self) -> impl Iterator<Item = (&str, String)> {
        self.rules.iter().filter_map(|rule| Some((rule.written.as_str(), rule.fault()?)))
    }

    /// Allowance of the last glob that matches.
    pub fn allowance(&self, name: &[u8]) -> Allowance {
        let rule = self.rules.iter().rev().find(|rule| matches(&rule.glob, name));
        rule.map_or(Allowance::Plain, |rule| rule.allowance)
    }
}

/// Result of a match. A glob that turns out bad ends the whole match, also where another choice of
/// its braces fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    Bad,
}

fn matches(glob: &[u8], name: &[u8]) -> bool {
    let braces = memchr::memchr_iter(b'{', glob).take(BRACES_MAX + 1).count();
    braces <= BRACES_MAX && follow(glob, name, Stand::default()) == Verdict::Yes
}

/// Backtracking point of a star: the glob after it, and how far it reaches in the name.
#[derive(Clone, Copy, Debug)]
struct Star {
    glob_at: usize,
    name_at: usize,
}

/// State of a match: its place, and where it may go on when it fails.
#[derive(Clone, Copy, Debug, Default)]
struct Stand {
    glob_at: usize,
    name_at: usize,
    star: Option<Star>,
    double_star: Option<Star>,
}

/// Result of the glob for the name at one place.
enum Step {
    /// Both went on; the next character begins a name within the path, or not.
    On { at_segment: bool },
    /// It doesn't match here.
    Fail,
    /// The match is decided.
    Done(Verdict),
}

fn follow(glob: &[u8], name: &[u8], stand: Stand) -> Verdict {
    let mut stand = stand;
    let mut at_segment = true;
    while stand.name_at < name.len() {
        let step = match glob.get(stand.glob_at) {
            Some(b'*') => star(glob, &mut stand, at_segment),
            Some(b'?') => any_one(name, &mut stand),
            Some(b'[') => class(glob, name, &mut stand),
            Some(b'{') => Step::Done(braces(glob, name, &stand)),
            Some(_) => plain(glob, name, &mut stand),
            None => Step::Fail,
        };
        match step {
            Step::On { at_segment: at } => at_segment = at,
            Step::Done(verdict) => return verdict,
            Step::Fail => match back(name, &mut stand) {
                Some(at) => at_segment = at,
                None if is_well_formed(&glob[stand.glob_at.min(glob.len())..]) => {
                    return Verdict::No;
                }
                None => return Verdict::Bad,
            },
        }
    }
    empty(&glob[stand.glob_at.min(glob.len())..])
}

/// `*`, or `**` where it stands for whole names: at the beginning of one, with `/` or nothing after
/// it.
fn star(glob: &[u8], stand: &mut Stand, at_segment: bool) -> Step {
    stand.glob_at += 1;
    if glob.get(stand.glob_at) == Some(&b'*') {
        stand.glob_at += 1;
        if at_segment {
            match glob.get(stand.glob_at) {
                None => return Step::Done(Verdict::Yes),
                Some(b'/') => {
                    stand.glob_at += 1;
                    let (glob_at, name_at) = (stand.glob_at, stand.name_at);
                    stand.double_star = Some(Star { glob_at, name_at });
                    stand.star = None;
                    return Step::On { at_segment: true };
                }
                Some(_) => {}
            }
        }
    }
    stand.star = Some(Star { glob_at: stand.glob_at, name_at: stand.name_at });
    Step::On { at_segment: false }
}

fn any_one(name: &[u8], stand: &mut Stand) -> Step {
    let (rune, len) = rune(&name[stand.name_at..]);
    if rune == SLASH {
        return Step::Fail;
    }
    stand.glob_at += 1;
    stand.name_at += len;
    Step::On { at_segment: false }
}

fn plain(glob: &[u8], name: &[u8], stand: &mut Stand) -> Step {
    let escaped = glob[stand.glob_at] == b'\\';
    let at = stand.glob_at + usize::from(escaped);
    if at >= glob.len() {
        return Step::Done(Verdict::Bad);
    }
    let (wanted, wanted_len) = rune(&glob[at..]);
    let (got, got_len) = rune(&name[stand.name_at..]);
    if wanted != got {
        // What is left of the glob begins with the backslash before the character, also with an
        // escaped one.
        stand.glob_at = if at > 0 && glob[at - 1] == b'\\' { at - 1 } else { at };
        return Step::Fail;
    }
    stand.glob_at = at + wanted_len;
    stand.name_at += got_len;
    Step::On { at_segment: wanted == SLASH }
}

/// `[xyz]`, `[a-z]`, with `!` or `^` in front for all others. `/` is a character like any here.
fn class(glob: &[u8], name: &[u8], stand: &mut Stand) -> Step {
    let mut at = stand.glob_at + 1;
    let negated = matches!(glob.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    if matches!(glob.get(at), None | Some(b']')) {
        return Step::Done(Verdict::Bad);
    }
    let (got, got_len) = rune(&name[stand.name_at..]);
    let found = class_holds(glob, &mut at, got);
    stand.glob_at = at;
    if found == negated {
        return if at >= glob.len() { Step::Done(Verdict::Bad) } else { Step::Fail };
    }
    let Some(end) = class_end(&glob[at.min(glob.len())..]) else {
        return Step::Done(Verdict::Bad);
    };
    stand.glob_at = at + end + 1;
    stand.name_at += got_len;
    Step::On { at_segment: false }
}

/// Looks for `got` in a class, from `at` on; leaves `at` after the member that holds it, or at the
/// end of the class.
fn class_holds(glob: &[u8], at: &mut usize, got: u32) -> bool {
    let take = |at: &mut usize| {
        let (rune, len) = rune(glob.get(*at..).unwrap_or_default());
        *at += len;
        rune
    };
    let mut low = None;
    while *at < glob.len() && glob[*at] != b']' {
        let mut member = take(at);
        if let Some(first) = low
            && member == u32::from(b'-')
            && *at < glob.len()
            && glob[*at] != b']'
        {
            *at += usize::from(glob[*at] == b'\\');
            if (first..=take(at)).contains(&got) {
                return true;
            }
            low = None;
            continue;
        }
        if member == u32::from(b'\\') {
            member = take(at);
        }
        if member == got {
            return true;
        }
        low = (member < u32::from(char::MAX)).then_some(member);
    }
    false
}

/// Each choice of the braces in turn, as if it stood there alone.
fn braces(glob: &[u8], name: &[u8], stand: &Stand) -> Verdict {
    choose(glob, stand.glob_at, |glob| follow(glob, name, *stand))
}

/// Asks `judge` about the glob with each choice of the braces that open at `open`, until one is not
/// `No`.
fn choose(glob: &[u8], open: usize, judge: impl Fn(&[u8]) -> Verdict) -> Verdict {
    let Some(close) = brace_end(&glob[open + 1..]) else { return Verdict::Bad };
    let close = open + 1 + close;
    let mut at = open + 1;
    loop {
        let comma = next_comma(&glob[at..close]).map(|comma| at + comma);
        let choice = &glob[at..comma.unwrap_or(close)];
        let verdict = judge(&[&glob[..open], choice, &glob[close + 1..]].concat());
        match comma {
            Some(comma) if verdict == Verdict::No => at = comma + 1,
            _ => return verdict,
        }
    }
}

/// Goes back to the last star and lets it take one more: a character, or for `**` a whole name.
/// Says whether a name begins there, or `None` if no star is left.
fn back(name: &[u8], stand: &mut Stand) -> Option<bool> {
    if let Some(star) = &mut stand.star {
        let (rune, len) = rune(&name[star.name_at..]);
        if rune != SLASH {
            star.name_at += len;
            (stand.glob_at, stand.name_at) = (star.glob_at, star.name_at);
            return Some(false);
        }
    }
    let star = stand.double_star.as_mut()?;
    let slash = memchr::memchr(b'/', &name[star.name_at..])?;
    star.name_at += slash + 1;
    (stand.glob_at, stand.name_at) = (star.glob_at, star.name_at);
    Some(true)
}

/// Whether what is left of a glob matches nothing at all: a star, or `**` with or without slashes.
fn empty(glob: &[u8]) -> Verdict {
    match glob {
        b"" | b"*" | b"**" | b"/**" | b"**/" | b"/**/" => Verdict::Yes,
        [b'{', ..] => choose(glob, 0, empty),
        _ if is_well_formed(glob) => Verdict::No,
        _ => Verdict::Bad,
    }
}

/// Whether classes and braces are closed and nothing ends with a backslash.
fn is_well_formed(glob: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = glob.get(at) {
        at += 1;
        match byte {
            b'\\' if at >= glob.len() => return false,
            b'\\' => at += 1,
            b'[' => {
                at += usize::from(matches!(glob.get(at), Some(b'!' | b'^')));
                let rest = glob.get(at..).unwrap_or_default();
                match class_end(rest) {
                    None | Some(0) => return false,
                    Some(end) => at += end + 1,
                }
            }
            b'{' => depth += 1,
            b'}' if depth == 0 => return false,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Offset of the first `]` that no backslash precedes.
fn class_end(glob: &[u8]) -> Option<usize> {
    unescaped(glob).find(|&(_, byte)| byte == b']').map(|(at, _)| at)
}

/// End of the brace whose inside begins here.
fn brace_end(glob: &[u8]) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, byte) in unescaped(glob) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Start of the next choice, that is the comma before it, braces within being passed over.
fn next_comma(glob: &[u8]) -> Option<usize> {
    let mut depth = 0_isize;
    for (at, byte) in unescaped(glob) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The bytes that are neither a backslash nor after one, with their places.
fn unescaped(glob: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while glob.get(at) == Some(&b'\\') {
            at += 2;
        }
        let &byte = glob.get(at)?;
        at += 1;
        Some((at - 1, byte))
    })
}

const SLASH: u32 = b'/' as u32;

/// The first character, with its bytes; of nothing it is U+FFFD without any.
fn rune(bytes: &[u8]) -> (u32, usize) {
    first_rune(bytes).unwrap_or((char::REPLACEMENT_CHARACTER.into(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `glob` matches of `names` those followed by a `!`.
    fn check(glob: &str, names: &str) {
        for name in names.split(' ') {
            let (name, want) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
            assert_eq!(matches(glob.as_bytes(), name.as_bytes()), want, "{glob:?} {name:?}");
        }
    }

    #[test]
    fn stars_stop_at_slashes() {
        check("*.go", "a.go! .go! b/a.go");
        check("a/*/b", "a/c/b! a//b! a/c/d/b a/b");
        check("a*b*c", "abc! axbybc! a/bc abcd");
        check("?", "a! é! / ab");
    }

    #[test]
    fn double_stars_are_whole_names() {
        check("**", "a! a/b!");
        check("**/a", "a! b/a! c/b/a! ba");
        check("a/**", "a! a/b! a/b/c! ab");
        check("a/**/b", "a/b! a/c/b! a/c/d/b! ab");
        check("a/**/", "a! a/b/! a/b");
        check("a**", "ab! a/b");
        check("**.go", "a.go! b/a.go");
    }

    #[test]
    fn classes() {
        check("[ab]", "a! b! c");
        check("[!ab]", "a c! /!");
        check("[^ab]", "a c!");
        check("[a-c]", "b! d -");
        check("[a-]", "a! -! b");
        check("[\\]]", "]! a");
        check("[]a]", "] a");
        check("[a", "a");
    }

    #[test]
    fn choices() {
        check("{a,b}.go", "a.go! b.go! c.go");
        check("a{,b}", "a! ab! b");
        check("{a,{b,c}d}", "a! bd! cd! d");
        check("{a,**/b}", "a! b! c/b!");
        check("a*{,b}", "ab! a");
        check("{a,b", "a b");
        check("{[,a}", "a");
        check("{a,[}", "a! b");
    }

    #[test]
    fn a_backslash_takes_meaning_away() {
        check("\\*", "*! a");
        check("a\\", "a a\\");
        check("\\{a,b\\}", "{a,b}! a");
    }

    #[test]
    fn nothing_matches_nothing() {
        check("", "a");
        check("a", "b ab");
    }

    fn check_last(globs: &[&str], name: &str, want: Allowance) {
        assert_eq!(LargeFiles::new(globs.iter().copied()).allowance(name.as_bytes()), want);
    }

    #[test]
    fn the_last_that_matches_decides() {
        check_last(&[], "a.bin", Allowance::Plain);
        check_last(&[" *.bin "], "a.bin", Allowance::Large);
        check_last(&["*.bin", "!a*"], "a.bin", Allowance::Plain);
        check_last(&["*.bin", "!a*"], "b.bin", Allowance::Large);
        check_last(&["!a*", "*.bin"], "a.bin", Allowance::Large);
    }

    #[test]
    fn globs_that_nobody_can_follow_are_told() {
        let faults = |glob: &str| LargeFiles::new([glob]).faults().count();
        for right in ["*.go", "{a,b}", "a\\[", "!x", "\\{a"] {
            assert_eq!(faults(right), 0, "{right}");
        }
        for wrong in ["[", "![", "{a", "a}", "a\\", "[]a]"] {
            assert_eq!(faults(wrong), 1, "{wrong}");
        }
    }

    #[test]
    fn braces_have_a_limit() {
        let nested = |count: usize| format!("{}a{}", "{".repeat(count), "}".repeat(count));
        check(&nested(BRACES_MAX), "a!");
        for many in [nested(101), nested(32_000), "{a}".repeat(20_000), "{}".repeat(101) + "a"] {
            check(&many, "a");
            let files = LargeFiles::new([many.as_str()]);
            let (written, fault) = files.faults().next().expect("a fault");
            assert!(written == many && fault.ends_with("100 are the most"), "{fault}");
        }
    }

    #[test]
    fn a_file_may_begin_with_an_exclamation_mark() {
        check_last(&["\\!a"], "!a", Allowance::Large);
        check_last(&["**", "!!a"], "!a", Allowance::Plain);
    }
}
