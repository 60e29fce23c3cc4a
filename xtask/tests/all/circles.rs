//! No circle between the files of a crate: shared needs of two files lie in a third, below both.
//!
//! Read from `use` and from paths in the code, without a parser: names that a `mod.rs` or `lib.rs`
//! re-exports count as those of the file that has them, so a folder may export its files while
//! these import each other.

use std::collections::{BTreeMap, BTreeSet};

use xtask::{blank_comments_and_strings, expect_none, files, text, without_tests};

/// The rooms where it holds.
const ROOMS: &[&str] = &["core/", "formats/", "io/", "engines/", "faces/"];

/// A path in Rust, `crate::tree::open` as three words.
type Words = Vec<String>;

/// An import: the path, the name it gets, whether it is passed on.
struct Import {
    path: Words,
    name: String,
    is_passed_on: bool,
}

/// Modules of a crate by their paths below it, with their imports and the other paths in their
/// code.
#[derive(Default)]
struct Crate(BTreeMap<Words, (Vec<Import>, Vec<Words>)>);

fn words(path: &str) -> Words {
    path.split("::").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

/// The paths of a tree of imports such as `a::{b, c::{self, d}}`, each with its name.
fn spread(tree: &str, before: &str, found: &mut Vec<(Words, String)>) {
    let tree = tree.trim();
    let Some((head, list)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path = words(&format!("{before}::{path}"));
        if path.last().is_some_and(|last| (last == "self" && path.len() > 1) || last == "*") {
            path.pop();
        }
        let name = if name.is_empty() {
            path.last().cloned().unwrap_or_default()
        } else {
            name.trim().to_owned()
        };
        return found.push((path, name));
    };
    let (mut depth, mut first) = (0, 0);
    for (at, char) in list.char_indices() {
        depth += i32::from(char == '{') - i32::from(char == '}');
        if (char == ',' && depth == 0) || depth < 0 {
            if !list[first..at].trim().is_empty() {
                spread(&list[first..at], &format!("{before}::{head}"), found);
            }
            first = at + 1;
        }
    }
}

fn read(source: &str) -> (Vec<Import>, Vec<Words>) {
    let code = blank_comments_and_strings(without_tests(source));
    let (mut imports, mut rest) = (Vec::new(), String::new());
    for statement in code.split_inclusive(';') {
        // The part of its statement before the import: attributes, modules in braces.
        let line = statement
            .lines()
            .rfind(|line| line.trim_start().starts_with("use ") || line.contains(" use "));
        let Some(at) = line.and_then(|line| Some(statement.rfind(line)? + line.find("use ")?))
        else {
            rest += statement;
            continue;
        };
        let is_passed_on =
            statement[..at].trim_end().ends_with(['b', ')']) && statement[..at].contains("pub");
        let mut found = Vec::new();
        spread(statement[at + 4..].trim_end_matches(';'), "", &mut found);
        imports.extend(found.into_iter().map(|(path, name)| Import { path, name, is_passed_on }));
    }
    let is_of_path = |char: char| char.is_alphanumeric() || char == '_' || char == ':';
    let paths = rest.split(|char| !is_of_path(char)).filter(|path| path.contains("::"));
    (imports, paths.map(words).filter(|path| path.len() > 1).collect())
}

impl Crate {
    /// A path that module `from` writes, from the crate on; `None` for what other crates have.
    fn whole(&self, from: &[String], path: &[String]) -> Option<Words> {
        let mut whole = from.to_vec();
        let ups = path.iter().take_while(|word| *word == "super" || *word == "self").count();
        match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "super" | "self" => {
                let supers = path[..ups].iter().filter(|word| *word == "super").count();
                whole.truncate(whole.len().checked_sub(supers)?);
            }
            child => {
                whole.push(child.to_owned());
                self.0.contains_key(&whole).then_some(())?;
                whole.pop();
            }
        }
        whole.extend_from_slice(&path[ups..]);
        Some(whole)
    }

    /// The module of the item that a whole path names, through all re-exports.
    fn home(&self, path: &[String], depth: usize) -> Option<Words> {
        let len = (0..=path.len()).rev().find(|&len| self.0.contains_key(&path[..len]))?;
        let (module, rest) = path.split_at(len);
        let passed = rest.first().and_then(|name| {
            let import = self.0[module]
                .0
                .iter()
                .find(|import| import.is_passed_on && import.name == *name)?;
            Some(self.whole(module, &import.path))
        });
        match passed {
            None => Some(module.to_vec()),
            Some(path) if depth < 8 => self.home(&[path?, rest[1..].to_vec()].concat(), depth + 1),
            Some(_) => None,
        }
    }

    fn needs(&self, module: &Words) -> BTreeSet<Words> {
        let (imports, paths) = &self.0[module];
        let imported =
            imports.iter().filter(|import| !import.is_passed_on).map(|import| &import.path);
        let whole = imported.chain(paths).filter_map(|path| self.whole(module, path));
        whole.filter_map(|path| self.home(&path, 0)).filter(|home| home != module).collect()
    }

    /// The modules that are left when those that need no other of the rest are taken away, again
    /// and again.
    fn circles(&self) -> Vec<String> {
        let mut left: BTreeMap<&Words, BTreeSet<Words>> =
            self.0.keys().map(|module| (module, self.needs(module))).collect();
        loop {
            let is_needed: BTreeSet<Words> = left.values().flatten().cloned().collect();
            let before = left.len();
            let there: BTreeSet<Words> = left.keys().map(|module| (*module).clone()).collect();
            left.retain(|module, needs| {
                is_needed.contains(*module) && needs.iter().any(|home| there.contains(home))
            });
            if left.len() == before {
                break;
            }
        }
        let among = |needs: &BTreeSet<Words>| -> Vec<String> {
            needs.iter().filter(|home| left.contains_key(home)).map(|home| home.join("/")).collect()
        };
        left.iter()
            .map(|(module, needs)| {
                format!("{} needs {}", module.join("/"), among(needs).join(", "))
            })
            .collect()
    }
}

/// All crates of the rooms, by the folder of their source.
fn crates() -> BTreeMap<String, Crate> {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for name in files().iter().filter(|name| ROOMS.iter().any(|room| name.starts_with(room))) {
        let Some((folder, file)) = name.split_once("/src/") else { continue };
        let Some(module) = file.strip_suffix(".rs") else { continue };
        let mut module: Words = module.split('/').map(str::to_owned).collect();
        module.pop_if(|last| matches!(last.as_str(), "mod" | "lib"));
        let read = read(&text(name).unwrap_or_default());
        crates.entry(folder.to_owned()).or_default().0.insert(module, read);
    }
    crates
}

#[test]
fn no_circle_between_the_files_of_a_crate() {
    let circles = crates()
        .iter()
        .flat_map(|(folder, of)| {
            of.circles().into_iter().map(move |circle| format!("{folder}: {circle}"))
        })
        .collect::<Vec<_>>();
    expect_none(
        "files of a crate that need each other: move what both need into a third",
        &circles,
    );
}

#[test]
fn circles_are_seen_through_what_is_passed_on() {
    let check = |rows: &[(&str, &str)], want: &[&str]| {
        let modules =
            rows.iter().map(|(module, source)| (words(&module.replace('/', "::")), read(source)));
        assert_eq!(Crate(modules.collect()).circles(), want, "{rows:?}");
    };
    let (a, b) =
        (("a", "use super::{b::{self, B}, c};"), ("b", "pub struct B;\nfn f() { crate::a::g() }"));
    check(&[a, b, ("c", "")], &["a needs b", "b needs a"]);
    check(&[a, ("b", "use std::fmt;"), ("c", "pub use b::B;")], &[]);
    check(
        &[("", "mod x;\npub use x::A;"), ("x", "mod a;\npub use a::A;"), ("x/a", "use crate::B;")],
        &[],
    );
    check(
        &[("x", "pub(crate) use a::A;"), ("x/a", "use super::b::B;"), ("x/b", "use crate::x::A;")],
        &["x/a needs x/b", "x/b needs x/a"],
    );
}
