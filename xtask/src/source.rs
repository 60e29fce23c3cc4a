//! Rust source as the tests about the house need it: the same lines and columns, without comments
//! and strings. Not a parser: it finds where text that isn't code begins and ends.

/// Replaces every character inside of comments, strings and character literals by a blank; line
/// breaks stay, so that line numbers do.
pub fn blank_comments_and_strings(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_text(&chars, at);
        if end > at {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// The source up to its unit tests, which are at the end of a file by habit.
pub fn without_tests(source: &str) -> &str {
    source.find("#[cfg(test)]").map_or(source, |at| &source[..at])
}

/// End of the comment, string or character that begins at `at`; `at` itself if none begins.
fn end_of_text(chars: &[char], at: usize) -> usize {
    let here = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    match (here(0), here(1)) {
        ('/', '/') => position(chars, at, |rest| rest[0] == '\n'),
        ('/', '*') => end_of_block_comment(chars, at),
        ('"', _) => end_of_quoted(chars, at, '"'),
        // `'a'` and `'\n'` are characters, `'a` alone is a lifetime.
        ('\'', '\\') => end_of_quoted(chars, at, '\''),
        ('\'', _) if here(2) == '\'' => at + 3,
        ('r', '"' | '#') if !continues_a_word(chars, at) => end_of_raw(chars, at),
        ('b' | 'c', 'r') if !continues_a_word(chars, at) => match end_of_raw(chars, at + 1) {
            end if end > at + 1 => end,
            _ => at,
        },
        _ => at,
    }
}

fn continues_a_word(chars: &[char], at: usize) -> bool {
    // `br"` and `cr"` are looked at from their first letter.
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

/// The first position from `at` on where `stop` holds for the rest, or the end.
fn position(chars: &[char], at: usize, stop: impl Fn(&[char]) -> bool) -> usize {
    (at..chars.len()).find(|&next| stop(&chars[next..])).unwrap_or(chars.len())
}

fn end_of_block_comment(chars: &[char], at: usize) -> usize {
    let (mut depth, mut next) = (0_usize, at);
    while next < chars.len() {
        match chars[next..] {
            ['/', '*', ..] => (depth, next) = (depth + 1, next + 2),
            ['*', '/', ..] => (depth, next) = (depth - 1, next + 2),
            _ => next += 1,
        }
        if depth == 0 {
            break;
        }
    }
    next
}

fn end_of_quoted(chars: &[char], at: usize, quote: char) -> usize {
    let mut next = at + 1;
    while next < chars.len() && chars[next] != quote {
        next += if chars[next] == '\\' { 2 } else { 1 };
    }
    (next + 1).min(chars.len())
}

/// `r"..."`, `r#"..."#` and so on; `at` if it is a raw identifier, `r#type`.
fn end_of_raw(chars: &[char], at: usize) -> usize {
    let hash_count = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    if chars.get(at + 1 + hash_count) != Some(&'"') {
        return at;
    }
    let closes = |rest: &[char]| {
        rest[0] == '"' && rest[1..].iter().take_while(|&&c| c == '#').count() >= hash_count
    };
    (position(chars, at + 2 + hash_count, closes) + 1 + hash_count).min(chars.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, want: &str) {
        assert_eq!(blank_comments_and_strings(source), want, "{source}");
    }

    #[test]
    fn code_stays() {
        check("unsafe { x }", "unsafe { x }");
    }

    #[test]
    fn line_comments_go() {
        check("a // unsafe\nb", "a          \nb");
    }

    #[test]
    fn block_comments_nest() {
        check("a /* b /* c */ d */ e", "a                   e");
    }

    #[test]
    fn strings_go_with_their_escapes() {
        check(r#"f("un\"safe") g"#, "f(          ) g");
    }

    #[test]
    fn raw_strings_go() {
        check(r##"f(r#"a " b"#) g"##, "f(          ) g");
        check(r##"f(br"a") g"##, "f(     ) g");
    }

    #[test]
    fn raw_identifiers_and_lifetimes_stay() {
        check("r#type", "r#type");
        check("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)");
    }

    #[test]
    fn characters_go() {
        check(r#"['"', '\'', 'x']"#, "[   ,     ,    ]");
    }

    #[test]
    fn tests_are_cut_off() {
        assert_eq!(without_tests("code\n#[cfg(test)]\nmod tests {}"), "code\n");
    }
}
