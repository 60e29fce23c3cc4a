//! Which paths a call may read, and how they are shown.

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};

use manicule::place::is_address;
use manicule::{ErrorClass, Failure};

use crate::roots::Roots;

/// What calls may name in place of a path.
#[derive(Clone, Debug)]
pub enum Places {
    /// Paths of this machine, and addresses of object stores.
    Local {
        /// Paths at or below which all calls stay; none: they may read what the user may.
        within: Vec<PathBuf>,
    },
    /// Names, each of a path that callers never see.
    Named(Vec<(String, PathBuf)>),
}

impl Places {
    /// The paths of a call; without any the given ones, else the roots, else the current folder.
    ///
    /// # Errors
    /// A path outside of those, or a name that there is none of.
    pub(crate) fn paths(
        &self,
        given: Option<Vec<&str>>,
        roots: &Roots,
    ) -> Result<Vec<PathBuf>, Failure> {
        if given.as_ref().is_some_and(Vec::is_empty) {
            return Err(Failure::asked("argument paths: a path or more is expected"));
        }
        match (self, given) {
            (Places::Named(named), None) => {
                Ok(named.iter().map(|(_, path)| path.clone()).collect())
            }
            (Places::Named(_), Some(names)) => {
                names.into_iter().map(|name| self.named(name)).collect()
            }
            (Places::Local { .. }, Some(paths)) => {
                paths.into_iter().map(|path| self.local(path, roots)).collect()
            }
            (Places::Local { within }, None) if !within.is_empty() => {
                within.iter().map(|path| self.allowed(path.clone(), roots)).collect()
            }
            (Places::Local { .. }, None) => match roots {
                Roots::Unconfined => Ok(vec![PathBuf::from(".")]),
                Roots::Within(roots) if roots.is_empty() => Err(no_roots()),
                Roots::Within(roots) => Ok(roots.clone()),
            },
        }
    }

    /// The file that an argument of a table names.
    pub(crate) fn file(&self, given: &str, roots: &Roots) -> Result<PathBuf, Failure> {
        match self {
            Places::Local { .. } => self.local(given, roots),
            Places::Named(_) => Err(Failure::new(ErrorClass::Denied, "files can't be named here")),
        }
    }

    /// The folder that globs are relative to.
    pub(crate) fn base(&self, roots: &Roots) -> Option<PathBuf> {
        match (self, roots) {
            (Places::Local { .. }, Roots::Within(roots)) => roots.first().cloned(),
            (Places::Local { .. }, Roots::Unconfined) => std::env::current_dir().ok(),
            (Places::Named(named), _) => named.first().map(|(_, path)| path.clone()),
        }
    }

    fn named(&self, name: &str) -> Result<PathBuf, Failure> {
        let Places::Named(named) = self else { return Ok(name.into()) };
        let found = named.iter().find(|(own, _)| own == name);
        found.map(|(_, path)| path.clone()).ok_or_else(|| {
            let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
            let names = names.join(", ");
            Failure::new(
                ErrorClass::Missing,
                format!("there is no place {name:?}: there are {names}"),
            )
        })
    }

    /// A path as it was typed: relative to the first root, without roots to the current folder.
    fn local(&self, given: &str, roots: &Roots) -> Result<PathBuf, Failure> {
        let path = Path::new(given);
        let path = match roots {
            Roots::Within(roots) if !is_address(path) => {
                roots.first().ok_or_else(no_roots)?.join(path)
            }
            _ => path.to_owned(),
        };
        self.allowed(path, roots)
    }

    fn allowed(&self, path: PathBuf, roots: &Roots) -> Result<PathBuf, Failure> {
        let Places::Local { within } = self else { return Ok(path) };
        let outside = |of: &str| {
            let why = format!("{} is outside of {of}", path.display());
            Failure::new(ErrorClass::Denied, why)
        };
        if is_address(&path) {
            let is_given = within.iter().any(|own| is_below_address(&path, own));
            let is_free = within.is_empty() && *roots == Roots::Unconfined;
            return if is_given || is_free { Ok(path) } else { Err(outside("what may be read")) };
        }
        let real = |path: &Path| path.canonicalize();
        let own = || real(&path).map_err(|error| of_io(&path, &error));
        let is_within = |folders: &[PathBuf]| -> Result<bool, Failure> {
            let own = own()?;
            Ok(folders.iter().filter_map(|folder| real(folder).ok()).any(|it| own.starts_with(it)))
        };
        if !within.is_empty() && !is_within(within)? {
            return Err(outside("the places that were given"));
        }
        if let Roots::Within(roots) = roots
            && !is_within(roots)?
        {
            return Err(outside("the client's roots"));
        }
        Ok(path)
    }

    /// A path as callers see it, and may name it: relative to the first root, if it is below.
    pub(crate) fn shown(&self, path: &Path, roots: &Roots) -> String {
        let base = match (self, roots) {
            (Places::Local { .. }, Roots::Within(roots)) => roots.first().map(PathBuf::as_path),
            _ => None,
        };
        let path = path.strip_prefix(base.unwrap_or(Path::new("."))).unwrap_or(path);
        let text = path.to_string_lossy();
        if text.is_empty() { ".".to_owned() } else { self.said(&text).into_owned() }
    }

    /// A sentence as callers see it: with names in place of paths.
    pub(crate) fn said<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Places::Named(named) = self else { return text.into() };
        let mut said = Cow::Borrowed(text);
        for (name, path) in named {
            let path = path.to_string_lossy();
            if !path.is_empty() && said.contains(&*path) {
                said = said.replace(&*path, name).into();
            }
        }
        said
    }

    /// Whether callers see names in place of paths.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self, Places::Named(_))
    }
}

fn no_roots() -> Failure {
    Failure::new(ErrorClass::Denied, "the client has roots, and none of them is a folder here")
}

fn of_io(path: &Path, error: &io::Error) -> Failure {
    Failure::new(ErrorClass::of_io(error), format!("{}: {error}", path.display()))
}

/// Whether an address is another one or below it. One with a step up is below none.
fn is_below_address(path: &Path, own: &Path) -> bool {
    let steps_up = path.components().any(|part| part == Component::ParentDir);
    let (path, own) = (path.as_os_str().as_encoded_bytes(), own.as_os_str().as_encoded_bytes());
    let own = own.strip_suffix(b"/").unwrap_or(own);
    let rest = path.strip_prefix(own);
    !steps_up && is_address_text(own) && rest.is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
}

fn is_address_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| is_address(Path::new(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stays_below_the_given_one() {
        for (path, own, want) in [
            ("s3://b/p", "s3://b/p", true),
            ("s3://b/p/q", "s3://b/p/", true),
            ("s3://b/pq", "s3://b/p", false),
            ("s3://b/p/../x", "s3://b/p", false),
            ("s3://b/p", "/b", false),
        ] {
            assert_eq!(is_below_address(Path::new(path), Path::new(own)), want, "{path}");
        }
    }

    #[test]
    fn names_stand_for_paths_everywhere() {
        let places = Places::Named(vec![("metrics".to_owned(), "/srv/data".into())]);
        assert_eq!(places.shown(Path::new("/srv/data/a/b"), &Roots::Unconfined), "metrics/a/b");
        assert_eq!(places.said("/srv/data/x: damaged"), "metrics/x: damaged");
        let roots = Roots::Unconfined;
        let paths = |names: &[&str]| places.paths(Some(names.to_vec()), &roots);
        assert_eq!(paths(&["metrics"]).unwrap(), [PathBuf::from("/srv/data")]);
        for outside in ["/srv/data", "metrics/..", "", "."] {
            assert_eq!(paths(&[outside]).unwrap_err().class(), ErrorClass::Missing, "{outside}");
        }
        assert!(places.file("/etc/passwd", &roots).is_err());
    }

    #[test]
    fn links_out_of_a_root_are_outside_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path().join("root"), folder.path().join("other"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(&other, root.join("link")).unwrap();
        let places = Places::Local { within: Vec::new() };
        let roots = Roots::Within(vec![root.clone()]);
        let class = |path: &str| places.paths(Some(vec![path]), &roots).map_err(|it| it.class());
        assert_eq!(class("."), Ok(vec![root.join(".")]));
        for outside in ["link", "link/secret", "..", "../other", "/", "s3://bucket"] {
            assert_eq!(class(outside), Err(ErrorClass::Denied), "{outside}");
        }
        assert_eq!(class("absent"), Err(ErrorClass::Missing));
        let within = Places::Local { within: vec![other.clone()] };
        assert_eq!(within.paths(None, &Roots::Unconfined).unwrap(), vec![other.clone()]);
        assert!(within.paths(None, &roots).is_err(), "both confine");
    }
}
