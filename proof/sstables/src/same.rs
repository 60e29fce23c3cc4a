//! Whether two dumps are the same, but for how Java prints a double, or Cassandra a timeuuid that
//! is none.
//!
//! Up to Java 18 `Double.toString` prints a digit more than is needed now and then
//! (`2.10836878705306016E17`, of which `2.1083687870530602E17` is the same number); since Java 19
//! it prints the shortest, as we do.

/// Whether they are equal when digits that Java prints without need are not counted.
pub fn is_same_but_for_digits(got: &str, want: &str) -> bool {
    is_same(got, want, is_same_line)
}

/// Whether they are equal but for such digits and for versions of timeuuids: Cassandra 4.1 prints
/// any as of version 1, also one that damage has made another.
pub fn is_same_but_for_versions(got: &str, want: &str) -> bool {
    is_same(got, want, |got, want| is_same_line(got, want) || is_same_uuid(got, want))
}

fn is_same(got: &str, want: &str, is_same: impl Fn(&str, &str) -> bool) -> bool {
    let (mut got, mut want) = (got.lines(), want.lines());
    loop {
        match (got.next(), want.next()) {
            (None, None) => return true,
            (Some(got), Some(want)) if got == want || is_same(got, want) => {}
            _ => return false,
        }
    }
}

fn is_same_uuid(got: &str, want: &str) -> bool {
    let (got, want) = (got.as_bytes(), want.as_bytes());
    let is_version = |at: usize| {
        let dash = |at: Option<usize>| at.and_then(|at| want.get(at)) == Some(&b'-');
        want[at] == b'1'
            && [at.checked_sub(6), at.checked_sub(1), Some(at + 4)].into_iter().all(dash)
    };
    got.len() == want.len() && (0..got.len()).all(|at| got[at] == want[at] || is_version(at))
}

fn is_same_line(got: &str, want: &str) -> bool {
    let (got, want) = (words(got), words(want));
    got.len() == want.len() && got.iter().zip(&want).all(|(got, want)| is_same_word(got, want))
}

/// Numbers, and the single characters between them.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'E' | '-' | '+');
        let len = match rest.find(|c| !is_part(c)) {
            Some(0) => first.len_utf8(),
            Some(len) => len,
            None => rest.len(),
        };
        let (word, after) = rest.split_at(len);
        words.push(word);
        rest = after;
    }
    words
}

fn is_same_word(got: &str, want: &str) -> bool {
    // A shorter one of the same value, as a double or as a float.
    let is_shorter = got.len() <= want.len() && got.contains('.');
    let as_double = || got.parse::<f64>().is_ok_and(|got| want.parse() == Ok(got));
    let as_float = || got.parse::<f32>().is_ok_and(|got| want.parse() == Ok(got));
    got == want || is_shorter && (as_double() || want.len() <= 16 && as_float())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: &str, want: &str, is_same: bool) {
        assert_eq!(is_same_but_for_digits(got, want), is_same, "{got} and {want}");
    }

    #[test]
    fn only_digits_without_need_are_left_out() {
        check("[ \"-2.1083687870530602E17\" ]", "[ \"-2.10836878705306016E17\" ]", true);
        check("a : -1.843101E11,", "a : -1.84310104E11,", true);
        check("a : -1.843102E11,", "a : -1.84310104E11,", false);
        check("a : 1.5", "b : 1.5", false);
        check("a\nb", "a", false);
        check("a : 12", "a : 12.0", false);
    }

    #[test]
    fn only_versions_of_uuids_are_left_out() {
        let of = |version| format!("[ \"ed67a1f2-1e75-{version}258-a427-3c65886902ca\" ]");
        assert!(is_same_but_for_versions(&of(0), &of(1)));
        assert!(!is_same_but_for_versions(&of(1), &of(4)));
        assert!(!is_same_but_for_versions("ab-0", "ab-1"));
    }
}
