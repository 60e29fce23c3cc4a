//! Which questions list many folders of a folder: names that begin alike together.
//!
//! A page of a bucket's listing has a thousand keys, in however many folders: so folders whose
//! names begin alike are listed together, some hundreds at a time, and these listings side by side.

use std::collections::BTreeSet;

use super::ask::Ask;
use super::name::Name;

/// Maximum number of folders that a listing is about. Those of a small index have three files each
/// or more, so that most listings are a page or two.
const FOLDERS_MAX: usize = 256;

/// A listing has at most this many times the folders that are wanted of it.
const SPARSE: usize = 4;

/// Questions that list all that lies in the `wanted` folders of a folder, in which there are `all`.
pub fn listings(folder: &Name, all: &BTreeSet<&str>, wanted: &BTreeSet<&str>) -> Vec<Ask> {
    let all: Vec<&str> = all.union(wanted).copied().collect();
    let mut beginnings = Vec::new();
    begin(&all, wanted, &mut beginnings);
    let ask = |beginning| Ask::Beginning { folder: folder.clone(), beginning };
    beginnings.into_iter().map(ask).collect()
}

/// Adds what the wanted ones of sorted names begin with, and few others.
fn begin(all: &[&str], wanted: &BTreeSet<&str>, beginnings: &mut Vec<String>) {
    let count = all.iter().filter(|name| wanted.contains(*name)).count();
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return };
    if count == 0 {
        return;
    }
    if all.len() == 1 {
        beginnings.push(format!("{first}/"));
        return;
    }
    let mut differing = first.char_indices().zip(last.chars());
    let common = differing.find(|((_, left), right)| left != right);
    let common = common.map_or(first.len(), |((at, _), _)| at);
    if all.len() <= FOLDERS_MAX.min(count * SPARSE) {
        beginnings.push(first[..common].to_owned());
        return;
    }
    let next = |name: &str| name[common..].chars().next();
    for group in all.chunk_by(|left, right| next(left) == next(right)) {
        begin(group, wanted, beginnings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is listed of names of which some are wanted.
    fn beginnings(all: &[String], wanted: &[String]) -> Vec<String> {
        fn set(names: &[String]) -> BTreeSet<&str> {
            names.iter().map(String::as_str).collect()
        }
        let asked = listings(&Name::root(), &set(all), &set(wanted)).into_iter();
        let beginning = |ask| match ask {
            Ask::Beginning { beginning, .. } => beginning,
            other => panic!("{other:?}"),
        };
        asked.map(beginning).collect()
    }

    #[test]
    fn listings_are_about_some_hundred_folders_of_which_most_are_wanted() {
        let all: Vec<String> = (0..3000).map(|number| format!("01HF{number:022}")).collect();
        let own = |names: &[String]| beginnings(names, names);
        assert_eq!(own(&[]), [""; 0]);
        assert_eq!(own(&all[..1]), [format!("{}/", all[0])]);
        assert_eq!(own(&all[7..9]), [&all[7][..25]]);
        assert_eq!(own(&all[..100]), [&all[0][..24]]);
        assert_eq!(own(&all[..256]), [&all[0][..23]]);
        let hundreds: Vec<&str> = all.iter().step_by(100).map(|name| &name[..24]).collect();
        assert_eq!(own(&all), hundreds);
        // Of few that lie far apart each by itself.
        let few = [all[0].clone(), all[1500].clone(), all[1501].clone()];
        let by_itself = |name: &String| format!("{name}/");
        assert_eq!(beginnings(&all, &few), few.each_ref().map(by_itself));
        let both = ["A".to_owned(), "AB".to_owned(), "Bé".to_owned(), "Bè".to_owned()];
        assert_eq!(own(&both), [""]);
    }
}
