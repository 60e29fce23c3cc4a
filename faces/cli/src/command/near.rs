//! The name that was probably meant where there is none such: `--colr` for `--color`, `fnd` for
//! `find`.

/// Longer words are no slips of the hand.
const LEN_MAX: usize = 40;

/// The nearest of `names`, the first of several: one slip is allowed for every three letters, one
/// at least. A word that is only the beginning of a name is near as well.
pub(crate) fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if word.len() > LEN_MAX {
        return None;
    }
    let allowed = (word.len() / 3).max(1);
    let far = |name: &str| {
        let is_start = word.len() >= 3 && name.starts_with(word);
        if is_start { 1 } else { slips(word.as_bytes(), name.as_bytes()) }
    };
    let near = names.into_iter().map(|name| (far(name), name));
    let near = near.filter(|(far, name)| *far <= allowed && *far < name.len());
    near.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// How many letters were left out, put in, changed, or swapped with their neighbour.
fn slips(left: &[u8], right: &[u8]) -> usize {
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.iter().enumerate() {
        let mut next = vec![at + 1];
        for (other_at, other) in right.iter().enumerate() {
            let changed = row[other_at] + usize::from(letter != other);
            let mut least = changed.min(row[other_at + 1] + 1).min(next[other_at] + 1);
            let is_swap =
                at > 0 && other_at > 0 && left[at - 1] == *other && right[other_at - 1] == *letter;
            if is_swap {
                least = least.min(above[other_at - 1] + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 7] =
        ["find", "code", "series", "inspect", "verify", "cache", "files-with-matches"];

    fn check(word: &str, want: Option<&str>) {
        assert_eq!(nearest(word, NAMES), want, "{word}");
    }

    #[test]
    fn one_slip_is_near() {
        check("fnd", Some("find"));
        check("fidn", Some("find"));
        check("finds", Some("find"));
        check("cahce", Some("cache"));
    }

    #[test]
    fn long_words_may_have_several() {
        check("sereis", Some("series"));
        check("inspekt", Some("inspect"));
        check("file-with-match", Some("files-with-matches"));
    }

    #[test]
    fn a_beginning_is_near() {
        check("ver", Some("verify"));
        check("files-with", Some("files-with-matches"));
        check("ve", None);
    }

    #[test]
    fn another_word_is_not() {
        check("grep", None);
        check("x", None);
        check("", None);
        check(&"find".repeat(1000), None);
    }

    #[test]
    fn slips_are_counted() {
        for (left, right, want) in [
            ("", "", 0),
            ("", "ab", 2),
            ("ab", "ba", 1),
            ("abc", "ac", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(slips(left.as_bytes(), right.as_bytes()), want, "{left} {right}");
        }
    }
}
