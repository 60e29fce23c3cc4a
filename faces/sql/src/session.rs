//! What queries are asked in: DataFusion with our tables, its memory and its threads.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use manicule::context::Context;

use crate::catalogs::Catalogs;
use crate::function::Functions;

/// Options of a session.
pub(crate) struct Options {
    /// Bytes that sorts, groups and joins may hold together: they spill to files, or the query
    /// fails. `None`: as many as there are.
    pub(crate) memory: Option<usize>,
    /// Number of partitions that tables are cut into, and of threads.
    pub(crate) threads: usize,
}

/// A session whose tables are read within a context.
pub(crate) fn session(
    options: &Options,
    catalogs: Catalogs,
    context: &Context,
) -> Result<SessionContext> {
    let config =
        SessionConfig::new().with_target_partitions(options.threads).with_information_schema(true);
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(memory) = options.memory {
        runtime = runtime.with_memory_limit(memory, 1.0);
    }
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(Arc::new(runtime.build()?))
        .with_default_features();
    let mut state = state.build();
    let catalogs = Arc::new(catalogs);
    let functions = Functions { context: context.clone(), catalogs: Arc::clone(&catalogs) };
    state.register_relation_planner(Arc::new(functions))?;
    let session = SessionContext::new_with_state(state);
    let names = session.catalog_names();
    let all = session.catalog(&names[0]).expect("the catalog that was just named");
    for (name, catalog) in &catalogs.named {
        all.register_schema(name, Arc::clone(catalog) as _)?;
    }
    Ok(session)
}
