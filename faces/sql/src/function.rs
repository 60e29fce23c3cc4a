//! Tables of the catalogue as table functions: `rows_rows('ks/t', key => '7')`, and the word of the
//! system alone where a row is of the same word: `rows('ks/t')`.
//!
//! DataFusion's own table functions refuse arguments that have names, so a planner of relations
//! takes the functions before it does.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::{DFSchema, Result, ScalarValue, TableReference};
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::sql::sqlparser::ast::{
    FunctionArg, FunctionArgExpr, ObjectName, TableFactor, TableFunctionArgs,
};
use manicule::Failure;
use manicule::catalog::{Arguments, Table, Takes, tables};
use manicule::context::Context;

use crate::catalogs::Catalogs;
use crate::failed;
use crate::table::CatalogTable;

/// The name of what is read.
const PATH: &str = "path";
/// What a search looks for.
const TEXT: &str = "text";
/// What is given beside the path without a name: the first of these that a table has.
const POSITIONAL: [&str; 4] = [TEXT, "selector", "query", "file"];

/// The table of a function.
fn of_function(name: &str) -> Option<&'static Table> {
    let is_called = |table: &&&Table| match table.name.split_once('.') {
        Some((system, row)) if system == row && name == system => true,
        _ => table.name.replace('.', "_") == name,
    };
    tables().iter().find(is_called).copied()
}

/// Plans calls of tables, of the catalogue and of catalogs that are named in a file.
pub(crate) struct Functions {
    pub(crate) context: Context,
    pub(crate) catalogs: Arc<Catalogs>,
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

impl RelationPlanner for Functions {
    fn plan_relation(
        &self,
        relation: TableFactor,
        planner: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (name, words, alias) = match &relation {
            TableFactor::Table {
                name, args: Some(TableFunctionArgs { args, .. }), alias, ..
            }
            | TableFactor::Function { name, args, alias, .. } => (name, args, alias),
            _ => return Ok(RelationPlanning::Original(Box::new(relation))),
        };
        let Some((name, table, mut arguments)) = self.called(name, planner) else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        take(table, words, planner, &mut arguments)?;
        let own = CatalogTable::open(table, arguments, &self.context).map_err(failed)?;
        let source = provider_as_source(Arc::new(own));
        let plan = LogicalPlanBuilder::scan(TableReference::bare(name), source, None)?.build()?;
        let planned = PlannedRelation::new(plan, alias.clone());
        Ok(RelationPlanning::Planned(Box::new(planned)))
    }
}

impl Functions {
    /// What a function is called, its table, and the arguments that it has already.
    fn called(
        &self,
        name: &ObjectName,
        planner: &dyn RelationPlannerContext,
    ) -> Option<(String, &'static Table, Arguments)> {
        let words =
            name.0.iter().map(|part| Some(planner.normalize_ident(part.as_ident()?.clone())));
        match &words.collect::<Option<Vec<_>>>()?[..] {
            [name] => Some((name.clone(), of_function(name)?, Arguments::default())),
            [catalog, name] => {
                let (table, arguments) = self.catalogs.table(catalog, name)?;
                Some((name.clone(), table, arguments))
            }
            _ => None,
        }
    }
}

/// Takes the arguments of a call. Without a name the path is the first, but that a search begins
/// with its text, as on the command line; of a catalog the path is known.
fn take(
    table: &'static Table,
    words: &[FunctionArg],
    planner: &mut dyn RelationPlannerContext,
    arguments: &mut Arguments,
) -> Result<()> {
    let nameless = nameless(table, !arguments.paths.is_empty());
    let mut left = nameless.iter();
    for word in words {
        let (name, value) = match word {
            FunctionArg::Unnamed(value) => match left.next() {
                Some(name) => ((*name).to_owned(), value),
                None => {
                    let (table, may) = (table.name, nameless.join(" and "));
                    return Err(failed(Failure::asked(format!(
                        "{table}: {value} has no name: {may} may lack one, all others are NAME => VALUE"
                    ))));
                }
            },
            FunctionArg::Named { name, arg, .. } => (planner.normalize_ident(name.clone()), arg),
            FunctionArg::ExprNamed { name, arg, .. } => (name.to_string(), arg),
        };
        let value = constant(value, &name, planner)?;
        if name == PATH {
            let paths = texts(&value, &name, Takes::Texts)?;
            arguments.paths.extend(paths.into_iter().map(PathBuf::from));
            continue;
        }
        // One that the table doesn't have is an error of the catalogue, which lists those it has.
        let declared = table.arguments.iter().find(|argument| argument.name == name);
        let texts = texts(&value, &name, declared.map_or(Takes::Texts, |it| it.takes))?;
        arguments.named.extend(texts.into_iter().map(|text| (name.clone(), text)));
    }
    Ok(())
}

/// What may be given without its name, in order.
fn nameless(table: &Table, has_path: bool) -> Vec<&'static str> {
    let is_declared = |name: &&&str| table.arguments.iter().any(|argument| argument.name == **name);
    let further = POSITIONAL.iter().find(is_declared).copied();
    let path = (!has_path).then_some(PATH);
    let in_order = if further == Some(TEXT) { [further, path] } else { [path, further] };
    in_order.into_iter().flatten().collect()
}

/// The value of an expression that needs no rows.
fn constant(
    value: &FunctionArgExpr,
    name: &str,
    planner: &mut dyn RelationPlannerContext,
) -> Result<ScalarValue> {
    let wrong = || {
        failed(Failure::asked(format!(
            "argument {name}: {value} is no constant: a text, number, boolean, time, or a list of them"
        )))
    };
    let FunctionArgExpr::Expr(sql) = value else { return Err(wrong()) };
    let schema = DFSchema::empty();
    let expr = planner.sql_to_expr(sql.clone(), &schema).map_err(|_| wrong())?;
    let context =
        SimplifyContext::builder().with_schema(Arc::new(schema)).with_current_time().build();
    let simplifier = ExprSimplifier::new(context);
    let expr = simplifier.coerce(expr, &DFSchema::empty()).map_err(|_| wrong())?;
    match simplifier.simplify(expr) {
        Ok(Expr::Literal(value, _)) => Ok(value),
        _ => Err(wrong()),
    }
}

/// A constant as the texts of an argument.
fn texts(value: &ScalarValue, name: &str, takes: Takes) -> Result<Vec<String>> {
    let wrong = || {
        let what = "a text, number, boolean, time, or a list of them is expected";
        failed(Failure::asked(format!("argument {name}: {value}: {what}")))
    };
    match value {
        ScalarValue::List(list) => items(list.values(), name, takes),
        // `{'price': 2}` and MAP: as the command line has them.
        ScalarValue::Struct(parts) => {
            let pair = |(field, part): (&Arc<_>, &ArrayRef)| {
                let field: &datafusion::arrow::datatypes::Field = field;
                let own = items(part, name, takes)?;
                Ok(format!("{}={}", field.name(), own.concat()))
            };
            parts.fields().iter().zip(parts.columns()).map(pair).collect()
        }
        ScalarValue::Map(map) => {
            let (keys, values) =
                (items(map.keys(), name, takes)?, items(map.values(), name, takes)?);
            Ok(keys.iter().zip(values).map(|(key, value)| format!("{key}={value}")).collect())
        }
        _ if value.is_null() => Err(wrong()),
        _ if takes == Takes::Time && matches!(value.data_type(), DataType::Timestamp(..)) => {
            let utc = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
            let cast = |to: &DataType| value.cast_to(to);
            Ok(vec![cast(&utc).and_then(|time| time.cast_to(&DataType::Utf8))?.to_string()])
        }
        _ => {
            let is_plain = value.data_type().is_numeric()
                || matches!(
                    value.data_type(),
                    DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 | DataType::Boolean
                );
            if !is_plain {
                return Err(wrong());
            }
            let text = value.cast_to(&DataType::Utf8)?;
            Ok(vec![text.try_as_str().flatten().unwrap_or_default().to_owned()])
        }
    }
}

fn items(list: &ArrayRef, name: &str, takes: Takes) -> Result<Vec<String>> {
    let values = (0..list.len()).map(|at| ScalarValue::try_from_array(list, at));
    let texts = values.map(|value| texts(&value?, name, takes));
    Ok(texts.collect::<Result<Vec<_>>>()?.concat())
}
