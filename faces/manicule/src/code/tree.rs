//! Source trees: visited, with or without an index, and facts about their indexes.

pub use manicule_code::tree::{
    BuildError, BuildReport, Candidate, Flow, Given, IndexUse, InspectError, Inspection, Kept,
    KeptState, LeftOut, Look, Narrow, Notice, Nul, Order, Outcome, Reach, Receipt, Request, Reuse,
    Rules, SegmentInspection, Staleness, Upkeep, Visit, WhenBusy, clear, clear_cache_dir, list,
    visit,
};
