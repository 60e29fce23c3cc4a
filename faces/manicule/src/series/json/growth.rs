//! Growth between blocks.

use manicule_series::Block;
use manicule_series::growth::{Change, Grown, GrownList, Growth, Lens};

use crate::json::{Json, list, part, report, text};

/// Growth with the blocks that it is between.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'g> {
    /// The block that is analysed.
    pub block: &'g Block,
    /// The older one.
    pub against: &'g Block,
    /// What grew.
    pub growth: &'g Growth,
}

report!(of: Compared<'_> {
    block: Json(Named(of.block)), against: Json(Named(of.against)); of.growth,
});

/// A block by its names and times.
struct Named<'b>(&'b Block);

report!(of: Named<'_> {
    path: of.0.path().to_string_lossy(), ulid: of.0.meta().map(|meta| &meta.ulid),
    min_time: of.0.meta().map(|meta| meta.min_time),
    max_time: of.0.meta().map(|meta| meta.max_time),
});

report!(of: Growth {
    series: Json(&of.series), sample_bytes: part(&of.sample_len),
    index_bytes: Json(&of.index_len), metrics: Json(&of.metrics), labels: Json(&of.names),
    pairs: Json(&of.pairs),
});

report!(of: GrownList {
    grew: list(&of.grew), grew_count, shrank: list(&of.shrank), shrank_count,
});

report!(of: Grown {
    name: text(&of.name), value: of.value.as_ref().map(|value| text(value)), state: state(of),
    series: Json(&of.series), values: part(&of.values), sample_bytes: part(&of.sample_len),
    index_bytes: part(&of.index_len),
});

fn state(of: &Grown) -> &'static str {
    match (of.is_new(), of.is_gone()) {
        (true, _) => "new",
        (_, true) => "gone",
        _ => "changed",
    }
}

report!(of: Change { before, now, growth: of.growth(), added, removed });

report!(of: Lens { before, now, growth: of.growth() });
