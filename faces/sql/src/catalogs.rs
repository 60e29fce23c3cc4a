//! Catalogs: paths to which a file gives names, each a schema of SQL with the tables of its kind.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{DataFusionError, Result as Planned};
use datafusion::logical_expr::TableType;
use manicule::Failure;
use manicule::catalog::{Arguments, Table, tables};
use manicule::context::Context;
use manicule::named::{self, Named};

use crate::failed;
use crate::table::CatalogTable;

/// All catalogs, by name.
#[derive(Debug, Default)]
pub(crate) struct Catalogs {
    pub(crate) named: BTreeMap<String, Arc<Catalog>>,
}

/// Paths with a name.
#[derive(Debug)]
pub(crate) struct Catalog {
    named: Named,
    context: Context,
    /// Its tables, known from the first look on: a look at an address costs a listing.
    tables: OnceLock<Result<Vec<&'static Table>, Failure>>,
}

impl Catalogs {
    /// Reads a file of catalogs.
    pub(crate) fn read(file: &Path, context: &Context) -> Result<Catalogs, Failure> {
        let catalog = |named: Named| {
            let context = context.clone();
            (named.name.clone(), Arc::new(Catalog { named, context, tables: OnceLock::new() }))
        };
        Ok(Catalogs { named: named::read(file)?.into_iter().map(catalog).collect() })
    }

    /// A table of a catalog with the arguments that it has there.
    pub(crate) fn table(&self, catalog: &str, name: &str) -> Option<(&'static Table, Arguments)> {
        self.named.get(catalog)?.called(name)
    }
}

impl Catalog {
    /// The tables of its kind, and those of searches.
    fn tables(&self) -> &Result<Vec<&'static Table>, Failure> {
        self.tables.get_or_init(|| {
            let systems = self.context.enter(|| self.named.systems())?;
            let is_own = |table: &&&Table| match table.name.split_once('.') {
                Some((system, _)) => systems.iter().any(|own| own == system),
                None => true,
            };
            let own: Vec<&Table> = tables().iter().filter(is_own).copied().collect();
            let wrong =
                |what: String| Err(Failure::asked(format!("catalog {}: {what}", self.named.name)));
            if let Some(kind) = &self.named.kind
                && !own.iter().any(|table| table.name.contains('.'))
            {
                return wrong(format!("no tables are of the kind {kind}"));
            }
            for (name, _) in &self.named.arguments {
                if !own.iter().any(|table| has_argument(table, name)) {
                    return wrong(format!("no table there has an argument {name}"));
                }
            }
            Ok(own)
        })
    }

    /// A table by the word for its rows: those of the kind come before those of searches.
    fn called(&self, name: &str) -> Option<(&'static Table, Arguments)> {
        let tables = self.tables().as_ref().ok()?;
        let of_kind =
            |table: &&&Table| table.name.split_once('.').is_some_and(|(_, row)| row == name);
        let found = tables.iter().find(of_kind);
        let table = found.or_else(|| tables.iter().find(|table| table.name == name))?;
        let Named { paths, arguments, .. } = &self.named;
        let own = arguments.iter().filter(|(name, _)| has_argument(table, name));
        Some((table, Arguments { paths: paths.clone(), named: own.cloned().collect() }))
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
