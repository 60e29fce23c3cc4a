//! Reading a table in a plan: a partition of the catalogue is a partition of the plan, and counts
//! of its work are among the plan's metrics.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as Waker, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{Stream, StreamExt};
use manicule::answer::{Batches as Answered, Stopper};
use manicule::catalog::{Call, Table, open_partition};
use manicule::context::Context;
use tokio::sync::mpsc::Sender;

use crate::{clothes, failed};

/// Maximum number of batches that wait for the plan, beside those that the answer keeps.
const WAITING_MAX: usize = 1;

/// What is read of a table.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// All of it.
    All,
    /// A part, by the text that describes it.
    One(String),
}

/// A table that is read in partitions.
#[derive(Debug)]
pub(crate) struct TableScan {
    table: &'static Table,
    call: Call,
    /// The partitions, each of parts that are read one after the other.
    partitions: Vec<Vec<Part>>,
    context: Context,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl TableScan {
    pub(crate) fn new(
        table: &'static Table,
        call: Call,
        schema: SchemaRef,
        partitions: Vec<Vec<Part>>,
        context: &Context,
    ) -> TableScan {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        // The channel that batches come by takes part in tokio's budget.
        .with_scheduling_type(SchedulingType::Cooperative);
        let (properties, context) = (Arc::new(properties), context.clone());
        let metrics = ExecutionPlanMetricsSet::new();
        TableScan { table, call, partitions, context, properties, metrics }
    }
}

impl DisplayAs for TableScan {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { arguments, asked } = &self.call;
        let (begin, end) = match format {
            DisplayFormatType::TreeRender => ("", "\n"),
            _ => (", ", ""),
        };
        match format {
            DisplayFormatType::TreeRender => write!(f, "table={}{end}", self.table.name)?,
            _ => write!(f, "{}: table={}", self.name(), self.table.name)?,
        }
        let mut put = |name: &str, values: Vec<String>| {
            if values.is_empty() {
                return Ok(());
            }
            write!(f, "{begin}{name}=[{}]{end}", values.join(", "))
        };
        put("paths", arguments.paths.iter().map(|path| path.display().to_string()).collect())?;
        let named = arguments.named.iter().map(|(name, text)| format!("{name} => {text}"));
        put("arguments", named.collect())?;
        put("columns", asked.columns.clone().unwrap_or_default())?;
        put("conditions", asked.conditions.iter().map(ToString::to_string).collect())?;
        if let Some(limit) = asked.limit {
            write!(f, "{begin}limit={limit}{end}")?;
        }
        write!(f, "{begin}partitions={}{end}", self.partitions.len())
    }
}

impl ExecutionPlan for TableScan {
    fn name(&self) -> &'static str {
        "TableScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn fetch(&self) -> Option<usize> {
        self.call.asked.limit.map(|limit| limit as usize)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(&self, at: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let end = Arc::new(End::default());
        let (schema, parts) = (self.schema(), self.partitions[at].clone());
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&schema), WAITING_MAX);
        let (sender, context) = (builder.tx(), self.context.clone());
        let reading = Reading {
            table: self.table,
            call: self.call.clone(),
            parts,
            schema: Arc::clone(&schema),
            end: Arc::clone(&end),
            metrics: self.metrics.clone(),
            at,
        };
        builder.spawn_blocking(move || context.enter(|| reading.send(&sender)));
        let counts = BaselineMetrics::new(&self.metrics, at);
        Ok(Box::pin(Batches { batches: builder.build(), schema, counts, end }))
    }
}

/// A partition that is being read.
struct Reading {
    table: &'static Table,
    call: Call,
    parts: Vec<Part>,
    schema: SchemaRef,
    end: Arc<End>,
    metrics: ExecutionPlanMetricsSet,
    at: usize,
}

impl Reading {
    /// Reads its parts to their end, or until nobody takes batches any more.
    fn send(self, sender: &Sender<Result<RecordBatch>>) -> Result<()> {
        let mut rows_left = self.call.asked.limit.unwrap_or(u64::MAX);
        for part in &self.parts {
            if self.send_part(part, &mut rows_left, sender)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn send_part(
        &self,
        part: &Part,
        rows_left: &mut u64,
        sender: &Sender<Result<RecordBatch>>,
    ) -> Result<ControlFlow<()>> {
        let answer = match part {
            Part::All => self.table.open(&self.call),
            Part::One(text) => open_partition(text),
        };
        let answer = answer.map_err(failed)?;
        if !self.end.may_stop(answer.stopper()) {
            return Ok(ControlFlow::Break(()));
        }
        let mut batches = answer.into_batches();
        while let Some(batch) = batches.next() {
            let batch = clothes::batch(batch?, &self.schema)?;
            *rows_left = rows_left.saturating_sub(batch.num_rows() as u64);
            if *rows_left == 0 {
                // The plan has enough of it, and drops what comes after: counts come before.
                batches.by_ref().for_each(drop);
                self.count(&batches);
            }
            if sender.blocking_send(Ok(batch)).is_err() || *rows_left == 0 {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.count(&batches);
        Ok(ControlFlow::Continue(()))
    }

    /// Notes what an answer that is at its end has cost.
    fn count(&self, batches: &Answered) {
        for (name, count) in batches.receipt().into_iter().flatten() {
            let builder = MetricBuilder::new(&self.metrics);
            builder.counter(Cow::Borrowed(*name), self.at).add(*count as usize);
        }
    }
}

/// The end of a stream that is dropped, which the thread that reads for it learns from here: it may
/// wait for a batch that never comes.
#[derive(Debug, Default)]
struct End {
    state: Mutex<Reached>,
}

#[derive(Debug, Default)]
struct Reached {
    is_dropped: bool,
    /// Of what is being read now.
    stopper: Option<Stopper>,
}

impl End {
    fn state(&self) -> MutexGuard<'_, Reached> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is being read from now on; whether it is wanted.
    fn may_stop(&self, stopper: Stopper) -> bool {
        let mut state = self.state();
        state.stopper = Some(stopper);
        !state.is_dropped
    }

    fn stop(&self) {
        let mut state = self.state();
        state.is_dropped = true;
        if let Some(stopper) = &state.stopper {
            stopper.stop();
        }
    }
}

/// The batches of a partition. Dropped before their end, they end the reading.
struct Batches {
    batches: SendableRecordBatchStream,
    schema: SchemaRef,
    counts: BaselineMetrics,
    end: Arc<End>,
}

impl Stream for Batches {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.batches.poll_next_unpin(waker);
        self.counts.record_poll(polled)
    }
}

impl RecordBatchStream for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.end.stop();
    }
}
