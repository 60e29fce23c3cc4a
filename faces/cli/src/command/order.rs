//! Operands in each other's places, and operands of another kind: what to say where a call has
//! failed.
//!
//! Operands are declared by name ([`Command::operands`](super::Command)); here is what a word of
//! each name looks like.
//! Nothing is looked at before a call has failed, as a text may well be the name of a file.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use manicule::kinds::{Kind, System, recognise};
use manicule::place::is_address;

use super::operand::{Named, named};

/// What a word of an operand looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// Nothing that is there by this name.
    Text,
    /// Something that is there.
    Path,
    File,
    Folder,
    /// A snapshot of a repository: the beginning of its id, or latest.
    Snapshot,
    /// A path within a snapshot.
    Within,
}

/// An operand, and what its words look like.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    operand: Named,
    looks: Looks,
}

fn wanted(group: &str, operands: &'static str) -> Vec<Wanted> {
    let named = named(operands).into_iter();
    named.map(|operand| Wanted { operand, looks: looks(group, operand.name) }).collect()
}

/// The operand that takes the word at this place.
fn taking(wanted: &[Wanted], at: usize) -> Option<&Wanted> {
    wanted.get(at).or_else(|| wanted.last().filter(|last| last.operand.is_many))
}

fn looks(group: &str, name: &str) -> Looks {
    match (group, name) {
        ("blobs", "SNAPSHOT") => Looks::Snapshot,
        ("blobs", "PATH") => Looks::Within,
        ("blobs", _) => Looks::Text,
        (_, "TEXT" | "QUERY" | "UPDATE" | "SELECTOR" | "KEY" | "NAME") => Looks::Text,
        ("graph", "FOLDER") => Looks::Text,
        ("graph", "STORE") => Looks::Folder,
        (_, "FILE" | "INPUT") => Looks::File,
        _ => Looks::Path,
    }
}

impl Looks {
    fn fits(self, word: &OsString) -> bool {
        let path = Path::new(word);
        match self {
            Looks::Text => !path.exists(),
            Looks::Path => path.exists(),
            Looks::File => path.is_file(),
            Looks::Folder => path.is_dir(),
            Looks::Snapshot => is_snapshot(word.as_bytes()),
            Looks::Within => word.as_bytes().starts_with(b"/"),
        }
    }
}

fn is_snapshot(word: &[u8]) -> bool {
    let id = word.split(|byte| *byte == b':').next().unwrap_or(word);
    let is_id = (1..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    is_id || id == b"latest"
}

/// What a failed call's operands should have been, as a sentence; `path` names the command,
/// `operands` declares its operands.
pub(crate) fn hint(path: &str, operands: &'static str, words: &[OsString]) -> Option<String> {
    // What an address leads to isn't looked at again for a hint.
    if words.iter().any(|word| is_address(Path::new(word))) {
        return None;
    }
    let group = path.split(' ').next().unwrap_or_default();
    let wanted = wanted(group, operands);
    match group {
        "blobs" => repository(&wanted, words).or_else(|| in_order(path, &wanted, words)),
        _ => in_order(path, &wanted, words).or_else(|| of_kind(path, group, &wanted, words)),
    }
}

/// Two operands that fit each other's places better than their own, or one that fits the second.
fn in_order(path: &str, wanted: &[Wanted], words: &[OsString]) -> Option<String> {
    let [one, other, ..] = wanted else { return None };
    let count = |pair: [bool; 2]| pair.into_iter().filter(|fits| *fits).count();
    match words {
        [word] => {
            let is_other = one.looks == Looks::Text && !one.looks.fits(word);
            (!one.operand.is_optional && is_other && other.looks.fits(word)).then(|| {
                let (missing, given) = (one.operand.name, shown(word));
                format!("missing {missing}; usage: manicule {path} {missing} {given}")
            })
        }
        [first, second, rest @ ..] => {
            let as_given = count([one.looks.fits(first), other.looks.fits(second)]);
            let swapped = count([one.looks.fits(second), other.looks.fits(first)]);
            (swapped > as_given).then(|| {
                let words = [second, first].into_iter().chain(rest);
                let words: Vec<String> = words.map(|word| shown(word)).collect();
                let (one, other) = (one.operand.name, other.operand.name);
                let words = words.join(" ");
                format!("{one} comes before {other}: `manicule {path} {words}`")
            })
        }
        [] => None,
    }
}

/// A repository given as a word where another thing is taken, or nothing.
fn repository(wanted: &[Wanted], words: &[OsString]) -> Option<String> {
    let is_other = |wanted: &Wanted| wanted.operand.name != "REPOSITORY";
    let is_refused = |at| wanted.is_empty() || taking(wanted, at).is_some_and(is_other);
    let words = words.iter().enumerate().filter(|(at, _)| is_refused(*at)).map(|(_, word)| word);
    let is_repository =
        |word: &OsString| recognise(word.as_ref()).ok() == Some(Kind::RESTIC_REPOSITORY);
    let word = shown(words.into_iter().find(|word| is_repository(word))?);
    Some(format!("{word} is a repository: give it with -r, `-r {word}`"))
}

/// The first word that is of another system, or that is no store.
fn of_kind(path: &str, group: &str, wanted: &[Wanted], words: &[OsString]) -> Option<String> {
    let (system, ours) = match group {
        "series" => {
            (System::PROMETHEUS, "a Prometheus block, which is a folder with meta.json and index")
        }
        "rows" => (System::CASSANDRA, "a folder of SSTables"),
        "graph" => (System::GRAPH, "a graph store"),
        _ => return None,
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let is_asked = matches!(taking(wanted, at)?.looks, Looks::Path | Looks::Folder);
        let is_there = Path::new(word).exists();
        let (word, kind) = (shown(word), recognise(word.as_ref()).ok());
        match kind.map(|kind| (kind, kind.system())) {
            _ if !is_asked => None,
            None if group == "graph" && path != "graph load" && !is_there => Some(format!(
                "{word}: no such folder; `manicule graph load {word} FILE...` makes a store"
            )),
            Some((kind, System::RDF)) if group == "graph" => Some(format!(
                "{word} is {kind}, not {ours}: `manicule graph load STORE {word}` makes one"
            )),
            None => None,
            Some((kind, other)) => (other != system && !other.is_anybodys())
                .then(|| format!("{word} is {kind}, not {ours}")),
        }
    })
}

/// A word as a shell takes it.
fn shown(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    shlex::try_quote(&word).map_or_else(|_| word.to_string(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check(path: &str, operands: &'static str, words: &[&str], want: Option<&str>) {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        assert_eq!(hint(path, operands, &words).as_deref(), want, "{path} {words:?}");
    }

    #[test]
    fn words_in_each_others_places_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().to_str().unwrap();
        let none = &*format!("{there}/none");
        let want = format!("TABLE comes before KEY: `manicule rows slice {there} 2`");
        check("rows slice", "TABLE KEY", &["2", there], Some(&want));
        check("rows slice", "TABLE KEY", &[there, "2"], None);
        check("rows slice", "TABLE KEY", &[none, "2"], None);
        let want =
            format!("SELECTOR comes before PATH: `manicule series select '{{a=\"b\"}}' {there}`");
        check("series select", "SELECTOR [PATH...]", &[there, "{a=\"b\"}"], Some(&want));
        let want = format!("missing SELECTOR; usage: manicule series select SELECTOR {there}");
        check("series select", "SELECTOR [PATH...]", &[there], Some(&want));
        check("series labels", "[NAME] [PATH...]", &[there], None);
        check("series select", "SELECTOR [PATH...]", &["up"], None);
        let want = "SNAPSHOT comes before PATH: `manicule blobs dump latest /a`";
        check("blobs dump", "SNAPSHOT[:FOLDER] PATH", &["/a", "latest"], Some(want));
        check("blobs dump", "SNAPSHOT[:FOLDER] PATH", &["12ab:/x", "/a"], None);
    }

    #[test]
    fn what_is_of_another_kind_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("shop.nt");
        fs::write(&text, "").unwrap();
        let (text, there) = (text.to_str().unwrap(), folder.path().to_str().unwrap());
        let want = format!(
            "{text} is an RDF file, not a graph store: `manicule graph load STORE {text}` makes one"
        );
        check("graph stats", "STORE", &[text], Some(&want));
        let want = format!("STORE comes before FILE: `manicule graph load {there} {text}`");
        check("graph load", "STORE FILE...", &[text, there], Some(&want));
        check("graph load", "STORE FILE...", &[there, text], None);
        let none = format!("{there}/none");
        let want =
            format!("{none}: no such folder; `manicule graph load {none} FILE...` makes a store");
        check("graph stats", "STORE", &[&none], Some(&want));
        check("graph load", "STORE FILE...", &[&none, text], None);
        let want = format!("{text} is an RDF file, not a folder of SSTables");
        check("rows list", "PATH", &[text], Some(&want));
        check("rows list", "PATH", &[there], None);
    }
}
