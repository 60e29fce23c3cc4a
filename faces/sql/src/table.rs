//! A table of the catalogue as a table of DataFusion: columns, conditions and limit of a query are
//! handed to the table, which reads less for them.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use manicule::Failure;
use manicule::answer::{Asked, Field, arrow_schema};
use manicule::catalog::{Arguments, Call, Table};
use manicule::context::Context;

use crate::clothes;
use crate::condition::conditions;
use crate::failed;
use crate::scan::{Part, TableScan};

/// A table of the catalogue with its arguments.
#[derive(Debug)]
pub(crate) struct CatalogTable {
    table: &'static Table,
    arguments: Arguments,
    fields: Vec<Field>,
    schema: SchemaRef,
    context: Context,
}

impl CatalogTable {
    /// Looks what its columns are.
    ///
    /// # Errors
    /// Arguments that are wrong; paths that can't be opened, where the columns come from data.
    pub(crate) fn open(
        table: &'static Table,
        arguments: Arguments,
        context: &Context,
    ) -> Result<CatalogTable, Failure> {
        let fields = context.enter(|| table.fields(&arguments))?;
        let schema = clothes::schema(&arrow_schema(&fields));
        Ok(CatalogTable { table, arguments, fields, schema, context: context.clone() })
    }
}

impl CatalogTable {
    /// Divides it into at most this number of partitions, each of parts that are read one after the
    /// other: a table may be cut into more of them than wanted.
    fn partitions(&self, call: &Call, wanted: usize) -> Result<Vec<Vec<Part>>> {
        let parts = self.context.enter(|| self.table.partitions(call, wanted)).map_err(failed)?;
        let parts: Vec<Part> = parts.into_iter().map(Part::One).collect();
        let count = parts.len().div_ceil(wanted).max(1);
        let partitions: Vec<Vec<Part>> = parts.chunks(count).map(<[_]>::to_vec).collect();
        // A plan has a partition, also of what has no part.
        Ok(if partitions.is_empty() { vec![parts] } else { partitions })
    }
}

#[async_trait]
impl TableProvider for CatalogTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match conditions(filter, &self.fields) {
            Some(_) => TableProviderFilterPushDown::Exact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.fields.len()).collect();
        let shown = projection.unwrap_or(&all);
        let columns = shown.iter().map(|&at| self.fields[at].name.clone().into_owned());
        let own = filters.iter().filter_map(|filter| conditions(filter, &self.fields));
        let asked = Asked {
            columns: Some(columns.collect()),
            conditions: own.flatten().collect(),
            limit: limit.map(|limit| limit as u64),
        };
        let call = Call { arguments: self.arguments.clone(), asked };
        let wanted = session.config().target_partitions();
        // What has a limit is read in one partition: its rows are the first ones, and no partition
        // reads for nothing what another one has enough of. Nothing has to be opened for that now.
        let partitions = if limit.is_some() || wanted == 1 {
            vec![vec![Part::All]]
        } else {
            self.partitions(&call, wanted)?
        };
        let schema = Arc::new(self.schema.project(shown)?);
        Ok(Arc::new(TableScan::new(self.table, call, schema, partitions, &self.context)))
    }
}
