//! Tables of needs, and the property that carries everything: what matches has what is needed.

use super::*;

fn show(patterns: &[&str], dialect: &Dialect) -> String {
    match need(patterns, dialect, &Limits::USUAL) {
        Ok(need) => need.to_string(),
        Err(_) => "error".to_string(),
    }
}

#[track_caller]
fn check(pattern: &str, expected: &str) {
    assert_eq!(show(&[pattern], &Dialect::RIPGREP), expected, "{pattern}");
}

#[track_caller]
fn check_dialect(patterns: &[&str], dialect: Dialect, expected: &str) {
    assert_eq!(show(patterns, &dialect), expected, "{patterns:?} {dialect:?}");
}

const FIXED: Dialect = Dialect { syntax: Syntax::Fixed, ..Dialect::RIPGREP };
const INSENSITIVE: Dialect = Dialect { case: Case::Insensitive, ..Dialect::RIPGREP };
const SMART: Dialect = Dialect { case: Case::Smart, ..Dialect::RIPGREP };
const BYTES: Dialect = Dialect { unicode: false, ..Dialect::RIPGREP };

#[test]
fn a_literal_needs_itself() {
    check("DeepCopyInto", r#""DeepCopyInto""#);
    check("größe", r#""größe""#);
    check(r"a\.b\tc", r#""a.b\tc""#);
}

#[test]
fn what_looks_around_takes_no_byte() {
    check(r"^\bPod\b$", r#""Pod""#);
    check(r"a\bb", r#""ab""#);
    check("^", "anything");
}

#[test]
fn what_may_be_missing_is_not_needed() {
    check("", "anything");
    check(".*", "anything");
    check("ab*c", r#""a" & "c""#);
    check("x*|abc", "anything");
    check("(abc)?d", r#""d""#);
    check("ab?c", r#""ac" | "abc""#);
    check("a{0}b", r#""b""#);
}

#[test]
fn a_gap_parts_what_is_around_it() {
    check(r"func.*Informer\(", r#""func" & "Informer(""#);
    check("foo.bar", r#""foo" & "bar""#);
    check("foo[^x]+bar", r#""foo" & "bar""#);
}

#[test]
fn repetition_gives_its_least_to_both_sides() {
    check("ab+c", r#""ab" & "bc""#);
    check("ab{2,}c", r#""abb" & "bbc""#);
    check("a(bc){3}d", r#""abcbcbcd""#);
    check("x(ab|c)+y", r#"("xab" | "xc") & ("aby" | "cy")"#);
    check("(ab+c)+d", r#""ab" & "bcd""#);
    check("a{1000000}", &format!("{:?}", "a".repeat(1024)));
    check("(?:a{500}){500}b", &format!("\"{}b\"", "a".repeat(1000)));
}

#[test]
fn alternatives_are_joined_with_what_is_around_them() {
    check("(ab|cd)ef", r#""abef" | "cdef""#);
    check("(foo|bar.*baz)!", r#"("foo" | ("bar" & "baz")) & ("foo!" | "baz!")"#);
    check("abc|ab", r#""ab""#);
    check("(ab|cd){2}", r#""abab" | "abcd" | "cdab" | "cdcd""#);
}

#[test]
fn too_many_alternatives_are_blurred() {
    let words = "(aa|bb|cc|dd|ee|ff|gg|hh|ii)";
    let each = |end: &str| {
        let texts: Vec<String> = ('a'..='i').map(|c| format!("{end}\"{c}{c}\"")).collect();
        texts.join(" | ")
    };
    check(&format!("{words}{words}"), &each("[a-i]{2}"));
}

#[test]
fn classes_keep_their_place() {
    check("[0-9]{4}-[0-9]{2}T", r#"[0-9]{4}"-"[0-9]{2}"T""#);
    check("[A-Z_]{3,}x", r#"[A-Z_]{3}"x""#);
    check("a[bc]d", r#""a"[bc]"d""#);
    check("a[[:print:]]b", r#""a" & "b""#);
}

#[test]
fn characters_of_one_length_have_a_set_for_each_byte() {
    check("[éè]a", r#""\xC3"[\xA8\xA9]"a""#);
    check("[一-丏]a", r#""\xE4\xB8"[\x80-\x8F]"a""#);
}

#[test]
fn letters_with_cases_of_several_lengths_are_spelled_while_few() {
    // The last letters are Kelvin's and Ångström's signs.
    check("(?i)ask", "[Aa][Ss][Kk] | [Aa][Ss]\"\u{212A}\" | [Aa]\"ſ\"[Kk] | [Aa]\"ſ\u{212A}\"");
    check("(?i)å", "\"\\xC3\"[\\x85\\xA5] | \"\u{212B}\"");
    check("[aé]", r#""a" | "é""#);
}

#[test]
fn many_of_them_are_blurred() {
    let (pod, andbox) = ("[Pp][Oo][Dd]", "[Aa][Nn][Dd][Bb][Oo][Xx]");
    let status = r"[Ss\xBF][Tt][Aa][Tt][Uu][Ss\xC5]";
    let runs = format!(r"{pod}[Ss\xC5] & [Ss\xBF]{andbox}[Ss\xC5] & {status}");
    check("(?i)podsandboxstatus", &runs);
}

#[test]
fn many_of_them_stay_spelled_where_blurring_would_leave_too_little() {
    let each =
        |end: &str| format!("[Ss]{{2}}{end} | [Ss]\"ſ\"{end} | \"ſ\"[Ss]{end} | \"ſſ\"{end}");
    check("(?i)ss[lq]1", &each("[LQlq]\"1\""));
    let six = r#"[Ss][Qq][Ll] | [Ss]{2}[Ll] | [Ss]"ſ"[Ll] | "ſ"[Qq][Ll] | "ſ"[Ss][Ll] | "ſſ"[Ll]"#;
    check("(?i)(sql|ssl)", six);
}

#[test]
fn characters_of_several_lengths_are_blurred() {
    check(r"v\d", r#""v"[0-9\xC2-\xF4] & [0-9\x80-\xBF]"#);
    let head = r"[0-9\xC2-\xF4][0-9\x80-\xF4]";
    let tail = r"[0-9\x80-\xF4][0-9\x80-\xBF]";
    check(r"-\d\d-", &format!(r#""-"{head} & {tail}"-""#));
    check(r"-\d{2}-", &format!(r#""-"{head} & {tail}"-""#));
    check(r"-\d{2,}-", &format!(r#""-"{head} & {tail}"-""#));
    check(r"\b\w+ing\b", r#"[0-9A-Z_a-z\x80-\xBF]"ing""#);
    check(r"static\s+int", r#""static"[\t-\r \xC2\xE1-\xE3] & [\t-\r \x80-\xBF]"int""#);
    check(r"[а-яa-c]x", r#"[a-c\xD0\xD1] & [a-c\x80-\xBF]"x""#);
}

#[test]
fn bytes_are_read_as_bytes() {
    check(r"(?-u:\xFF\d)a", r#""\xFF"[0-9]"a""#);
    check_dialect(&[r"\d{4}-é"], BYTES, r#"[0-9]{4}"-é""#);
    check_dialect(&["(?i)ask"], BYTES, "[Aa][Ss][Kk]");
}

#[test]
fn a_newline_is_a_byte() {
    check(r"a\nb", r#""a\nb""#);
    check("a(?s:.)b", r#""a" & "b""#);
}

#[test]
fn fixed_strings_are_not_read() {
    check_dialect(&["a.b("], FIXED, r#""a.b(""#);
    let folded = Dialect { case: Case::Insensitive, ..FIXED };
    check_dialect(&["a.b("], folded, r#"[Aa]"."[Bb]"(""#);
}

#[test]
fn smart_case_is_as_the_letters_say() {
    check_dialect(&["a1"], SMART, r#"[Aa]"1""#);
    check_dialect(&["aB"], SMART, r#""aB""#);
    check_dialect(&["a", "B"], SMART, "[Ba]");
    check_dialect(&[r"a\S"], SMART, "[Aa]");
    check_dialect(&[r"a\x41[b-c]"], SMART, r#""aA"[bc]"#);
    check_dialect(&["a[B-C]"], SMART, r#""a"[BC]"#);
    check_dialect(&["ab"], INSENSITIVE, "[Aa][Bb]");
}

#[test]
fn one_of_several_patterns_is_enough() {
    check_dialect(&["abc", "d.e"], Dialect::RIPGREP, r#""abc" | ("d" & "e")"#);
    check_dialect(&["abc", ""], Dialect::RIPGREP, "anything");
    check_dialect(&["abc", "abcd"], FIXED, r#""abc""#);
}

#[test]
fn without_patterns_nothing_matches() {
    for dialect in [Dialect::RIPGREP, FIXED, INSENSITIVE, SMART] {
        check_dialect(&[], dialect, "nothing");
    }
    check(r"[a&&b]", "nothing");
    check(r"x[a&&b]|c", r#""c""#);
}

#[test]
fn patterns_are_joined_as_the_matcher_joins_them() {
    // The comment swallows the second pattern up to its newline.
    check_dialect(&["(?x)a #", "x[\n)|(]"], Dialect::RIPGREP, r#""a" | "]""#);
    check_dialect(&["(?i)a", "b"], Dialect::RIPGREP, r#"[Aa] | "b""#);
}

#[test]
fn errors_are_the_matchers() {
    check("a(", "error");
    check(r"\1", "error");
    check(&"(".repeat(300), "error");
    check_dialect(&[r"\141"], Dialect { octal: true, ..Dialect::RIPGREP }, r#""a""#);
}

#[test]
fn quotes_and_strange_bytes_are_shown_escaped() {
    check(r#""it's" \\"#, r#""\"it's\" \\""#);
    check(r"(?-u)\xC3\xA9\xC3(", "error");
    check(r"(?-u)\xC3\xA9\xC3\x00", r#""é\xC3\0""#);
}

#[test]
fn typical_patterns_are_useful() {
    let patterns = [
        "NewSharedInformerFactoryWithOptions",
        "failed to create",
        r"func.*Informer\(",
        "(ReplicaSet|StatefulSet)Controller",
        r"\bPod\b",
        "return|err",
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T",
        r"\d{4}-\d{2}-\d{2}T",
        "(?i)podsandboxstatus",
        "(?i)todo",
        "type Interface interface",
        "[A-Z_]{30,}",
        r"\b\w+ing\b",
        r"static.*_probe\(struct platform_device",
        "(kzalloc|kvmalloc)_node",
        "struct list_head *next",
        r"if \(unlikely\(",
        r"^\s*#\s*include\s+<linux/",
        r"TODO\(\w+\)",
        r"(?i)(error|warn(ing)?|fatal):",
        r"0x[0-9a-f]{8}",
        r"\b(\d{1,3}\.){3}\d{1,3}\b",
        "[^a]",
    ];
    for pattern in patterns {
        let need = need(&[pattern], &Dialect::RIPGREP, &Limits::USUAL).unwrap();
        println!("{pattern}\n    {need}");
        assert_eq!(need == Need::Anything, pattern == "[^a]", "{pattern}");
    }
}

#[test]
fn literals_are_what_each_match_holds() {
    let all = |pattern: &str| {
        let need = need(&[pattern], &Dialect::RIPGREP, &Limits::USUAL).unwrap();
        let found = literals(&need).into_iter().map(|bytes| String::from_utf8(bytes).unwrap());
        found.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(all("ab.*cde"), "cde ab");
    assert_eq!(all("abc.*b"), "abc");
    assert_eq!(all("foo[0-9]barbaz"), "barbaz foo");
    assert_eq!(all("foo|bar"), "");
    assert_eq!(all("(foo|bar)_x.*_long"), "_long");
}

#[test]
fn huge_patterns_stay_cheap() {
    let words: Vec<String> = (0..30_000).map(|n| format!("word{n}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    check_dialect(&words, Dialect::RIPGREP, "anything");
    let few = need(&words[..1000], &Dialect::RIPGREP, &Limits::USUAL).unwrap();
    assert!(holds(&few, b"a word7 b") && !holds(&few, b"a wor7 b"));
    let chain = "a+(b|cc)(d|ee)?.".repeat(3000);
    assert_ne!(show(&[&chain], &Dialect::RIPGREP), "anything");
    let nested = format!("{}x{}", "(?:a".repeat(60), "b{2,3}|c){3}".repeat(60));
    assert_ne!(show(&[&nested], &Dialect::RIPGREP), "error");
}

#[test]
fn long_literals_keep_their_ends() {
    let long = format!("abc{}xyz", "-".repeat(5000));
    let need = need(&[&long], &FIXED, &Limits::USUAL).unwrap();
    assert!(holds(&need, long.as_bytes()));
    assert!(!holds(&need, &long.as_bytes()[1..]));
    assert!(!holds(&need, &long.as_bytes()[..5000]));
}

/// Small and good enough; the seed says it all.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const ATOMS: &str = r"a b c A s k é ſ \u{212A} 世 ab sk aé . \d \w \s [ab] [^a] [aé] [é世] [a-cſ] [A-Z]
    \b ^ $ (?-u:\xC3) [ak世1] \pL 1";

fn random_pattern(random: &mut SplitMix, depth: usize) -> String {
    let one = |random: &mut SplitMix| random_pattern(random, depth - 1);
    match if depth == 0 { 0 } else { random.below(9) } {
        0 | 1 => random.pick(&ATOMS.split_whitespace().collect::<Vec<_>>()).to_string(),
        2..=4 => one(random) + &one(random),
        5 => one(random) + &one(random) + &one(random),
        6 => format!("(?:{}|{})", one(random), one(random)),
        7 => {
            let times = random.pick(&["*", "+", "?", "{2}", "{2,}", "{1,3}", "{3}", "+?"]);
            format!("(?:{}){times}", one(random))
        }
        _ => {
            let flags = random.pick(&["i", "-i", "s", "u", "is"]);
            format!("(?{flags}:{})", one(random))
        }
    }
}

fn random_text(random: &mut SplitMix) -> Vec<u8> {
    let pieces = [
        "a", "b", "c", "A", "B", "s", "S", "k", "K", "é", "É", "ſ", "\u{212A}", "世", "1", "2",
        "٣", " ", "\n", "ab", "sk",
    ];
    let mut text: Vec<u8> = Vec::new();
    for _ in 0..random.below(24) {
        text.extend(random.pick(&pieces).bytes());
        if random.below(24) == 0 {
            text.push(0xC3);
        }
    }
    text
}

fn random_dialect(random: &mut SplitMix) -> Dialect {
    Dialect {
        case: [Case::Sensitive, Case::Sensitive, Case::Insensitive][random.below(3)],
        unicode: random.below(4) > 0,
        crlf: random.below(4) == 0,
        ..Dialect::RIPGREP
    }
}

fn random_limits(random: &mut SplitMix) -> Limits {
    if random.below(2) == 0 {
        return Limits::USUAL;
    }
    Limits {
        alternatives_max: 1 + random.below(8),
        alternative_sets_max: 1 + random.below(40),
        ascii_max: 1 + random.below(64),
        spelled_seqs_max: random.below(8),
        need_sets_max: 1 + random.below(60),
    }
}

fn judge(patterns: &[&str], dialect: &Dialect) -> regex::bytes::Regex {
    let grouped = patterns.iter().map(|text| format!("(?:{text})")).collect::<Vec<_>>();
    regex::bytes::RegexBuilder::new(&grouped.join("|"))
        .multi_line(true)
        .case_insensitive(dialect.case == Case::Insensitive)
        .unicode(dialect.unicode)
        .crlf(dialect.crlf)
        .build()
        .unwrap()
}

#[test]
fn what_matches_has_what_is_needed() {
    let (mut matched, mut useful) = (0, 0);
    for seed in 0..4000 {
        let mut random = SplitMix(seed);
        let count = 1 + random.below(2);
        let patterns: Vec<String> = (0..count).map(|_| random_pattern(&mut random, 4)).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let dialect = random_dialect(&mut random);
        let limits = random_limits(&mut random);
        let Ok(need) = need(&patterns, &dialect, &limits) else { continue };
        let judge = judge(&patterns, &dialect);
        for _ in 0..16 {
            let text = random_text(&mut random);
            useful += usize::from(!holds(&need, &text));
            for line in text.split(|&byte| byte == b'\n').chain([text.as_slice()]) {
                let Some(found) = judge.find(line) else { continue };
                matched += 1;
                let sound = holds(&need, line) && holds(&need, found.as_bytes());
                assert!(sound, "seed {seed}: {patterns:?} in {line:?} needs {need}, {dialect:?}");
            }
        }
    }
    // The property would hold of needs that say nothing, and of texts that match nothing.
    assert!(matched > 15_000 && useful > 15_000, "{matched} matched, {useful} ruled out");
}
