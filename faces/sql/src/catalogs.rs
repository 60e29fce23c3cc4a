//! Catalogs: paths that a file gives names, each a schema of SQL with the tables of its kind:
//!
//! ```toml
//! [catalog.prod]
//! path = "/var/lib/prometheus"    # or a list; relative to the file
//! kind = "series"                 # else by what lies there
//! labels = ["job"]                # arguments, for the tables that have them
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Result, anyhow, bail};
use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{DataFusionError, Result as Planned};
use datafusion::logical_expr::TableType;
use manicule::Failure;
use manicule::catalog::{Arguments, Table, tables};
use manicule::context::Context;
use manicule::kinds::places;
use manicule::place::is_address;
use serde::Deserialize;

use crate::failed;
use crate::table::CatalogTable;

/// The file that is read where none is named.
pub(crate) const FILE: &str = "manicule.toml";

/// All catalogs, by name.
#[derive(Debug, Default)]
pub(crate) struct Catalogs {
    pub(crate) named: BTreeMap<String, Arc<Catalog>>,
}

/// A path with a name.
#[derive(Debug)]
pub(crate) struct Catalog {
    name: String,
    paths: Vec<PathBuf>,
    kind: Option<String>,
    named: Vec<(String, String)>,
    context: Context,
    /// Its tables, known from the first look on: a look at an address costs a listing.
    tables: OnceLock<Result<Vec<&'static Table>, Failure>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    catalog: BTreeMap<String, BTreeMap<String, Words>>,
}

/// A value, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Several(Vec<Word>),
    One(Word),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Boolean(bool),
    Number(i64),
}

impl Words {
    fn texts(self) -> Vec<String> {
        let words = match self {
            Words::One(word) => vec![word],
            Words::Several(words) => words,
        };
        let text = |word| match word {
            Word::Text(text) => text,
            Word::Boolean(value) => value.to_string(),
            Word::Number(number) => number.to_string(),
        };
        words.into_iter().map(text).collect()
    }
}

impl Catalogs {
    /// Reads a file of catalogs.
    pub(crate) fn read(file: &Path, context: &Context) -> Result<Catalogs> {
        let wrong = |error: &dyn std::fmt::Display| anyhow!("{}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| wrong(&error))?;
        let File { catalog } = toml::from_str(&text).map_err(|error| wrong(&error.message()))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut named = BTreeMap::new();
        for (name, words) in catalog {
            let catalog =
                Catalog::of(&name, words, folder, context).map_err(|error| wrong(&error))?;
            named.insert(name, Arc::new(catalog));
        }
        Ok(Catalogs { named })
    }

    /// A table of a catalog with the arguments that it has there.
    pub(crate) fn table(&self, catalog: &str, name: &str) -> Option<(&'static Table, Arguments)> {
        self.named.get(catalog)?.called(name)
    }
}

impl Catalog {
    fn of(
        name: &str,
        words: BTreeMap<String, Words>,
        folder: &Path,
        context: &Context,
    ) -> Result<Catalog> {
        let (mut paths, mut kind, mut named) = (Vec::new(), None, Vec::new());
        for (key, words) in words {
            let texts = words.texts();
            match &*key {
                "path" => paths = texts,
                "kind" => kind = texts.into_iter().next(),
                _ => named.extend(texts.into_iter().map(|text| (key.clone(), text))),
            }
        }
        if paths.is_empty() {
            bail!("catalog {name} has no path");
        }
        let path = |path: String| match Path::new(&path) {
            path if is_address(path) => path.to_owned(),
            path => folder.join(path),
        };
        let catalog = Catalog {
            name: name.to_owned(),
            paths: paths.into_iter().map(path).collect(),
            kind,
            named,
            context: context.clone(),
            tables: OnceLock::new(),
        };
        Ok(catalog)
    }

    /// The tables of its kind, and those of searches.
    fn tables(&self) -> &Result<Vec<&'static Table>, Failure> {
        self.tables.get_or_init(|| {
            let systems = match &self.kind {
                Some(kind) => vec![kind.clone()],
                None => self.context.enter(|| self.recognised())?,
            };
            let is_own = |table: &&&Table| match table.name.split_once('.') {
                Some((system, _)) => systems.iter().any(|own| own == system),
                None => true,
            };
            let own: Vec<&Table> = tables().iter().filter(is_own).copied().collect();
            let wrong =
                |what: String| Err(Failure::asked(format!("catalog {}: {what}", self.name)));
            if let Some(kind) = &self.kind
                && !own.iter().any(|table| table.name.contains('.'))
            {
                return wrong(format!("no tables are of the kind {kind}"));
            }
            for (name, _) in &self.named {
                if !own.iter().any(|table| has_argument(table, name)) {
                    return wrong(format!("no table there has an argument {name}"));
                }
            }
            Ok(own)
        })
    }

    /// Words of the systems that wrote what lies at the path.
    fn recognised(&self) -> Result<Vec<String>, Failure> {
        let mut systems = Vec::new();
        for path in &self.paths {
            let places = places(path, None).map_err(|error| Failure::new(error.class(), error))?;
            systems.extend(places.iter().map(|place| place.kind.system().word().to_owned()));
        }
        Ok(systems)
    }

    /// A table by the word for its rows: those of the kind come before those of searches.
    fn called(&self, name: &str) -> Option<(&'static Table, Arguments)> {
        let tables = self.tables().as_ref().ok()?;
        let of_kind =
            |table: &&&Table| table.name.split_once('.').is_some_and(|(_, row)| row == name);
        let found = tables.iter().find(of_kind);
        let table = found.or_else(|| tables.iter().find(|table| table.name == name))?;
        let own = self.named.iter().filter(|(name, _)| has_argument(table, name));
        Some((table, Arguments { paths: self.paths.clone(), named: own.cloned().collect() }))
    }
}

fn has_argument(table: &Table, name: &str) -> bool {
    table.arguments.iter().any(|argument| argument.name == name)
}

#[async_trait]
impl SchemaProvider for Catalog {
    fn table_names(&self) -> Vec<String> {
        let tables = self.tables().as_deref().unwrap_or_default();
        let mut names: Vec<&str> =
            tables.iter().map(|table| table.name.rsplit('.').next().unwrap_or_default()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }

    async fn table(&self, name: &str) -> Planned<Option<Arc<dyn TableProvider>>, DataFusionError> {
        self.tables().as_ref().map_err(|failure| failed(failure.clone()))?;
        let Some((table, arguments)) = self.called(name) else { return Ok(None) };
        let own = CatalogTable::open(table, arguments, &self.context).map_err(failed)?;
        Ok(Some(Arc::new(own)))
    }

    async fn table_type(&self, name: &str) -> Planned<Option<TableType>> {
        Ok(self.table_exist(name).then_some(TableType::Base))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.called(name).is_some()
    }
}
